"""What the layout of a report says: its sections, tables, lists and ``label: value`` lines.

Works on the text as it was written, for Markdown is what makes a heading a heading. Linear in the
length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from braino_registry.numbers.spelling import legible

MAX_LABEL = 120
MAX_CELLS = 40_000
_HEADING = re.compile(r"\s{0,3}(?P<marks>#{1,6})\s+(?P<title>[^\n]{1,200}?)\s*#*\s*")
_BOLD_LINE = re.compile(r"\s*(?:\*\*|__)(?P<title>[^*\n]{1,100}?)\s*:?\s*(?:\*\*|__)\s*:?\s*")
_UNDERLINE = re.compile(r"\s*(?:={3,}|-{3,})\s*")
_BRACKETED = re.compile(r"\s*\[(?P<title>[A-Za-z][A-Za-z ]{2,40})\]\s*")
_SHOUTED = re.compile(r"[A-Z][A-Z0-9 /&-]{3,60}:?")
_CONCLUDING = (
    r"(?:(?:final|overall)\s+)?conclusions?|(?:the\s+)?final\s+(?:answer|result|output|value|verdict"
    r"|ranking|decision|report)s?|bottom\s+line|take-?\s?aways?|concluding\s+remarks?|tl;?dr"
)
_IS_CONCLUSION = re.compile(
    rf"(?:[\d.)\s]*|.{{0,6}}\s)(?:{_CONCLUDING})(?:\s+(?:and|&|/)\s+\w+|\s*\([^)]*\))?\s*:?\s*",
    re.IGNORECASE,
)
_SUMS_UP = re.compile(
    rf"(?:^|(?<=[.!?]\s)|(?<=[.!?]\s\s))[\s>*_•-]{{0,6}}(?:(?:so|thus|therefore|hence),?\s+)?(?:(?:{_CONCLUDING})[*_\s]*(?::|=|\bis\b|\bare\b|[–—-]\s)"
    r"|(?:in|to)\s+(?:conclusion|conclude|sum up|short)\b|in\s+(?:summary|the\s+end)\b"
    r"|summing\s+up\b|(?:we|I)\s+(?:therefore\s+)?conclude\b)",
    re.IGNORECASE | re.MULTILINE,
)
_BULLET = re.compile(r"\s*(?:>\s*)*(?:[-*•+–▪◦·]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+")
_ROW = re.compile(r"\s*\|?[^|\n]*(?:\|[^|\n]*)+\|?\s*")
_RULE = re.compile(r"[\s|:+=-]+")
_MARKUP = re.compile(r"\*\*|__|[*`#\"“”]|(?<!\w)_|_(?!\w)|\\(?=[\[\]_*])|<br\s*/?>")
_PAIR = re.compile(
    r"(?P<label>[^:=→\n]{1,120}?)\s*(?:(?<![<>!])[=:](?![=/\\])|→|\.{3,}|\t+|\s{3,}|\s[–—-]{1,2}\s)\s*(?P<value>\S.*)"
)
_LEAD = re.compile(r"(?P<label>[^:\n]{1,160}?)\s*:\s*")
_INNER = re.compile(r"[;,|•]\s+|\.\s+(?=[A-Z])|\s+and\s+(?=[^,;:=]{2,60}[:=])")
# "Left hemisphere: alpha 0.12, beta 0.08."
_ITEM = re.compile(
    r"(?P<label>[A-Za-z][A-Za-z /-]{0,30}?)\s+(?P<value>[-−]?\d[^,;]{0,20})(?:[,;]|$)"
)
_GROUPED = re.compile(
    r"(?:^|(?<=[.;]\s))(?P<label>[A-Z][\w /()-]{1,60}):\s"
    r"(?P<items>(?:[A-Za-z][A-Za-z /-]{0,30}\s[-−]?\d[\w.%µ²/ ]{0,14},\s){1,30}"
    r"[A-Za-z][A-Za-z /-]{0,30}\s[-−]?\d(?:[\w%µ²/]|\.\d){0,14})"
)
_COLUMNS = re.compile(r"\t+|\s{2,}")


@dataclass(frozen=True, slots=True)
class Pair:
    """A label, and the value that the layout gives it.

    Parameters
    ----------
    label : str
        What names it: the words before the colon, or row and column of a table.
    value : str
        The rest of the line, or the cell, without markup.
    place : int
        Number of the line.
    context : str
        Heading of the section and line that announces the list.
    column : str
        Title of the column, for a cell of a table; it may tell the unit.
    """

    label: str
    value: str
    place: int
    context: str = ""
    column: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: titles of its columns, its rows, and what announces it."""

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    context: str
    place: int


