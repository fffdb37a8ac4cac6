"""The interface's words in the reader's language: gettext, with English as the source."""

import gettext
from pathlib import Path

from app.settings import Settings

LOCALE = Path(__file__).resolve().parent / "locale"

_translations = gettext.translation(
    "course", LOCALE, languages=[Settings().course_language], fallback=True
)
_ = _translations.gettext


def translations() -> gettext.NullTranslations:
    """Give the catalogue that templates and Python share."""
    return _translations
