"""Reading the numbers of a text: value, printed precision, unit, and what exempts them.

The reading is deterministic and linear in the length of the text. It errs on the side of reading
a number: what is not clearly a name, date, version or identifier counts as one, and so does a name
that a unit follows ("May 12 µV"). Numbers in words, hidden characters and the digits of other
scripts are read as they look.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from braino_registry.numbers.masks import Name, name_spans, posing
from braino_registry.numbers.spelling import legible
from braino_registry.numbers.units import UNIT_AFTER, find_unit
from braino_registry.numbers.words import Written, written

_CERTAIN = frozenset({"name", "clock", "link"})  # names whatever unit follows
_FINEST = 300  # decimals that a power of ten can still express
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_MINUS = "-−"
_THIN = "\u2009\u202f\u00a0"

_NUMBER = re.compile(
    rf"(?<!\d)(?<!\d\.)(?:"
    rf"(?P<grouped>[1-9]\d{{0,2}}(?:(?:,\d{{3}})+|(?:[{_THIN}]\d{{3}})+|(?:['’]\d{{3}})+"
    r"|(?: 0\d\d)+)"
    rf"(?!\d)(?:\.\d+)?)"
    rf"|(?P<german>[1-9]\d{{0,2}}(?:\.\d{{3}})+,\d+)"
    rf"|(?<!\d,)(?P<comma>\d+,\d+)(?!\d|,\d)"
    rf"|(?P<plain>\d+(?:\.\d+)?|\.\d+))"
    rf"(?P<exponent>[eE][{_MINUS}+]?\d{{1,3}}(?![\d.]*\d)(?!\w)"
    rf"|\s?[×x·*]\s?10(?:(?:\^|\*\*)\{{?[{_MINUS}+]?\d{{1,3}}\}}?|[⁺⁻]?[⁰¹²³⁴-⁹]{{1,3}}))?"
)
_POWER_OF_TEN = re.compile(
    rf"(?:\^\{{?|\*\*)(?P<plain>[{_MINUS}+]?\d{{1,3}})\}}?|(?P<super>[⁺⁻]?[⁰¹²³⁴-⁹]{{1,3}})"
)
_RANGE = re.compile(r"\s*(?:[-–—−‑]|\.{2,3}|…|to|through)\s*")
_AND = re.compile(r"\s*(?:,|/|and|or|, and|, or|vs\.?|versus)\s*")
_SPREAD = re.compile(r"(?:±|\+/[-−]|\+-|\b(?:SD|SE|SEM|s\.d\.|std\.?)\s*(?:=|:|of)?)\s*$")
_BOUND = re.compile(
    r"(?:(?P<p>\bp(?:[ -]?values?)?)\s*)?(?:(?P<sign>[<>≤≥]=?)|\b(?P<word>"
    r"(?:less|more|greater|lower|higher|fewer) than|above|below|at least|at most|up to"
    r"|exceed(?:s|ed|ing)?))\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it stands in a text.

    Parameters
    ----------
    text : str
        As printed, without its unit.
    value : float
        In the printed unit; infinite where a float cannot hold it (``1e999``, ``1e-999``).
    decimals : int
        Printed precision: half a unit of ``10 ** -decimals`` may have been rounded away.
        Negative for ``1.2e5``; within ±300.
    unit : str | None
        Canonical unit that the text prints with it.
    span : tuple of int
        Where number and unit stand in the text.
    exempt_reason : str | None
        Why it is no claim: a name, a date, a small count …
    digits : int
        Significant digits as printed.
    unit_implied : bool
        The unit was printed with a later number of the same range or list.
    role : str
        ``"range"`` (end of a range), ``"spread"`` (after ±), ``"bound"`` (after <, at least …) or
        ``""``.
    bound : str
        ``"<"`` or ``">"`` where the text says "p < 0.05", else ``""``.
    """

    text: str
    value: float
    decimals: int
    unit: str | None
    span: tuple[int, int]
    exempt_reason: str | None = None
    digits: int = 1
    unit_implied: bool = False
    role: str = ""
    bound: str = ""

    @property
    def half(self) -> float:
        """Half a unit of the last printed digit, in the printed unit."""
        return 0.5 * 10.0**-self.decimals

    @property
    def claimed(self) -> bool:
        """Whether it states a quantity: it is no name, date or other text with digits."""
        return self.exempt_reason in (None, "small count")


