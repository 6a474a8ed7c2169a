"""Text as a reader sees it: without hidden characters, with every script's digits as 0–9.

``72`` can be written so that a program does not find it: with a zero-width space between its
digits, in full width, circled, raised. What looks like a number is read as one.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_PLAIN_DIGITS = str.maketrans(_RAISED, "0123456789")
_RAISED_RUN = re.compile(f"[{_RAISED}]+")
# A raised digit is a power after ten ("10⁴", "10⁻⁴"), and alone after a letter or a bracket ("V²").
_TEN = re.compile(r"(?<![\d.,])10[⁺⁻]?$")
_BASE = re.compile(r"[^\W\d_][⁺⁻]?$|[)\]][⁺⁻]?$")
# shown as nothing, though not all of them are format characters
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u20e3")
# compatibility characters that mean something as they are
_KEEP = frozenset(f"µμ…ªº™{_RAISED}⁺⁻")


class Legible(NamedTuple):
    """A text as it looks, and where its characters stand in the original."""

    text: str
    places: tuple[int, ...] | None  # one more than characters; None where nothing was changed

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """Return where a stretch of ``text`` stands in the original."""
        if self.places is None:
            return start, stop
        return self.places[start], max(self.places[start] + 1, self.places[stop - 1] + 1)


def legible(text: str) -> Legible:
    """Return a text as a reader sees it.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    legible : Legible
        Characters that show nothing are left out (Unicode category Cf, variation selectors,
        fillers, marks on digits), digits of every script and style are ``0``–``9``, letters and
        signs of another width or style are plain. Powers (``10⁻⁴``, ``µV²``) stay raised.
    """
    if text.isascii():
        return Legible(text, None)
    pieces: list[str] = []
    places: list[int] = []
    changed = False
    after_digit = False
    for at, char in enumerate(text):
        shown = char if char.isascii() else _shown(char, after_digit)
        changed = changed or shown != char
        pieces.append(shown)
        places.extend([at] * len(shown))
        if shown:
            after_digit = shown[-1].isdigit()
    seen = "".join(pieces)
    lowered, positions = _lowered(seen)
    if not changed and lowered == seen:
        return Legible(text, None)
    return Legible(lowered, (*(places[i] for i in positions), len(text)))


def _shown(char: str, after_digit: bool) -> str:
    return "" if after_digit and unicodedata.category(char) in ("Mn", "Me") else _plain(char)


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    kind = unicodedata.category(char)
    if kind == "Cf" or char in _BLANK or "\ufe00" <= char <= "\ufe0f":
        return ""
    if kind in ("Zl", "Zp"):
        return "\n"
    if kind == "Nd":
        return str(unicodedata.digit(char))
    if char in _KEEP or kind.startswith("Z"):
        return char
    if kind == "No":
        value = unicodedata.numeric(char)
        if value == int(value):
            return str(int(value))
        return " " + unicodedata.normalize("NFKC", char).replace("⁄", "/")
    same = unicodedata.normalize("NFKC", char)
    return same if same.isascii() and same.strip() == same and same else char


def _lowered(text: str) -> tuple[str, list[int]]:
    """Return the text with raised digits that are no powers on the line, and their old places."""
    pieces: list[str] = []
    places: list[int] = []
    position = 0
    for run in _RAISED_RUN.finditer(text):
        before = text[max(0, run.start() - 4) : run.start()]
        if _TEN.search(before) or (len(run.group()) == 1 and _BASE.search(before)):
            continue
        pieces.append(text[position : run.start()])
        places.extend(range(position, run.start()))
        if before[-1:].isalpha():
            pieces.append(" ")
            places.append(run.start())
        pieces.append(run.group().translate(_PLAIN_DIGITS))
        places.extend(range(run.start(), run.end()))
        position = run.end()
    pieces.append(text[position:])
    places.extend(range(position, len(text)))
    return "".join(pieces), places
