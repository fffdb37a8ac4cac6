"""Every formula against the real loops, which count as they go."""

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.cost import (
    Cost,
    attention_cost,
    cache_bytes,
    cross_attention_cost,
    embedding_cost,
    feed_forward_cost,
    layer_cost,
    linear_cost,
    mixing_cost,
    norm_cost,
    recurrent_cost,
    writing_cost,
)
from app.engine.recurrent import CELLS, initial_weights
from tests.engine.golden.bert_cases import tiny


@dataclass
class Matrix:
    """Rows of numbers that know how many products had to come before them."""

    rows: list
    depth: int = 0

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])


@dataclass
class Loops:
    """The operations as plain loops; every multiplication, exponential and number is counted."""

    multiply_adds: int = 0
    exponentials: int = 0
    parameters: int = 0
    numbers: int = 0
    deepest: int = 0
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def weights(self, rows, columns):
        self.parameters += rows * columns
        return Matrix(self.random.normal(size=(rows, columns)).tolist())

    def made(self, rows, depth):
        self.numbers += sum(len(row) for row in rows)
        self.deepest = max(self.deepest, depth)
        return Matrix(rows, depth)

    def product(self, a, b, *, bias=None):
        rows = []
        for i in range(a.shape[0]):
            rows.append([])
            for j in range(b.shape[1]):
                total = 0.0 if bias is None else bias.rows[0][j]
                for k in range(a.shape[1]):
                    total += a.rows[i][k] * b.rows[k][j]
                    self.multiply_adds += 1
                rows[-1].append(total)
        return self.made(rows, max(a.depth, b.depth) + 1)

    def linear(self, x, outputs):
        return self.product(x, self.weights(x.shape[1], outputs), bias=self.weights(1, outputs))

    def exp(self, x):
        self.exponentials += 1
        return math.tanh(x)

    def bend(self, x):
        return self.made([[v * self.exp(v) for v in row] for row in x.rows], x.depth)

    def softmax(self, x):
        bent = [[math.exp(v) + 0 * self.exp(v) for v in row] for row in x.rows]
        return self.made([[v / sum(row) for v in row] for row in bent], x.depth)

    def cost(self):
        return Cost(
            self.multiply_adds, self.exponentials, self.parameters, 4 * self.numbers, self.deepest
        )


def part(x, start, stop):
    return Matrix([row[start:stop] for row in x.rows], x.depth)


def turned(x):
    return Matrix([list(column) for column in zip(*x.rows, strict=True)], x.depth)


def tokens(count, width):
    return Matrix(np.random.default_rng(1).normal(size=(count, width)).tolist())


def mix(loops, queries, keys, values, heads):
    width, mixed = queries.shape[1] // heads, []
    for head in range(heads):
        own = [part(x, head * width, (head + 1) * width) for x in (queries, keys, values)]
        shares = loops.softmax(loops.product(own[0], turned(own[1])))
        mixed.append(loops.product(shares, own[2]))
    joined = [[v for m in mixed for v in m.rows[t]] for t in range(queries.shape[0])]
    return Matrix(joined, mixed[0].depth)


def attend(loops, x, seen, heads, past=None):
    width = x.shape[1]
    queries, keys, values = (loops.linear(y, width) for y in (x, seen, seen))
    if past is not None:
        keys, values = (
            Matrix(past.rows + keys.rows, keys.depth),
            Matrix(past.rows + values.rows, values.depth),
        )
    return loops.linear(mix(loops, queries, keys, values, heads), width)


def think(loops, x, hidden):
    return loops.linear(loops.bend(loops.linear(x, hidden)), x.shape[1])


def add_and_norm(loops, x, answer):
    loops.weights(2, x.shape[1])
    loops.made(x.rows, answer.depth)
    return loops.made(answer.rows, answer.depth)


SIZES = {"count": st.integers(1, 5), "heads": st.integers(1, 3), "head_width": st.integers(1, 3)}


@given(**SIZES, seen=st.integers(1, 5))
@settings(max_examples=20, deadline=None)
def test_mixing_costs_what_its_loops_count(count, heads, head_width, seen):
    loops, width = Loops(), heads * head_width
    mix(loops, tokens(count, width), tokens(seen, width), tokens(seen, width), heads)
    assert loops.cost() == mixing_cost(count, width, heads, seen=seen)


@given(**SIZES, cached=st.integers(0, 4))
@settings(max_examples=20, deadline=None)
def test_attention_costs_what_its_loops_count_with_and_without_a_cache(
    count, heads, head_width, cached
):
    loops, width = Loops(), heads * head_width
    x = tokens(count, width)
    attend(loops, x, x, heads, past=tokens(cached, width) if cached else None)
    assert loops.cost() == attention_cost(count, width, heads, cached=cached)


