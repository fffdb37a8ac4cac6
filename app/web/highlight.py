"""Python source, coloured by classes (the page's own style sheet gives them colours)."""

import html
import re

from markupsafe import Markup
from pygments import highlight as colour
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

FORMAT = HtmlFormatter[str](nowrap=True)
# Names that have a colour of their own all over the course; not a method such as .values().
ROLES = {"query": "query", "queries": "query", "keys": "key", "values": "value"}
ROLE = re.compile(r'(?<!<span class="o">\.</span>)<span class="n">(query|queries|keys|values)<')


def highlight(code: str, language: str = "python", _attributes: str = "") -> Markup:
    """Colour Python, queries, keys and values in their own colours; show the rest as it is."""
    if language != "python":
        return Markup(html.escape(code))  # noqa: S704 (escaped)
    coloured = colour(code, PythonLexer(), FORMAT)
    return Markup(ROLE.sub(mark_role, coloured))  # noqa: S704 (Pygments escapes)


def mark_role(found: re.Match[str]) -> str:
    """Give the name of a query, a key or a value the class of its colour.

    Example:
        >>> str(highlight("queries")).strip()
        '<span class="n is-query">queries</span>'
    """
    return f'<span class="n is-{ROLES[found[1]]}">{found[1]}<'
