"""Arithmetic only on what was reported: the guard of tools that take numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState

# what a formula may hold without anybody having reported it
CONSTANTS = frozenset({float(n) for n in range(11)} | {60.0, 100.0, 1000.0, 3600.0})


def is_constant(value: float) -> bool:
    """Tell whether a number is one of 0 to 10, 60, 100, 1000 and 3600, with either sign."""
    return abs(value) in CONSTANTS


def require_grounded(
    state: ToolState, values: Mapping[str, float | Sequence[float]], *, constants: bool = False
) -> None:
    """Refuse numbers that no tool, user or request stated.

    Parameters
    ----------
    state : ToolState
        With the session's ledger.
    values : mapping
        Numbers or lists of them by the name that messages use.
    constants : bool
        Allow :data:`CONSTANTS`, too.

    Raises
    ------
    ToolError
        Naming the first number that is not grounded.
    """
    for name, given in values.items():
        numbers = given if isinstance(given, Sequence) else [given]
        for index, number in enumerate(numbers):
            if constants and is_constant(number):
                continue
            if not state.ledger.grounds_value(number):
                where = f"{name}[{index}]" if isinstance(given, Sequence) else name
                raise ToolError(
                    f"{where} = {number:g} was not reported by any tool",
                    "Pass numbers exactly as tools, the user or the request stated them.",
                )
