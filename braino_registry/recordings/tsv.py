"""Reading BIDS tables as they are found: with or without BOM, any line ends, short rows."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from braino_registry.recordings.errors import RecordingError
from braino_registry.registry import documents

#: Most bytes of a table or sidecar: a day of events, ten in each second, has some 50 MB.
LARGEST = 256 * 2**20
MISSING = frozenset({"", "n/a", "N/A", "NaN", "nan"})
_LINE_END = re.compile(r"\r\n|\n|\r")
_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


@dataclass(frozen=True)
class Table:
    """A table of text.

    Parameters
    ----------
    columns : tuple of str
        Column names in order.
    rows : tuple of mapping
        One per line; a missing value (``n/a`` or nothing) is None.
    """

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str | None], ...]


def decode(raw: bytes) -> str:
    """Return text from UTF-8, UTF-16 with a byte-order mark, or else Latin-1."""
    for bom, encoding in _BOMS:
        if raw.startswith(bom):
            return raw.decode(encoding, errors="replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def parse_tsv(text: str, *, where: str = "") -> Table:
    """Return the table in a text.

    Parameters
    ----------
    text : str
        Tab-separated lines, the first with column names.
    where : str
        File name for messages.

    Raises
    ------
    RecordingError
        If a column name occurs twice, or a line has more cells than there are columns.
    """
    lines = [line for line in _LINE_END.split(text.lstrip("\ufeff")) if line.strip()]
    if not lines:
        return Table((), ())
    columns = tuple(cell.strip() for cell in lines[0].split("\t"))
    if len(set(columns)) != len(columns):
        raise RecordingError("a column name occurs twice", where=where, hint="Rename one.")
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        cells = [cell.strip() for cell in line.split("\t")]
        while len(cells) > len(columns) and not cells[-1]:
            cells.pop()
        if len(cells) > len(columns):
            raise RecordingError(
                f"row {number} has {len(cells)} cells for {len(columns)} columns",
                where=where,
                hint="Cells are separated by single tabs.",
            )
        cells += [""] * (len(columns) - len(cells))
        rows.append(
            {
                name: None if cell in MISSING else cell
                for name, cell in zip(columns, cells, strict=True)
            }
        )
    return Table(columns, tuple(rows))


def read_tsv(path: Path) -> Table:
    """Return the table in a file; see :func:`parse_tsv` and :func:`read_file`."""
    return parse_tsv(decode(read_file(path)), where=path.name)


def read_file(path: Path) -> bytes:
    """Return what a table or sidecar holds.

    Raises
    ------
    RecordingError
        If it is no regular file, is larger than `LARGEST` or cannot be read.
    """
    try:
        return documents.read_bytes(path, LARGEST)
    except OSError as error:
        raise RecordingError(
            f"the file cannot be read: {error.strerror}", where=path.name, hint="Mend the file."
        ) from error


def number(text: str | None) -> float | None:
    """Return a finite number, or None if the text is missing or not one."""
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
