"""Numbers inside JSON values: tool results, arguments, and the data of an answer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from braino_registry.numbers.reading import Number, read_numbers
from braino_registry.numbers.units import find_unit, unit_of

MAX_DEPTH = 12
MAX_TEXT = 20_000
# A list of numbers is a series, not a report; what a preview shows of it is.
MAX_LIST = 50
MAX_LEAVES = 4_000

# Strings under these names explain or identify; they report nothing.
SILENT_NAMES = frozenset(
    "definition definitions description hint units unit meaning meanings id ids view views result "
    "results recording recordings path paths file files name names tool version expression source "
    "subject subjects session sessions run channel channels ch_names event".split()
)
# What a tool prepares for the user to rule on reports nothing before it is applied: where it holds
# times, these follow from arguments.
PREPARED = "proposal"


class Leaf(NamedTuple):
    """One number of a JSON value."""

    value: float
    unit: str | None
    name: str
    number: Number | None  # where it was printed inside a string


def leaves(
    value: Any, *, units: Mapping[str, str] | None = None, name: str = "", silent: bool = True
) -> Iterator[Leaf]:
    """Yield the numbers of a JSON value with the units that the names of their fields state.

    Parameters
    ----------
    value : JSON value
        Objects, lists, numbers, strings; anything else is ignored.
    units : mapping of str to str | None
        Units by field name, which win over what the name states.
    name : str
        Name of the field that holds the value.
    silent : bool
        Leave out strings that explain or identify, and what exceeds the size of a preview.
    """
    budget = [MAX_LEAVES if silent else 20 * MAX_LEAVES]
    yield from _walk(value, units or {}, name, None, silent, 0, budget)


def _walk(
    value: Any,
    units: Mapping[str, str],
    name: str,
    inherited: str | None,
    silent: bool,
    depth: int,
    budget: list[int],
) -> Iterator[Leaf]:
    if depth > MAX_DEPTH or budget[0] <= 0 or value is None or isinstance(value, bool):
        return
    unit = units.get(name) or unit_of(name) or inherited
    if isinstance(value, int | float):
        budget[0] -= 1
        if _finite(value):
            yield Leaf(float(value), unit, name, None)
    elif isinstance(value, str):
        if not (silent and _explains(name.lower())):
            for number in read_numbers(value[:MAX_TEXT]):
                budget[0] -= 1
                if not silent or number.exempt_reason in (None, "small count"):
                    yield Leaf(number.value, number.unit or unit, name, number)
    elif isinstance(value, Mapping):
        stated = value.get("unit")
        own = find_unit(stated) if isinstance(stated, str) else None
        passed_on = own.name if own else unit
        for key, item in value.items():
            if silent and key == PREPARED:
                continue
            yield from _walk(item, units, str(key), passed_on, silent, depth + 1, budget)
    elif isinstance(value, list | tuple):
        items = value[:MAX_LIST] if silent and _is_series(value) else value
        for item in items:
            yield from _walk(item, units, name, inherited, silent, depth + 1, budget)


def _explains(name: str) -> bool:
    return name in SILENT_NAMES or name.startswith("bids_")


def _is_series(value: list[Any] | tuple[Any, ...]) -> bool:
    return len(value) > MAX_LIST and all(isinstance(item, int | float | list) for item in value)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond float
        return False


def numbers_of_data(data: Any, units: Mapping[str, str | None] | None = None) -> list[Number]:
    """Return the numbers of an answer's data as if they had been printed.

    Parameters
    ----------
    data : JSON value
        The ``data`` of an answer; anything odd in it is ignored.
    units : mapping of str to str | None
        Units of the answer's fields.

    Returns
    -------
    numbers : list of Number
        ``span`` is ``(0, 0)``; a number of data is exempt only as a small count without unit.
    """
    known = {key: unit for key, unit in (units or {}).items() if unit}
    found = []
    for leaf in leaves(data, units=known, silent=False):
        if leaf.number is not None:
            found.append(leaf.number)
            continue
        unit = None if leaf.unit == "count" else leaf.unit
        exact = Decimal(repr(leaf.value)).normalize()
        parts = exact.as_tuple()
        decimals = max(0, -int(parts.exponent))
        small = unit in (None, "1") and decimals == 0 and 0 <= leaf.value <= 10
        found.append(
            Number(
                text=f"{leaf.name}: {leaf.value!r}" if leaf.name else repr(leaf.value),
                value=leaf.value,
                decimals=decimals,
                unit=unit,
                span=(0, 0),
                exempt_reason="small count" if small else None,
                digits=len(parts.digits),
                # the text beside the data need not name the unit that the field has
                unit_implied=leaf.name not in known,
            )
        )
    return found
