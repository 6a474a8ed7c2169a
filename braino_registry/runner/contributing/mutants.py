"""Wrong answers made of right ones, as honest mistakes make them. Pure: values in, values out.

Each mutant is what comes out when a unit was taken for another, a sign was lost, one channel was
mistaken for its neighbour, an order was turned round. A check that lets one of them pass at full
score does not measure what it names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: Factors between units that are taken for one another: V and mV, s and ms; V and µV; share and %.
UNITS = {"1000 times": 1e3, "a thousandth": 1e-3, "a millionth": 1e-6, "100 times": 100.0}
#: Seconds by which times are moved, beyond what any tolerance of events forgives.
SHIFT_SECONDS = 600.0
#: Members of an event that are times in s.
TIMES = ("onset", "onset_sec", "offset_sec")


@dataclass(frozen=True)
class Mutant:
    """A wrong answer.

    Parameters
    ----------
    how : str
        What was done to the right one.
    value : Any
        The wrong value, as JSON.
    """

    how: str
    value: Any


def mutants(field: Mapping[str, Any], right: Any, names: Sequence[str] = ()) -> Iterator[Mutant]:
    """Yield wrong answers for one field.

    Parameters
    ----------
    field : mapping
        The field of the answer contract: ``type``, and ``labels`` where it has them.
    right : Any
        Its right value, as JSON.
    names : sequence of str
        What the members of a set or a sequence may be, for example all channels.
    """
    for mutant in _mutants(field, right, names):
        # Nothing scales a zero, and 1 is what True is read as.
        if not _same(field, mutant.value, right):
            yield mutant


def _same(field: Mapping[str, Any], value: Any, right: Any) -> bool:
    if field.get("type") == "set" and isinstance(value, list) and isinstance(right, list):
        return set(map(str, value)) == set(map(str, right))
    return bool(value == right)


def _mutants(field: Mapping[str, Any], right: Any, names: Sequence[str]) -> Iterator[Mutant]:
    if isinstance(right, bool) or right is None:
        return
    if isinstance(right, int | float):
        yield from _of_number(float(right), _size(field, float(right)))
    elif isinstance(right, str):
        labels = [name for name in field.get("labels", ()) if name != right]
        yield from (
            Mutant(f"{name} for {right}", name) for name in labels or names if name != right
        )
    elif isinstance(right, list) and right:
        yield from _of_list(field, right, names)
    elif isinstance(right, list) and names and field.get("type") in ("set", "sequence"):
        yield Mutant(f"one too many: {names[0]}", [names[0]])
    elif isinstance(right, list) and field.get("type") == "events":
        yield Mutant("one that is not there", [{"onset_sec": 10.0, "offset_sec": 40.0}])


def _of_number(right: float, size: float) -> Iterator[Mutant]:
    """Yield wrong numbers that are off by half of a size at least."""
    wrong = {
        "shifted up by half": right + 0.5 * size,
        "shifted down by half": right - 0.5 * size,
        "scaled to the double": 2 * right,
        "sign flipped": -right,
        **{f"{name} as large, a unit taken for another": right * f for name, f in UNITS.items()},
    }
    for how, value in wrong.items():
        if abs(value - right) >= 0.5 * size:
            yield Mutant(how, value)


def _size(field: Mapping[str, Any], right: float) -> float:
    """Return in relation to what a number is right or wrong.

    That is the number itself; for a share, a coherence or a correlation, whose unit is 1, the range
    that it can have: of a coherence of 0.02, half is no difference that anybody would see.
    """
    if right == 0 or (field.get("unit") == "1" and abs(right) <= 1):
        return 1.0
    return abs(right)


def _of_list(field: Mapping[str, Any], right: list[Any], names: Sequence[str]) -> Iterator[Mutant]:
    if all(isinstance(each, str) for each in right):
        # How often a name stands in a set says nothing.
        once = list(dict.fromkeys(right)) if field.get("type") == "set" else right
        yield from _of_names(field, once, names)
    elif all(isinstance(each, int | float) for each in right):
        turned = right[::-1]
        if turned != right:
            yield Mutant("order turned round", turned)
        yield Mutant("scaled to the double", [2 * each for each in right])
        if any(right):
            yield Mutant("sign flipped", [-each for each in right])
    elif all(isinstance(each, Mapping) for each in right):
        yield from _of_rows(field, right)


def _of_rows(field: Mapping[str, Any], right: Sequence[Mapping[str, Any]]) -> Iterator[Mutant]:
    """Yield wrong events and wrong runs of stages."""
    labels = list(field.get("labels", ()))
    if all(each.get("stage") in labels for each in right) and len(labels) > 1:
        turned = dict(zip(labels, [*labels[1:], labels[0]], strict=True))
        moved = [{**each, "stage": turned[each["stage"]]} for each in right]
        yield Mutant("stages permuted", moved)
        return

    def timed(change: Callable[[float], float]) -> list[dict[str, Any]]:
        return [
            {**each, **{name: change(each[name]) for name in TIMES if name in each}}
            for each in right
        ]

    yield Mutant(f"shifted by {SHIFT_SECONDS:g} s", timed(lambda time: time + SHIFT_SECONDS))
    yield Mutant("milliseconds for seconds", timed(lambda time: 1e3 * time))
    yield Mutant("the first one left out", list(right[1:]))


def _of_names(field: Mapping[str, Any], right: list[str], names: Sequence[str]) -> Iterator[Mutant]:
    others = [name for name in field.get("labels", names) if name not in right]
    if others:
        yield Mutant(f"one off: {others[0]} for {right[-1]}", [*right[:-1], others[0]])
        yield Mutant(f"one too many: {others[-1]}", [*right, others[-1]])
    if len(right) > 1:
        yield Mutant(f"one missing: {right[0]}", right[1:])
        # The order of a set says nothing.
        if field.get("type") != "set" and right[::-1] != right:
            yield Mutant("order turned round", right[::-1])
            yield Mutant("moved on by one", [*right[1:], right[0]])
