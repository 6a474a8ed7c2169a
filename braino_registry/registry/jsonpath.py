"""Where in a JSON document something stands, written for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

Steps = tuple[str | int, ...]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def path_text(steps: Iterable[str | int]) -> str:
    """Return steps as a JSONPath, for example ``$.checks[2].kind``.

    Parameters
    ----------
    steps : iterable of str or int
        Property names and zero-based array positions, outermost first.
    """
    text = "$"
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN.fullmatch(step):
            text += f".{step}"
        else:
            text += f"[{step!r}]"
    return text


def walk(value: Any, at: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Yield ``(steps, value)`` for a JSON value and everything in it, outermost first.

    The walk keeps its own stack, so that no document is too deep for it.
    """
    stack: list[tuple[Steps, Any]] = [(at, value)]
    while stack:
        steps, item = stack.pop()
        yield steps, item
        if isinstance(item, dict):
            stack.extend(((*steps, key), item[key]) for key in reversed(item))
        elif isinstance(item, list):
            stack.extend(((*steps, i), item[i]) for i in reversed(range(len(item))))
