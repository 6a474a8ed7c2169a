"""Canonical forms: what counts as the same number, label or element."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Any, Literal

Profile = Literal["strict", "published"]
PROFILES: tuple[Profile, ...] = ("strict", "published")

#: A number as reports write it; neither a decimal comma nor the underscores of program text.
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_MOST_CHARACTERS = 400  # of a number; longer digits are no measurement


def number(value: Any, profile: Profile = "strict") -> float | None:
    """Return a finite number, or None for anything else.

    Parameters
    ----------
    value : JSON value
        A number or a text that is one. Truth values and lists are none.
    profile : {"strict", "published"}
        ``strict`` reads compatibility forms of digits as digits (Unicode NFKC) and nothing but
        decimal notation; ``published`` takes whatever Python's ``float`` takes.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str):
        text = unicodedata.normalize("NFKC", value).strip() if profile == "strict" else value
        if len(text) > _MOST_CHARACTERS:
            return None
        if profile == "strict" and not _NUMBER.fullmatch(text):
            return None
        value = text
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def label(value: Any, profile: Profile = "strict") -> str | None:
    """Return a scalar in the form in which labels are compared, or None if it is no label.

    Surrounding white space and letter case do not count, and equal numbers are equal however they
    are written. In ``strict`` nothing, a number that is not finite, a list and an object are no
    label and equal nothing; in ``published`` everything is compared by its text.
    """
    if profile == "published":
        return _published(value)
    if isinstance(value, bool):
        return str(value).casefold()
    if value is None or isinstance(value, list | tuple | dict):
        return None
    found = number(value)
    if found is not None:
        return _digits(found)
    if not isinstance(value, str):
        return None
    return unicodedata.normalize("NFKC", value).strip().casefold()


def element(value: Any, profile: Profile = "strict") -> str | None:
    """Return an element of a set or a sequence: a label without spaces inside."""
    found = label(value, profile)
    return None if found is None else re.sub(r"\s+", "", found)


def elements(value: Any, profile: Profile = "strict") -> list[str | None] | None:
    """Return the elements of a list, or of a text with commas; None if it is neither.

    An element that is no label stays in its place as None, and matches nothing.
    """
    if isinstance(value, str):
        value = _split(value)
    if not isinstance(value, list | tuple):
        return None
    return [element(item, profile) for item in value]


def _split(text: str) -> list[str]:
    """Return the parts of a text between commas, without brackets and quotes around them."""
    inner = text.strip().strip("[](){}").strip()
    return [part.strip().strip("'\"").strip() for part in inner.split(",")] if inner else []


def _published(value: Any) -> str:
    if isinstance(value, float) and math.isfinite(value):
        return _digits(value)
    return str(value).strip().upper()


def _digits(value: float) -> str:
    """Return a number as text: whole ones without a point, others with 12 significant digits."""
    if value == math.floor(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.12g}"
