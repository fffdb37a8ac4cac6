"""The block that encoders and decoders are made of: listen, perhaps listen to the source, think.

A decoder's block differs from an encoder's in two things: its mask, and cross-attention between
the other two parts. S counts the tokens that are listened to.
"""

from functools import partial
from typing import NamedTuple

from app.engine.attention import Attention, attend, merge_heads, split_heads
from app.engine.bert import ACTIVATIONS, Kept, Weights, part
from app.engine.cache import LayerCache
from app.engine.functions import Array, layer_norm, linear
from app.engine.seq2seq_config import Seq2SeqConfig


class Heard(NamedTuple):
    """One attention sub-layer, in order of computation."""

    read: Array  # (T, D) the stream, in a pre-norm model normalised
    queries: Array  # (H, T, K)
    keys: Array  # (H, S, K) of the tokens so far; in cross-attention of the source
    values: Array  # (H, S, K)
    attention: Attention
    merged: Array  # (T, D) the heads side by side
    projected: Array  # (T, D) the heads' answers blended
    hidden: Array  # (T, D) added to the stream, in a post-norm model normalised


class Thought(NamedTuple):
    """One feed-forward sub-layer, in order of computation."""

    read: Array  # (T, D)
    expanded: Array  # (T, F)
    activated: Array  # (T, F)
    contracted: Array  # (T, D)
    hidden: Array  # (T, D)


class Block(NamedTuple):
    """One layer: two sub-layers in an encoder, three in a decoder."""

    heard: Heard
    cross: Heard | None
    thought: Thought | None

    @property
    def hidden(self) -> Array:
        """The next layer's input, (T, D)."""
        return (self.thought or self.cross or self.heard).hidden


class Given(NamedTuple):
    """What one layer is given besides the tokens."""

    past: LayerCache | None = None  # what earlier tokens of its own side offer
    memory: LayerCache | None = None  # what the source offers
    keep: Kept | None = None  # (H) which heads of self-attention may speak
    keep_cross: Kept | None = None  # (H) the same of cross-attention
    scale: bool = True  # whether scores are divided by √K


def normalise(x: Array, weights: Weights, name: str, config: Seq2SeqConfig, *, at: str) -> Array:
    """Bring each token's numbers to mean 0 and variance 1, if the model does so at this place.

    Shapes: x (..., T, D) -> (..., T, D). `at`: "pre", before a sub-layer; "post", after it.

    Source: Vaswani et al. 2017, section 3.1 (post); Xiong et al. 2020, figure 1 (both).
    """
    if config.norm != at:
        return x
    return layer_norm(x, *part(weights, name), epsilon=config.layer_norm_eps)


def offer(seen: Array, weights: Weights, name: str, config: Seq2SeqConfig) -> LayerCache:
    """Make the keys and values of tokens: all that others will ever need of them.

    Shapes: seen (..., S, D) -> keys and values (..., H, S, K).

    Source: Vaswani et al. 2017, section 3.2.2.
    """
    keys, values = (
        split_heads(linear(seen, *part(weights, f"{name}.{role}")), config.n_heads)
        for role in ("key", "value")
    )
    return LayerCache(keys, values)


def listen(
    x: Array,
    weights: Weights,
    name: str,
    config: Seq2SeqConfig,
    *,
    memory: LayerCache | None = None,
    past: LayerCache | None = None,
    mask: Array | None = None,
    keep: Kept | None = None,
    scale: bool = True,
) -> Heard:
    """Let every token collect what fits its question: from its own side, or from a memory.

    Shapes: x (..., T, D), memory and past (..., H, S, K), mask (T, S), keep (H) -> Heard.

    Source: Vaswani et al. 2017, sections 3.2.2 and 3.2.3.
    """
    read = normalise(x, weights, f"{name}_norm", config, at="pre")
    offered = offer(read, weights, name, config) if memory is None else memory
    if past is not None:
        offered = past.extended(*offered)
    queries = split_heads(linear(read, *part(weights, f"{name}.query")), config.n_heads)
    attention = attend(queries, *offered, mask=mask, scale=scale)
    if keep is not None:
        attention = attention._replace(mixed=attention.mixed * keep[:, None, None])
    merged = merge_heads(attention.mixed)
    projected = linear(merged, *part(weights, f"{name}.output"))
    hidden = normalise(x + projected, weights, f"{name}_norm", config, at="post")
    return Heard(read, queries, *offered, attention, merged, projected, hidden)


def think(x: Array, weights: Weights, name: str, config: Seq2SeqConfig) -> Thought:
    """Let every token work by itself on what it has heard.

    Shapes: x (..., T, D) -> Thought.

    Source: Vaswani et al. 2017, equation 2.
    """
    read = normalise(x, weights, f"{name}_norm", config, at="pre")
    expanded = linear(read, *part(weights, f"{name}.up"))
    activated = ACTIVATIONS[config.activation](expanded)
    contracted = linear(activated, *part(weights, f"{name}.down"))
    hidden = normalise(x + contracted, weights, f"{name}_norm", config, at="post")
    return Thought(read, expanded, activated, contracted, hidden)


def run_block(
    x: Array, weights: Weights, name: str, config: Seq2SeqConfig, mask: Array | None, given: Given
) -> Block:
    """Listen to one's own side, then to the source if there is one, then think.

    Shapes: x (..., T, D), mask (T, S) -> Block.

    Source: Vaswani et al. 2017, figure 1.
    """
    part_name, cross, thought = f"{name}.self_attention", None, None
    ask = partial(listen, weights=weights, config=config, scale=given.scale)
    heard = ask(x, name=part_name, past=given.past, mask=mask, keep=given.keep)
    x = heard.hidden
    if given.memory is not None:
        part_name = f"{name}.cross_attention"
        cross = ask(x, name=part_name, memory=given.memory, keep=given.keep_cross)
        x = cross.hidden
    if config.d_ff:
        thought = think(x, weights, f"{name}.feed_forward", config)
    return Block(heard, cross, thought)