@given(**SIZES, source=st.integers(1, 5))
@settings(max_examples=20, deadline=None)
def test_cross_attention_costs_what_its_loops_count(count, heads, head_width, source):
    loops, width = Loops(), heads * head_width
    attend(loops, tokens(count, width), tokens(source, width), heads)
    assert loops.cost() == cross_attention_cost(count, source, width, heads)


@given(count=st.integers(1, 5), width=st.integers(1, 5), hidden=st.integers(1, 7))
@settings(max_examples=20, deadline=None)
def test_the_feed_forward_part_costs_what_its_loops_count(count, width, hidden):
    loops = Loops()
    think(loops, tokens(count, width), hidden)
    assert loops.cost() == feed_forward_cost(count, width, hidden)


@pytest.mark.parametrize("source", [0, 3])
def test_a_block_costs_what_its_loops_count(source):
    loops, x = Loops(), tokens(4, 6)
    x = add_and_norm(loops, x, attend(loops, x, x, 2))
    if source:
        x = add_and_norm(loops, x, attend(loops, x, tokens(source, 6), 2))
    add_and_norm(loops, x, think(loops, x, 10))
    assert loops.cost() == layer_cost(4, 6, 2, 10, source=source)


def step(loops, kind, given, recurrent, width):
    """One step of a cell in loops: as many exponentials and kept numbers as it really needs."""
    depth = recurrent.depth
    both = [a + b for a, b in zip(given, recurrent.rows[0], strict=True)]
    gates = loops.made([[loops.exp(v) for v in both]], depth)
    if kind == "rnn":
        return gates
    state = gates.rows[0][:width]
    if kind == "lstm":
        cell = loops.made([gates.rows[0][-width:]], depth)
        state = [loops.exp(v) for v in cell.rows[0]]
    return loops.made([state], depth)


@pytest.mark.parametrize("kind", sorted(CELLS))
def test_a_recurrent_layer_costs_what_its_loops_count(kind):
    loops, width, parts = Loops(), 3, CELLS[kind].parts
    projected = loops.linear(tokens(5, 2), parts * width)
    matrix, bias = loops.weights(width, parts * width), loops.weights(1, parts * width)
    state = Matrix([[0.0] * width], projected.depth)
    for row in projected.rows:
        recurrent = loops.product(state, matrix, bias=bias)
        state = step(loops, kind, row, recurrent, width)
    assert loops.cost() == recurrent_cost(kind, 5, 2, width)
    drawn = initial_weights(kind, 2, width, seed=0)
    assert loops.parameters == sum(array.size for array in drawn)


def test_a_real_checkpoint_has_as_many_parameters_as_counted():
    weights, config = tiny()
    read = {name: weights[name] for name in config.weight_names()}
    rows = config.vocabulary + config.longest + config.segments
    counted = embedding_cost(1, config.width, rows=rows) + norm_cost(1, config.width)
    layer = layer_cost(1, config.width, config.heads, config.hidden)
    counted += layer.times(config.layers)
    assert counted.parameters == sum(array.size for array in read.values())


@given(heads=st.sampled_from([1, 2, 3, 4, 6, 12]))
def test_more_heads_cost_exponentials_and_maps_but_no_products_and_no_parameters(heads):
    one, many = attention_cost(7, 12, 1), attention_cost(7, 12, heads)
    assert (one.multiply_adds, one.parameters) == (many.multiply_adds, many.parameters)
    assert many.exponentials == heads * one.exponentials
    assert many.bytes - one.bytes == 4 * 2 * 49 * (heads - 1)


def test_attention_takes_as_many_steps_for_any_length_and_recurrence_one_a_token():
    assert attention_cost(1000, 8, 2).sequential_steps == attention_cost(10, 8, 2).sequential_steps
    assert recurrent_cost("gru", 1000, 8, 8).sequential_steps == 1001


def test_with_a_cache_the_sum_over_tokens_is_the_work_of_reading_the_text_once_and_a_bit():
    sizes = {"width": 8, "heads": 2, "hidden": 16, "layers": 3}
    cached = writing_cost(5, 4, **sizes, use_cache=True)
    plain = writing_cost(5, 4, **sizes, use_cache=False)
    assert cached[0] == plain[0]
    assert all(
        ours.multiply_adds < theirs.multiply_adds
        for ours, theirs in zip(cached[1:], plain[1:], strict=True)
    )
    # What is saved on a whole text is only the half of each map above the diagonal.
    whole = layer_cost(8, 8, 2, 16).times(3).multiply_adds
    hidden_half = 3 * 2 * 8 * (8 * 8 - 5 * 5 - 6 - 7 - 8)
    assert sum(cost.multiply_adds for cost in cached) == whole - hidden_half


def test_a_cache_holds_keys_and_values_of_every_layer():
    keys = np.zeros((3, 10, 8), np.float32)
    assert cache_bytes(10, 8, 3) == 2 * keys.nbytes


def test_costs_add_and_multiply_part_by_part():
    assert linear_cost(2, 3, 4) + linear_cost(2, 3, 4) == linear_cost(2, 3, 4).times(2)