@dataclass(frozen=True, slots=True)
class Listing:
    """The items of a list, in order, and the line that announces it."""

    items: tuple[str, ...]
    numbered: bool
    context: str
    place: int


@dataclass(slots=True)
class Layout:
    """All that the layout of a text says."""

    pairs: list[Pair] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    lists: list[Listing] = field(default_factory=list)
    sections: list[tuple[str, str]] = field(default_factory=list)


def bare(text: str) -> str:
    """Return a line without bold, quotes and code marks."""
    return _MARKUP.sub("", text).strip()


def title_of(line: str, following: str = "") -> str | None:
    """Return the title where a line is a heading, or None.

    Parameters
    ----------
    line : str
        The line.
    following : str
        The line after it, which may underline it.
    """
    for pattern in (_HEADING, _BOLD_LINE, _BRACKETED):
        match = pattern.fullmatch(line)
        if match is not None:
            return bare(match["title"]).rstrip(": ")
    said = bare(line)
    if not said or len(said) > 80:
        return None
    if _IS_CONCLUSION.fullmatch(said):
        return said.rstrip(": ")
    if _UNDERLINE.fullmatch(following) and following.strip() and "|" not in line:
        return said
    if _SHOUTED.fullmatch(said) and len(said.split()) > 1:
        return said.rstrip(": ")
    return None


@lru_cache(maxsize=16)
def conclusion(text: str) -> str:
    """Return what a report concludes: its last section or paragraph that says so, or nothing.

    Parameters
    ----------
    text : str
        The report as it was written.
    """
    lines = text.split("\n")
    chosen: list[str] = []
    inside = False
    for number, line in enumerate(lines):
        title = title_of(line, lines[number + 1] if number + 1 < len(lines) else "")
        if title is not None:
            ends = _IS_CONCLUSION.fullmatch(title) is not None
            if ends:
                chosen = []
            inside = ends
            continue
        if inside:
            chosen.append(line)
            continue
        # "Final answer: …" in a line of prose; the paragraph that it opens belongs to it
        opening = _last(_SUMS_UP, line)
        if opening is not None:
            chosen = [line[opening:]]
            for later in lines[number + 1 :]:
                if not later.strip() or title_of(later) is not None or len(chosen) > 60:
                    break
                chosen.append(later)
    return "\n".join(chosen)


def _last(pattern: re.Pattern[str], line: str) -> int | None:
    at = None
    for match in pattern.finditer(line):
        at = match.start()
    return at


@lru_cache(maxsize=16)
def layout(text: str) -> Layout:
    """Return the pairs, tables, lists and sections of a report.

    Parameters
    ----------
    text : str
        The report as it was written, without its JSON.
    """
    lines = legible(text).text.replace("\r", "").split("\n")
    found = Layout()
    reader = _Reader(lines, found)
    reader.run()
    return found


class _Reader:
    """Goes through the lines once and keeps what announces the present one."""

    def __init__(self, lines: list[str], found: Layout) -> None:
        self.lines, self.found = lines, found
        self.section, self.lead = "", ""
        self.body: list[str] = []
        self.items: list[str] = []
        self.numbered = 0
        self.first = 0
        self.cells = 0
        # lines before these are no table, so that none is looked at again and again
        self.untabled: dict[Callable[[str], tuple[str, ...]], int] = {_by_blanks: 0, _by_commas: 0}

    def run(self) -> None:
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            following = self.lines[at + 1] if at + 1 < len(self.lines) else ""
            title = title_of(line, following)
            if title is not None:
                self._close_list()
                self._close_section()
                self.section, self.lead = title, ""
                at += 1
                continue
            stop = self._table(at)
            if stop > at:
                self._close_list()
                self.body += self.lines[at:stop]
                at = stop
                continue
            self.body.append(line)
            self._line(line, at)
            at += 1
        self._close_list()
        self._close_section()

    def _close_section(self) -> None:
        text = "\n".join(self.body).strip()
        if text:
            self.found.sections.append((self.section, text))
        self.body = []

    def _close_list(self) -> None:
        if len(self.items) > 0:
            numbered = self.numbered == len(self.items)
            context = f"{self.section} {self.lead}".strip()
            self.found.lists.append(Listing(tuple(self.items), numbered, context, self.first))
        self.items, self.numbered = [], 0

    def _line(self, line: str, at: int) -> None:
        bullet = _BULLET.match(line)
        said = bare(line[bullet.end() :] if bullet else line)
        if bullet and said:
            if not self.items:
                self.first = at
            self.items.append(said)
            self.numbered += any(c.isdigit() for c in bullet.group())
        elif said:
            self._close_list()
        context = f"{self.section} {self.lead}".strip()
        lead = _LEAD.fullmatch(said) if said else None
        if lead is not None:
            self.lead = lead["label"]
            return
        if not said:
            # a blank line between the announcement and its list is usual
            if self.lead and self.items:
                self._close_list()
                self.lead = ""
            return
        self.found.pairs += _pairs(said, at, context)
        if bullet is None:
            self.lead = said if said.endswith((":", "are", "is")) else ""

    def _table(self, at: int) -> int:
        """Read a table that begins in a line, and return the line behind it."""
        stop, rows = at, []
        while stop < len(self.lines) and self.lines[stop].count("|") >= 1:
            line = self.lines[stop]
            if _ROW.fullmatch(line) is None:
                break
            rows.append(line)
            stop += 1
        if len(rows) < 2 or self.cells > MAX_CELLS:
            return self._columns(at)
        cells = [_cells(row) for row in rows if not _RULE.fullmatch(row)]
        self._add(cells, at)
        return stop

    def _columns(self, at: int) -> int:
        """Read a table whose columns are set apart by tabs, blanks, or commas."""
        for split in (_by_blanks, _by_commas):
            first = split(self.lines[at]) if at >= self.untabled[split] else ()
            titled = not any(c.isdigit() for c in "".join(first)) or _says_titles(first)
            if len(first) < 2 or not titled:
                continue
            stop, rows = at + 1, [first]
            while stop < len(self.lines):
                cells = split(self.lines[stop])
                if len(cells) != len(first):
                    break
                rows.append(cells)
                stop += 1
            if len(rows) >= 3 and self.cells <= MAX_CELLS:
                self._add(rows, at)
                return stop
            self.untabled[split] = stop
        return at

    def _add(self, cells: list[tuple[str, ...]], at: int) -> None:
        if len(cells) < 1:
            return
        titles, rows = cells[0], cells[1:]
        self.cells += sum(len(row) for row in cells)
        context = f"{self.section} {self.lead}".strip()
        self.found.tables.append(Table(titles, tuple(rows), context, at))


