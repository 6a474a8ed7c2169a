"""Arithmetic only on what was reported: the guard of tools that take numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState

MAX_NUMBERS = 1000
# no quantity of a recording is larger in any unit; squares of it are still finite
MAX_SIZE = 1e15


def require_grounded(state: ToolState, values: Mapping[str, float | Sequence[float]]) -> None:
    """Refuse numbers that no tool, user or request stated, and lists that repeat one number.

    A list in which one number stands more often than it was stated says something that nobody
    measured: its length, its sum and its mean could be chosen freely.

    Parameters
    ----------
    state : ToolState
        With the session's ledger.
    values : mapping
        Numbers or lists of them by the name that messages use.

    Raises
    ------
    ToolError
        Naming the first number that is not grounded, or that is repeated too often.
    """
    if sum(len(given) if isinstance(given, Sequence) else 1 for given in values.values()) > (
        MAX_NUMBERS
    ):
        raise ToolError(
            f"more than {MAX_NUMBERS} numbers in one call", "Pass fewer, or calculate in parts."
        )
    for name, given in values.items():
        numbers = given if isinstance(given, Sequence) else [given]
        for index, number in enumerate(numbers):
            where = f"{name}[{index}]" if isinstance(given, Sequence) else name
            if abs(number) > MAX_SIZE:
                raise ToolError(f"{where} = {number:g} is too large", "Check the number.")
            if not state.ledger.grounds_value(number):
                raise ToolError(
                    f"{where} = {number:g} was not reported by any tool",
                    "Pass numbers exactly as tools, the user or the request stated them.",
                )
    lists = [given for given in values.values() if isinstance(given, Sequence)]
    for given in lists:
        _check_repeats(state, given, 1)
    # one person's value may stand in two lists: as a value here, as a covariate there
    _check_repeats(state, [number for given in lists for number in given], 2)


def _check_repeats(state: ToolState, numbers: Sequence[float], often: int) -> None:
    """Refuse numbers of which one stands more than so often for each time that it was stated."""
    for number, count in Counter(numbers).items():
        if count <= often:
            continue
        stated = state.ledger.times(number)
        if count > often * max(stated, 1):
            raise ToolError(
                f"{number:g} stands {count} times in the lists, but was reported "
                f"{stated} time{'s' if stated != 1 else ''}",
                "List each reported value once per time that it was reported.",
            )
