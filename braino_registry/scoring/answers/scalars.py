"""Which number an answer states for a field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from braino_registry.numbers import Number, convert, convertible, find_unit
from braino_registry.scoring.answers import cues
from braino_registry.scoring.answers.prose import Sentence, Vocabulary, sentences

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
    """
    unit = spec.get("unit")
    candidates = [
        (number, value)
        for number in numbers
        if (value := _as_value(number, unit, text)) is not None
    ]
    if not candidates:
        return None, "the text gives no number" + (f" in {unit}" if unit else "")
    printed = [c for c in candidates if c[0].unit is not None]
    pool = printed if printed and find_unit(unit) is not None and unit != "1" else candidates
    if len(pool) > MAX_CANDIDATES:
        return None, f"the text gives {len(pool)} numbers"
    parts = sentences(text, _NO_NAMES)
    if len(siblings) > 1:
        found = _by_order(name, pool, parts, siblings)
        return _single(found, "the text does not say which number it is")
    words = cues.pattern(cues.field_phrases(name, spec))
    if words is not None:
        for near in (_near_segment, _near_sentence):
            found = [Value(v.value, v.half, True) for n, v in pool if near(n.span[0], parts, words)]
            if found and _agree(found) and not _hedged(pool, found, parts):
                return _finest(found), ""
            if found and near is _near_segment:
                return None, _several([v for _, v in pool])
    return _single([v for _, v in pool], "the text gives no number")


def _as_value(number: Number, unit: str | None, text: str) -> Value | None:
    if number.exempt_reason not in (None, "small count") or number.role:
        return None
    if _INTERVAL.search(text[max(0, number.span[0] - 60) : number.span[0]]):
        return None
    half = 0.5 * 10.0**-number.decimals
    target = find_unit(unit)
    if number.unit is not None and target is not None and convertible(number.unit, unit):
        factor = convert(1.0, number.unit, target.name)
        return Value(convert(number.value, number.unit, target.name), half * factor)
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


def _hedged(pool: list[tuple[Number, Value]], found: list[Value], parts: list[Sentence]) -> bool:
    """Tell whether another number is offered as well ("430 ms, or maybe 470 ms")."""
    for number, value in pool:
        for sentence in parts:
            for segment in sentence.segments:
                start = sentence.start + segment.start
                if start <= number.span[0] < start + len(segment.text):
                    offered = _HEDGE.match(segment.text) is not None
                    if offered and not _agree([*found, value]):
                        return True
    return False


def _near_segment(at: int, parts: list[Sentence], words: re.Pattern[str]) -> bool:
    for sentence in parts:
        for segment in sentence.segments:
            start = sentence.start + segment.start
            if start <= at < start + len(segment.text):
                return words.search(segment.text.replace("_", " ")) is not None
    return False


def _near_sentence(at: int, parts: list[Sentence], words: re.Pattern[str]) -> bool:
    for sentence in parts:
        if sentence.start <= at < sentence.start + len(sentence.text):
            return (
                words.search((sentence.header + " " + sentence.text).replace("_", " ")) is not None
            )
    return False


def _by_order(
    name: str,
    candidates: list[tuple[Number, Value]],
    parts: list[Sentence],
    siblings: Mapping[str, Mapping[str, Any]],
) -> list[Value]:
    """Give numbers to the fields that the same sentence names, by the order of both."""
    own = {
        key: words
        for key, spec in siblings.items()
        if (words := cues.pattern(cues.own_phrases(key, spec, siblings))) is not None
    }
    found: list[Value] = []
    above: str | None = None
    for sentence in parts:
        text = sentence.text.replace("_", " ")
        stop = sentence.start + len(text)
        inside = [(n, v) for n, v in candidates if sentence.start <= n.span[0] < stop]
        named = _named(text, own)
        given = _match(inside, named, sentence)
        if not named and len(inside) == 1:
            header = _named(sentence.header.replace("_", " "), own)
            only = {field for _, field in header} or ({above} if above else set())
            given = [(inside[0][1], next(iter(only)))] if len(only) == 1 else []
        found += [Value(v.value, v.half, True) for v, field in given if field == name]
        fields = {field for _, field in named}
        above = next(iter(fields)) if len(fields) == 1 and not inside else None
    return found


def _named(text: str, own: Mapping[str, re.Pattern[str]]) -> list[tuple[int, str]]:
    """Return where a text names which field; words of one field in a row count once."""
    places = sorted((m.start(), key) for key, words in own.items() for m in words.finditer(text))
    return [p for i, p in enumerate(places) if i == 0 or p[1] != places[i - 1][1]]


def _match(
    inside: list[tuple[Number, Value]], named: list[tuple[int, str]], sentence: Sentence
) -> list[tuple[Value, str]]:
    if not inside or not named:
        return []
    marks = [(n.span[0] - sentence.start, v) for n, v in inside]
    order = "".join(
        kind for _, kind in sorted([(p, "N") for p, _ in marks] + [(p, "F") for p, _ in named])
    )
    count = len(named)
    once = len({field for _, field in named}) == count
    regular = ("FN" * count, "NF" * count, "N" * count + "F" * count, "F" * count + "N" * count)
    if once and order in regular:
        return [(v, field) for (_, v), (_, field) in zip(marks, named, strict=True)]
    given = []
    for segment in sentence.segments:
        start, stop = segment.start, segment.start + len(segment.text)
        values = [(p, v) for p, v in marks if start <= p < stop]
        places = [(p, field) for p, field in named if start <= p < stop]
        if values and len({field for _, field in places}) == 1:
            given += [(v, places[0][1]) for v in _beside(values, places[0][0])]
    if not given and len({field for _, field in named}) == 1:
        given = [(v, named[0][1]) for _, v in marks]
    return given


def _beside(values: list[tuple[int, Value]], place: int) -> list[Value]:
    """Return the value that stands right beside a word, or all if none clearly does."""
    ranked = sorted((abs(place - p), p, v.value, v) for p, v in values)
    if len(ranked) > 1 and ranked[0][0] <= 12 and ranked[1][0] > 2 * ranked[0][0]:
        return [ranked[0][3]]
    return [v for _, v in values]


def _single(found: list[Value], otherwise: str) -> tuple[Value | None, str]:
    if not found:
        return None, otherwise
    return (_finest(found), "") if _agree(found) else (None, _several(found))


def _agree(found: list[Value]) -> bool:
    """Tell whether all are one number, printed with more or fewer digits."""
    best = _finest(found)
    slack = 1e-9 * (abs(best.value) or 1.0)
    return all(abs(v.value - best.value) <= max(v.half, best.half) + slack for v in found)


def _finest(found: list[Value]) -> Value:
    return min(found, key=lambda v: v.half)


def _several(found: list[Value]) -> str:
    shown = ", ".join(dict.fromkeys(f"{v.value:.6g}" for v in found[:6]))
    return f"the text gives several numbers: {shown}"
