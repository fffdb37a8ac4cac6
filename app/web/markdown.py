"""Lesson prose: Markdown to HTML with margin notes, maths on the server, and places for labs."""

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import latex2mathml.converter
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup
from mdit_py_plugins.attrs import attrs_block_plugin, attrs_plugin
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

from app.catalogue import Source
from app.i18n import _
from app.web.highlight import highlight

HEADING_ID = re.compile(r"\s*\{#([a-z0-9-]+)\}$")
# A formula of a line and the marks behind it, which must not start the next line.
MARKED = re.compile(r'(<span class="math inline">(?:(?!</span>).)*</span>)([.,;:?!)”’]+)')
CITATION = re.compile(r"\[@([a-z0-9]+)\]")
# What the converter sets too wide or too close, and how it is set right.
SET_RIGHT = (
    (re.compile("<mo>&#x02212;</mo><mo>&#x0221E;</mo>"), "<mi>&#x02212;&#x0221E;</mi>"),
    (re.compile("<mo>&#x0221E;</mo>"), "<mi>&#x0221E;</mi>"),
    (  # a minus behind =, ≈, ( or a comma belongs to its number
        re.compile(
            r"(<mo[^>]*>&#x0(?:003D|2248|0028|002C);</mo>(?:<mspace[^>]*>)?)<mo>&#x02212;</mo>"
        ),
        r'\1<mo form="prefix">&#x02212;</mo>',
    ),
    (
        re.compile(r'<mo(?: stretchy="false")?>(&#x02016;|&#x0007C;)</mo>'),  # ‖ and |
        r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>',
    ),
    (re.compile("</mn><mrow><mo>&#x0002C;</mo></mrow><mn>"), ","),  # 32{,}768 is one number
    (re.compile("<mrow><mo>&#x0003C;</mo>"), '<mrow><mo lspace="0" rspace="0">&lt;</mo>'),
    (
        re.compile(
            r"(<mi>(?:log|ln|cos)</mi>|<msub><mi>log</mi><mn>\d+</mn></msub>)(?=<m[isfn])(?!<mspace)"
        ),
        r'\1<mspace width="0.167em" />',
    ),
)
# Containers that become an element of their own: its tag, its class, the name that it shows.
BOXES = {
    "note": ("aside", "note", ""),
    "fine-print": ("aside", "fine-print", _("Fine print")),
    "remember": ("div", "remember", ""),
    "trap": ("div", "trap", ""),
}
# Blocks that a margin note may stand beside.
LINES = {"paragraph_open", "bullet_list_open", "ordered_list_open", "math_block", "table_open"}


@dataclass(frozen=True)
class Block:
    """A stretch of a lesson: ready HTML, or the place of a lab or of the quiz."""

    html: Markup | None = None
    lab: str = ""
    quiz: bool = False


@dataclass(frozen=True)
class Section:
    """A heading of a lesson, for its table of contents."""

    id: str
    title: str


@lru_cache(maxsize=2048)
def maths(latex: str, *, display: bool = False) -> Markup:
    """Turn a formula into MathML; most formulas of a lab stay as they are while one types."""
    mode = "block" if display else "inline"
    text = latex2mathml.converter.convert(latex, display=mode)
    for wrong, right in SET_RIGHT:
        text = wrong.sub(right, text)
    return Markup(text)  # noqa: S704 (the converter's output)


def render_maths(latex: str, options: dict[str, Any]) -> str:
    """Turn a formula of the prose into MathML; a wide one scrolls in a box of its own."""
    if options["display_mode"]:
        return f'<div class="formula" tabindex="0">{maths(latex, display=True)}</div>'
    return str(maths(latex))


def simple_box(tag: str, style: str, name: str) -> Callable[..., str]:
    """Make the renderer of a container that is one element with one class, and maybe a name."""
    heading = f'<p class="aside-name">{name}</p>\n' if name else ""

    def render(
        _self: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any
    ) -> str:
        opening = f'<{tag} class="{style}">\n{heading}'
        return opening if tokens[index].nesting == 1 else f"</{tag}>\n"

    return render


def colour_code(code: str, language: str, attributes: str) -> str:
    """Colour a code block; a plain string, since Markup would escape the <pre> put around it."""
    return str(highlight(code, language, attributes))


def make_parser() -> MarkdownIt:
    """Set up the Markdown that lessons are written in."""
    options = {"html": False, "typographer": True, "highlight": colour_code}
    parser = MarkdownIt("commonmark", options)
    parser.enable(["table", "smartquotes", "replacements"])
    parser.use(attrs_plugin, spans=True, allowed=["class", "id"])
    parser.use(attrs_block_plugin)
    parser.use(dollarmath_plugin, renderer=render_maths, allow_labels=False)
    for name, (tag, style, shown) in BOXES.items():
        parser.use(container_plugin, name, render=simple_box(tag, style, shown))
    for name in ("experiment", "lab", "quiz"):
        parser.use(container_plugin, name)
    return parser


