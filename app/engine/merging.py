"""From pieces to words: an attention map over pieces becomes one over whole words.

A word that the tokenizer cut in three looks with three rows and is looked at in three columns. What
is looked at adds up, so columns are summed; what looks is one reader of several minds, so rows are
averaged. Each row then still sums to 1.
"""

import numpy as np
from numpy.typing import NDArray

from app.engine.functions import Array

Groups = NDArray[np.int64]


def merge_pieces(weights: Array, groups: Groups) -> Array:
    """Make one row and one column of all pieces that belong together.

    Shapes: weights (..., T, T), groups (T) numbers from 0 without gaps -> (..., G, G).

    Example: pieces 1 and 2 are one word; 0.2 + 0.3 look at it, and it looks with (0.4 + 0.6) / 2.
        >>> weights = np.array([[0.5, 0.2, 0.3], [0.4, 0.6, 0.0], [0.6, 0.0, 0.4]])
        >>> merge_pieces(weights, np.array([0, 1, 1])).tolist()
        [[0.5, 0.5], [0.5, 0.5]]

    Source: Clark et al. 2019, section 4.1.
    """
    member = (groups[None, :] == np.arange(groups.max() + 1)[:, None]).astype(weights.dtype)
    average = member / member.sum(axis=1, keepdims=True)
    merged: Array = average @ weights @ member.T
    return merged
