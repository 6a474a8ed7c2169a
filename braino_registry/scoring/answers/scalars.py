"""Which number an answer states for a field."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from braino_registry.numbers import Number, convert, convertible, find_unit
from braino_registry.scoring.answers import cues
from braino_registry.scoring.answers.binding import bind
from braino_registry.scoring.answers.denials import stated
from braino_registry.scoring.answers.prose import Places, Sentence, Vocabulary, sentences
from braino_registry.scoring.answers.rows import Token

# A bare number before one of these counts them; it is not the value of a field with a unit.
_COUNTED = re.compile(
    r"[\s-]*(?:(?:EEG|good|bad|other|clean|remaining|usable)\s+)?"
    r"(?:channels?|electrodes?|sensors?|subjects?"
    r"|participants?|recordings?|events?|trials?|epochs?|samples?|files?|segments?|windows?|sessions?|runs?"
    r"|stimul\w+|responses?|targets?|minutes|times|points?)\b",
    re.IGNORECASE,
)
_INTERVAL = re.compile(
    r"(?:\bCI\b|confidence|interval|\bIQR\b|\brange[sd]?)[^.;]{0,25}$", re.IGNORECASE
)
_HEDGE = re.compile(r"\W*(?:or|maybe|perhaps|possibly|alternatively|but it could)\b", re.IGNORECASE)
_BARE = re.compile(
    r"(?:\W*\b(?:it|it's|is|was|be|the|a|an|this|that|answer|value|result|number|final|so|thus|hence"
    r"|therefore|about|around|approximately|roughly|of|at|i|get|got|find|found|would|say|measured|to|in"
    r"|all|came|comes|out|equals|reaches|there|are|were|and|but|only|exactly|peaks?|has|have|subject))*"
    r"\b\W*|\W*",
    re.IGNORECASE,
)
_NO_NAMES = Vocabulary(())
# More than this is a table or spam; which one is meant cannot be told.
MAX_CANDIDATES = 200


@dataclass(frozen=True, slots=True)
class Value:
    """A number in the unit of its field.

    Parameters
    ----------
    value : float
        In the field's unit.
    half : float
        Half of its last printed digit, in the same unit.
    sure : bool
        The text names the field beside it.
    """

    value: float
    half: float
    sure: bool = False


def read_number(
    name: str,
    spec: Mapping[str, Any],
    text: str,
    numbers: list[Number],
    siblings: Mapping[str, Mapping[str, Any]],
    others: Callable[[Sentence | None], bool] = lambda _: False,
) -> tuple[Value | None, str]:
    """Return the number that a text states for a field, or None and why.

    Parameters
    ----------
    name : str
        Name of the field.
    spec : mapping
        The field.
    text : str
        Cleaned text.
    numbers : list of Number
        The numbers of ``text``.
    siblings : mapping
        The number fields that the same number could belong to, this one included.
    others : callable
        Tells whether a sentence speaks of another field of the contract.
    """
    unit = spec.get("unit")
    pool = candidates(spec, text, numbers)
    if not pool:
        return None, "the text gives no number" + (f" in {unit}" if unit else "")
    if len(pool) > MAX_CANDIDATES:
        return None, f"the text gives {len(pool)} numbers"
    parts = sentences(text, _NO_NAMES)
    said = [c for c in pool if stated(text, *c[0].span)]
    denied = [c for c in pool if c not in said]
    value, reason = _read(name, spec, said, parts, siblings, others)
    if value is None:
        return None, reason if said else f"the text denies {shown([v for _, v in denied])}"
    against, _ = _read(name, spec, denied, parts, siblings, others)
    if against is not None and against.sure and agree([value, against]):
        return None, f"the text says and denies {shown([value])}"
    return value, ""


def candidates(
    spec: Mapping[str, Any], text: str, numbers: list[Number]
) -> list[tuple[Number, Value]]:
    """Return the numbers of a text that may be values of a field, in its unit.

    Parameters
    ----------
    spec : mapping
        The field.
    text : str
        Cleaned text.
    numbers : list of Number
        Its numbers. Where some print a unit that converts to the field's, those without are none.
    """
    unit = spec.get("unit")
    found = [
        (number, value)
        for number in numbers
        if (value := _as_value(number, unit, text)) is not None
    ]
    printed = [c for c in found if c[0].unit is not None]
    return printed if printed and find_unit(unit) is not None and unit != "1" else found


def _read(
    name: str,
    spec: Mapping[str, Any],
    pool: list[tuple[Number, Value]],
    parts: list[Sentence],
    siblings: Mapping[str, Mapping[str, Any]],
    others: Callable[[Sentence | None], bool],
) -> tuple[Value | None, str]:
    if len(siblings) > 1:
        found = _by_order(name, pool, parts, siblings)
        return _single(found, "the text does not say which number it is")
    words = cues.pattern(cues.field_phrases(name, spec))
    if words is not None:
        places = Places(parts)
        for near in (_near_segment, _near_sentence):
            found = [
                Value(v.value, v.half, True) for n, v in pool if near(n.span[0], places, words)
            ]
            if found and agree(found) and not _hedged(pool, found, places):
                return finest(found), ""
            if found and near is _near_segment:
                return None, _several([v for _, v in pool])
    # without a word that names the field, a number is its value only where nothing else is said,
    # or where its unit tells it from the others of a sentence that names other fields
    bare = [v for n, v in pool if _alone(n, parts)]
    if not bare and find_unit(unit := spec.get("unit")) is not None and unit not in ("1", "count"):
        by_unit = [(n, v) for n, v in pool if n.unit is not None and not n.unit_implied]
        if by_unit and agree([v for _, v in by_unit]):
            places = Places(parts)
            bare = [v for n, v in by_unit if others(places.sentence(n.span[0]))]
    return _single(bare, "no number of the text stands with words that name the field")


def _as_value(number: Number, unit: str | None, text: str) -> Value | None:
    if not number.claimed or number.role:
        return None
    if _INTERVAL.search(text[max(0, number.span[0] - 60) : number.span[0]]):
        return None
    if not math.isfinite(number.value):
        return None
    half = number.half
    target = find_unit(unit)
    if number.unit is not None and target is not None and convertible(number.unit, unit):
        factor = convert(1.0, number.unit, target.name)
        value = convert(number.value, number.unit, target.name)
        return Value(value, half * factor) if math.isfinite(value) else None
    if number.unit is not None and not number.unit_implied:
        return None
    bare = target is None or target.dimension in ("count", "ratio")
    if not bare and _COUNTED.match(text, number.span[1]):
        return None
    if target is not None and target.dimension == "ratio" and number.decimals <= 0:
        # a whole number is no share, unless it is all or nothing
        if number.value not in (0.0, 1.0) and target.name == "1":
            return None
        if _COUNTED.match(text, number.span[1]):
            return None
    return Value(number.value, half)


def _alone(number: Number, parts: list[Sentence]) -> bool:
    """Tell whether a statement is a number and nothing else: "72.", "It is about 9.8 Hz"."""
    place = Places(parts).statement(number.span[0])
    if place is None:
        return False
    sentence, index = place
    segment = sentence.segments[index]
    at = number.span[0] - sentence.start - segment.start
    rest = segment.text[:at] + " " + segment.text[at + number.span[1] - number.span[0] :]
    return _BARE.fullmatch(rest) is not None


def _hedged(pool: list[tuple[Number, Value]], found: list[Value], places: Places) -> bool:
    """Tell whether another number is offered as well ("430 ms, or maybe 470 ms")."""
    for number, value in pool:
        segment = places.segment(number.span[0])
        offered = segment is not None and _HEDGE.match(segment.text) is not None
        if offered and not agree([*found, value]):
            return True
    return False


def _near_segment(at: int, places: Places, words: re.Pattern[str]) -> bool:
    segment = places.segment(at)
    return segment is not None and words.search(segment.text.replace("_", " ")) is not None


def _near_sentence(at: int, places: Places, words: re.Pattern[str]) -> bool:
    sentence = places.sentence(at)
    said = "" if sentence is None else f"{sentence.header} {sentence.text}"
    return words.search(said.replace("_", " ")) is not None


def _by_order(
    name: str,
    candidates: list[tuple[Number, Value]],
    parts: list[Sentence],
    siblings: Mapping[str, Mapping[str, Any]],
) -> list[Value]:
    """Give numbers to the fields that the same sentence names, or the line above."""
    own = {
        key: words
        for key, spec in siblings.items()
        if (words := cues.pattern(cues.own_phrases(key, spec, siblings))) is not None
    }
    counts = all(spec.get("unit") in (None, "count") for spec in siblings.values())
    found: list[Value] = []
    above: str | None = None
    starts = [number.span[0] for number, _ in candidates]
    for sentence in parts:
        stop = sentence.start + len(sentence.text)
        low, high = bisect_left(starts, sentence.start), bisect_left(starts, stop)
        inside = [
            Token(n.span[0] - sentence.start, n.span[1] - sentence.start, value=v)
            for n, v in candidates[low:high]
        ]
        fields = _fields_in(sentence.text, own)
        given = bind(sentence, inside, own, counts=counts) if inside and fields else []
        if not fields and len(inside) == 1 and inside[0].value is not None:
            only = _fields_in(sentence.header, own) or ({above} if above else set())
            given = [(inside[0].value, field) for field in only] if len(only) == 1 else []
        found += [Value(v.value, v.half, True) for v, field in given if field == name]
        above = next(iter(fields)) if len(fields) == 1 and not inside else None
    return found


def _fields_in(text: str, own: Mapping[str, re.Pattern[str]]) -> set[str]:
    text = text.replace("_", " ")
    return {field for field, words in own.items() if words.search(text)}


def _single(found: list[Value], otherwise: str) -> tuple[Value | None, str]:
    if not found:
        return None, otherwise
    return (finest(found), "") if agree(found) else (None, _several(found))


def agree(found: list[Value]) -> bool:
    """Tell whether all are one number, printed with more or fewer digits.

    Parameters
    ----------
    found : list of Value
        At least one.
    """
    best = finest(found)
    slack = 1e-9 * (abs(best.value) or 1.0)
    return all(abs(v.value - best.value) <= max(v.half, best.half) + slack for v in found)


def finest(found: list[Value]) -> Value:
    """Return the value that is printed with most digits."""
    return min(found, key=lambda v: v.half)


def _several(found: list[Value]) -> str:
    return f"the text gives several numbers: {shown(found)}"


def shown(found: list[Value]) -> str:
    """Return values for people, the first six."""
    return ", ".join(dict.fromkeys(f"{v.value:.6g}" for v in found[:6]))
