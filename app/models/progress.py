"""A progress bar on the terminal; in a log, one line when the work is done."""

import sys
from types import TracebackType
from typing import Self, TextIO

WIDTH = 30  # characters
MB = 1_000_000


class Progress:
    """Shows how far a long task is: `with Progress("what", total) as bar: bar.add(n)`."""

    def __init__(self, label: str, total: int, out: TextIO | None = None) -> None:
        """Say what is done, and how many bytes there are."""
        self.label, self.total, self.done = label, max(total, 1), 0
        self.out = out or sys.stderr
        self._shown = -1

    def line(self) -> str:
        """Write the bar as it stands.

        Example:
            >>> bar = Progress("Checking", 4_000_000)
            >>> bar.done = 1_000_000
            >>> bar.line()
            'Checking          ████████                         25 %  of 4.0 MB'
        """
        share = min(self.done / self.total, 1.0)
        bar = ("█" * round(share * WIDTH)).ljust(WIDTH)
        return f"{self.label:<17} {bar} {share:4.0%}  of {self.total / MB:.1f} MB".replace(
            "%", " %"
        )

    def add(self, size: int) -> None:
        """Count some more bytes as done, and redraw when a percent was gained."""
        self.done += max(size, 0)
        percent = 100 * self.done // self.total
        if self.out.isatty() and percent != self._shown:
            self._shown = percent
            self.out.write("\r" + self.line())
            self.out.flush()

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the line."""
        start = "\r" if self.out.isatty() else ""
        self.out.write(f"{start}{self.line()}\n")
