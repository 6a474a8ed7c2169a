"""Pins: which bytes a public dataset consists of, and where they can be had.

The pins of an entry lie beside it in ``<id>.pins.tsv``: one row per file, tab separated, sorted
by path. Columns are ``path``, ``size``, ``hashes``, ``in``, and one per mirror of the entry.
`parse` reads a table and names the line of whatever is wrong in it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from braino_registry.datasets.names import problem_of_path, same_name
from braino_registry.errors import EntryError

COLUMNS = ("path", "size", "hashes", "in")
ABSENT = "n/a"
DIGITS = {"sha256": 64, "sha1": 40, "md5": 32, "git-blob": 40}
"""Hexadecimal digits by kind of hash, the strongest first."""

_HEX = re.compile(r"[0-9a-f]+")
_ANNEX = re.compile(r"(SHA256|SHA1|MD5)E?-s(0|[1-9][0-9]*)--([0-9a-f]+)(\.[^\s/\\]*)?")
_SIZE = re.compile(r"0|[1-9][0-9]{0,17}")


@dataclass(frozen=True)
class Variant:
    """One content that is accepted for a file: everything listed of it has to match.

    Parameters
    ----------
    hashes : Mapping
        Lower-case hexadecimal digest by kind, a key of `DIGITS`; at least one.
    size : int | None
        Length in bytes; None where it is not known.
    """

    hashes: Mapping[str, str]
    size: int | None

    @property
    def strong(self) -> bool:
        """Whether it has a SHA-256, which nobody can forge."""
        return "sha256" in self.hashes


@dataclass(frozen=True)
class Pin:
    """One upstream file: what it must contain, and where its bytes can be had.

    Parameters
    ----------
    path : str
        Logical path within the upstream dataset, relative, with forward slashes.
    variants : tuple of Variant
        The contents that are accepted, in the order of the table; at least one.
    urls : tuple of str
        Public addresses in the order of the entry's mirrors; empty for a member of an archive.
    archive, member : str | None
        Logical path of the archive that holds the file, and its path in there.
    """

    path: str
    variants: tuple[Variant, ...]
    urls: tuple[str, ...] = ()
    archive: str | None = None
    member: str | None = None

    @property
    def size(self) -> int | None:
        """Length in bytes: the largest of the variants, None if one is not known."""
        sizes = [variant.size for variant in self.variants]
        known = [size for size in sizes if size is not None]
        return max(known) if len(known) == len(sizes) else None

    @property
    def sizes(self) -> frozenset[int] | None:
        """The lengths that are accepted; None if any is."""
        known = frozenset(v.size for v in self.variants if v.size is not None)
        return known if all(v.size is not None for v in self.variants) else None


@dataclass(frozen=True)
class Mirror:
    """A place that serves the files of a dataset.

    Parameters
    ----------
    id : str
        Name of its column.
    base : str
        Address to which the cells are joined; ends with a slash.
    query : str
        Added to every address that has no query of its own; empty for none.
    """

    id: str
    base: str
    query: str = ""

    def url(self, cell: str, path: str) -> str:
        """Return the address behind a cell of a row."""
        address = self.base + (quote(path) if cell == "=" else cell)
        return f"{address}?{self.query}" if self.query and "?" not in address else address


def mirrors_of(doc: Mapping[str, Any]) -> tuple[Mirror, ...]:
    """Return the mirrors of a dataset entry in its order."""
    rows = doc.get("mirrors", ())
    return tuple(Mirror(row["id"], row["base"], row.get("query", "")) for row in rows)


def content_digest(text: str) -> str:
    """Return the SHA-256 over what a table says of contents, whatever it says of addresses.

    It covers the first four columns, so that a file that moves to another host leaves the dataset
    what it is.
    """
    total = hashlib.sha256()
    for line in text.splitlines():
        total.update(("\t".join(line.split("\t")[: len(COLUMNS)]) + "\n").encode())
    return total.hexdigest()


def parse(text: str, mirrors: Sequence[Mirror], name: str) -> tuple[Pin, ...]:
    """Return the pins of a table.

    Parameters
    ----------
    text : str
        The whole table with its header.
    mirrors : sequence of Mirror
        The mirrors of the entry, one column each, in this order.
    name : str
        What to call the table in errors.

    Raises
    ------
    EntryError
        For the first thing that is wrong, with its line.
    """
    header, *lines = text.split("\n")
    columns = [*COLUMNS, *(mirror.id for mirror in mirrors)]
    if header != "\t".join(columns):
        raise _error(name, 1, "the header is not that of this entry", f"It is {columns}.")
    if not lines or lines[-1] != "":
        raise _error(name, len(lines) + 1, "the last line does not end", "End it with \\n.")
    if len(lines) == 1:
        raise _error(name, 1, "the table has no rows", "Pin at least one file.")
    pins = [_pin(line, columns, mirrors, name, n) for n, line in enumerate(lines[:-1], 2)]
    _check_order(pins, name)
    _check_archives(pins, name)
    return tuple(pins)


def render(
    pins: Sequence[Pin], mirrors: Sequence[Mirror], cells: Mapping[str, Sequence[str]]
) -> str:
    """Return the table of pins, the inverse of `parse`.

    Parameters
    ----------
    pins : sequence of Pin
        In any order; their addresses are not used.
    mirrors : sequence of Mirror
        The columns.
    cells : mapping
        The cells of the mirror columns by path; members of archives have none.
    """
    rows = ["\t".join([*COLUMNS, *(mirror.id for mirror in mirrors)])]
    for pin in sorted(pins, key=lambda each: each.path):
        sizes = [ABSENT if v.size is None else str(v.size) for v in pin.variants]
        hashes = [
            " ".join(f"{kind}:{v.hashes[kind]}" for kind in DIGITS if kind in v.hashes)
            for v in pin.variants
        ]
        row = [
            pin.path,
            sizes[0] if len(set(sizes)) == 1 else "|".join(sizes),
            " | ".join(hashes),
            ABSENT if pin.archive is None else f"{pin.archive}!{pin.member}",
            *cells.get(pin.path, [ABSENT] * len(mirrors)),
        ]
        rows.append("\t".join(row))
    return "\n".join(rows) + "\n"


def _pin(
    line: str, columns: Sequence[str], mirrors: Sequence[Mirror], name: str, number: int
) -> Pin:
    cells = line.split("\t")
    try:
        if len(cells) != len(columns):
            raise _Fault(f"{len(cells)} cells instead of {len(columns)}")
        path, size, hashes, inside = cells[: len(COLUMNS)]
        _no_fault(path, problem_of_path(path))
        archive, member = _inside(inside)
        suffixes = cells[len(COLUMNS) :]
        if archive is not None and any(cell != ABSENT for cell in suffixes):
            raise _Fault("a member of an archive has no address of its own; write n/a")
        urls = tuple(_urls(suffixes, mirrors, path))
        return Pin(path, _variants(hashes, size), urls, archive, member)
    except _Fault as fault:
        raise _error(name, number, str(fault), fault.hint) from None


def _urls(cells: Sequence[str], mirrors: Sequence[Mirror], path: str) -> Iterator[str]:
    for cell, mirror in zip(cells, mirrors, strict=True):
        if cell == ABSENT:
            continue
        if not cell.isascii() or not cell.isprintable() or " " in cell or not cell:
            raise _Fault(f"{cell!r} is no part of an address", "Quote it, or write = or n/a.")
        if ".." in cell.split("?")[0].split("/") or cell.startswith("/"):
            raise _Fault(f"{cell!r} leaves the mirror's base")
        yield mirror.url(cell, path)


def _inside(cell: str) -> tuple[str | None, str | None]:
    if cell == ABSENT:
        return None, None
    archive, mark, member = cell.partition("!")
    if not mark:
        raise _Fault(f"{cell!r} does not say which member", "Write ARCHIVE!PATH-IN-IT, or n/a.")
    if not archive.lower().endswith(".zip"):
        raise _Fault(f"{archive!r} is no zip archive", "Only members of .zip files can be pinned.")
    _no_fault(member, problem_of_path(member))
    return archive, member


def _variants(hashes: str, sizes: str) -> tuple[Variant, ...]:
    groups = hashes.split(" | ")
    texts = sizes.split("|")
    if len(texts) == 1:
        texts *= len(groups)
    if len(texts) != len(groups):
        raise _Fault(f"{len(texts)} sizes for {len(groups)} variants")
    return tuple(_variant(group, size) for group, size in zip(groups, texts, strict=True))


def _variant(text: str, size_text: str) -> Variant:
    size = None if size_text == ABSENT else _number(size_text)
    found: dict[str, str] = {}
    for item in text.split(" "):
        kind, _, value = item.partition(":")
        if kind == "annex":
            kind, value, length = _annex(value)
            if size not in (None, length):
                raise _Fault(f"the annex key says {length} bytes, the size {size}")
            size = length
        if kind not in DIGITS:
            raise _Fault(
                f"{item!r} is no hash", f"Kinds: {', '.join(DIGITS)}, annex; written KIND:HEX."
            )
        if len(value) != DIGITS[kind] or not _HEX.fullmatch(value):
            raise _Fault(f"{value!r} is no {kind}: {DIGITS[kind]} lower-case hexadecimal digits")
        if found.get(kind, value) != value:
            raise _Fault(f"one variant has two values of {kind}", "Part variants by ' | '.")
        found[kind] = value
    return Variant(found, size)


def _annex(key: str) -> tuple[str, str, int]:
    match = _ANNEX.fullmatch(key)
    if match is None:
        raise _Fault(f"{key!r} is no git-annex key", "For example SHA256E-s12--<hex>.edf.")
    return match[1].lower(), match[3], int(match[2])


def _number(text: str) -> int:
    if not _SIZE.fullmatch(text):
        raise _Fault(f"{text!r} is no size", "Give the number of bytes, or n/a.")
    return int(text)


def _check_order(pins: Sequence[Pin], name: str) -> None:
    """Refuse what would be one file, or a file and a folder, on some machine."""
    seen: dict[str, int] = {}
    folders: set[str] = set()
    for number, pin in enumerate(pins, 2):
        key = same_name(pin.path)
        if key in seen:
            raise _error(name, number, f"{pin.path!r} is pinned twice", f"See line {seen[key]}.")
        if number > 2 and pin.path < pins[number - 3].path:
            raise _error(name, number, f"{pin.path!r} is not in its place", "Sort by path.")
        seen[key] = number
        parts = key.split("/")
        folders.update("/".join(parts[:end]) for end in range(1, len(parts)))
    for key in folders & seen.keys():
        raise _error(name, seen[key], f"{key!r} is a file and a folder", "Keep one of them.")


def _check_archives(pins: Sequence[Pin], name: str) -> None:
    plain = {pin.path for pin in pins if pin.archive is None}
    members: set[tuple[str, str]] = set()
    for number, pin in enumerate(pins, 2):
        if pin.archive is None or pin.member is None:
            continue
        if pin.archive not in plain:
            raise _error(name, number, f"the archive {pin.archive!r} is not pinned", "Pin it.")
        if (pin.archive, pin.member) in members:
            raise _error(name, number, f"the member {pin.member!r} is pinned twice", "Keep one.")
        members.add((pin.archive, pin.member))


class _Fault(Exception):
    """What is wrong in a row, before its line is known."""

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(problem)
        self.hint = hint


def _no_fault(path: str, problem: str | None) -> None:
    if problem is not None:
        raise _Fault(f"the path {path!r} {problem}")


def _error(name: str, line: int, problem: str, hint: str = "") -> EntryError:
    return EntryError(problem, where=f"{name}: line {line}", hint=hint or "Mend the pin file.")
