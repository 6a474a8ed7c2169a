"""Tables for people: drawn by rich on a terminal, plain aligned lines everywhere else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TextIO

# Text of an agent ends up in evidence; it must not be able to steer the reader's terminal, nor to
# reorder what stands beside it.
_CONTROL = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
    "|[\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
#: Characters of a cell; the whole text is in the report and in ``--json``.
LONGEST_CELL = 160
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

    def table(
        self,
        title: str,
        columns: Sequence[str],
        rows: Sequence[Sequence[Any]],
        *,
        drop: Sequence[str] = (),
    ) -> None:
        """Print a titled table, or nothing where it has no row.

        Parameters
        ----------
        title : str
            Stands above it.
        columns : sequence of str
            Titles of the columns.
        rows : sequence of sequence
            Cells: turned into text, None into a dash, and cut where they are very long.
        drop : sequence of str
            Columns that a narrow terminal may do without, the first to go first.
        """
        cells = [[_cell(value) for value in row] for row in rows]
        if not cells:
            return
        if self.fancy:
            self._rich(title, columns, cells, drop)
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

    def _rich(
        self, title: str, columns: Sequence[str], cells: list[list[str]], drop: Sequence[str]
    ) -> None:
        from rich.console import Console
        from rich.markup import escape
        from rich.table import Table

        from braino_registry.reports.fitting import fit, whole

        width = Console(file=self.stream).width
        shown = fit(columns, cells, width, drop)
        table = Table(title=title, title_justify="left", header_style="bold")
        for i, width in shown.items():
            table.add_column(columns[i], overflow="fold", width=width)
        for row in cells:
            table.add_row(*[_coloured(escape(row[i]), row[i]) for i in shown])
        # What does not fit is for the terminal to wrap; rich would break the names instead.
        Console(file=self.stream, width=max(width, whole(shown))).print(table)


def clean(text: str) -> str:
    """Return ``text`` without anything that a terminal would obey or that reorders a line."""
    return _CONTROL.sub("", text)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3g}"
    text = clean(str(value)).replace("\n", " ")
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"


def _coloured(markup: str, text: str) -> str:
    colour = _COLOURS.get(text)
    return f"[{colour}]{markup}[/]" if colour else markup
