"""Tables for people: drawn by rich on a terminal, plain aligned lines everywhere else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TextIO

# Text of an agent ends up in evidence; it must not be able to steer the reader's terminal.
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_COLOURS = {
    "passed": "green",
    "scored": "green",
    "failed": "red",
    "limit": "red",
    "agent_error": "red",
    "harness_error": "magenta",
    "infra_error": "magenta",
    "not_planned": "yellow",
}


class Printer:
    """Prints headings, lines and tables to one stream.

    Parameters
    ----------
    stream : TextIO
        Where to print; a terminal gets colours and lines.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.fancy = stream.isatty()

    def line(self, text: str = "") -> None:
        """Print one line of plain text."""
        self.stream.write(clean(text) + "\n")

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Print a titled table; cells are turned into text, None into a dash."""
        cells = [[_cell(value) for value in row] for row in rows]
        if self.fancy:
            self._rich(title, columns, cells)
        else:
            self._plain(title, columns, cells)

    def _plain(self, title: str, columns: Sequence[str], cells: list[list[str]]) -> None:
        table = [list(columns), *cells]
        widths = [max(len(row[i]) for row in table) for i in range(len(columns))]
        self.line()
        self.line(title)
        for row in table:
            padded = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
            self.line(("  " + "  ".join(padded)).rstrip())

    def _rich(self, title: str, columns: Sequence[str], cells: list[list[str]]) -> None:
        from rich.console import Console
        from rich.markup import escape
        from rich.table import Table

        table = Table(title=title, title_justify="left", header_style="bold")
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in cells:
            table.add_row(*[_coloured(escape(text), text) for text in row])
        Console(file=self.stream).print(table)


def clean(text: str) -> str:
    """Return ``text`` without anything that a terminal would obey."""
    return _CONTROL.sub("", text)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3g}"
    return clean(str(value)).replace("\n", " ")


def _coloured(markup: str, text: str) -> str:
    colour = _COLOURS.get(text)
    return f"[{colour}]{markup}[/]" if colour else markup
