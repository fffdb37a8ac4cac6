"""Python source, coloured by classes (the page's own style sheet gives them colours)."""

import html

from markupsafe import Markup
from pygments import highlight as colour
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

FORMAT = HtmlFormatter[str](nowrap=True)


def highlight(code: str, language: str = "python", _attributes: str = "") -> Markup:
    """Colour Python; any other language is shown as it is."""
    if language != "python":
        return Markup(html.escape(code))  # noqa: S704 (escaped)
    return Markup(colour(code, PythonLexer(), FORMAT))  # noqa: S704 (Pygments escapes)
