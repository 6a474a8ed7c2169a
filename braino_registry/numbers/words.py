"""Numbers that are written out: "seventy-two", "one hundred and sixty", "LXXII"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_SMALL = {word: value for value, word in enumerate(_ONES)}
_VALUES = {**_SMALL, **{word: 20 + 10 * i for i, word in enumerate(_TENS)}, "fourty": 40}
_WORD = "|".join(sorted([*_VALUES, *_SCALES, "dozen"], key=lambda w: (-len(w), w)))
_DIGIT = "|".join(sorted(_ONES[:10], key=lambda w: (-len(w), w)))
_RUN = re.compile(
    rf"(?<![\w.-])(?:{_WORD})(?:(?:[ \t]?[-–‑][ \t]?|[ \t]+(?:and[ \t]+)?|)(?:{_WORD})){{0,40}}"
    rf"(?P<point>[ \t]+point(?:[ \t-]+(?:{_DIGIT})){{1,20}})?(?!\w)",
    re.IGNORECASE,
)
_PART = re.compile(rf"{_WORD}|\band\b", re.IGNORECASE)
_ROMAN = re.compile(
    r"(?<![\w.-])(?=[MDCLXVI]{2,15}(?!\w))M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})"
    r"(?:IX|IV|V?I{0,3})(?!\w)"
)
_LETTERS = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}
# Short words that happen to be Roman numerals: confidence interval, direct current, …
_ABBREVIATIONS = frozenset(
    "CI DC MD CM MM CD MC DI MI LI CC CL DL ML MIX MV LV DV CV CVI DIV".split()
)
_LAYOUT = re.compile(r"ten[ \t]?[-–‑/][ \t]?(?:twenty|ten|five)", re.IGNORECASE)


class Written(NamedTuple):
    """A number that stands in words."""

    start: int
    stop: int
    value: Decimal
    decimals: int
    roman: bool = False


def written(text: str) -> Iterator[Written]:
    """Yield the numbers that a text writes out, in no order.

    Parameters
    ----------
    text : str
        Legible text. A lone "one" is no number, a word of a layout ("ten-twenty") neither.
    """
    for match in _RUN.finditer(text):
        said = match.group().lower()
        if said in ("one", "hundred", "thousand", "million", "dozen") or _LAYOUT.fullmatch(said):
            continue
        yield from _numbers(match)
    for match in _ROMAN.finditer(text):
        if match.group() not in _ABBREVIATIONS:
            yield Written(match.start(), match.end(), _roman(match.group()), 0, roman=True)


def _numbers(match: re.Match[str]) -> Iterator[Written]:
    """Yield the numbers of a run of number words; "two and three" holds two of them."""
    whole_end = match.start("point") if match["point"] else match.end()
    parts = [
        (match.start() + m.start(), match.start() + m.end(), m.group().lower())
        for m in _PART.finditer(match.group()[: whole_end - match.start()])
    ]
    groups: list[list[tuple[int, int, str]]] = [[]]
    for i, part in enumerate(parts):
        if part[2] != "and":
            groups[-1].append(part)
        elif not (groups[-1] and groups[-1][-1][2] in _SCALES and i + 1 < len(parts)):
            groups.append([])
    for group in groups:
        if not group:
            continue
        value, decimals, stop = Decimal(_value([word for *_, word in group])), 0, group[-1][1]
        if match["point"] and group is groups[-1]:
            digits = [
                str(_SMALL[m.group().lower()]) for m in re.finditer(_DIGIT, match["point"], re.I)
            ]
            value, decimals, stop = Decimal(f"{value}.{''.join(digits)}"), len(digits), match.end()
        yield Written(group[0][0], stop, value, decimals)


def _value(words: list[str]) -> int:
    """Return what number words say; words that do not build on each other are digits in a row."""
    total, current, last = 0, 0, ""
    for word in words:
        if word in _SCALES or word == "dozen":
            factor = _SCALES.get(word, 12)
            current = max(1, current) * factor
            if factor >= 1000:
                total, current = total + current, 0
        else:
            value = _VALUES[word]
            joins = not last or last in _SCALES or (last in _TENS and value < 10)
            current = current + value if joins else int(f"{current}{value}")
        last = word
    return total + current


def _roman(text: str) -> Decimal:
    values = [_LETTERS[letter] for letter in text]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return Decimal(sum(-one if one < two else one for one, two in pairs))
