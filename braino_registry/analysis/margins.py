"""Tables of numbers that may be chosen from, and gaps that are wide enough to choose by."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from braino_registry.analysis.errors import SignalError

Values = Mapping[str, float]

# numbers that are equal but for this share are tied, whatever margin is asked for
TIE = 1e-12


def numbers(values: Values, least: int = 1) -> dict[str, float]:
    """Return a table whose numbers are finite."""
    if not isinstance(values, Mapping):
        raise SignalError(
            f"a table of numbers by name is needed, not {type(values).__name__}",
            hint="Pass the values of an earlier step.",
        )
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise SignalError(f"{name} is no number", hint="Pass a flat table of numbers by name.")
        if not np.isfinite(value):
            raise SignalError(f"{name} is {value}", hint="Leave out what is not finite.")
    if len(values) < least:
        raise SignalError(f"{len(values)} values are too few", hint=f"Pass {least} or more.")
    return {str(name): float(value) for name, value in values.items()}


def guard(
    a: tuple[str, float], b: tuple[str, float], margin: float, absolute_margin: float, what: str
) -> None:
    """Refuse two numbers that are closer than the margin.

    Parameters
    ----------
    a, b : (str, float)
        Name and number.
    margin : float
        Least gap as a share of the larger magnitude.
    absolute_margin : float
        Least gap in the unit of the numbers.
    what : str
        What is too close, for the message.

    Raises
    ------
    SignalError
        Naming both.
    """
    if margin < 0 or absolute_margin < 0:
        raise SignalError("a margin is negative", hint="Pass a margin of 0 or more.")
    size = max(abs(a[1]), abs(b[1]))
    gap = abs(a[1] - b[1])
    if gap < absolute_margin or gap < margin * size or gap <= TIE * size:
        share = gap / size if size else 0.0
        raise SignalError(
            f"{what}: {a[0]} ({a[1]:.6g}) and {b[0]} ({b[1]:.6g}) are only {share:.2%} apart",
            hint="Choose other data or parameters, where they are further apart, or a smaller "
            "margin.",
        )
