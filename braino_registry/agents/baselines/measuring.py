"""Measurements through the tools of a session, long ones in as many calls as they take."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from braino.agent import Session

#: Characters that a value takes in a result, and what a result may take; see the tool.
_CELL, _NAME, _ROOM = 10, 48, 31_400


class CallFailed(Exception):
    """A tool refused what a rule asked of it."""


class Bench:
    """The tools of one record.

    Parameters
    ----------
    session : Session
        Where they are.
    record : str
        The record's id.
    """

    def __init__(self, session: Session, record: str) -> None:
        self._session, self._record = session, record

    def measure(self, tool: str, **args: Any) -> dict[str, Any]:
        """Return the result of a tool.

        Raises
        ------
        CallFailed
            If it refuses.
        """
        outcome = self._session.call(tool, {"record_id": self._record, **args})
        if not outcome.ok:
            raise CallFailed(f"{tool}: {outcome.error}")
        return outcome.result

    def rows(self, tool: str, **args: Any) -> list[dict[str, Any]]:
        """Return the rows of a tool's channels."""
        found: list[dict[str, Any]] = self.measure(tool, **args)["channels"]
        return found

    def windows(
        self, channels: Sequence[str], features: Sequence[str], window: float, n: int
    ) -> dict[str, dict[str, list[float]]]:
        """Return features of windows one after the other, by channel and feature.

        Parameters
        ----------
        channels, features : sequence of str
            What is measured.
        window : float
            Seconds; windows do not overlap.
        n : int
            How many windows, from the start.

        Returns
        -------
        dict
            What is not defined is 0.
        """
        most = max(1, int((_ROOM / (len(channels) * len(features)) - _NAME) / _CELL))
        found: dict[str, dict[str, list[float]]] = {
            channel: {feature: [] for feature in features} for channel in channels
        }
        for first in range(0, n, most):
            last = min(n, first + most)
            result = self.measure(
                "compute_windowed_features",
                channels=list(channels),
                features=list(features),
                window_sec=window,
                tmin=first * window,
                tmax=last * window,
            )
            for row in result["channels"]:
                for feature, values in row["values"].items():
                    found[row["channel"]][feature] += [value or 0.0 for value in values]
        return found


def smooth(values: Sequence[float], reach: int) -> list[float]:
    """Return the running median over so many neighbours on either side."""
    return [median(values[max(0, i - reach) : i + reach + 1]) for i in range(len(values))]


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lies; 0 of none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
