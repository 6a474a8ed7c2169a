"""The headline of suite ``eegagentbench``: corpus metrics of each task, and their mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.reports.headlines import headlines
from braino_registry.reports.outcomes import SCORED

Trial = dict[str, Any]

N_DRAWS = 2000
LEVEL = 0.95
KIND = "corpus"


@headlines.register("eegagentbench")
def eegagentbench(trials: Sequence[Trial], profile: str) -> dict[str, Any]:
    """Return the score, and for each task its metrics with intervals that resample clusters.

    The score is the plain mean of the headline metrics of the tasks that were run; it is Overall
    where these are all six. It is None where a task has no metric, as under ``published`` where
    the released scorer breaks off.
    """
    from braino_registry.scoring import corpus

    tasks, heads = [], []
    for task, details in by_task(trials).items():
        broken = [one["breaks"] for one in details if "breaks" in one]
        outcomes = [corpus.Outcome.from_document(one) for one in details if "breaks" not in one]
        row: dict[str, Any] = {
            "task": task,
            "n": len(details),
            "n_clusters": len({one["cluster"] for one in details}),
            "primary": corpus.PRIMARY[task],
            "value": None,
            "metrics": [],
        }
        if broken:
            row["broken"] = f"{len(broken)} answers end the released scorer, first by {broken[0]}"
        elif outcomes:
            found = corpus.measures_of(task, outcomes)
            row["metrics"] = [_metric(name, measure) for name, measure in found.items()]
            row["value"] = found[corpus.PRIMARY[task]].value
            heads.append(found[corpus.PRIMARY[task]])
        tasks.append(row)
    values = [row["value"] for row in tasks]
    known = [value for value in values if value is not None]
    score = sum(known) / len(known) if known and len(known) == len(values) else None
    mean = corpus.interval(heads, n_draws=N_DRAWS, level=LEVEL) if score is not None else None
    overall = {
        "value": score,
        "low": None if mean is None else mean.low,
        "high": None if mean is None else mean.high,
        "level": LEVEL,
        "whole": [row["task"] for row in tasks] == list(corpus.TASKS),
    }
    kept = {"profile": profile, "overall": overall, "tasks": tasks}
    return {"score": score, "corpus": kept}


def _metric(name: str, measure: Any) -> dict[str, Any]:
    from braino_registry.scoring import corpus

    found = corpus.interval(measure, n_draws=N_DRAWS, level=LEVEL)
    return {"name": name, "value": found.value, "low": found.low, "high": found.high}


def by_task(trials: Sequence[Trial]) -> dict[str, list[dict[str, Any]]]:
    """Return what the trials contribute to the metrics, by task in the order T1 to T6.

    Parameters
    ----------
    trials : sequence of dict
        Trials of a report.

    Returns
    -------
    dict
        The ``detail`` of each scored trial's check, with ``instance`` and ``trial``; one without
        a cluster of its own is its own.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for trial in trials:
        if trial["outcome"] not in SCORED:
            continue
        for check in trial["checks"]:
            detail: Mapping[str, Any] | None = check.get("detail")
            if check["kind"] == KIND and detail:
                one = {**detail, "instance": trial["instance"], "trial": trial}
                one["cluster"] = one.get("cluster") or trial["instance"]
                found.setdefault(str(detail["task"]), []).append(one)
    return dict(sorted(found.items()))
