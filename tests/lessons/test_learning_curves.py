"""The matched pair's curves: as recorded, at equal tokens, and honest when one is missing."""

import json
import math
import shutil

import numpy as np
import pytest

from app.models import Models
from app.settings import ROOT
from lessons.bert_vs_gpt.labs.learning_curves import LearningCurvesForm, compute

ADDRESS = "/lessons/bert-vs-gpt/labs/learning-curves"
SHIPPED = ROOT / "models"


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Both of a pair: the shipped masked one, and a stand-in for the causal one."""
    folder = tmp_path_factory.mktemp("shipped")
    shutil.copytree(SHIPPED / "matched-masked", folder / "matched-masked")
    shutil.copytree(SHIPPED / "matched-masked", folder / "matched-causal")
    config = folder / "matched-causal" / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"is_decoder": True}))
    curve = json.loads((folder / "matched-masked" / "curve.json").read_text())
    lower = [{**point, "held_out": point["held_out"] - 0.5} for point in curve]
    (folder / "matched-causal" / "curve.json").write_text(json.dumps(lower))
    text = (SHIPPED / "catalogue.toml").read_text(encoding="utf-8")
    if 'name = "matched-causal"' not in text:
        start = text.index('[[models]]\nname = "matched-masked"')
        entry = text[start : text.index("[[models]]", start + 1)]
        changed = entry.replace('"matched-masked"', '"matched-causal"')
        text += "\n" + changed.replace('role = "encoder"', 'role = "decoder"')
    (folder / "catalogue.toml").write_text(text, encoding="utf-8")
    return Models(None, folder, folder / "catalogue.toml")


def test_points_are_those_of_the_record(pair):
    record = pair.record("matched-masked", "curve.json")
    for measure in ("held_out", "accuracy", "training"):
        [figure] = compute(LearningCurvesForm(measure=measure), pair).figures
        masked, causal = figure.lines
        assert (masked.label, causal.label) == ("masked", "causal")
        assert masked.y.tolist() == [point[measure] for point in record]
        np.testing.assert_allclose(masked.x, [point["tokens"] / 1e6 for point in record])


def test_the_finding_compares_at_equal_tokens(pair):
    record = pair.record("matched-masked", "curve.json")
    result = compute(LearningCurvesForm(), pair)
    for point in (record[0], record[-1]):
        loss = point["held_out"]
        assert f"{loss:.2f} (masked) against {loss - 0.5:.2f} (causal)" in result.finding
    assert f"among {math.exp(record[-1]['held_out']):.0f} tokens" in result.finding
    assert result.predict.measured == "causal"
    assert len(result.models) == 2


def test_what_may_not_be_compared_is_said(pair):
    notes = " ".join(compute(LearningCurvesForm(), pair).notes)
    assert "different questions" in notes


def test_one_of_the_pair_alone_is_shown_alone(tmp_path):
    shutil.copytree(SHIPPED / "matched-masked", tmp_path / "matched-masked")
    models = Models(None, tmp_path, SHIPPED / "catalogue.toml")
    result = compute(LearningCurvesForm(), models)
    assert len(result.figures[0].lines) == 1
    assert result.predict is None
    assert any("Only one" in note for note in result.notes)


def test_an_unknown_measure_is_answered_at_its_field(client):
    found = client.get(f"{ADDRESS}/data.json", params={"measure": "happiness"})
    assert found.status_code == 422
    assert list(json.loads(found.text)["errors"]) == ["measure"]