def _says_titles(cells: tuple[str, ...]) -> bool:
    return all(not re.match(r"\s*[-+−]?[\d.]", cell) for cell in cells)


def _cells(row: str) -> tuple[str, ...]:
    inner = row.strip()
    inner = inner[1:] if inner.startswith("|") else inner
    inner = inner[:-1] if inner.endswith("|") else inner
    return tuple(bare(cell) for cell in inner.split("|"))


def _by_blanks(line: str) -> tuple[str, ...]:
    said = line.strip()
    if (
        not said
        or len(said) > 400
        or ":" in said
        or "=" in said
        or said.endswith(".")
        or "..." in said
    ):
        return ()
    cells = tuple(bare(cell) for cell in _COLUMNS.split(said))
    if len(cells) == 1 and 2 <= len(said.split()) <= 6 and all(len(w) < 25 for w in said.split()):
        return tuple(bare(cell) for cell in said.split())
    return cells


def _by_commas(line: str) -> tuple[str, ...]:
    said = line.strip()
    if not said or len(said) > 400 or ": " in said or said.endswith(".") or "..." in said:
        return ()
    for mark in (",", ";", "\t"):
        cells = tuple(bare(cell) for cell in said.split(mark))
        if len(cells) >= 2 and all(len(cell.split()) <= 4 for cell in cells):
            return cells
    return ()


def _pairs(said: str, at: int, context: str) -> Iterator[Pair]:
    """Yield the pairs of a line: "SOL: 22 min", "a = 1, b = 2"."""
    if len(said) > 20_000:
        return
    whole = _PAIR.fullmatch(said)
    if whole is None:
        return
    pieces = _pieces(said)
    if len(pieces) > 1:
        for piece in pieces:
            match = _PAIR.fullmatch(piece)
            if match is not None:
                yield Pair(match["label"].strip(), match["value"].strip(), at, context)
    yield Pair(whole["label"].strip(), whole["value"].strip(), at, context)
    for group in _GROUPED.finditer(said):
        for item in _ITEM.finditer(group["items"]):
            label = f"{group['label'].strip()} {item['label'].strip()}"
            yield Pair(label, item["value"].strip(), at, context)


def _pieces(said: str) -> list[str]:
    """Return a line cut where another label begins: behind a comma, semicolon or full stop."""
    pieces: list[str] = []
    start = 0
    cuts = [m for m in _INNER.finditer(said)]
    for index, cut in enumerate(cuts):
        stop = cuts[index + 1].start() if index + 1 < len(cuts) else len(said)
        if re.search(r"[:=]", said[cut.end() : stop]) and start < cut.start():
            pieces.append(said[start : cut.start()])
            start = cut.end()
    pieces.append(said[start:])
    return [piece.strip() for piece in pieces if piece.strip()]
