"""What every summary needs to know of outcomes and scores."""

from __future__ import annotations

from collections.abc import Iterable

#: Outcomes that carry a score; an agent's own error is scored 0.
SCORED = frozenset({"passed", "failed", "limit", "agent_error", "scored"})


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are there, or None if there are none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
