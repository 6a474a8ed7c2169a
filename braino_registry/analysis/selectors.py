"""From tables of numbers to an answer: ranking, choosing, comparing, averaging.

A ranking that rounding could turn round is no ground for judging an answer. Every selector that
chooses takes a margin, and refuses what is closer, naming both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.margins import Values, guard, numbers
from braino_registry.analysis.montage import is_prefrontal, region_of, side_of
from braino_registry.analysis.neighbours import label_of
from braino_registry.analysis.operation import operation
from braino_registry.analysis.windows import GUARD_SAMPLES
from braino_registry.errors import close_matches

Order = Literal["descending", "ascending"]
By = Literal["signed", "absolute"]


def _sorted(values: Values, order: Order, by: By) -> list[tuple[str, float]]:
    if order not in ("descending", "ascending") or by not in ("signed", "absolute"):
        raise SignalError(
            f"there is no order {order!r} by {by!r}",
            hint="Pass order descending or ascending, by signed or absolute.",
        )
    sign = -1 if order == "descending" else 1
    known = numbers(values)
    # Python's sort is stable: equal numbers keep the order of the channels
    return sorted(
        known.items(), key=lambda item: sign * (abs(item[1]) if by == "absolute" else item[1])
    )


def _guarded(
    rows: list[tuple[str, float]],
    first: int,
    last: int,
    by: By,
    margin: float,
    absolute_margin: float,
) -> None:
    """Guard the gaps between the rows ``first`` to ``last`` and those that follow them."""
    for k in range(max(first, 0), min(last, len(rows) - 1)):
        pair = rows[k], rows[k + 1]
        if by == "absolute":
            pair = (pair[0][0], abs(pair[0][1])), (pair[1][0], abs(pair[1][1]))
        what = f"ranks {k + 1} and {k + 2} are too close to tell"
        guard(*pair, margin, absolute_margin, what)


@operation("select.rank", version="1.0.0")
def rank(
    values: Values,
    *,
    order: Order = "descending",
    by: By = "signed",
    n: int | None = None,
    margin: float = 0.0,
    absolute_margin: float = 0.0,
    ties: Literal["error", "first"] = "error",
) -> dict[str, Any]:
    """Return names by their numbers.

    Parameters
    ----------
    values : mapping of str to float
        Numbers by name.
    order : {"descending", "ascending"}
        Which come first.
    by : {"signed", "absolute"}
        Whether the sign counts.
    n : int | None
        How many; None for all.
    margin : float
        Least gap between neighbours among the first ``n`` and to the next, as a share of the
        larger magnitude.
    absolute_margin : float
        Least gap in the unit of the values.
    ties : {"error", "first"}
        Whether what is too close is refused, or of equals the first in the table comes first.

    Returns
    -------
    dict
        ``names`` and ``values``, in that order.

    Raises
    ------
    SignalError
        If two of the ranked are closer than the margin, or equal; naming both.
    """
    rows = _sorted(values, order, by)
    count = len(rows) if n is None else n
    if not 1 <= count <= len(rows):
        raise SignalError(f"{count} of {len(rows)} cannot be ranked", hint="Pass a smaller n.")
    if ties == "error":
        _guarded(rows, 0, count, by, margin, absolute_margin)
    return {"names": [name for name, _ in rows[:count]], "values": dict(rows[:count])}


@operation("select.top", version="1.0.0")
def top(
    values: Values,
    *,
    n: int,
    order: Order = "descending",
    by: By = "signed",
    ordered: bool = True,
    margin: float = 0.0,
    absolute_margin: float = 0.0,
) -> dict[str, Any]:
    """Return the first ``n`` names; unless ``ordered``, only the gap to the next is guarded.

    Parameters as in :func:`rank`.
    """
    rows = _sorted(values, order, by)
    if not 1 <= n <= len(rows):
        raise SignalError(f"{n} of {len(rows)} cannot be chosen", hint="Pass a smaller n.")
    _guarded(rows, 0 if ordered else n - 1, n, by, margin, absolute_margin)
    return {"names": [name for name, _ in rows[:n]], "values": dict(rows[:n])}


@operation("select.argmax", version="1.0.0")
def argmax(values: Values, *, margin: float = 0.0, absolute_margin: float = 0.0) -> dict[str, Any]:
    """Return the ``name`` and ``value`` of the largest number, and the ``runner_up``.

    Raises
    ------
    SignalError
        If the largest two are closer than the margin, or equal; naming both.
    """
    return _extreme(values, "descending", margin, absolute_margin)


@operation("select.argmin", version="1.0.0")
def argmin(values: Values, *, margin: float = 0.0, absolute_margin: float = 0.0) -> dict[str, Any]:
    """Return what :func:`argmax` returns, of the smallest number."""
    return _extreme(values, "ascending", margin, absolute_margin)


def _extreme(values: Values, order: Order, margin: float, absolute_margin: float) -> dict[str, Any]:
    rows = _sorted(values, order, "signed")
    _guarded(rows, 0, 1, "signed", margin, absolute_margin)
    runner_up = rows[1][0] if len(rows) > 1 else None
    return {"name": rows[0][0], "value": rows[0][1], "runner_up": runner_up}


@operation("select.mean_over", version="1.0.0")
def mean_over(
    values: Values,
    *,
    names: Sequence[str] | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Return the mean of some numbers, or of each of several groups of them.

    Parameters
    ----------
    values : mapping of str to float
        Numbers by name.
    names : sequence of str | None
        Which; None for all.
    groups : mapping of str to sequence of str | None
        Names by group, instead; a group without any is left out.

    Returns
    -------
    dict
        ``mean``, or ``values`` by group.
    """
    known = numbers(values)
    if groups is None:
        chosen = known if names is None else keep(known, names)["values"]
        if not chosen:
            raise SignalError("there is nothing to average", hint="Pass names.")
        return {"mean": float(np.mean(list(chosen.values())))}
    if names is not None:
        raise SignalError("names and groups exclude each other", hint="Pass one of them.")
    found = {
        group: float(np.mean(list(keep(known, members)["values"].values())))
        for group, members in groups.items()
        if members
    }
    if not found:
        raise SignalError("every group is empty", hint="Pass groups with names in them.")
    return {"values": found}


