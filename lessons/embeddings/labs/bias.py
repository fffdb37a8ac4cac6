"""What to say when an analogy asks what a word becomes for the other gender."""

from app.i18n import _
from app.reading import quote

PAIRS = (
    ("man", "woman"), ("men", "women"), ("he", "she"), ("him", "her"), ("his", "her"),
    ("himself", "herself"), ("male", "female"), ("boy", "girl"), ("boys", "girls"),
    ("father", "mother"), ("husband", "wife"), ("son", "daughter"), ("brother", "sister"),
    ("gentleman", "lady"), ("guy", "gal"),
)  # fmt: skip
# Words whose meaning includes a gender: for these another word is the right answer.
ROLES = """
king queen prince princess duke duchess emperor empress uncle aunt nephew niece dad mom
actor actress waiter waitress host hostess hero heroine widow widower monk nun groom bride
grandfather grandmother lord lad lass wizard witch god goddess
"""
GENDERED = frozenset([*ROLES.split(), *(word for pair in PAIRS for word in pair)])


def asks_for_the_other_gender(start: str, less: str, more: str) -> bool:
    """Say whether an analogy swaps the gender of a word that has none by its meaning.

    Example:
        >>> asks_for_the_other_gender("doctor", "man", "woman")
        True
        >>> asks_for_the_other_gender("king", "man", "woman")
        False
    """
    swapped = (less, more) in PAIRS or (more, less) in PAIRS
    return swapped and start not in GENDERED


def explain_bias(start: str, less: str, more: str, answer: str) -> tuple[str, ...]:
    """Say where the answer comes from, how far it can be trusted, and what practitioners do."""
    words = {
        "less": quote(less), "start": quote(start), "more": quote(more), "answer": quote(answer)
    }  # fmt: skip
    source = _(
        "Nobody wrote down that {less} is to {start} as {more} is to {answer}. It is a trace of "
        "who is called what in the news and encyclopedia text the vectors were fitted to, and "
        "whatever is built on the vectors inherits it."
    )
    care = _(
        "Read it with care: with {start} forbidden as an answer, some other word must come out "
        "(Nissim and others 2020). Tests that compare whole groups of words measure bias better "
        "(Caliskan and others 2017)."
    )
    remedy = _(
        "What practitioners do: balance the text, test the finished application on the groups it "
        "will meet, and keep raw vectors out of decisions about people. Projecting a gender "
        "direction out (Bolukbasi and others 2016) hides much of the bias and leaves it "
        "recoverable (Gonen and Goldberg 2019)."
    )
    return source.format(**words), care.format(**words), remedy
