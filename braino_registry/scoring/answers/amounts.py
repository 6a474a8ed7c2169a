"""The number that a cell or the rest of a line gives: "61.3 bpm (min 48.2)", "1 h 30 min"."""

from __future__ import annotations

import math
import re

from braino_registry.numbers import Number, convert, convertible, find_unit, read_numbers
from braino_registry.scoring.answers.denials import stated

_COMPOUND = re.compile(
    r"(?<![\w.])(?P<h>\d{1,3})\s?(?:h|hrs?|hours?)\.?,?\s*(?:and\s+)?(?P<m>\d{1,2}(?:\.\d+)?)\s?(?:m|min|mins|minutes?)\b"
    r"(?:,?\s*(?:and\s+)?(?P<s>\d{1,2}(?:\.\d+)?)\s?(?:s|secs?|seconds?)\b)?"
    r"|(?<![\w.])(?P<m2>\d{1,4})\s?(?:min|mins|minutes?)\.?,?\s*(?:and\s+)?(?P<s2>\d{1,2}(?:\.\d+)?)\s?(?:s|secs?|seconds?)\b"
    r"|(?<![\w.:])(?P<h3>\d{1,2}):(?P<m3>[0-5]\d)\s?(?:h\b|hours?\b|\(?h:mm?\)?)",
    re.IGNORECASE,
)
_DEGREES = re.compile(
    r"(?<![A-Za-z])(?:[tTFzrχ]|chi2?|χ²)\s?\(\s?\d+(?:\.\d+)?(?:,\s?\d+(?:\.\d+)?)?\s?\)"
)
_LEADING = re.compile(
    r"[\s(\[]*(?:(?:about|around|approximately|approx\.?|roughly|circa|ca\.?|is|was|are|were|mean|of"
    r"|estimated|at|to|equals?|exactly|only|just|i\.e\.|[a-zA-Z]{1,3})\s+|[~≈=]\s*){0,4}",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_DOUBT = re.compile(
    r"\b(?:or|maybe|perhaps|possibly|might|(?:could|may)(?:\s+\w+)?\s+be|unsure|uncertain"
    r"|unreliable|not sure|either|unclear|n/?a|unknown|nan"
    r"|not (?:available|computed|possible|determined|estimable|reported|applicable)"
    r"|cannot|could not|can't|couldn't|no\b|none|null|missing|instead of|rather than|guess\w*"
    r"|between|placeholder|typical\w*|expected|assum\w+|would)\b|\?",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|\n")
_SAME_AGAIN = re.compile(
    r"\s*(?:=|≈|i\.e\.,?|that is,?|,?\s*(?:or\s+)?equivalent(?:ly)?(?:\s+to)?)\s*", re.IGNORECASE
)
_JOINED = re.compile(r"\W*(?:and|or|to|vs\.?|versus|but|then)?\W*", re.IGNORECASE)
_ENDS = re.compile(r"[ \t]*(?:$|[.;,)\]|\n]|±|\+/-|[–—-]\s|\b[a-zA-Z])")


def plain_durations(text: str) -> str:
    """Return a text with compound durations as one number: "6 h 41 min" is "401 min".

    Parameters
    ----------
    text : str
        Any text; degrees of freedom ("t(31)") are blanked.
    """
    text = _DEGREES.sub(lambda m: re.sub(r"\d", " ", m.group()), text)
    return _COMPOUND.sub(_as_one, text)


def _as_one(match: re.Match[str]) -> str:
    hours = float(match["h"] or match["h3"] or 0)
    minutes = float(match["m"] or match["m2"] or match["m3"] or 0)
    seconds = float(match["s"] or match["s2"] or 0)
    if match["m2"] is not None or match["s"] is not None:
        return f"{hours * 3600 + minutes * 60 + seconds:g} s"
    return f"{hours * 60 + minutes:g} min"


def amount(
    text: str, unit: str | None, default: str | None = None, names: tuple[str, ...] = ()
) -> tuple[float | None, float]:
    """Return the number that a short text gives in a unit, and half its last digit.

    Parameters
    ----------
    text : str
        What stands behind a label, or in a cell.
    unit : str or None
        Unit of the field; None and ``"1"`` for bare numbers.
    default : str or None
        Unit that the label or the column tells, for a number that prints none.
    names : tuple of str
        Names whose digits are no numbers.

    Returns
    -------
    value : float or None
        None where the text is no single number in that unit: a range, a bound, two alternatives,
        a denial.
    half : float
        In the unit of the field.
    """
    text = plain_durations(text[:400])
    numbers = [n for n in read_numbers(text, exempt_names=names) if _may_be(n)]
    if not numbers:
        return None, 0.0
    first = numbers[0]
    if first.role or _LEADING.fullmatch(text[: first.span[0]]) is None:
        return None, 0.0
    end = _sentence_end(text, first.span[1])
    said = _BRACKET.sub(" ", text[:end])
    if _DOUBT.search(said) or not stated(text, *first.span):
        return None, 0.0
    others = [n for n in numbers[1:] if n.span[0] < end and not _aside(text, n)]
    if any(_competes(first, n, text) for n in others):
        return None, 0.0
    if _ENDS.match(text, first.span[1]) is None:
        return None, 0.0
    return in_unit(first, unit, default)


def _may_be(number: Number) -> bool:
    return number.exempt_reason in (
        None,
        "small count",
        "number word",
        "list mark",
        "clock",
        "date",
    ) and (math.isfinite(number.value))


def _sentence_end(text: str, start: int) -> int:
    match = _SENTENCE_END.search(text, start)
    return match.start() if match else len(text)


def _aside(text: str, number: Number) -> bool:
    """Tell whether a number stands in brackets, or as a spread behind ±."""
    if number.role == "spread":
        return True
    before = text[: number.span[0]]
    return before.count("(") > before.count(")") or before.count("[") > before.count("]")


def _competes(first: Number, other: Number, text: str) -> bool:
    """Tell whether another number may be meant as well: "9 or 11 Hz", "0.31, 0.35"."""
    between = text[first.span[1] : other.span[0]]
    if _SAME_AGAIN.fullmatch(between):
        return False
    words = re.findall(r"[A-Za-z]{2,}", between)
    joined = _JOINED.fullmatch(between) is not None
    return joined or (not words and first.unit == other.unit)


def in_unit(
    number: Number, unit: str | None, default: str | None = None
) -> tuple[float | None, float]:
    """Return a number in a unit, and half its last digit; None where its own does not convert.

    Parameters
    ----------
    number : Number
        The number.
    unit : str or None
        Unit of the field.
    default : str or None
        Unit of a number that prints none.
    """
    target = find_unit(unit)
    own = number.unit or default
    if own is not None and target is not None and convertible(own, unit):
        factor = convert(1.0, own, target.name)
        value = convert(number.value, own, target.name)
        return (value, number.half * factor) if math.isfinite(value) else (None, 0.0)
    if number.unit is not None and not number.unit_implied:
        bare = target is None or target.dimension == "count"
        return (
            (number.value, number.half) if bare and unit and _spells(number, unit) else (None, 0.0)
        )
    if default is not None and target is not None and default not in ("1", "count"):
        return None, 0.0
    return number.value, number.half


def _spells(number: Number, unit: str) -> bool:
    """Tell whether a unit outside of the table is the one that the number prints."""
    return (number.unit or "").casefold() == unit.strip().casefold()
