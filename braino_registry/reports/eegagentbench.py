"""The analyses of the paper on EEGAgentBench, as data, from the reports of one or many agents.

What the paper draws: how the level of an artefact decides (its figure 8), how tools are used
(figure 4), how scores of agents are spread over tasks (figure 5), cost against the mean (figure
6), misses against false alarms, hypnograms, and macro-F1 by the length of the night (figure 7),
a table of models and one of tokens (tables 4, 5), and what was left out of each dataset (figure 3).
Nothing here is drawn; each function returns rows that any plotting program can take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from braino_registry.reports.headlines.eegagentbench import by_task
from braino_registry.reports.outcomes import SCORED

Report = Mapping[str, Any]
Row = dict[str, Any]

#: Expected score of an even guess, where the answer is a label.
CHANCE = {"T1": 1 / 4, "T2": 1 / 3, "T3": 1 / 2, "T4": 1 / 3}
#: Hours by which nights are sorted; the first holds what is shorter.
NIGHT_HOURS = (7.0, 7.5, 8.0, 8.5, 12.0, 18.0)
EPOCH_H = 30 / 3600


def analyses(reports: Sequence[Report]) -> dict[str, Any]:
    """Return all analyses.

    Parameters
    ----------
    reports : sequence of mapping
        Reports of the suite, each of another agent or another run of one.

    Returns
    -------
    dict
        ``models, tool_use, distributions, pareto, tokens, filtering`` over all reports,
        ``paired`` of the first with each other, and ``agents``: for each ``dose_response,
        seizures, hypnograms, by_duration``.
    """
    return {
        "models": models(reports),
        "distributions": distributions(reports),
        "tool_use": [row for report in reports for row in tool_use(report)],
        "pareto": pareto(reports),
        "tokens": tokens(reports),
        "filtering": filtering(reports[0]) if reports else [],
        "paired": [row for other in reports[1:] for row in paired(reports[0], other)],
        "agents": [
            {
                "agent": label(report),
                "dose_response": dose_response(report),
                "seizures": misses_and_alarms(report),
                "hypnograms": hypnograms(report),
                "by_duration": by_duration(report),
            }
            for report in reports
        ],
    }


def label(report: Report) -> str:
    """Return what an agent is called in tables: its model if it has one, else its name."""
    agent = report["agent"]
    return str(agent["model"] or agent["name"])


def dose_response(report: Report) -> list[Row]:
    """Return the share of right labels of T2 by level of the artefact, and of clean epochs.

    Returns
    -------
    list of dict
        ``label``, ``snr_db`` (None for clean epochs), ``n``, ``accuracy`` and ``chance`` (1/3);
        from the weakest artefact to the strongest.
    """
    groups: dict[tuple[str, float | None], list[bool]] = {}
    for one in _details(report, "T2"):
        level = one.get("about", {}).get("snr_db")
        known = float(level) if isinstance(level, int | float) else None
        groups.setdefault((one["truth"], known), []).append(one["label"] == one["truth"])
    rows = [
        {
            "label": name,
            "snr_db": level,
            "n": len(right),
            "accuracy": sum(right) / len(right),
            "chance": CHANCE["T2"],
        }
        for (name, level), right in groups.items()
    ]
    return sorted(rows, key=lambda row: (row["label"], -(row["snr_db"] or 0.0)))


def tool_use(report: Report) -> list[Row]:
    """Return for each task in how many trials a tool was used, and how often at the median."""
    rows = []
    for task, trials in _trials(report).items():
        if task == "T1":
            continue
        calls = [trial["usage"]["tool_calls"] for trial in trials]
        rows.append(
            {
                "agent": label(report),
                "task": task,
                "n": len(calls),
                "rate": sum(1 for count in calls if count) / len(calls),
                "median_calls": median(calls),
            }
        )
    return rows


def distributions(reports: Sequence[Report]) -> list[Row]:
    """Return for each task the headline of every agent, quartiles, and what a guess would have.

    Quartiles are those of :func:`numpy.quantile` (linear); ``leader`` is the agent with the most.
    """
    import numpy as np

    rows = []
    values: dict[str, list[tuple[float, str]]] = {}
    for report in reports:
        for task in report["summary"].get("corpus", {}).get("tasks", ()):
            if task["value"] is not None:
                values.setdefault(task["task"], []).append((task["value"], label(report)))
    for task, found in sorted(values.items()):
        scores = [value for value, _ in found]
        low, middle, high = (float(q) for q in np.quantile(scores, [0.25, 0.5, 0.75]))
        rows.append(
            {
                "task": task,
                "scores": {name: value for value, name in found},
                "q1": low,
                "median": middle,
                "q3": high,
                "leader": max(found)[1],
                "chance": CHANCE.get(task),
            }
        )
    return rows


def paired(first: Report, second: Report) -> list[Row]:
    """Return for each task how much the first agent's headline is above the second's.

    Returns
    -------
    list of dict
        ``task, first, second, n`` (instances that both were asked), ``difference`` with its
        interval (``low``, ``high``; clusters drawn for both alike) and ``p_value`` (all answers of
        a cluster exchanged between the two at random). Only instances that both have count.
    """
    from braino_registry.scoring import corpus

    rows = []
    for task in corpus.TASKS:
        both = [{one["instance"]: one for one in _details(each, task)} for each in (first, second)]
        shared = [name for name in both[0] if name in both[1]]
        if not shared:
            continue
        measures = [
            corpus.measures_of(
                task, [corpus.Outcome.from_document(found[name]) for name in shared]
            )[corpus.PRIMARY[task]]
            for found in both
        ]
        found = corpus.compare(*measures)
        rows.append(
            {
                "task": task,
                "first": label(first),
                "second": label(second),
                "n": len(shared),
                "difference": found.interval.value,
                "low": found.interval.low,
                "high": found.interval.high,
                "p_value": found.p_value,
            }
        )
    return rows


def misses_and_alarms(report: Report) -> Row:
    """Return miss and over-alarm rate of T5, and every recording with its events."""
    found = _details(report, "T5")
    missed = [one["missed"] for one in found if one.get("missed") is not None]
    alarms = [one["over_alarm"] for one in found if one.get("over_alarm") is not None]
    return {
        "miss_rate": sum(missed) / len(missed) if missed else None,
        "over_alarm_rate": sum(alarms) / len(alarms) if alarms else None,
        "recordings": [
            {name: one.get(name) for name in ("instance", "duration", "reference", "events")}
            for one in found
        ],
    }


def hypnograms(report: Report) -> list[Row]:
    """Return each night of T6 as runs of stages, true and answered, with its scores."""
    names = ("instance", "macro_f1", "kappa", "reference", "stages")
    return [{name: one.get(name) for name in names} for one in _details(report, "T6")]


def by_duration(report: Report, hours: Sequence[float] = NIGHT_HOURS) -> list[Row]:
    """Return the mean macro-F1 of T6 by the length of the night.

    Parameters
    ----------
    report : mapping
        Of one agent.
    hours : sequence of float
        Where one bin ends and the next begins.
    """
    edges = [0.0, *hours, float("inf")]
    bins: list[list[float]] = [[] for _ in edges[1:]]
    for one in _details(report, "T6"):
        length = sum(count for _, count in one.get("reference", ())) * EPOCH_H
        place = sum(1 for edge in hours if length >= edge)
        bins[place].append(one["macro_f1"])
    return [
        {
            "from_hours": edges[place],
            "to_hours": None if place == len(hours) else edges[place + 1],
            "n": len(scores),
            "macro_f1": sum(scores) / len(scores) if scores else None,
        }
        for place, scores in enumerate(bins)
    ]


def pareto(reports: Sequence[Report]) -> list[Row]:
    """Return cost and Overall of each agent, and which of them no other beats in both.

    Cost is what the agents reported, in US dollars; an agent that reported none for a trial has
    none, and is no part of the front.
    """
    rows: list[Row] = []
    for report in reports:
        cost = _sum(report, "cost")
        rows.append({"agent": label(report), "cost": cost, "score": report["summary"]["score"]})
    priced = [row for row in rows if row["cost"] is not None and row["score"] is not None]
    for row in rows:
        row["front"] = row in priced and not any(_beats(other, row) for other in priced)
    return rows


def _beats(other: Row, row: Row) -> bool:
    no_worse = other["cost"] <= row["cost"] and other["score"] >= row["score"]
    return no_worse and (other["cost"], other["score"]) != (row["cost"], row["score"])


def tokens(reports: Sequence[Report]) -> list[Row]:
    """Return the tokens of each agent; None where a trial did not tell."""
    rows = []
    for report in reports:
        sums = {name: _sum(report, name) for name in ("input_tokens", "output_tokens")}
        known = [count for count in sums.values() if count is not None]
        both = sum(known) if len(known) == len(sums) else None
        rows.append({"agent": label(report), **sums, "all_tokens": both})
    return rows


def _sum(report: Report, name: str) -> float | None:
    counts = [trial["usage"][name] for trial in _ran(report)]
    return None if None in counts or not counts else sum(counts)


def models(reports: Sequence[Report]) -> list[Row]:
    """Return name, family, number of parameters and context of each model, as reported."""
    names = ("name", "model", "family", "parameters", "context")
    return [{name: report["agent"].get(name) for name in names} for report in reports]


def filtering(report: Report) -> list[Row]:
    """Return for each dataset how many instances were planned, left out and scored, and why.

    Returns
    -------
    list of dict
        ``task``, ``dataset``, ``instances``, ``planned``, ``scored`` and ``left_out``, the
        number of instances by reason.
    """
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for trial in report["trials"]:
        groups.setdefault((trial["task"], trial["dataset"] or "none"), []).append(trial)
    return [
        {
            "task": task,
            "dataset": dataset,
            "instances": len({trial["instance"] for trial in trials}),
            "planned": sum(1 for trial in trials if trial["outcome"] != "not_planned"),
            "scored": sum(1 for trial in trials if trial["outcome"] in SCORED),
            "left_out": dict(Counter(t["reason"] for t in trials if t["outcome"] == "not_planned")),
        }
        for (task, dataset), trials in groups.items()
    ]


def _details(report: Report, task: str) -> list[dict[str, Any]]:
    found = by_task(report["trials"]).get(task, [])
    return [one for one in found if "breaks" not in one]


def _trials(report: Report) -> dict[str, list[Mapping[str, Any]]]:
    return {
        task: [one["trial"] for one in found] for task, found in by_task(report["trials"]).items()
    }


def _ran(report: Report) -> list[Mapping[str, Any]]:
    return [trial for trial in report["trials"] if trial["outcome"] in SCORED]
