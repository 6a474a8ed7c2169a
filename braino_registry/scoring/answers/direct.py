"""Numbers that prose gives to a field in so many words: "the alpha peak over O1 was 10.1 Hz".

Stricter than the reading of loose prose: the whole phrase that names the field has to stand there,
and nothing but a verb, a preposition or a qualifier may part it from its number. Where the same
sentence has a number that nothing explains, it says nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, NamedTuple

from braino_registry.numbers import Number
from braino_registry.scoring.answers import cues
from braino_registry.scoring.answers.denials import stated
from braino_registry.scoring.answers.matching import tokens
from braino_registry.scoring.answers.prose import Vocabulary, sentences
from braino_registry.scoring.answers.scalars import Value, agree

_NO_NAMES = Vocabulary(())
MAX_MARKS = 60  # in one sentence; more is a table without lines, or spam
_WORD = (
    r"(?:is|was|were|are|be|being|of|at|about|around|approximately|approx|roughly|ca|circa|to|as|up"
    r"|reach(?:es|ed)|equal(?:s|ed)?|came|comes|out|amount(?:s|ed)|lay|lies|sat|sits|averag(?:es|ed)"
    r"|measur(?:es|ed)|last(?:s|ed)|stood|stands|gave|gives|yield(?:s|ed)?|found|estimated|computed"
    r"|calculated|therefore|then|thus|also|just|only|exactly|precisely|now|it|in|value|with|a|an|the"
    r"|mean|total|overall|either|turned|works?|worked|has|had|had|shows?|showed|be|peak(?:s|ed)?)"
)
_LINKED = re.compile(rf"[^\w.;!?]*(?:{_WORD}\b[^\w.;!?]*){{0,7}}", re.IGNORECASE)
_VERB = (
    r"(?:is|was|were|are|reach(?:es|ed)|equal(?:s|ed)?|came|comes|amount(?:s|ed)|lay|lies|sat|sits"
    r"|averag(?:es|ed)|measur(?:es|ed)|stood|stands|yield(?:s|ed)|:|=|→)"
)
_QUALIFIED = re.compile(
    rf"(?!.*\b(?:while|whereas|but|than|versus|vs|not)\b)[^.;:=,\d()]{{1,60}}?(?:\b|(?=[:=→])){_VERB}[^\w.;!?]*(?:{_WORD}\b[^\w.;!?]*){{0,4}}",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"[ \t]*(?:of\s+(?:the\s+)?)?", re.IGNORECASE)
_FOR = re.compile(r"\s*(?:for|as)\s+(?:the|my|your|its|our|a)?\s*", re.IGNORECASE)
_OR = re.compile(
    r"\s*(?:,?\s*(?:or|and\s+perhaps|or\s+(?:maybe|perhaps|possibly|even|rather)))\s*",
    re.IGNORECASE,
)
# "22.4 %, 30.1 %." gives two for one field; "22.4 %, 30.1 % of the others" does not.
_LISTED = re.compile(r"\s*(?:[,;/&]|,?\s*\band\b)\s*", re.IGNORECASE)
_ENDS = re.compile(r"\s*(?:$|[.;,)\n])")
_IS = re.compile(rf"[:=]|\b{_VERB}\b", re.IGNORECASE)
_GOES_ON = re.compile(r"\W*(?:and|or|but|to|while|whereas|then)\b", re.IGNORECASE)
_OPENED = re.compile(
    r"\s*[(\[]\s*(?:(?!over\b|across\b|all\b|of\b|from\b|in\b|at\b|for\b|n\b)[A-Za-z²µ/%-]{1,15}\s*[:=]?\s*){0,2}"
)
_PART = re.compile(
    r"\s*(?:out\s+)?of\s+(?:the\s+|its\s+|all\s+)?\d[\d,.]*\s+(?:\w+\s+)?", re.IGNORECASE
)
_PART_BEFORE = re.compile(r"\d\s+(?:out\s+)?of\s+(?:the\s+|its\s+|all\s+)?$", re.IGNORECASE)
_SAYS = re.compile(
    r"\b(?:is|are|was|were|have|has|had|pass\w*|show\w*|exceed\w*|remain\w*|kept|rejected|left)\b",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


class Mark(NamedTuple):
    """Where a sentence names a field; None if several share the phrase."""

    start: int
    stop: int
    field: str | None


def phrases(fields: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, re.Pattern[str]]]:
    """Return the patterns of the full phrases of every field.

    Parameters
    ----------
    fields : mapping
        The fields of the contract.
    """
    found = []
    for name, spec in fields.items():
        said = [p for p in spec.get("said_as", ()) if isinstance(p, str) and tokens(p)]
        plain = name.replace("_", " ")
        if not said or len(tokens(plain)) > 1:  # "plv" alone names every PLV
            said.append(plain)
        pattern = cues.pattern(said)
        if pattern is not None:
            found.append((name, pattern))
    return found


def direct(
    name: str,
    patterns: list[tuple[str, re.Pattern[str]]],
    text: str,
    pool: list[tuple[Number, Value]],
) -> tuple[list[Value], list[Value]]:
    """Return the numbers that sentences give to a field in so many words.

    Parameters
    ----------
    name : str
        Name of the field.
    patterns : list
        Result of `phrases`.
    text : str
        Cleaned text.
    pool : list of (Number, Value)
        Numbers of the text that may be values of the field, in order.

    Returns
    -------
    given : list of Value
        What sentences give to it.
    offered : list of Value
        What a sentence offers as one of several: "either 9 or 11 Hz".
    """
    starts = [number.span[0] for number, _ in pool]
    found: list[Value] = []
    offered: list[Value] = []
    for sentence in sentences(text, _NO_NAMES):
        stop = sentence.start + len(sentence.text)
        inside = pool[bisect_left(starts, sentence.start) : bisect_left(starts, stop)]
        if not inside or len(inside) > MAX_MARKS:
            continue
        said = sentence.text.replace("_", " ")
        marks = _marks(said, patterns)
        if marks is None or all(mark.field != name for mark in marks):
            continue
        inside = [c for c in inside if stated(text, *c[0].span)]
        given = [
            (value, _owner(said, marks, number, sentence.start, inside)) for number, value in inside
        ]
        own = [value for value, field in given if field == name]
        loose = [
            number
            for (number, value), (_, field) in zip(inside, given, strict=True)
            if field == ""
            and not _in_brackets(said, number.span[0] - sentence.start)
            and not (own and agree([*own, value]))
        ]
        alone = {mark.field for mark in marks} == {name}
        either = [
            value
            for (one, value), (_, field), two in zip(inside, given, inside[1:], strict=False)
            if field == name
            and (
                _OR.fullmatch(said, one.span[1] - sentence.start, two[0].span[0] - sentence.start)
                or (alone and _as_well(said, sentence.start, (one, value), two))
            )
        ]
        if either:
            offered += either
        elif own and not loose:
            found += [Value(v.value, v.half, True) for v in own]
    return found, offered


def _as_well(text: str, offset: int, one: tuple[Number, Value], two: tuple[Number, Value]) -> bool:
    """Tell whether another number stands behind one, and nothing says what it is."""
    return (
        _LISTED.fullmatch(text, one[0].span[1] - offset, two[0].span[0] - offset) is not None
        and _ENDS.match(text, two[0].span[1] - offset) is not None
        and not agree([one[1], two[1]])
    )


def _marks(text: str, patterns: list[tuple[str, re.Pattern[str]]]) -> list[Mark] | None:
    """Return where a sentence names fields, the longest phrase at each place."""
    found = [
        Mark(match.start(), match.end(), name)
        for name, pattern in patterns
        for match in pattern.finditer(text)
    ]
    if len(found) > MAX_MARKS:
        return None
    found.sort(key=lambda m: (m.start - m.stop, m.start))
    kept: list[Mark] = []
    for mark in found:
        same = [k for k in kept if (k.start, k.stop) == (mark.start, mark.stop)]
        if same:
            if same[0].field != mark.field:
                kept[kept.index(same[0])] = Mark(mark.start, mark.stop, None)
        elif not any(k.start < mark.stop and mark.start < k.stop for k in kept):
            kept.append(mark)
    return sorted(kept)


def _owner(
    text: str,
    marks: list[Mark],
    number: Number,
    offset: int,
    inside: list[tuple[Number, Value]],
) -> str | None:
    """Return the field that a number is given to; None for a shared phrase, "" for no phrase."""
    start, stop = number.span[0] - offset, number.span[1] - offset
    # a phrase in brackets says nothing of what follows them
    before = [mark for mark in marks if mark.stop <= start and not _left(text[mark.stop : start])]
    if before:
        mark = before[-1]
        gap = text[mark.stop : start]
        plain = _BRACKETS.sub(" ", gap) if len(gap) <= 160 else gap
        taken = any(
            mark.stop <= other.span[0] - offset < start and other.text in plain
            for other, _ in inside
        )
        if not taken and len(plain) <= 120:
            linked = any(p.fullmatch(plain) for p in (_LINKED, _QUALIFIED, _OPENED))
            # "from 0.97 before to 0.01 after": the phrase belongs to the number before it
            own = _IS.search(plain) and not _GOES_ON.match(plain)
            if linked and (own or not _follows(text, mark, offset, inside)):
                return mark.field
    if _PART_BEFORE.search(text[max(0, start - 24) : start]):
        return None  # the whole of "62 of the 64 channels"
    after = next((mark for mark in marks if mark.start >= stop), None)
    if after is None:
        return ""
    following = next((n for n, _ in inside if n.span[0] - offset >= after.stop), None)
    if following is not None and _BESIDE.fullmatch(text, stop, after.start):
        gap = text[after.stop : following.span[0] - offset]
        if _LINKED.fullmatch(gap) and _IS.search(gap) and not _GOES_ON.match(gap):
            return ""  # "10 Hz power is 3.1": the phrase belongs to the number behind it
    if _BESIDE.fullmatch(text, stop, after.start) or _FOR.fullmatch(text, stop, after.start):
        return after.field
    if _PART.fullmatch(text, stop, after.start):
        said = text[after.start : after.stop]
        return after.field if _SAYS.search(said) else None
    return ""


def _follows(text: str, mark: Mark, offset: int, inside: list[tuple[Number, Value]]) -> bool:
    """Tell whether a phrase stands right behind a number."""
    return any(
        _BESIDE.fullmatch(text, number.span[1] - offset, mark.start) is not None
        for number, _ in inside
        if number.span[1] - offset <= mark.start
    )


def _left(gap: str) -> bool:
    """Tell whether a bracket is closed between a phrase in it and what follows."""
    return ")" in gap and gap.count(")") > gap.count("(")


def _in_brackets(text: str, at: int) -> bool:
    before = text[:at]
    return before.count("(") > before.count(")")
