"""What came from what in a session: followed by identifiers, and by the numbers handed on."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from braino_registry.numbers.structured import leaves
from braino_registry.scoring.events import Call, calls, strings

_PRODUCED = re.compile(r"(?!(?:sub|ses|run|task)-)[a-z][a-z_]*-\d+")
# 10 or 0.5 is in too many results to say where it comes from
_MIN_DIGITS = 2
_RELATIVE = 1e-9


class Lineage:
    """Which views, results and numbers were made from which, followed through the calls.

    Parameters
    ----------
    events : sequence of mapping
        The transcript.
    """

    def __init__(self, events: Sequence[Mapping[str, Any]]) -> None:
        self.parents: dict[str, frozenset[str]] = {}
        self.made_by: dict[str, int] = {}
        self._calls = {call.index: call for call in calls(events)}
        self._reported: dict[int, list[float]] = {}
        self._sources: dict[int, frozenset[int]] = {}
        self._traced: dict[int, tuple[frozenset[str], frozenset[int]]] = {}
        for call in self._calls.values():
            used = frozenset(strings(call.args))
            for made in self.produced(call):
                # An identifier names one thing for good; a later mention makes nothing.
                if made not in used and made not in self.parents:
                    self.parents[made] = used
                    self.made_by[made] = call.index

    @staticmethod
    def produced(call: Call) -> set[str]:
        """Return the identifiers that a call's result holds beside those it was given."""
        given = set(strings(call.args))
        return {s for s in strings(call.result) if _PRODUCED.fullmatch(s)} - given

    def ancestors(self, call: Call) -> frozenset[str]:
        """Return everything that a call's arguments name or descend from.

        A call that names no recording or view was given numbers: it descends from the calls that
        reported these, too.
        """
        return self._trace(call)[0]

    def descends(self, later: Call, earlier: Call) -> bool:
        """Tell whether ``later`` worked on something that ``earlier`` made or reported."""
        return earlier.index in self._trace(later)[1]

    def _trace(self, call: Call) -> tuple[frozenset[str], frozenset[int]]:
        """Return the names and the calls that a call rests on."""
        if call.index not in self._traced:
            self._traced[call.index] = self._followed(call)
        return self._traced[call.index]

    def _followed(self, call: Call) -> tuple[frozenset[str], frozenset[int]]:
        names: set[str] = set()
        made: set[int] = set()
        todo: list[Call] = [call]
        while todo:
            here = todo.pop()
            before = set(self.sources(here))
            queue = list(strings(here.args))
            while queue:
                name = queue.pop()
                if name in names:
                    continue
                names.add(name)
                queue.extend(self.parents.get(name, ()))
                if name in self.made_by:
                    before.add(self.made_by[name])
            todo.extend(self._calls[index] for index in before - made)
            made |= before
        return frozenset(names), frozenset(made)

    def sources(self, call: Call) -> frozenset[int]:
        """Return the earlier calls that reported the numbers which a call was given.

        Only a call that names no view or result was given its data as numbers: elsewhere they are
        settings. A number counts as the same at the precision in which it was handed on.
        """
        if call.index not in self._sources:
            named = any(s in self.parents or s.startswith("sub-") for s in strings(call.args))
            found = (
                [] if named else [i for n in set(digits(call.args)) for i in self._holders(n, call)]
            )
            self._sources[call.index] = frozenset(found)
        return self._sources[call.index]

    def _holders(self, number: Decimal, later: Call) -> Iterator[int]:
        value, reach = float(number), _reach(number)
        for index, call in self._calls.items():
            if index >= later.index:
                return
            numbers = self._numbers_of(call)
            at = bisect_left(numbers, value - reach)
            if at < len(numbers) and numbers[at] <= value + reach:
                yield index

    def _numbers_of(self, call: Call) -> list[float]:
        """Return the numbers that a call reported and had not been given, in order."""
        if call.index not in self._reported:
            given = {leaf.value for leaf in leaves(call.args, silent=False)}
            own = {leaf.value for leaf in leaves(call.result, silent=False)} - given
            self._reported[call.index] = sorted(own)
        return self._reported[call.index]


def digits(args: Mapping[str, Any], least: int = _MIN_DIGITS) -> list[Decimal]:
    """Return the numbers in arguments that have so many digits, as they would be printed."""
    values = (Decimal(repr(float(leaf.value))) for leaf in leaves(args, silent=False))
    plain = (value.normalize() for value in values if value.is_finite())
    return [value for value in plain if len(value.as_tuple().digits) >= least]


def same_printed(one: Decimal, two: Decimal) -> bool:
    """Tell whether two numbers are the same at the precision of the less precise one."""
    return abs(float(one) - float(two)) <= max(_reach(one), _reach(two))


def _reach(number: Decimal) -> float:
    """Return how far from a printed number the value may be that it was rounded from."""
    exponent = min(0, int(number.as_tuple().exponent))
    return 0.5 * 10.0**exponent * (1 + _RELATIVE) + _RELATIVE * abs(float(number))