def read_numbers(text: str, *, exempt_names: Collection[str] = ()) -> list[Number]:
    """Return all numbers of a text, in order, those that are exempt included.

    Parameters
    ----------
    text : str
        Any text.
    exempt_names : collection of str
        Names whose digits are no numbers, for example the recording's channels.
    """
    return list(_read(text, tuple(exempt_names)))


# Several checks read the same answer.
@lru_cache(maxsize=16)
def _read(text: str, exempt_names: tuple[str, ...]) -> tuple[Number, ...]:
    seen = legible(text.replace("\u03bc", "µ"))
    shown = seen.text
    found = _in_words(shown)
    if any(c.isdigit() for c in shown):
        found = sorted([*found, *_in_digits(shown, exempt_names)], key=lambda n: n.span)
    numbers = [_small_count(n) for n in _join(shown, found)]
    if seen.places is None:
        return tuple(numbers)
    return tuple(replace(n, span=seen.span(*n.span)) for n in numbers)


def _in_digits(text: str, exempt_names: tuple[str, ...]) -> list[Number]:
    spans = sorted(name_spans(text, exempt_names))
    starts = [span[0] for span in spans]
    reach = _running_reach(spans)
    found: list[Number] = []
    position = 0
    while (match := _NUMBER.search(text, position)) is not None:
        number = _one(text, match)
        position = max(match.start() + 1, number.span[1])
        index = bisect_right(starts, match.start()) - 1
        covering = reach[index] if index >= 0 else None
        if covering is not None and covering.stop > match.start():
            known = covering.reason in _CERTAIN
            unit = None if known else number.unit or posing(text, covering)
            if unit is None:
                position = max(position, covering.stop)
                number = replace(number, exempt_reason=covering.reason, unit=None)
            else:
                number = replace(number, unit=unit, exempt_reason=None)
        found.append(number)
    return found


def _in_words(text: str) -> list[Number]:
    return [n for one in written(text) if (n := _worded(text, one)) is not None]


def _worded(text: str, one: Written) -> Number | None:
    """Return a number in words; up to ten it counts things, and is exempt like a small count."""
    unit = UNIT_AFTER.match(text, one.stop)
    if unit is None and one.roman:
        return None  # "XII" alone may be anything
    found = find_unit(unit["symbol"] or unit["word"]) if unit is not None else None
    role, bound = _role(text, one.start)
    significant = str(one.value).replace(".", "").lstrip("0") or "0"
    return Number(
        text=text[one.start : one.stop],
        value=float(one.value),
        decimals=one.decimals,
        unit=found.name if found else None,
        span=(one.start, unit.end() if unit is not None else one.stop),
        exempt_reason="number word" if one.value <= 10 and not one.decimals else None,
        digits=len(significant if one.decimals else significant.rstrip("0") or "0"),
        role=role,
        bound=bound,
    )


def _running_reach(spans: list[Name]) -> list[Name]:
    """Return, for each span, the one among it and those before that reaches furthest."""
    reach: list[Name] = []
    for span in spans:
        reach.append(reach[-1] if reach and reach[-1].stop >= span.stop else span)
    return reach


def _one(text: str, match: re.Match[str]) -> Number:
    start, end = match.span()
    body, exponent = _mantissa(text, match), 0
    if match["comma"] is not None and body is None:
        # "8,13": two numbers of a list, of which this is the first
        body = match["comma"].split(",")[0]
        end = start + len(body)
    elif match["exponent"] is not None:
        exponent = _exponent(match["exponent"])
    elif body == "10" and (power := _POWER_OF_TEN.match(text, end)) is not None:
        body, exponent, end = "1", int(_ascii(power["plain"] or power["super"])), power.end()
    assert body is not None  # every alternative of the pattern gives one
    sign = _sign(text, start)
    decimals = len(body.partition(".")[2])
    exact = Decimal(f"{body}e{exponent}")
    significant = body.replace(".", "").lstrip("0") or "0"
    digits = len(significant) if "." in body else len(significant.rstrip("0") or "0")
    printed = text[start - (1 if sign else 0) : end]
    leading_zero = len(body) > 1 and body[0] == "0" and "." not in body
    unit = UNIT_AFTER.match(text, end)
    name = None
    if unit is not None:
        found = find_unit(unit["symbol"] or unit["word"])
        name, end = (found.name if found else None), unit.end()
    role, bound = _role(text, start - (1 if sign else 0))
    return Number(
        text=printed,
        value=_as_float(-exact if sign == "-" else exact),
        decimals=max(-_FINEST, min(_FINEST, decimals - exponent)),
        unit=name,
        span=(start - (1 if sign else 0), end),
        exempt_reason="identifier" if leading_zero and name is None else None,
        digits=digits,
        role=role,
        bound=bound,
    )


