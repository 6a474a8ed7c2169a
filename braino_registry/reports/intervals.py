"""How sure a headline is: its interval over tasks, by the rule that made it.

Trials of one task are alike, so tasks are drawn with replacement, each with all its trials, and
the headline of each draw is taken: an expanded percentile bootstrap as in `paired`, where the
methods are cited. It asks what another set of tasks like these would have said of this agent; that
another session might end otherwise is in it as far as tasks have several trials.

- *braino*: the mean over tasks of the mean over their trials.
- *brainbench*: tasks are drawn within each subset, which is weighted by difficulty, and the
  subsets are averaged.
- *eegagentbench*: the report has its own interval, which draws clusters; it is told as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from braino_registry.reports.headlines.brainbench import DIFFICULTY
from braino_registry.reports.outcomes import SCORED

LEVEL = 0.95
DRAWS = 4_000
SEED = 20240612


@dataclass(frozen=True)
class Interval:
    """An interval of a headline.

    Parameters
    ----------
    low, high : float
        Its limits, 0–1.
    units : int
        Tasks, or clusters, that were drawn.
    what : str
        What was drawn, in words.
    """

    low: float
    high: float
    units: int
    what: str


def headline_interval(report: Mapping[str, Any]) -> Interval | None:
    """Return the 95 % interval of a report's headline.

    Parameters
    ----------
    report : mapping
        A ``report/1`` document.

    Returns
    -------
    Interval or None
        None where there is no headline, or fewer than two tasks to draw.
    """
    summary = report["summary"]
    if summary["score"] is None:
        return None
    corpus = summary.get("corpus")
    if corpus is not None:
        overall = corpus["overall"]
        if overall["low"] is None or overall["high"] is None:
            return None
        units = sum(row["n_clusters"] for row in corpus["tasks"])
        return Interval(overall["low"], overall["high"], units, "clusters")
    return interval_of(report["trials"], summary["rule"])


def interval_of(trials: Sequence[Mapping[str, Any]], rule: str) -> Interval | None:
    """Return the interval of the headline that a rule makes of trials; see the module.

    Parameters
    ----------
    trials : sequence of mapping
        Rows of a report; those without a score are passed over.
    rule : str
        The suite's rule.
    """
    strata: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for trial in trials:
        if trial["outcome"] not in SCORED or trial["score"] is None:
            continue
        stratum = str(trial.get("subset") or "") if rule == "brainbench" else ""
        weight = DIFFICULTY.get(trial.get("difficulty", ""), 1.0) if rule == "brainbench" else 1.0
        strata.setdefault(stratum, {}).setdefault(trial["task"], []).append(
            (weight, float(trial["score"]))
        )
    units = sum(len(tasks) for tasks in strata.values())
    if not strata or any(len(tasks) < 2 for tasks in strata.values()):
        return None
    rng = np.random.default_rng(SEED)
    drawn = np.mean([_draws(tasks, rule, rng) for tasks in strata.values()], axis=0)
    n = units
    tail = float(special.ndtr(np.sqrt(n / (n - 1)) * special.stdtrit(n - 1, (1 - LEVEL) / 2)))
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return Interval(float(max(low, 0.0)), float(min(high, 1.0)), units, "tasks")


def _draws(
    tasks: Mapping[str, Sequence[tuple[float, float]]], rule: str, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the score of each sample of tasks, drawn with replacement; shape (DRAWS,)."""
    if rule == "brainbench":
        # instances count one by one, by difficulty
        sums = np.array([sum(w * s for w, s in rows) for rows in tasks.values()])
        sizes = np.array([sum(w for w, _ in rows) for rows in tasks.values()])
    else:
        sums = np.array([float(np.mean([s for _, s in rows])) for rows in tasks.values()])
        sizes = np.ones(len(tasks))
    chosen = rng.integers(len(tasks), size=(DRAWS, len(tasks)))
    drawn: NDArray[np.float64] = sums[chosen].sum(axis=1) / sizes[chosen].sum(axis=1)
    return drawn
