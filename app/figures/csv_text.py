"""Figures as comma-separated values that a spreadsheet opens without running anything."""

import csv
import io
from collections.abc import Iterable

from app.figures.describe import Figure
from app.figures.table import Cell, table

# A spreadsheet reads a cell that starts so as a formula (OWASP, "CSV injection").
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would take for a formula.

    Example:
        >>> harmless("=1+1"), harmless("cat")
        ("'=1+1", 'cat')
    """
    return f"'{text}" if text.lstrip().startswith(FORMULA) or text.startswith(FORMULA) else text


def csv_text(figures: Iterable[Figure]) -> str:
    """Write the tables of figures below each other, numbers unrounded, a blank line between."""
    out = io.StringIO()
    write = csv.writer(out)
    for index, figure in enumerate(figures):
        if index:
            write.writerow([])
        held = table(figure)
        write.writerow([harmless(held.caption)])
        write.writerow([harmless(heading) for heading in held.headings])
        for name, row in zip(held.row_headings, held.rows, strict=True):
            write.writerow([harmless(name), *(_plain(cell) for cell in row)])
    return out.getvalue()


def _plain(cell: Cell) -> str:
    if cell.value is None:
        return ""
    return harmless(cell.value) if isinstance(cell.value, str) else repr(cell.value)
