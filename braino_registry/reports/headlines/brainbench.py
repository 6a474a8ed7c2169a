"""The headline of suite ``brainbench``: the mean of its subsets, each weighted by difficulty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from braino_registry.reports.headlines import headlines
from braino_registry.reports.outcomes import SCORED, mean
from braino_registry.scoring.units import Profile, overall_score, subset_score

Trial = dict[str, Any]

#: The difficulty coefficients of the paper (section 3.2.3).
DIFFICULTY = {"easy": 1.0, "medium": 1.5, "hard": 2.0}
#: Sum of the weights of a trial that no check has scored, where no other tells it.
_USUAL = 100.0


@headlines.register("brainbench")
def brainbench(trials: Sequence[Trial], profile: str) -> dict[str, Any]:
    """Return the score, the score without the gate, and a row per subset.

    The score is None as long as a subset of which something was asked has no scored trial.
    """
    names = list(dict.fromkeys(trial.get("subset") or "" for trial in trials))
    weights = _weights(trials)
    rows: list[dict[str, Any]] = []
    for name in names:
        own = [trial for trial in trials if (trial.get("subset") or "") == name]
        scored = [trial for trial in own if trial["outcome"] in SCORED]
        rows.append(
            {
                "name": name,
                "planned": sum(1 for trial in own if trial["outcome"] != "not_planned"),
                "scored": len(scored),
                "passed": sum(1 for trial in scored if trial["passed"] is True),
                "score": _subset(scored, "score", weights, profile),
                "ungated": _subset(scored, "ungated", weights, profile),
                "unweighted": mean(trial["score"] for trial in scored),
            }
        )
    # a subset of which nothing could be planned is for the coverage to tell of
    asked = [row for row in rows if row["planned"]]
    return {
        "score": overall_score([row["score"] for row in asked]),
        "ungated": overall_score([row["ungated"] for row in asked]),
        "by_subset": rows,
    }


def _subset(
    trials: Iterable[Trial], which: str, weights: dict[str, float], profile: str
) -> float | None:
    """Return the score of one subset, 0–1."""
    instances = []
    for trial in trials:
        whole = weights.get(trial["task"], _USUAL)
        share = trial[which] if which in trial else trial["score"]
        instances.append((DIFFICULTY.get(trial.get("difficulty", ""), 1.0), share * whole, whole))
    found = subset_score(instances, cast(Profile, profile))
    return None if found is None else found / 100


def _weights(trials: Iterable[Trial]) -> dict[str, float]:
    """Return the sum of the weights of each task, from its trials that were scored by checks."""
    found: dict[str, float] = {}
    for trial in trials:
        total = sum(check.get("weight", 0.0) for check in trial["checks"])
        if total > 0:
            found[trial["task"]] = total
    return found
