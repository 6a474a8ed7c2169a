"""Looking things up in a transcript: calls, decisions, questions, and what came from what."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

_PRODUCED = re.compile(r"(?!(?:sub|ses|run|task)-)[a-z][a-z_]*-\d+")


@dataclass(frozen=True, slots=True)
class Call:
    """A successful call of a tool."""

    index: int
    tool: str
    args: Mapping[str, Any]
    result: Any


def calls(events: Sequence[Mapping[str, Any]], pattern: str = "*") -> list[Call]:
    """Return the successful calls of the tools that match ``pattern``, in order.

    Parameters
    ----------
    events : sequence of mapping
        The transcript.
    pattern : str
        Name or glob, for example ``"preprocess.*"``.
    """
    found = []
    for index, event in enumerate(events):
        tool, args = event.get("tool"), event.get("args")
        if event.get("type") != "call" or event.get("ok") is not True or not isinstance(tool, str):
            continue
        if fnmatchcase(tool, pattern):
            known = args if isinstance(args, Mapping) else {}
            found.append(Call(index, tool, known, event.get("result")))
    return found


def decisions(events: Sequence[Mapping[str, Any]], kind: str) -> list[tuple[int, dict[str, Any]]]:
    """Return ``(index, event)`` of the decisions of one kind that the user made.

    A proposal that broke the rules of its kind never reached the user.
    """
    return [
        (index, dict(event))
        for index, event in enumerate(events)
        if event.get("type") == "decide"
        and event.get("kind") == kind
        and event.get("status") in ("approved", "edited", "rejected")
    ]


def applied(events: Sequence[Mapping[str, Any]], kind: str) -> dict[str, Any]:
    """Return what the decisions of one kind have applied in all; lists add up.

    Parameters
    ----------
    events : sequence of mapping
        The transcript.
    kind : str
        Kind of decision; what was rejected applies nothing.
    """
    total: dict[str, Any] = {}
    for _, event in decisions(events, kind):
        value = event.get("applied")
        if event.get("status") not in ("approved", "edited") or not isinstance(value, Mapping):
            continue
        for key, item in value.items():
            before = total.get(key)
            if isinstance(before, list) and isinstance(item, list):
                total[key] = before + [i for i in item if i not in before]
            else:
                total[key] = item
    return total


def satisfies(value: Any, condition: Any) -> bool:
    """Tell whether a value meets a condition.

    Parameters
    ----------
    value : JSON value
        What was found.
    condition : JSON value
        ``{"min", "max"}``, ``{"one_of"}``, ``{"contains"}``, ``{"max_items"}``, the last two also
        together, or the value itself. Numbers are equal within 1e-9; lists of names are equal in
        any order.
    """
    keys = set(condition) if isinstance(condition, Mapping) else set()
    if keys and keys <= {"min", "max"}:
        number = _number(value)
        low = condition.get("min", -math.inf)
        return number is not None and low <= number <= condition.get("max", math.inf)
    if keys == {"one_of"}:
        return any(satisfies(value, option) for option in condition["one_of"])
    if keys and keys <= {"contains", "max_items"}:
        items = value if isinstance(value, list | tuple) else [value]
        wanted = condition.get("contains", [])
        wanted = wanted if isinstance(wanted, list) else [wanted]
        few = len(items) <= condition.get("max_items", len(items))
        return few and all(any(satisfies(item, w) for item in items) for w in wanted)
    if isinstance(value, Mapping) and isinstance(condition, Mapping):
        return set(value) == set(condition) and all(satisfies(value[k], condition[k]) for k in keys)
    if isinstance(value, list | tuple) and isinstance(condition, list | tuple):
        if all(isinstance(v, str) for v in (*value, *condition)):
            return sorted(value) == sorted(condition)
        return len(value) == len(condition) and all(map(satisfies, value, condition))
    one, two = _number(value), _number(condition)
    if one is not None and two is not None:
        return math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-12)
    return type(value) is type(condition) and bool(value == condition)


def meets(values: Any, conditions: Mapping[str, Any]) -> bool:
    """Tell whether an object meets a condition on each of some of its keys."""
    return isinstance(values, Mapping) and all(
        key in values and satisfies(values[key], wanted) for key, wanted in conditions.items()
    )


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


class Lineage:
    """Which views and results were made from which, followed through the calls.

    Parameters
    ----------
    events : sequence of mapping
        The transcript.
    """

    def __init__(self, events: Sequence[Mapping[str, Any]]) -> None:
        self.parents: dict[str, frozenset[str]] = {}
        self.made_by: dict[str, int] = {}
        for call in calls(events):
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

    def ancestors(self, call: Call) -> set[str]:
        """Return everything that a call's arguments name or descend from."""
        seen: set[str] = set()
        todo = list(strings(call.args))
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo.extend(self.parents.get(name, ()))
        return seen

    def descends(self, later: Call, earlier: Call) -> bool:
        """Tell whether ``later`` worked on something that ``earlier`` made."""
        return any(self.made_by.get(name) == earlier.index for name in self.ancestors(later))


def strings(value: Any, depth: int = 6) -> Iterator[str]:
    """Yield the strings of a JSON value, names of fields left out."""
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, Mapping):
        for item in value.values():
            yield from strings(item, depth - 1)
    elif depth and isinstance(value, list | tuple):
        for item in value:
            yield from strings(item, depth - 1)


def describe(value: Any, limit: int = 160) -> str:
    """Return a short text of a value for a person."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, set | frozenset):
        value = sorted(value)
    if isinstance(value, list | tuple):
        shown = ", ".join(describe(item, 40) for item in value[:30])
        text = shown + (f" … ({len(value)} in all)" if len(value) > 30 else "")
        text = text or "none"
    else:
        text = str(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