def _as_float(exact: Decimal) -> float:
    """Return the nearest float; infinity for what is too large or too small for one."""
    value = float(exact)
    return math.copysign(math.inf, exact) if value == 0.0 and exact else value


def _mantissa(text: str, match: re.Match[str]) -> str | None:
    if match["grouped"] is not None:
        return re.sub(rf"[,{_THIN}'’ ]", "", match["grouped"])
    if match["german"] is not None:
        return match["german"].replace(".", "").replace(",", ".")
    if match["comma"] is None:
        plain = match["plain"]
        return f"0{plain}" if plain.startswith(".") else plain
    whole, _, part = match["comma"].partition(",")
    # A decimal comma is read only where nothing else is meant: "0,14" and "31,2 µV".
    bracket = text[match.start() - 1 : match.start()] in ("[", "(")
    with_unit = UNIT_AFTER.match(text, match.end()) is not None and not bracket
    return f"{whole}.{part}" if whole == "0" or with_unit else None


def _exponent(text: str) -> int:
    if text[0] in "eE":
        return int(_ascii(text[1:]))
    power = _POWER_OF_TEN.search(text)
    assert power is not None  # the pattern that found it holds this one
    return int(_ascii(power["plain"] or power["super"]))


def _ascii(text: str) -> str:
    return text.translate(_SUPER).replace("−", "-")


def _sign(text: str, start: int) -> str:
    """Return the sign before a number; a dash between two things is none."""
    if start == 0 or text[start - 1] not in _MINUS + "–+":
        return ""
    before = text[start - 2] if start >= 2 else " "
    if before.isalnum() or before in "%)]².+±/":
        return ""
    if text[start - 1] == "–" and not (before.isspace() or before in "([=:,"):
        return ""
    if before in _MINUS + "–—":  # "8–-3" has a sign, "--3" is typography
        return "" if before == text[start - 1] else "-"
    return "+" if text[start - 1] == "+" else "-"


def _role(text: str, start: int) -> tuple[str, str]:
    before = text[max(0, start - 24) : start]
    if _SPREAD.search(before):
        return "spread", ""
    bound = _BOUND.search(before)
    if bound is None:
        return "", ""
    relation = (bound["sign"] or "")[:1].replace("≤", "<").replace("≥", ">")
    return "bound", relation if bound["p"] else ""


def _join(text: str, numbers: list[Number]) -> list[Number]:
    """Give the earlier numbers of a range or list the unit that its last one prints."""
    for i in range(len(numbers) - 2, -1, -1):
        one, two = numbers[i], numbers[i + 1]
        if one.exempt_reason or two.exempt_reason or two.span[0] - one.span[1] > 12:
            continue
        between = text[one.span[1] : two.span[0]]
        lead = text[max(0, one.span[0] - 9) : one.span[0]]
        is_range = _RANGE.fullmatch(between) is not None or (
            between.strip() == "and" and lead.rstrip().lower().endswith("between")
        )
        if not is_range and _AND.fullmatch(between) is None:
            continue
        if one.unit is None and two.unit is not None:
            one = replace(one, unit=two.unit, unit_implied=True)
        if is_range and (one.unit == two.unit):
            role = "range" if two.unit not in (None, "%", "1") or "to" not in between else ""
            one = replace(one, role=one.role or role)
            numbers[i + 1] = replace(two, role=two.role or role)
        numbers[i] = one
    return numbers


def _small_count(number: Number) -> Number:
    # The start of a range is a claim like its end: "8–13 Hz".
    whole = number.decimals == 0 and number.text.isdecimal() and number.value <= 10
    if whole and number.exempt_reason is None and number.role != "range":
        if number.unit is None or number.unit_implied:
            return replace(number, exempt_reason="small count")
    return number
