"""Arithmetic on reported numbers, so that a difference or a ratio is grounded too.

What may be written is in :mod:`braino_registry.tools.formula`. What is guarded against: that a
formula makes a number of the writer's choice, out of constants, by counting what is repeated, or
in many small steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated

from msgspec import Meta

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.formula import MAX_LENGTH, Value, parse
from braino_registry.tools.grounding import require_grounded
from braino_registry.tools.presenting import rounded
from braino_registry.tools.state import ToolState

MAX_NAMES = 20
MAX_LIST = 500
MAX_RESULT = 1e15
# a calculation on a calculation on a calculation is the last
MAX_CHAIN = 3
# what equal numbers give, whichever they are: a difference, a ratio, a share in percent
TRIVIAL = frozenset({0.0, 1.0, 100.0})


class Calculated(Result, frozen=True, kw_only=True):
    """What an expression gives."""

    value: float
    expression: str


@tool("calc", version="1.0.0")
def calc(
    state: ToolState,
    *,
    expression: Annotated[
        str,
        Meta(
            description="For example (a - b) / b * 100, mean(xs), or 10 * log10(a / b). Operators "
            "+ - * / **; functions mean median sd sum min max abs sqrt log10 round.",
            max_length=MAX_LENGTH,
        ),
    ],
    values: Annotated[
        dict[str, float | list[float]] | None,
        Meta(description="Numbers by name, exactly as tools reported them; lists up to 500."),
    ] = None,
) -> Calculated:
    """Calculate with numbers that were reported, so that the result may be reported too.

    Every number must have been stated by a tool, the user or the request, and may be used about as
    often as it was stated. Of others an expression may hold two: powers of ten to 1000000, and one
    of 2, 20, 60, 3600 to multiply or divide; 1 or 100 to subtract from or to subtract (1 - p, 100 -
    x); ** takes 2 or 0.5. At most ten operations; a result may go into two further calculations in
    a row.

    Definition: Ordinary arithmetic in double precision; sd with n - 1; median of an even number:
    mean of the middle two; round(x, n) to n decimals, halves to even.

    Example: {"expression": "(a - b) / b * 100", "values": {"a": 12.4, "b": 8.1}}
    """
    named: dict[str, Value] = dict(values or {})
    _check_sizes(named)
    require_grounded(state, named)
    formula = parse(expression, named, state.ledger.grounds_value)
    formula.check()
    _check_uses(state, formula.uses())
    value = formula.value()
    if abs(value) > MAX_RESULT:
        raise ToolError("the result is too large", "Check the expression.")
    if not formula.moves() or (value not in TRIVIAL and not formula.moves(equal_together=True)):
        raise ToolError(
            "the result does not rest on the size of any reported number",
            "Use numbers that a tool, the user or the request stated; how often one is repeated "
            "does not count.",
        )
    _chained(state, value, formula.numbers(), selects=formula.selects)
    return Calculated(value=value, expression=expression)


def _check_sizes(named: Mapping[str, Value]) -> None:
    if len(named) > MAX_NAMES:
        raise ToolError(f"more than {MAX_NAMES} values", "Pass lists, or calculate in parts.")
    for name, given in named.items():
        if isinstance(given, list) and len(given) > MAX_LIST:
            raise ToolError(f"{name} is longer than {MAX_LIST}", "Calculate it in parts.")


def _check_uses(state: ToolState, uses: Mapping[float, int]) -> None:
    """Refuse a number that is written more than twice for each time that it was stated."""
    for number, count in uses.items():
        if count > 2 * max(state.ledger.times(number), 1):
            raise ToolError(
                f"{number:g} is used {count} times, more often than it was reported",
                "Use a number once or twice; mean, median and sd take lists.",
            )


def _chained(state: ToolState, value: float, numbers: list[float], *, selects: bool) -> None:
    """Remember how many calculations a result rests on, and refuse the fourth in a row."""
    depth = max((_depth(state, number) for number in numbers), default=0)
    if selects:
        return
    if depth >= MAX_CHAIN:
        raise ToolError(
            f"this would be calculation {depth + 1} in a row, each on the one before",
            "Calculate from the reported numbers in one expression.",
        )
    shown = rounded(value)
    known = state.calculated.get(shown)
    # of two ways to a number the shorter one counts
    state.calculated[shown] = depth + 1 if known is None else min(known, depth + 1)


def _depth(state: ToolState, number: float) -> int:
    """Return how many calculations a number rests on; it may be a result that was rounded."""
    if number in state.calculated:
        return state.calculated[number]
    exact = Decimal(repr(number)).normalize().as_tuple()
    if len(exact.digits) < 3:
        return 0
    decimals = -int(exact.exponent)
    close = (d for made, d in state.calculated.items() if round(made, decimals) == number)
    return max(close, default=0)
