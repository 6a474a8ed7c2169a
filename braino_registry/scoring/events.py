"""Looking things up in a transcript: calls, decisions, and conditions on what they hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool: its place in the transcript, and what it gave."""

    index: int
    tool: str
    args: Mapping[str, Any]
    result: Any


def calls(
    events: Sequence[Mapping[str, Any]], patterns: str | Sequence[str] = "*", *, ok: bool = True
) -> list[Call]:
    """Return the calls of the tools that match, in order.

    Parameters
    ----------
    events : sequence of mapping
        The transcript.
    patterns : str or sequence of str
        Names or globs, for example ``"preprocess.*"``; a tool has to match one of them.
    ok : bool
        Whether the successful calls or those that failed are wanted. The result of a failed call
        is its error.
    """
    found = []
    for index, event in enumerate(events):
        tool, args = event.get("tool"), event.get("args")
        if event.get("type") != "call" or event.get("ok") is not ok or not isinstance(tool, str):
            continue
        if matches(tool, patterns):
            known = args if isinstance(args, Mapping) else {}
            found.append(Call(index, tool, known, event.get("result" if ok else "error")))
    return found


def matches(name: str, patterns: str | Sequence[str]) -> bool:
    """Tell whether a name matches a glob, or one of several."""
    several = [patterns] if isinstance(patterns, str) else patterns
    return any(fnmatchcase(name, pattern) for pattern in several)


def first_done(events: Sequence[Mapping[str, Any]], what: str) -> int | None:
    """Return the place of the first successful call, or ruling of the user, of that name.

    Parameters
    ----------
    events : sequence of mapping
        The transcript.
    what : str
        Name of a tool, a glob, or a kind of decision.
    """
    places = [call.index for call in calls(events, what)]
    places += [index for index, _ in decisions(events, what)]
    return min(places, default=None)


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


def is_about(event: Mapping[str, Any], recording: str | None) -> bool:
    """Tell whether a decision is about a recording; None, and a decision without one, fit all."""
    if recording is None:
        return True
    parts = (event, event.get("applied"), event.get("proposal"))
    named = [part.get("recording") for part in parts if isinstance(part, Mapping)]
    return next((name for name in named if name is not None), recording) == recording


def applied(
    events: Sequence[Mapping[str, Any]], kind: str, on: str | None = None
) -> dict[str, Any]:
    """Return what the decisions of one kind have applied in all; lists add up.

    Parameters
    ----------
    events : sequence of mapping
        The transcript.
    kind : str
        Kind of decision; what was rejected applies nothing.
    on : str | None
        Recording that the decisions are about; None takes those about any.
    """
    total: dict[str, Any] = {}
    for _, event in decisions(events, kind):
        if not is_about(event, on):
            continue
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
        any order. An object in ``contains`` is there where an item has all of its fields.
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
        return few and all(any(_holds(item, w) for item in items) for w in wanted)
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


def _holds(item: Any, wanted: Any) -> bool:
    return satisfies(item, wanted) or (
        isinstance(wanted, Mapping) and bool(wanted) and meets(item, wanted)
    )


def meets(values: Any, conditions: Mapping[str, Any]) -> bool:
    """Tell whether an object meets a condition on each of some of its keys.

    A key that is not there, or null, meets none but ``{"or_left_out": …}``.
    """
    return isinstance(values, Mapping) and all(
        _meets(values, key, wanted) for key, wanted in conditions.items()
    )


def _meets(values: Mapping[str, Any], key: str, wanted: Any) -> bool:
    if isinstance(wanted, Mapping) and set(wanted) == {"or_left_out"}:
        return values.get(key) is None or satisfies(values[key], wanted["or_left_out"])
    return key in values and satisfies(values[key], wanted)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


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
    if isinstance(value, int) and abs(value) >= 10**100:  # Python refuses to print the longest
        return "an integer of more than 100 digits"
    if isinstance(value, set | frozenset):
        value = sorted(value)
    if isinstance(value, list | tuple):
        shown = ", ".join(describe(item, 40) for item in value[:30])
        text = shown + (f" … ({len(value)} in all)" if len(value) > 30 else "")
        text = text or "none"
    else:
        text = str(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
