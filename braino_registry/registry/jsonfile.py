"""Reading a JSON file strictly: what JSON does not define is an error with its place."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from braino_registry.errors import EntryError
from braino_registry.registry import documents
from braino_registry.registry.jsonpath import path_text, walk
from braino_registry.registry.problems import Problem

#: Largest whole number that every JSON reader keeps exactly (RFC 8785, section 3.2.2.3).
LARGEST = 2**53 - 1
#: Most objects and lists within one another; entries have about ten. What reads documents later
#: may call itself once per level, and must not run out of stack.
DEEPEST = 100
#: Most problems of a document that are looked for.
TOLD = 100
#: How half of a surrogate pair can be written in a text that is valid UTF-8; pairs as well.
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


class NotStrictError(ValueError):
    """Bytes that are not strict JSON; the message says where and why."""


class _Object(dict[str, Any]):
    """An object that remembers which of its keys stood there more than once."""

    repeated: tuple[str, ...] = ()


class _NotJson(str):
    """A literal that Python's reader accepts and JSON does not know, such as ``NaN``."""


def read(file: Path) -> Any:
    """Return the JSON value in a file.

    Parameters
    ----------
    file : Path
        A regular file of at most `documents.LARGEST_ENTRY` bytes, UTF-8 without byte-order mark.

    Raises
    ------
    EntryError
        If the file cannot be read or is not strict JSON; the first problem of the file.
    """
    try:
        raw = documents.read_bytes(file)
    except OSError as error:
        raise EntryError(
            f"the file cannot be read: {error.strerror}", where=str(file), hint="Check the file."
        ) from error
    value, problems = parse(raw)
    if problems:
        raise problems[0].error(file)
    return value


def value_of(raw: bytes) -> Any:
    """Return the JSON value in ``raw``, for readers that have errors of their own.

    Raises
    ------
    NotStrictError
        If it is not strict JSON; the first problem with its JSON path.
    """
    value, problems = parse(raw)
    if problems:
        raise NotStrictError(f"{problems[0].message} ({problems[0].path})")
    return value


def parse(raw: bytes) -> tuple[Any, list[Problem]]:
    """Return the JSON value in ``raw`` and everything about it that is not strict JSON.

    No more than `TOLD` problems are looked for. The value is None if the text has no JSON
    structure at all; then there is a problem.
    """
    if raw.startswith(b"\xef\xbb\xbf"):
        return None, [
            Problem("$", "the file starts with a byte-order mark; save it as plain UTF-8")
        ]
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"line {raw.count(bytes([10]), 0, error.start) + 1}"
        return None, [Problem("$", f"the file is not UTF-8 text ({place}, byte {error.start})")]
    hooks = _Hooks()
    try:
        value = json.loads(
            text,
            object_pairs_hook=hooks.members,
            parse_constant=hooks.literal,
            parse_float=hooks.fraction,
            parse_int=hooks.whole,
        )
    except json.JSONDecodeError as error:
        return None, [Problem("$", _syntax(error, text))]
    except RecursionError:
        return None, [_too_deep()]
    # Nearly every text is strict, which takes no walk with paths to see.
    if not hooks.odd and _HALF_PAIR.search(text) is None and _shallow(value):
        return value, []
    return value, list(islice(_strictness(value), TOLD))


def _too_deep() -> Problem:
    return Problem("$", f"the file is nested too deeply, in more than {DEEPEST} levels")


class _Hooks:
    """What the reader makes of objects and numbers; notes whether any of it is not strict."""

    def __init__(self) -> None:
        self.odd = False

    def members(self, pairs: list[tuple[str, Any]]) -> _Object:
        """Return an object that knows its repeated keys."""
        made = _Object(pairs)
        if len(made) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            made.repeated = tuple(key for key in made if counts[key] > 1)
            self.odd = True
        return made

    def literal(self, text: str) -> _NotJson:
        """Return the mark for a literal that JSON does not know."""
        self.odd = True
        return _NotJson(text)

    def fraction(self, text: str) -> float | _NotJson:
        """Return a finite number, or the mark."""
        value = float(text)
        return value if math.isfinite(value) else self.literal(text)

    def whole(self, text: str) -> int | _NotJson:
        """Return a whole number that every reader of JSON can hold, or the mark."""
        # Longer numbers are refused anyway, and Python refuses to convert very long ones.
        held = len(text) <= 20 and abs(int(text)) <= LARGEST
        return int(text) if held else self.literal(text)


def _shallow(value: Any) -> bool:
    """Tell whether a value is nested in no more levels than are allowed."""
    level, depth = [value] if isinstance(value, dict | list) else [], 0
    while level:
        if depth >= DEEPEST:
            return False
        inner = (each.values() if isinstance(each, dict) else each for each in level)
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        depth += 1
    return True


def _syntax(error: json.JSONDecodeError, text: str) -> str:
    place = f"line {error.lineno}, column {error.colno}"
    unclosed = error.msg.startswith("Unterminated string")
    if not text.strip():
        return "the file is empty"
    if unclosed or error.pos >= len(text.rstrip()):
        return (
            f"the file ends in the middle of a value ({place}); it is truncated or lacks a bracket"
        )
    return f"this is not JSON: {error.msg} ({place})"


def _strictness(value: Any) -> Iterator[Problem]:
    for steps, item in walk(value):
        if len(steps) >= DEEPEST and isinstance(item, dict | list):
            yield _too_deep()
            return
        if isinstance(item, _Object):
            for key in item.repeated:
                path = path_text((*steps, key))
                yield Problem(path, f"the property {key!r} stands here more than once")
            for key in item:
                if not _encodable(key):
                    yield Problem(path_text(steps), f"the name {key!a} is not valid text")
        elif isinstance(item, _NotJson):
            shown = item if len(item) <= 30 else item[:27] + "..."
            yield Problem(path_text(steps), f"{shown} is not a number that JSON can hold")
        elif isinstance(item, str) and not _encodable(item):
            yield Problem(path_text(steps), "the text holds half of a surrogate pair")


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
