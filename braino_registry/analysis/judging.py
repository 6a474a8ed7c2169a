"""Selectors that turn numbers into words: classes, directions, membership."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.margins import guard
from braino_registry.analysis.operation import operation


@operation("select.ratio", version="1.0.0")
def ratio(a: float, b: float) -> dict[str, float]:
    """Return ``value``: a over b."""
    if b == 0:
        raise SignalError("the second number is 0", hint="Pass a number to divide by.")
    return {"value": a / b}


@operation("select.difference", version="1.0.0")
def difference(a: float, b: float) -> dict[str, float]:
    """Return ``value``: a minus b."""
    return {"value": a - b}


@operation("select.compare", version="1.0.0")
def compare(
    a: float,
    b: float,
    *,
    labels: Sequence[str] = ("greater", "less", "same"),
    margin: float = 0.0,
    absolute_margin: float = 0.0,
    tie: Literal["error", "same"] = "error",
) -> dict[str, str]:
    """Return the ``label`` of how one number compares with another.

    Parameters
    ----------
    a, b : float
        The numbers.
    labels : sequence of str
        For ``a > b``, ``a < b``, and with ``tie="same"`` for numbers closer than the margin.
    margin : float
        Least gap as a share of the larger magnitude.
    absolute_margin : float
        Least gap in the unit of the numbers.
    tie : {"error", "same"}
        What numbers closer than that are.

    Raises
    ------
    SignalError
        If they are too close to tell.
    """
    if len(labels) not in ((3,) if tie == "same" else (2, 3)):
        raise SignalError(
            f"{len(labels)} labels do not suit a comparison",
            hint="Pass labels for greater, less and, with tie same, for the same.",
        )
    try:
        guard(("a", a), ("b", b), margin, absolute_margin, "too close to compare")
    except SignalError:
        if tie == "same":
            return {"label": labels[2]}
        raise
    return {"label": labels[0] if a > b else labels[1]}


@operation("select.label", version="1.0.0")
def label(
    value: float, *, limits: Sequence[float], labels: Sequence[str], margin: float = 0.0
) -> dict[str, str]:
    """Return the ``label`` of the interval that a number lies in.

    Parameters
    ----------
    value : float
        The number.
    limits : sequence of float
        Ascending; a number at a limit belongs above it.
    labels : sequence of str
        One more than limits, for the lowest interval first.
    margin : float
        Least distance from any limit, as a share of it.

    Raises
    ------
    SignalError
        If the number is closer to a limit than the margin, naming both classes.
    """
    if len(labels) != len(limits) + 1 or list(limits) != sorted(set(limits)):
        raise SignalError(
            f"{len(limits)} limits do not make {len(labels)} classes",
            hint="Pass ascending limits, and one label more.",
        )
    for position, limit in enumerate(limits):
        if abs(value - limit) < margin * abs(limit):
            raise SignalError(
                f"{value:.6g} is too close to {limit:g} to tell {labels[position]!r} from "
                f"{labels[position + 1]!r}",
                hint="Choose other data, other limits, or a smaller margin.",
            )
    return {"label": labels[sum(value >= limit for limit in limits)]}


@operation("select.member", version="1.0.0")
def member(
    name: str, *, among: Sequence[str], labels: Sequence[str] = ("yes", "no")
) -> dict[str, str]:
    """Return the first ``label`` if a name stands in a list, else the second."""
    if len(labels) != 2:
        raise SignalError("membership has two labels", hint="Pass two labels.")
    return {"label": labels[0] if name in among else labels[1]}