@operation("select.keep", version="1.0.0")
def keep(values: Values, names: Sequence[str]) -> dict[str, Any]:
    """Return the ``values`` of some names, in the order of ``names``."""
    known = numbers(values, 0)
    for name in names:
        if name not in known:
            raise SignalError(
                f"there is no value of {name!r}", hint=close_matches(name, list(known))
            )
    return {"values": {name: known[name] for name in names}}


@operation("select.without", version="1.0.0")
def without(values: Values, names: Sequence[str]) -> dict[str, Any]:
    """Return the ``values`` of all other names; names that have none are passed over."""
    gone = set(names)
    return {"values": {k: v for k, v in numbers(values, 0).items() if k not in gone}}


@operation("select.common", version="1.0.0")
def common(lists: Sequence[Sequence[str]], *, at_least: int = 2) -> dict[str, Any]:
    """Return the ``names`` that stand in ``at_least`` of several lists, and their ``counts``."""
    if not 1 <= at_least <= len(lists):
        raise SignalError(
            f"{at_least} of {len(lists)} lists", hint="Pass at_least between 1 and their number."
        )
    counts: dict[str, int] = {}
    for names in lists:
        for name in dict.fromkeys(names):
            counts[name] = counts.get(name, 0) + 1
    return {"names": [name for name, c in counts.items() if c >= at_least], "counts": counts}


@operation("select.channels_like", version="1.0.0")
def channels_like(
    ch_names: Sequence[str],
    *,
    like: Sequence[str] | None = None,
    region: str | None = None,
    side: str | None = None,
) -> dict[str, Any]:
    """Return the channels that all given conditions hold for, in the order given.

    Parameters
    ----------
    ch_names : sequence of str
        Channels.
    like : sequence of str | None
        Patterns with ``*`` and ``?``, one of which fits the label; case, a prefix ``EEG``, dots
        around and a reference after a hyphen are overlooked.
    region : str | None
        As :func:`braino_registry.analysis.montage.regions` names them, or ``"prefrontal"``.
    side : str | None
        ``"left"``, ``"right"`` or ``"midline"``.

    Raises
    ------
    SignalError
        If no channel is left.
    """
    found = [
        name
        for name in ch_names
        if (like is None or any(fnmatchcase(label_of(name), p.upper()) for p in like))
        and (region is None or _in_region(name, region))
        and (side is None or side_of(name) == side)
    ]
    if not found:
        told = ", ".join(str(c) for c in (like, region, side) if c is not None)
        raise SignalError(
            f"no channel fits {told or 'the conditions'}",
            hint=f"Channels: {', '.join(list(ch_names)[:20])}.",
        )
    return {"channels": found}


def _in_region(name: str, region: str) -> bool:
    return is_prefrontal(name) if region == "prefrontal" else region_of(name) == region


@operation("select.window", version="1.0.0")
def window(
    duration: float, *, length: float, start: float = 0.0, n: int = 1, step: float | None = None
) -> dict[str, Any]:
    """Return ``windows`` of ``length`` seconds, ``step`` seconds apart (back to back by default).

    Raises
    ------
    SignalError
        If they do not fit into ``duration`` seconds.
    """
    apart = length if step is None else step
    if n < 1 or length <= 0 or start < 0 or apart <= 0:
        raise SignalError("this is no window", hint="Pass start of 0 or more, length above 0.")
    found = [[start + k * apart, start + k * apart + length] for k in range(n)]
    if found[-1][1] > duration + GUARD_SAMPLES:
        raise SignalError(
            f"the window to {found[-1][1]:g} s reaches beyond the {duration:g} s there are",
            hint="Pass a smaller start, length or n.",
        )
    return {"windows": found}
