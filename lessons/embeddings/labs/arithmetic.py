"""A cosine in three steps, and as lines of NumPy that print it."""

import re

import numpy as np

from app.engine.vectors import cosine
from app.figures.describe import Array
from app.i18n import _
from app.lab import Formula

# What stands between the braces of \\text{} as it is; other signs mean something in LaTeX.
UNSAFE = re.compile(r"[^\w' .’-]|_")


def word_in_maths(word: str) -> str:
    r"""Write a word into a formula; signs that LaTeX would read are left out.

    Example:
        >>> word_in_maths("rock'n'roll"), word_in_maths("a_{b}")
        ("\\text{rock'n'roll}", '\\text{ab}')
    """
    return rf"\text{{{UNSAFE.sub('', word)[:20] or 'w'}}}"


def cosine_steps(a: str, b: str, u: Array, v: Array, table: int) -> Formula:
    """Write the cosine of two words: in general, with shapes, with numbers."""
    width = len(u)
    size = f"{table:,}".replace(",", "{,}")
    dot, long_u, long_v = float(u @ v), float(np.linalg.norm(u)), float(np.linalg.norm(v))
    return Formula(
        _("The cosine of two words"),
        r"\cos\,\theta=\frac{u\cdot v}{\lVert u\rVert\,\lVert v\rVert}",
        rf"u,v\in\mathbb{{R}}^{{{width}}}\quad W_E\in\mathbb{{R}}^{{{size}\times {width}}}",
        rf"\cos({word_in_maths(a)},{word_in_maths(b)})"
        rf"=\frac{{{dot:.3f}}}{{{long_u:.3f}\cdot {long_v:.3f}}}={cosine(u, v):.3f}",
    )


def listed(name: str, vector: Array) -> str:
    """Write a vector as a line of NumPy."""
    return f"{name} = np.array([{', '.join(f'{float(x):.8g}' for x in vector)}])"


def cosine_snippet(a: str, b: str, u: Array, v: Array) -> tuple[str, str]:
    """Write lines that print the cosine of two words, and what they print."""
    code = (
        "import numpy as np\n\n"
        f"# the vectors of {a!r} and {b!r}\n"
        f"{listed('u', u)}\n{listed('v', v)}\n"
        "print(f'{u @ v / (np.linalg.norm(u) * np.linalg.norm(v)):.3f}')"
    )
    return code, f"{cosine(u, v):.3f}"
