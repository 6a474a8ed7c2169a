"""Whether the rows of a run are all there, once each, and finished; and the mean of all tasks."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from braino_registry.scoring.corpus.model import TASKS, ScoreError
from braino_registry.scoring.units.canonical import Profile

#: Instances of each task in the released benchmark.
RELEASED_COUNTS = {"T1": 38, "T2": 300, "T3": 188, "T4": 69, "T5": 280, "T6": 197}


@dataclass(frozen=True)
class RowReview:
    """What was found among the rows of a run.

    Parameters
    ----------
    chosen : dict of str to mapping
        The last finished row of each instance, in the order of the instances.
    missing : tuple of str
        Instances without any row.
    unfinished : tuple of str
        Instances with rows, none of them finished.
    repeated : tuple of str
        Instances with more than one row.
    conflicting : tuple of str
        Instances with finished rows that answer differently.
    extra : tuple of str
        Rows of instances that are not planned.
    n_nameless : int
        Rows without an identifier.
    """

    chosen: dict[str, Mapping[str, Any]]
    missing: tuple[str, ...]
    unfinished: tuple[str, ...]
    repeated: tuple[str, ...]
    conflicting: tuple[str, ...]
    extra: tuple[str, ...]
    n_nameless: int

    def problems(self, profile: Profile = "strict") -> list[str]:
        """Return what forbids a score, one line each; ``published`` allows no row twice."""
        listed = {
            "without a row": self.missing,
            "never finished": self.unfinished,
            "answered twice, differently": self.conflicting,
            "not planned": self.extra,
        }
        if profile == "published":
            listed["with more than one row"] = self.repeated
        lines = [
            f"{len(names)} {what}: {', '.join(names[:5])}{', …' if len(names) > 5 else ''}"
            for what, names in listed.items()
            if names
        ]
        return [*lines, *([f"{self.n_nameless} without a name"] if self.n_nameless else [])]


def review_rows(planned: Sequence[str], rows: Sequence[Any]) -> RowReview:
    """Sort the rows of a run by instance.

    Parameters
    ----------
    planned : sequence of str
        Identifiers of the instances.
    rows : sequence of JSON value
        Objects with ``scenario_id``, ``status`` and ``prediction``; only a status of
        ``completed`` is finished. What is no object has no name.

    Returns
    -------
    RowReview
    """
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    n_nameless = 0
    for row in rows:
        name = str(row.get("scenario_id", "")) if isinstance(row, Mapping) else ""
        if not name:
            n_nameless += 1
            continue
        by_name.setdefault(name, []).append(row)
    finished = {
        name: [row for row in of_one if row.get("status") == "completed"]
        for name, of_one in by_name.items()
    }
    names = tuple(dict.fromkeys(planned))
    return RowReview(
        chosen={name: finished[name][-1] for name in names if finished.get(name)},
        missing=tuple(name for name in names if name not in by_name),
        unfinished=tuple(name for name in names if name in by_name and not finished[name]),
        repeated=tuple(name for name, of_one in by_name.items() if len(of_one) > 1),
        conflicting=tuple(name for name in names if _differ(finished.get(name, []))),
        extra=tuple(name for name in by_name if name not in set(names)),
        n_nameless=n_nameless,
    )


def _differ(rows: Sequence[Mapping[str, Any]]) -> bool:
    # Compared as text, in which a NaN equals itself and 1 is not true.
    return len({json.dumps(row.get("prediction"), sort_keys=True) for row in rows}) > 1


def complete_rows(
    task: str,
    planned: Sequence[str],
    rows: Sequence[Any],
    n_expected: int | None = None,
    profile: Profile = "strict",
) -> dict[str, Mapping[str, Any]]:
    """Return the row that counts for each instance of a whole run.

    Parameters
    ----------
    task : str
        For the message.
    planned, rows
        See `review_rows`.
    n_expected : int | None
        How many instances there must be; none to take those planned.
    profile : {"strict", "published"}
        Under ``strict`` the last finished row of an instance counts, and rows that were tried
        again, or written twice with the same answer, do no harm. ``published`` refuses them.

    Returns
    -------
    dict of str to mapping
        In the order of the instances.

    Raises
    ------
    ScoreError
        If an instance is missing, unfinished or answered in two ways, or there are others.
    """
    twice = [name for name, count in Counter(planned).items() if count > 1]
    if twice:
        raise ScoreError(f"{task} has instances twice: {', '.join(twice[:5])}.")
    if n_expected is not None and len(planned) != n_expected:
        raise ScoreError(f"{task} has {len(planned)} instances where {n_expected} are expected.")
    review = review_rows(planned, rows)
    problems = review.problems(profile)
    if problems:
        raise ScoreError(
            f"The run of {task} is not whole.",
            where="; ".join(problems),
            hint="Run what is missing, and keep one answer for each instance.",
        )
    return review.chosen


def overall(primary: Mapping[str, Any]) -> float:
    """Return the plain mean of the six tasks' headline metrics.

    Parameters
    ----------
    primary : mapping of str to float
        The headline of each task, from 0 to 1.

    Raises
    ------
    ScoreError
        Unless there is one finite number for each of the six tasks, and no other.
    """
    if sorted(primary) != list(TASKS):
        raise ScoreError(
            f"Overall is not defined for {', '.join(sorted(primary)) or 'nothing'}.",
            hint=f"It is the mean of {', '.join(TASKS)}.",
        )
    values = [primary[task] for task in TASKS]
    if not all(isinstance(v, int | float) and math.isfinite(v) for v in values):
        raise ScoreError("Overall needs a number from each task.", where=repr(dict(primary)))
    return math.fsum(values) / len(values)