PARSER = make_parser()


def name_headings(tokens: Sequence[Token]) -> tuple[Section, ...]:
    """Take the "{#id}" at the end of each heading as its id, and list the headings."""
    found = []
    for opening, inline in pairwise(tokens):
        name = HEADING_ID.search(inline.content) if opening.type == "heading_open" else None
        if name is None or not inline.children:
            continue
        opening.attrSet("id", name[1])
        inline.content = inline.content[: name.start()]
        inline.children[-1].content = HEADING_ID.sub("", inline.children[-1].content)
        found.append(Section(name[1], inline.content))
    return tuple(found)


def render_lesson(
    text: str, sources: Sequence[Source], labs: Sequence[str]
) -> tuple[tuple[Section, ...], list[Block]]:
    """Turn a lesson's Markdown into its sections and blocks: HTML, labs' places, the quiz's."""
    tokens = PARSER.parse(text)
    sections = name_headings(tokens)
    blocks: list[Block] = []
    held: list[Token] = []
    for token in tokens:
        kind = token.type.removeprefix("container_")
        if kind in {"lab_open", "quiz_open"}:
            blocks.append(Block(html=render(held, sources, labs)))
            held = []
            slug = token.info.split()[-1] if token.info else ""
            blocks.append(Block(quiz=True) if kind == "quiz_open" else Block(lab=slug))
        elif kind not in {"lab_close", "quiz_close"}:
            held.append(token)
    blocks.append(Block(html=render(held, sources, labs)))
    shown = [block for block in blocks if block.html or block.quiz or block.lab in labs]
    return sections, shown


def beside(tokens: Sequence[Token]) -> list[Token]:
    """Put each margin note into one box with the block before it, so that it stands beside it."""
    placed: list[Token] = []
    start, kind, open_ = 0, "", False
    for token in tokens:
        if token.level == 0 and token.nesting >= 0:
            if token.type == "container_note_open" and kind in LINES:
                placed.insert(start, Token("html_block", "", 0, content='<div class="beside">\n'))
                open_ = True
            start, kind = len(placed), token.type
        placed.append(token)
        if token.type == "container_note_close" and open_:
            placed.append(Token("html_block", "", 0, content="</div>\n"))
            open_ = False
    return placed


def render(tokens: Sequence[Token], sources: Sequence[Source], labs: Sequence[str]) -> Markup:
    """Turn tokens into HTML, with citations as links to the list of references."""
    stack: list[str] = []
    parts: list[str] = []
    plain: list[Token] = []

    def flush() -> None:
        parts.append(PARSER.renderer.render(plain, PARSER.options, {}))
        plain.clear()

    for token in beside(tokens):
        if token.type == "container_experiment_open":
            flush()
            stack.append(token.info.split()[-1])
            parts.append(f'<div class="experiment">\n<p class="aside-name">{_("Experiment")}</p>\n')
        elif token.type == "container_experiment_close":
            flush()
            parts.append(close_experiment(stack.pop(), labs))
        else:
            plain.append(token)
    flush()
    text = MARKED.sub(r'<span class="unbroken">\1\2</span>', reachable("".join(parts)))
    return Markup(cite(text, sources))  # noqa: S704 (from our own prose, html off)


def reachable(text: str) -> str:
    """Let the keyboard reach code that scrolls; make an empty heading of a table a plain cell."""
    return text.replace("<pre>", '<pre tabindex="0">').replace("<th></th>", "<td></td>")


def close_experiment(slug: str, labs: Sequence[str]) -> str:
    """End a claim that a lab tests, with a link to the lab where that exists."""
    link = f'<p class="experiment-link"><a href="#lab-{slug}">{_("Try it")}</a></p>\n'
    return f"{link if slug in labs else ''}</div>\n"


def cite(text: str, sources: Sequence[Source]) -> str:
    """Turn [@id] into a link to the reference.

    Raises: KeyError, when a lesson cites what it does not list.
    """
    known = {source.id: source for source in sources}

    def link(found: re.Match[str]) -> str:
        source = known[found[1]]
        name = html.escape(short_name(source)) + letter(source, sources)
        return f'<a class="cite" href="#source-{source.id}">{name}</a>'

    return CITATION.sub(link, text)


def short_name(source: Source) -> str:
    """Name a source as a sentence does: one author, two, a team, or the first of many."""
    authors = re.split(r",\s*(?:and\s+)?|\s+and\s+", source.authors)
    if authors[0].endswith("Team") or len(authors) == 1:
        who = authors[0]
    elif len(authors) == 2 and "others" not in authors[1]:
        who = f"{authors[0]} and {authors[1]}"
    else:
        who = f"{authors[0]} et al."
    return f"{who} {source.year}"


def letter(source: Source, sources: Sequence[Source]) -> str:
    """Tell apart what the same people published in the same year: a, b and so on."""
    twins = [each.id for each in sources if short_name(each) == short_name(source)]
    return chr(ord("a") + twins.index(source.id)) if len(twins) > 1 else ""
