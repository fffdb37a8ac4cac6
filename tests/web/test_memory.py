"""What was computed is kept within bounds, and computed once however many ask."""

import threading
import time

import numpy as np
import pytest

from app.lab import BadInput, Result
from app.web.memory import OBJECT, Memory, weigh


def result(kilobytes):
    return Result("", (), context={"held": np.zeros(kilobytes * 1000, np.uint8)})


def test_an_array_weighs_its_bytes_and_a_view_the_whole_that_it_keeps_alive():
    whole = np.zeros(5000, np.uint8)
    assert weigh(whole) == 5000 + OBJECT
    assert weigh(whole[:10].reshape(2, 5)) == 5000 + OBJECT
    assert weigh((whole, whole[:10])) == 5000 + 3 * OBJECT


def test_what_is_mapped_from_a_models_file_weighs_nothing(tmp_path):
    mapped = np.memmap(tmp_path / "weights", np.float32, "w+", shape=(1000,))
    assert weigh(mapped) == weigh(mapped[:10]) == OBJECT


def test_the_oldest_results_go_when_the_bytes_are_used_up():
    memory = Memory(most_bytes=100_000)
    for name in "abcd":
        memory.get(name, lambda: result(30))
    assert len(memory) == 3
    assert memory.held <= 100_000
    made = []
    memory.get("b", lambda: made.append("b") or result(30))
    memory.get("a", lambda: made.append("a") or result(30))
    assert made == ["a"]


def test_a_result_larger_than_everything_is_given_but_not_kept():
    memory = Memory(most_bytes=1000)
    assert memory.get("a", lambda: result(5)).context["held"].size == 5000
    assert (len(memory), memory.held) == (0, 0)


def test_many_who_ask_for_the_same_at_once_wait_for_one_computation():
    memory, made, given = Memory(), [], []

    def make():
        made.append(1)
        time.sleep(0.05)
        return result(1)

    askers = [threading.Thread(target=lambda: given.append(memory.get("a", make))) for _ in "12345"]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert len(made) == 1
    assert {id(each) for each in given} == {id(given[0])}


def test_a_refusal_is_not_kept():
    memory = Memory()

    def refuse():
        raise BadInput("text", "too long")

    for _ in range(2):
        with pytest.raises(BadInput):
            memory.get("a", refuse)
    assert memory.get("a", lambda: result(1)).finding == ""
