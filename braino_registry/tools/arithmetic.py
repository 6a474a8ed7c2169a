"""What formulas calculate with: operators and functions, and what happens where none is defined."""

from __future__ import annotations

import ast
import math
import statistics
from collections.abc import Callable, Mapping

from braino_registry.tools.errors import ToolError

BINARY: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda x, y: x + y,
    ast.Sub: lambda x, y: x - y,
    ast.Mult: lambda x, y: x * y,
    ast.Div: lambda x, y: x / y,
    ast.Pow: lambda x, y: _power(x, y),
}
SINGLE: Mapping[str, Callable[[float], float]] = {
    "abs": abs,
    "sqrt": math.sqrt,
    "log10": math.log10,
}
MANY: Mapping[str, Callable[[list[float]], float]] = {
    "mean": lambda xs: math.fsum(xs) / len(xs),
    "median": statistics.median,
    "sd": statistics.stdev,
    "sum": math.fsum,
    "min": min,
    "max": max,
}
FUNCTIONS = (*MANY, *SINGLE, "round")


def _power(base: float, exponent: float) -> float:
    if exponent == 0.5:
        return math.sqrt(base)
    return base * base


def guarded(text: str, compute: Callable[[], float]) -> float:
    """Return what a computation gives.

    Parameters
    ----------
    text : str
        What is computed, for messages.
    compute : callable
        Gives a number.

    Raises
    ------
    ToolError
        If it is not defined or not finite.
    """
    try:
        value = float(compute())
    except (ValueError, ZeroDivisionError, OverflowError, statistics.StatisticsError) as error:
        raise ToolError(f"{text} is not defined: {error}", "Check the numbers.") from None
    if not math.isfinite(value):
        raise ToolError(f"{text} is not finite", "Check the numbers.")
    return value
