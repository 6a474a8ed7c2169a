"""Numbers inside JSON values: tool results, arguments, and the data of an answer."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

from braino_registry.numbers.reading import Number, read_numbers
from braino_registry.numbers.units import find_unit, unit_of

# Of what a tool reports, what a person would look at; of what an agent passes or answers, all.
MAX_DEPTH = 12
MAX_TEXT = 20_000
MAX_DEPTH_GIVEN = 64
MAX_TEXT_GIVEN = 200_000
# A list of numbers is a series, not a report; what a preview shows of it is.
MAX_LIST = 50
MAX_LEAVES = 4_000
MAX_LEAVES_GIVEN = 80_000

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
        Otherwise the names of fields are read too, and a number that no float can hold is infinite.
    """
    budget = [MAX_LEAVES if silent else MAX_LEAVES_GIVEN]
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
    if depth > (MAX_DEPTH if silent else MAX_DEPTH_GIVEN) or budget[0] <= 0:
        return
    if value is None or isinstance(value, bool):
        return
    unit = units.get(name) or unit_of(name) or inherited
    if isinstance(value, int | float):
        budget[0] -= 1
        if _finite(value):
            yield Leaf(float(value), unit, name, None)
        elif not silent:
            yield Leaf(math.inf, unit, name, None)
    elif isinstance(value, str):
        if not (silent and _explains(name.lower())):
            for number in read_numbers(value[: MAX_TEXT if silent else MAX_TEXT_GIVEN]):
                budget[0] -= 1
                if not silent or number.claimed:
                    yield Leaf(number.value, number.unit or unit, name, number)
    elif isinstance(value, Mapping):
        stated = value.get("unit")
        own = find_unit(stated) if isinstance(stated, str) else None
        passed_on = own.name if own else unit
        for key, item in value.items():
            if silent and key == PREPARED:
                continue
            if not silent:
                yield from _in_key(str(key), unit)
            yield from _walk(item, units, str(key), passed_on, silent, depth + 1, budget)
    elif isinstance(value, list | tuple):
        items = value[:MAX_LIST] if silent and _is_series(value) else value
        for item in items:
            yield from _walk(item, units, name, inherited, silent, depth + 1, budget)


def _in_key(key: str, unit: str | None) -> Iterator[Leaf]:
    """Yield the numbers that the name of a field states; a digit or two in a word tells which."""
    lettered = any(c.isalpha() for c in key)
    for number in read_numbers(key):
        if lettered and number.unit is None and not number.decimals and number.digits <= 3:
            number = replace(number, exempt_reason="name of a field")
        yield Leaf(number.value, number.unit or unit, key, number)


def excess(data: Any) -> str:
    """Return why an answer's data are too much to be looked at, or an empty string.

    Parameters
    ----------
    data : JSON value
        The ``data`` of an answer.
    """
    todo, seen = [(data, 0)], 0
    while todo:
        value, depth = todo.pop()
        seen += 1
        if depth > MAX_DEPTH_GIVEN:
            return f"the data are nested deeper than {MAX_DEPTH_GIVEN} levels"
        if seen > MAX_LEAVES_GIVEN:
            return f"the data hold more than {MAX_LEAVES_GIVEN} values"
        if isinstance(value, str) and len(value) > MAX_TEXT_GIVEN:
            return f"a text in the data has {len(value)} characters, too many to check"
        if isinstance(value, Mapping):
            todo += [(str(key), depth + 1) for key in value]
            todo += [(item, depth + 1) for item in value.values()]
        elif isinstance(value, list | tuple):
            todo += [(item, depth + 1) for item in value]
    return ""


def _explains(name: str) -> bool:
    return name in SILENT_NAMES or name.startswith("bids_")


def _is_series(value: list[Any] | tuple[Any, ...]) -> bool:
    return len(value) > MAX_LIST and all(isinstance(item, int | float | list) for item in value)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond float
        return False


def printed_form(value: float) -> tuple[int, int]:
    """Return the significant digits and the decimals of a number's shortest form.

    Parameters
    ----------
    value : float
        A number; an infinite one has neither.
    """
    if not math.isfinite(value):
        return 0, 0
    digits, exponent = Decimal(repr(value)).normalize().as_tuple()[1:]
    return len(digits), max(0, -int(exponent))


def numbers_of_data(
    data: Any,
    units: Mapping[str, str | None] | None = None,
    exempt_names: Collection[str] = (),
) -> list[Number]:
    """Return the numbers of an answer's data as if they had been printed.

    Parameters
    ----------
    data : JSON value
        The ``data`` of an answer; anything odd in it is ignored.
    units : mapping of str to str | None
        Units of the answer's fields.
    exempt_names : collection of str
        Known names, of subjects for example, that a field may have as its name.

    Returns
    -------
    numbers : list of Number
        ``span`` is ``(0, 0)``; a number of data is exempt only as a small count without unit.
    """
    known = {key: unit for key, unit in (units or {}).items() if unit}
    found = []
    for leaf in leaves(data, units=known, silent=False):
        if leaf.number is not None:
            is_key = leaf.number.text == leaf.name
            if not (is_key and leaf.name in exempt_names):
                found.append(leaf.number)
            continue
        unit = None if leaf.unit == "count" else leaf.unit
        digits, decimals = printed_form(leaf.value)
        small = unit in (None, "1") and decimals == 0 and 0 <= leaf.value <= 10
        found.append(
            Number(
                text=f"{leaf.name}: {leaf.value!r}" if leaf.name else repr(leaf.value),
                value=leaf.value,
                decimals=decimals,
                unit=unit,
                span=(0, 0),
                exempt_reason="small count" if small else None,
                digits=digits,
                # the text beside the data need not name the unit that the field has
                unit_implied=leaf.name not in known,
            )
        )
    return found
