"""From a result to what an agent sees of it: sensible digits, bounded length."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

SIGNIFICANT = 6
DECIMALS = 4
MAX_NUMBERS = 20
MAX_ROWS = 50
MAX_TEXTS = 200


def rounded(value: Any) -> Any:
    """Return a JSON value with numbers of six significant digits, four decimals at least.

    What is not finite becomes None.
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        if value == 0:
            return 0.0
        digits = SIGNIFICANT - 1 - math.floor(math.log10(abs(value)))
        return round(value, max(digits, DECIMALS))
    if isinstance(value, Mapping):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    return value


def bounded(value: Any) -> tuple[Any, dict[str, int]]:
    """Return a JSON value with long lists and objects cut.

    A list ends before it would show more than 20 different numbers, 50 rows or 200 texts.

    Returns
    -------
    shown : JSON value
        What is left.
    truncated : dict
        How many items were left out, by path.
    """
    truncated: dict[str, int] = {}
    return _cut(value, "", truncated), truncated


def _cut(value: Any, path: str, truncated: dict[str, int]) -> Any:
    if isinstance(value, Mapping):
        # the fields of a result are few; an object with many entries is a table by name
        items = {name: _cut(item, _join(path, name), truncated) for name, item in value.items()}
        keep = _fitting(list(items.values())) if path else len(items)
        if keep < len(items):
            truncated[path] = len(items) - keep
        return dict(list(items.items())[:keep])
    if isinstance(value, list):
        keep = _fitting(value)
        if keep < len(value):
            truncated[path] = len(value) - keep
        return value[:keep]
    return value


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _fitting(items: list[Any]) -> int:
    """Return how many of the items fit."""
    seen: set[float] = set()
    for index, item in enumerate(items):
        numbers = set(_numbers(item))
        limit = MAX_ROWS if numbers or isinstance(item, Mapping) else MAX_TEXTS
        if index >= limit or (len(seen | numbers) > MAX_NUMBERS and index > 0):
            return index
        seen |= numbers
    return len(items)


def _numbers(value: Any) -> list[float]:
    if isinstance(value, bool):
        return []
    if isinstance(value, int | float):
        return [float(value)]
    if isinstance(value, Mapping):
        return [number for item in value.values() for number in _numbers(item)]
    if isinstance(value, list):
        return [number for item in value for number in _numbers(item)]
    return []
