"""What a reader may set in the lab on the next token."""

from typing import Literal

from app.i18n import _
from app.lab import LabForm, control, model_choice, sentence

KINDS = {
    "continue": _("a beginning, to be continued"),
    "instruct": _("an instruction, to be answered"),
}


class NextTokenForm(LabForm):
    """What a reader may set."""

    text: str = sentence()
    kind: Literal["continue", "instruct"] = control(
        "choice", "continue", _("Your text is"), labels=KINDS
    )
    temperature: float = control(
        "slider", 0.8, _("Temperature"), ge=0, le=2, step=0.05, allow_inf_nan=False
    )
    top_k: int = control("slider", 40, _("Top-k (0: no cut)"), ge=0, le=200)
    top_p: float = control(
        "slider", 0.95, _("Top-p"), ge=0.05, le=1, step=0.05, allow_inf_nan=False
    )
    seed: int = control("number", 1, _("Seed"), ge=0, le=9999)
    tree: bool = control("switch", False, _("Tree of continuations"))
    token: int = control("drawn", 0, _("Read up to this word"), ge=0, le=160)
    answer: str = control("drawn", "", _("The answer so far"))
    write: int = control("drawn", 0, _("Tokens to write"), ge=0, le=40)
    model: str = model_choice()
