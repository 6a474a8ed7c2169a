"""The ledger: every number that a tool, the user or the request has stated in a session."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from braino_registry.numbers.reading import Number, read_numbers
from braino_registry.numbers.structured import Leaf, leaves
from braino_registry.numbers.units import find_unit

_SLACK = 1e-9  # a tie may be rounded either way
_RELATIVE = 1e-12  # last bits of the agent's own conversion


@dataclass(frozen=True, slots=True)
class Entry:
    """A number that may be repeated.

    Parameters
    ----------
    value : float
        In ``unit``.
    unit : str | None
        Canonical unit; ``"count"`` for counts; None if unknown.
    source : str
        Who stated it: the tool call, the user, the request.
    name : str
        Name of the field that it stood in, or an empty string.
    loose : bool
        It was stated without the unit that it has: in words, or as the result of arithmetic. A
        printed number with any unit may repeat it.
    """

    value: float
    unit: str | None
    source: str
    name: str = ""
    loose: bool = False


class Ledger:
    """Numbers with their sources, and the question whether a printed number is among them."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._own: list[tuple[float, int]] = []  # values in the unit they were stated in
        self._si: dict[str, list[tuple[float, int]]] = {}  # by dimension, in SI
        self._loose: list[tuple[float, int]] = []
        self._seen: set[tuple[float, str | None, bool, bool]] = set()

    def add_value(self, value: float, unit: str | None, source: str, *, name: str = "") -> None:
        """Enter one number.

        Parameters
        ----------
        value : float
            Finite.
        unit : str | None
            Unit of ``value``.
        source : str
            Who stated it.
        name : str
            Name of the field that it stood in.
        """
        self._add(Entry(float(value), unit, source, name))

    def add_text(self, text: str, source: str) -> None:
        """Enter the numbers of a text that may be repeated: the request, a reply of the user.

        Parameters
        ----------
        text : str
            The text; names, dates and versions in it do not count.
        source : str
            Whose text it is.
        """
        for number in read_numbers(text):
            if number.exempt_reason in (None, "small count"):
                self._add(Entry(number.value, number.unit, source, loose=number.unit is None))

    def add_result(
        self,
        result: Any,
        args: Any,
        *,
        source: str,
        units: Mapping[str, str] | None = None,
        unitless: bool = False,
    ) -> None:
        """Enter the numbers of a tool's result, except those that its arguments already held.

        Parameters
        ----------
        result, args : JSON value
            Result and arguments of one call.
        source : str
            The call.
        units : mapping of str to str | None
            Units by field name, where the names do not state them.
        unitless : bool
            The result comes from arithmetic, which knows no units: a number without one may be
            repeated with any unit at its own value, and as a share (0.85 as 85 %).
        """
        given = sorted({leaf.value for leaf in leaves(args, silent=False)})
        for leaf in leaves(result, units=units):
            if not _echoes(leaf, given):
                loose = unitless and leaf.unit is None
                self._add(Entry(leaf.value, leaf.unit, source, leaf.name, loose), share=loose)

    def add_decision(self, applied: Any, *, source: str) -> None:
        """Enter the numbers of an applied decision.

        Parameters
        ----------
        applied : JSON value
            What was applied. Its texts do not count: the reasons are the agent's own words.
        source : str
            The decision.
        """
        for leaf in leaves(applied):
            if leaf.number is not None:
                continue
            self._add(
                Entry(leaf.value, leaf.unit, source, leaf.name, loose=leaf.unit in (None, "count"))
            )

    def grounds(self, number: Number) -> Entry | None:
        """Return the entry that a printed number repeats, or None.

        Parameters
        ----------
        number : Number
            As read from a text. Rounding at its printed precision is allowed. A conversion is
            allowed only into the unit that the text names; without a unit the number is compared
            in the unit in which it was stated. Signs count. A quantity that has a unit may go
            without it only as it was stated or with three significant digits, a power only as it
            was stated: fewer digits than that, without a unit, say nothing.
        """
        if number.bound:
            return self._bounded(number)
        half = 0.5 * 10.0**-number.decimals
        unit = find_unit(number.unit)
        if unit is None or number.unit_implied or unit.name == "1":
            entry = self._nearest(self._own, number.value, half, digits=number.digits)
            if entry is not None or unit is None:
                return entry
        table = self._si.get(unit.dimension, [])
        entry = self._nearest(table, number.value * unit.factor, half * unit.factor)
        return entry or self._nearest(self._loose, number.value, half)

    def grounds_value(self, value: float, unit: str | None = None) -> bool:
        """Tell whether a number given as a JSON number repeats an entry.

        Parameters
        ----------
        value : float
            Its shortest decimal form is taken as its printed form.
        unit : str | None
            Unit in which it is given; None compares in the unit of the entry.
        """
        exact = Decimal(repr(float(value)))
        if not exact.is_finite():
            return False
        exponent = int(exact.normalize().as_tuple().exponent)
        known = find_unit(unit)
        return (
            self.grounds(
                Number(
                    text=repr(value),
                    value=float(value),
                    decimals=max(0, -exponent),
                    unit=known.name if known else None,
                    span=(0, 0),
                    digits=len(exact.normalize().as_tuple().digits),
                )
            )
            is not None
        )

    def _add(self, entry: Entry, *, share: bool = False) -> None:
        key = (entry.value, entry.unit, entry.loose, share)
        named = entry.name == "p" or entry.name.startswith("p_")
        if key in self._seen and not named:
            return
        self._seen.add(key)
        index = len(self.entries)
        self.entries.append(entry)
        insort(self._own, (entry.value, index))
        unit = find_unit(entry.unit)
        if share:
            insort(self._si.setdefault("ratio", []), (entry.value, index))
        if unit is not None and unit.dimension != "count":
            insort(self._si.setdefault(unit.dimension, []), (entry.value * unit.factor, index))
        if entry.loose:
            insort(self._loose, (entry.value, index))

    def _nearest(
        self,
        table: list[tuple[float, int]],
        value: float,
        half: float,
        *,
        digits: int | None = None,
    ) -> Entry | None:
        """Return the nearest entry within reach; with ``digits``, one that may go without unit."""
        reach = half * (1 + _SLACK) + _RELATIVE * abs(value)
        at = bisect_left(table, (value - reach, -1))
        best = None
        while at < len(table) and table[at][0] <= value + reach:
            near = best is None or abs(table[at][0] - value) < abs(best[0] - value)
            if near and (digits is None or self._plain(table[at][1], value, digits)):
                best = table[at]
            at += 1
        return self.entries[best[1]] if best is not None else None

    def _plain(self, index: int, value: float, digits: int) -> bool:
        entry = self.entries[index]
        unit = find_unit(entry.unit)
        if unit is None or unit.dimension in ("count", "ratio") or entry.value == value:
            return True
        return digits >= 3 and unit.dimension not in ("power", "density")

    def _bounded(self, number: Number) -> Entry | None:
        """Return a p value for which "p < 0.05" is true, or the stated number itself."""
        for entry in self.entries:
            if entry.name != "p" and not entry.name.startswith("p_"):
                continue
            if entry.value < number.value if number.bound == "<" else entry.value > number.value:
                return entry
        return self._nearest(self._own, number.value, 0.5 * 10.0**-number.decimals)


def _echoes(leaf: Leaf, given: list[float]) -> bool:
    """Tell whether a result only repeats an argument, exactly, rounded or in another unit."""
    if not given:
        return False
    exact = Decimal(repr(leaf.value)).normalize()
    digits, exponent = len(exact.as_tuple().digits), int(exact.as_tuple().exponent)
    half = 0.5 * 10.0**exponent if digits >= 3 else 0.0
    scales = [1.0]
    unit = find_unit(leaf.unit)
    if unit is not None and unit.dimension != "count" and digits >= 3:
        scales += [1e2, 1e-2, 1e3, 1e-3, 1e6, 1e-6]
    for scale in scales:
        value, reach = leaf.value * scale, half * scale + _RELATIVE * abs(leaf.value * scale)
        at = bisect_left(given, value - reach)
        if at < len(given) and given[at] <= value + reach:
            return True
    return False
