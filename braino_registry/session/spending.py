"""What a session has used of its limits: requests that are counted, tokens and cost as reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from braino_registry.session.limits import LimitReached, Limits

#: The limit that a kind of request counts against; other kinds are free.
COUNTED = {"call": "tool_calls", "execute": "tool_calls", "ask": "questions", "decide": "decisions"}


class Spending:
    """The account of one session.

    Parameters
    ----------
    limits : Limits
        What may be used.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._requests: Counter[str] = Counter()
        self._reported: dict[str, float | None] = {}
        self._known: Counter[str] = Counter()  # without what is unknown: limits hold for the rest

    @property
    def total(self) -> dict[str, Any]:
        """Requests by limit, and reported sums (None where a part is unknown)."""
        used = {name: self._requests[name] for name in ("tool_calls", "questions", "decisions")}
        return {**used, **self._reported}

    def count(self, kind: str) -> None:
        """Count a request before it is carried out.

        Raises
        ------
        LimitReached
            If no more are allowed; this one is not counted.
        """
        limit = COUNTED.get(kind)
        if limit is None:
            return
        most = getattr(self._limits, limit)
        if self._requests[limit] >= most:
            raise LimitReached(limit, f"more than {most} {limit.replace('_', ' ')}")
        self._requests[limit] += 1

    def add(self, usage: Mapping[str, float | None]) -> None:
        """Add what an agent reports: sums by name, None where any part of one is unknown.

        Raises
        ------
        LimitReached
            If the known sum of turns, tokens or costs exceeds its limit.
        """
        for name, value in usage.items():
            before = self._reported.get(name, 0)
            self._reported[name] = None if value is None or before is None else before + value
            self._known[name] += value or 0  # type: ignore[assignment]
        known = self._known
        tokens = known["input_tokens"] + known["output_tokens"]
        for limit, used in (("turns", known["turns"]), ("tokens", tokens), ("cost", known["cost"])):
            most = getattr(self._limits, limit)
            if most is not None and used > most:
                raise LimitReached(limit, f"{used:g} {limit} used, at most {most:g}")
