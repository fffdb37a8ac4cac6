"""The labs of a lesson are numbered in the order in which its text shows them."""

import re

import pytest

from app.catalogue import find_lessons
from app.settings import ROOT

LESSONS = find_lessons(ROOT / "lessons")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_labs_stand_in_the_list_as_they_stand_in_the_text(lesson):
    told = re.findall(r"^::: lab ([a-z0-9-]+)$", lesson.prose, re.MULTILINE)
    made = [lab.slug for lab in lesson.labs]
    assert made == [slug for slug in told if slug in made]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_every_experiment_names_a_lab_that_the_text_shows(lesson):
    told = set(re.findall(r"^::: lab ([a-z0-9-]+)$", lesson.prose, re.MULTILINE))
    tested = re.findall(r"^::: experiment ([a-z0-9-]+)$", lesson.prose, re.MULTILINE)
    assert tested
    assert set(tested) <= told
