"""A run of the released harness, scored under both profiles, and where and why they differ."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from braino_registry.imports.eegagentbench.reading import Release, Scenario
from braino_registry.imports.eegagentbench.rows import Contradictory
from braino_registry.scoring import corpus
from braino_registry.scoring.units.canonical import Profile

N_DRAWS = 2000
MOST_SHOWN = 120


@dataclass(frozen=True)
class _Scored:
    """What became of one row under one profile."""

    outcome: corpus.Outcome | None
    broken: str = ""


def score_run(release: Release, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Score the rows of a run.

    Parameters
    ----------
    release : Release
        Scenarios and answer keys.
    rows : sequence of mapping
        Rows of ``runs.jsonl``: ``scenario_id``, ``status``, ``prediction``.

    Returns
    -------
    dict
        ``tasks``: for each task that has rows, what is missing, unfinished or there twice, the
        metrics under ``strict`` and under ``published``, each with an interval (none where a
        scenario has no finished row), and ``differs``: the rows that the two read differently,
        and why. ``overall`` by profile, None unless all six tasks have a score. ``unknown``: rows
        of no scenario.
    """
    known = release.by_id
    unusable = {name for names in release.unusable.values() for name in names}
    given = {str(row.get("scenario_id", "")) for row in rows}
    tasks = []
    for task, scenarios in release.scenarios.items():
        mine = {one.id for one in scenarios}
        own = [row for row in rows if str(row.get("scenario_id", "")) in mine]
        if own:
            tasks.append(_task(task, scenarios, own, release.unusable.get(task, ())))
    overall = {}
    for profile in ("strict", "published"):
        values = {row["task"]: row[profile]["value"] for row in tasks}
        whole = sorted(values) == list(corpus.TASKS) and None not in values.values()
        overall[profile] = corpus.overall(values) if whole else None
    return {
        "n_rows": len(rows),
        "unknown": sorted(given - known.keys() - unusable),
        "tasks": tasks,
        "overall": overall,
    }


def _task(
    task: str,
    scenarios: Sequence[Scenario],
    rows: Sequence[Mapping[str, Any]],
    unusable: Sequence[str],
) -> dict[str, Any]:
    review = corpus.review_rows([one.id for one in scenarios], rows)
    chosen = {
        one.id: (one, review.chosen[one.id].get("prediction"))
        for one in scenarios
        if one.id in review.chosen
    }
    # What gives a name twice says two things, and so nothing; the released scorer takes the last.
    strict = {
        name: _score(one, None if isinstance(review.chosen[name], Contradictory) else raw, "strict")
        for name, (one, raw) in chosen.items()
    }
    published = {name: _score(one, raw, "published") for name, (one, raw) in chosen.items()}
    refused = review.problems("published")
    broken = [f"{name}: {one.broken}" for name, one in published.items() if one.broken]
    partial = _partial(unusable)
    why = [
        *partial,
        *refused,
        *([f"{len(broken)} answers end the scorer, {broken[0]}"] if broken else []),
    ]
    return {
        "task": task,
        "planned": len(scenarios),
        "answered": len(chosen),
        "missing": list(review.missing),
        "unfinished": list(review.unfinished),
        "repeated": list(review.repeated),
        "conflicting": list(review.conflicting),
        "strict": {"value": None, "metrics": [], "refused": partial}
        if partial
        else _whole(task, list(strict.values()), len(scenarios)),
        "published": {"value": None, "metrics": [], "refused": why}
        if why
        else _metrics(task, list(published.values())),
        "differs": [
            _difference(name, one, raw, strict[name], published[name])
            for name, (one, raw) in chosen.items()
            if strict[name] != published[name]
        ],
    }


def _partial(unusable: Sequence[str]) -> list[str]:
    """Return why a task has no metrics, where scenarios or answer keys of it cannot be used."""
    if not unusable:
        return []
    many = len(unusable)
    of_it = "one scenario or answer key" if many == 1 else f"{many} scenarios or answer keys"
    return [f"{of_it} cannot be used ({unusable[0]} first); metrics are of all of them"]


def _score(scenario: Scenario, prediction: Any, profile: Profile) -> _Scored:
    try:
        return _Scored(corpus.outcome_of(scenario.task, scenario.item(prediction), profile))
    except (TypeError, OverflowError) as error:
        if profile == "strict":
            raise
        return _Scored(None, f"{type(error).__name__}: {error}"[:200])


def _whole(task: str, scored: Sequence[_Scored], planned: int) -> dict[str, Any]:
    """Return the metrics of a whole task, and none of a part of it.

    What is missing cannot stand in as a wrong answer either: where nothing is reported of a
    recording without seizures, that is right.
    """
    if len(scored) == planned:
        return _metrics(task, scored)
    why = f"{len(scored)} of {planned} scenarios have a finished row; metrics are of all of them"
    return {"value": None, "metrics": [], "refused": [why]}


def _metrics(task: str, scored: Sequence[_Scored]) -> dict[str, Any]:
    outcomes = [one.outcome for one in scored if one.outcome is not None]
    if not outcomes:
        return {"value": None, "metrics": [], "refused": ["no finished row"]}
    metrics = []
    for name, measure in corpus.measures_of(task, outcomes).items():
        found = corpus.interval(measure, n_draws=N_DRAWS)
        metrics.append({"name": name, "value": found.value, "low": found.low, "high": found.high})
    primary = next(row["value"] for row in metrics if row["name"] == corpus.PRIMARY[task])
    return {"value": primary, "metrics": metrics, "refused": []}


def _difference(
    name: str, scenario: Scenario, prediction: Any, strict: _Scored, published: _Scored
) -> dict[str, Any]:
    answer = corpus.answered(prediction, scenario.task, prediction)
    return {
        "scenario_id": name,
        "answer": _short(answer),
        "strict": _told(strict),
        "published": _told(published),
        "why": _why(scenario, prediction, strict, published),
    }


def _told(scored: _Scored) -> str:
    one = scored.outcome
    if one is None:
        return f"no score: {scored.broken}"
    if one.counts is not None:
        counts = one.counts
        return f"{counts.tp} TP, {counts.fp} FP, {counts.fn} FN, Dice {_number(one.dice)}"
    if one.macro_f1 is not None:
        return f"macro-F1 {one.macro_f1:.4f}"
    return one.label or "no class"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _why(scenario: Scenario, prediction: Any, strict: _Scored, published: _Scored) -> str:
    """Return in words what the two profiles do differently with an answer."""
    if published.outcome is None:
        return "the released scorer has no score for an answer of this form"
    raw = corpus.answered(prediction, scenario.task)
    if scenario.task == "T5":
        notes = [str(n) for n in corpus.read_events(raw, float(scenario.duration or 1)).notes]
        rule = "strict clips before it measures overlap and alarms, and counts on whole ticks"
        return "; ".join([rule, *notes[:3]])
    if scenario.task == "T6":
        notes = [str(n) for n in corpus.expand(raw, len(scenario.truth)).notes]
        rule = "published cuts fractions off and lets a run past the end overwrite the last epoch"
        return "; ".join([rule, *notes[:3]])
    outcome = strict.outcome
    if outcome is not None and not outcome.label:
        return "strict takes an answer only where it names one class and denies none"
    return "published takes the first class that fits, strict the only one"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"
