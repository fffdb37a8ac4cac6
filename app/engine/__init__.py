"""The engine: every number of the course, computed with NumPy alone.

Read the modules in this order, each uses only what stands before it:
functions, masks, attention, bert; then what you are curious about.

Shape letters, the same everywhere:

    T  tokens (S where keys come from another sequence)
    D  model width, the numbers that describe one token
    H  heads
    K  head width, D / H
    F  hidden width of the feed-forward layer
    V  vocabulary
    L  layers

Errors, all of them kinds of ValueError whose message says what to change:

    EngineError
    ├── EmptyRow           a token may look at nothing
    ├── UnsupportedModel   a configuration that this engine does not compute
    ├── WeightMismatch     tensors missing from a checkpoint, or left over
    └── ZeroVector         a vector without a direction
"""


class EngineError(ValueError):
    """Something the engine cannot compute; the message says what to change."""


class EmptyRow(EngineError):
    """A token may look at nothing, so its weights would be 0 divided by 0."""


class UnsupportedModel(EngineError):
    """A checkpoint's configuration asks for something this engine does not compute."""


class WeightMismatch(EngineError):
    """A checkpoint lacks tensors that the model needs, or holds some that nothing uses."""


class ZeroVector(EngineError):
    """A vector of zeros has no direction, so no angle can be measured to it."""
