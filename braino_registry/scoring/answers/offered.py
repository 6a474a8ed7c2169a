"""Numbers that an answer offers for a field although it should give none.

Strict where reading a value is not: a number with the field's unit, or beside its name, is offered,
whether it is written in digits, in words or as a Roman numeral, and whoever reported it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from braino_registry.numbers import (
    convertible,
    find_unit,
    from_transcript,
    read_numbers,
    unit_of,
)
from braino_registry.numbers.spelling import legible
from braino_registry.numbers.tongues import foreign
from braino_registry.numbers.words import written
from braino_registry.scoring.answers import cues
from braino_registry.scoring.answers.prose import Places, Sentence, Vocabulary, sentences
from braino_registry.scoring.model import Evidence

# A refusal has few numbers; whoever prints more than this hides one among them.
MAX_NUMBERS = 1000
_NO_NAMES = Vocabulary(())
_READ = (None, "small count", "number word")
_BRACKET = re.compile(r"\([^()]*\)")
_BARE = (None, "1", "count")
_POSING = ("version", "date")  # "heart rate v72"
_LINK = (
    r"(?:is|was|were|are|be|been|would|could|might|may|must|of|at|about|around|approximately|roughly"
    r"|circa|ca|probably|likely|perhaps|maybe|possibly|estimated?|to|as|equals?|therefore|then|thus"
    r"|some|nearly|almost|exactly|precisely|just|over|under|up|the|a|an|mean|average|median|typical"
    r"|value|reads?|shows?|comes?|it|i|say|guess|assume|put|rate|number|count|power|in|all|per|resting"
    r"|normal|for|this|that|subject|participant|person|and|so)"
)
_LINKED = re.compile(rf"[^\w.;!?]*(?:{_LINK}[^\w.;!?]+){{0,7}}v?", re.IGNORECASE)
_GUESS = re.compile(
    r"(?:^|\b(?:say|said|guess|estimate|answer|result|assume|be|about|around|roughly|approximately"
    r"|maybe|perhaps|probably|likely|possibly|it is|it's|it was|that is|that's)|[:=≈~])[\s(]*$",
    re.IGNORECASE,
)
_ALONE = re.compile(r"\s*(?:[.;,!?)\]\n]|or so\b|$)")
_PER = {
    f"1/{unit}": re.compile(rf"(?:\s+\w+)?\s*(?:/|per|a|each|every)\s*(?:{words})\b", re.IGNORECASE)
    for unit, words in (("min", "min(?:ute)?"), ("s", "s(?:ec(?:ond)?)?"), ("h", "h(?:our)?"))
}
# "once every five sixths of a second", "0.83 s between beats"
_TIME = r"(?:ms|milliseconds?|s|secs?|seconds?|min|minutes?)\b"
_PERIOD = re.compile(
    rf"\b(?:every|each|once (?:in|per|a)|apart|intervals?|period|spac\w+)\b(?:[^.;]"
    rf"|\.\d){{0,50}}?(?<![A-Za-z]){_TIME}"
    rf"|(?<!\S)[^\s;]{{1,20}}\s+(?:of\s+an?\s+)?{_TIME}\s+(?:apart|(?:elapse|pass|lie)\w*\s+between|between)\b",
    re.IGNORECASE,
)
_ONCE = re.compile(r"\b(?:once|one|beats?|blinks?|events?|peaks?)\b", re.IGNORECASE)
_NUMBER_WORD = re.compile(
    r"\d|\b(?:half|thirds?|quarters?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|one|two|three|four"
    r"|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty)\b",
    re.IGNORECASE,
)
_IN_THE = re.compile(r"\b(?:in|into|around|about)\s+(?:the|its|his|her|their)?\s*$", re.IGNORECASE)
_OF_UNIT = {"bpm": ("beats",)}


def offered(
    name: str, field: Mapping[str, Any], text: str, evidence: Evidence, refused: Iterable[str]
) -> str:
    """Return the number that an answer offers for a field, or an empty string.

    Parameters
    ----------
    name : str
        Name of the field, of type number.
    field : mapping
        The field.
    text : str
        Cleaned text of the answer.
    evidence : Evidence
        The session; a number of the request is nobody's offer.
    refused : iterable of str
        All fields that must not get a value; the data of others may hold numbers.
    """
    told = "\n".join([text, *_lines(evidence, set(refused))])
    words = _words(name, field)
    known = evidence.vocabulary("ch_names") + evidence.vocabulary("recordings")
    numbers = [
        n for n in read_numbers(told, exempt_names=known) if n.exempt_reason in _READ + _POSING
    ]
    if len(numbers) > MAX_NUMBERS:
        return f"{len(numbers)} numbers, too many for a refusal"
    asked = {(n.value, n.unit) for n in read_numbers(evidence.request) if n.exempt_reason is None}
    ledger = from_transcript(evidence.events, evidence.request)
    parts = sentences(told, _NO_NAMES)
    places = Places(parts)
    unit = field.get("unit")
    for number in numbers:
        if number.exempt_reason is None and (number.value, number.unit) in asked:
            continue
        shown = f"{number.text} {number.unit or ''}".strip()
        if unit not in (None, "1") and convertible(number.unit, unit):
            return f"{shown} has the unit of {name}"
        share = unit == "1" and convertible(number.unit, unit)
        if number.unit not in (None, "1") and not number.unit_implied and not share:
            continue
        rate = _PER.get(str(unit))
        if rate is not None and rate.match(told, number.span[1]):
            return f"{shown}, in the unit of {name}"
        part = places.sentence(number.span[0])
        if part is None:
            continue
        at, stop = number.span[0] - part.start, number.span[1] - part.start
        if words is not None and _beside(part.text, at, stop, words):
            return f"{shown}, beside {name}"
        if number.exempt_reason in _POSING or number.span[0] >= len(text):
            continue
        if _GUESS.search(part.text[max(0, at - 30) : at]) and _ALONE.match(part.text, stop):
            return f"{shown}, which stands for nothing else"
        invented = number.exempt_reason is None and ledger.grounds(number, told) is None
        if invented and words is not None and words.search(part.text.replace("_", " ")):
            return f"{shown}, which no tool reported, beside {name}"
    return (
        _in_letters(parts, words, name)
        or _in_other_words(told, places, words, name)
        or _as_period(parts, words, name, unit)
    )


def _in_other_words(text: str, places: Places, words: re.Pattern[str] | None, name: str) -> str:
    """Find a number of another language, or a decade beside the field's name or a guess."""
    for one in foreign(text):
        shown = text[one.start : one.stop]
        if not one.round:
            return f"{shown}, a number in other words"
        part = places.sentence(one.start)
        said = part.text.replace("_", " ") if part is not None else ""
        before = text[max(0, one.start - 30) : one.start]
        if (
            (words is not None and words.search(said))
            or _GUESS.search(before)
            or _IN_THE.search(before)
        ):
            return f"{shown}, a range for {name}"
    return ""


