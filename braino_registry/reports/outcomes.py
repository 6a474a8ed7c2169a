"""What every summary needs to know of outcomes and scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

#: Outcomes that carry a score; an agent's own error is scored 0.
SCORED = frozenset({"passed", "failed", "limit", "agent_error", "scored"})


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are there, or None if there are none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def passes(summary: Mapping[str, Any]) -> str:
    """Return how many trials pass, in words; a trial whose score is a share neither does nor fails.

    Parameters
    ----------
    summary : mapping
        ``summary`` of a report.
    """
    scored, shares = summary["scored"], summary.get("outcomes", {}).get("scored", 0)
    if shares and shares == scored:
        return f"{scored} trials are scored; this suite has no pass rule."
    told = f"{summary['passed']} of {scored - shares} scored trials pass"
    more = f"; {shares} more have a score and neither pass nor fail" if shares else ""
    return f"{told}{more}."