def _as_period(
    parts: list[Sentence], words: re.Pattern[str] | None, name: str, unit: str | None
) -> str:
    """Find the time between two events, of which a rate is the reciprocal: "every 0.83 s"."""
    rate = find_unit(unit)
    if not (unit in _PER or (rate is not None and rate.dimension in ("rate", "frequency"))):
        return ""
    for part in parts:
        said = part.text.replace("_", " ")
        for period in _PERIOD.finditer(said):
            counts = _ONCE.search(said) or (words is not None and words.search(said))
            if counts and _NUMBER_WORD.search(period.group()):
                return f"{period.group().strip()}, of which {name} is the reciprocal"
    return ""


def _words(name: str, field: Mapping[str, Any]) -> re.Pattern[str] | None:
    """Return the pattern of what names a field, its initials and its unit included."""
    phrases = [*cues.field_phrases(name, field), *_OF_UNIT.get(str(field.get("unit")), ())]
    initials = "".join(word[0] for word in name.split("_") if word)
    return cues.pattern([*phrases, initials] if len(initials) > 1 else phrases)


def _beside(sentence: str, start: int, stop: int, words: re.Pattern[str]) -> bool:
    """Tell whether only words such as "is" and "about" part a number from the field's name."""
    low, high = max(0, start - 90), min(len(sentence), stop + 90)
    before = _BRACKET.sub(" ", sentence[low:start].replace("_", " "))
    after = _BRACKET.sub(" ", sentence[stop:high].replace("_", " "))
    return any(_LINKED.fullmatch(before, m.end()) for m in words.finditer(before)) or any(
        _LINKED.fullmatch(after, 0, m.start()) for m in words.finditer(after)
    )


def _in_letters(parts: list[Sentence], words: re.Pattern[str] | None, name: str) -> str:
    """Find a Roman numeral beside the field's name."""
    if words is None:
        return ""
    for part in parts:
        for one in written(part.text):
            if one.roman and _beside(part.text, one.start, one.stop, words):
                return f"{part.text[one.start : one.stop]}, beside {name}"
    return ""


def _lines(evidence: Evidence, refused: set[str]) -> list[str]:
    """Return what the data say, one statement a line, without the fields that may have values."""
    answer = evidence.answer
    data = answer.data if answer is not None and answer.data else {}
    lines: list[str] = []
    todo: list[tuple[str, Any]] = [
        (str(key), value)
        for key, value in data.items()
        if key in refused or key not in evidence.fields
    ]
    while todo and len(lines) < MAX_NUMBERS:
        key, value = todo.pop()
        if isinstance(value, Mapping):
            todo += [(f"{key} {inner}"[-200:], item) for inner, item in value.items()]
        elif isinstance(value, list | tuple):
            todo += [(key, item) for item in value]
        elif isinstance(value, bool) or value is None:
            continue
        elif isinstance(value, str):
            lines.append(f"{key}: {legible(value).text}")
        else:
            unit = unit_of(key.split(" ")[-1])
            lines.append(f"{key}: {_number_text(value)} {'' if unit in _BARE else unit}".rstrip())
    return lines


def _number_text(value: float) -> str:
    try:
        return f"{value:.17g}"
    except OverflowError:  # an integer beyond float: whatever it is, it is a number
        return "1e999"
