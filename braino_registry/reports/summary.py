"""From trial records to the few numbers that are printed; the same records, the same numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from braino_registry.reports.headlines import headlines
from braino_registry.reports.outcomes import SCORED, mean
from braino_registry.reports.repeats import over_repeats

Trial = dict[str, Any]

#: How a note on a trial begins that tells of a fault of the harness which the agent met.
HARNESS = "HARNESS:"
#: By what a suite's rule multiplies the score when it is printed.
SCALES = {"braino": 1, "brainbench": 100, "eegagentbench": 1}


def summarise(
    trials: Sequence[Trial],
    *,
    rule: str,
    planned: int,
    repeats: int = 1,
    profile: str = "strict",
) -> dict[str, Any]:
    """Return the ``summary`` of a report.

    Parameters
    ----------
    trials : sequence of dict
        Trial records, with the rows of what was not planned.
    rule : str
        The suite's rule, which decides the headline and the scale in print.
    planned : int
        How many trials were planned, run or not.
    repeats : int
        Sessions per instance; more than one bring statistics of their own.
    profile : str
        ``strict`` or ``published``; see `scoring.units`.
    """
    ran = [trial for trial in trials if trial["outcome"] != "not_planned"]
    by_task = groups(ran, "task")
    return {
        "rule": rule,
        "score": mean(row["score"] for row in by_task if row["score"] is not None),
        "scale": SCALES.get(rule, 1),
        "passed": sum(1 for trial in ran if trial["passed"] is True),
        "scored": sum(1 for trial in ran if trial["outcome"] in SCORED),
        "planned": planned,
        "outcomes": dict(sorted(Counter(trial["outcome"] for trial in trials).items())),
        "by_category": groups(ran, "category"),
        "by_task": by_task,
        "checks": check_table(ran),
        **_headline(trials, rule, profile),
        **_repeated(ran, repeats, planned),
    }


def _headline(trials: Sequence[Trial], rule: str, profile: str) -> dict[str, Any]:
    """Return what the suite's own rule says, which replaces the mean over tasks."""
    return headlines.get(rule)(trials, profile) if rule in headlines else {}


def _repeated(trials: Sequence[Trial], repeats: int, planned: int) -> dict[str, Any]:
    if repeats == 1:
        return {}
    return {"repeats": over_repeats(trials, scored=SCORED, repeats=repeats, planned=planned)}


def cover(
    trials: Sequence[Trial], *, planned: int, interrupted: bool, shard: str | None = None
) -> dict[str, Any]:
    """Return the ``coverage`` of a report: how much of the plan the scores rest on.

    Parameters
    ----------
    trials : sequence of dict
        Trial records, with the rows of what was not planned.
    planned : int
        How many trials were planned, run or not; in a shard, its own.
    interrupted : bool
        Whether a person stopped the run.
    shard : str | None
        Which part of a run this is.
    """
    not_planned = sum(1 for trial in trials if trial["outcome"] == "not_planned")
    scored = sum(1 for trial in trials if trial["outcome"] in SCORED)
    share = scored / planned if planned else None
    complete = scored == planned and not interrupted
    return {
        "planned": planned,
        "finished": len(trials) - not_planned,
        "scored": scored,
        "not_planned": not_planned,
        "share": share,
        "complete": complete,
        "interrupted": interrupted,
        "statement": _part(shard) + _statement(scored, planned, not_planned, interrupted),
    }


def _part(shard: str | None) -> str:
    return "" if shard is None else f"PART {shard} of a run. "


def _statement(scored: int, planned: int, not_planned: int, interrupted: bool) -> str:
    if planned == 0:
        text = "INCOMPLETE: no trial was planned."
    elif scored == planned:
        many = f"All {planned} planned trials are scored."
        text = many if planned > 1 else "The planned trial is scored."
    else:
        text = f"INCOMPLETE: {scored} of {planned} planned trials are scored."
    if interrupted:
        text += " The run was interrupted."
    if not_planned == 1:
        text += " One more was not planned; the reason is listed."
    elif not_planned:
        text += f" {not_planned} more were not planned; the reasons are listed."
    return text


def groups(trials: Iterable[Trial], key: str) -> list[dict[str, Any]]:
    """Return one row per value of ``key``, in the order of first appearance."""
    members: dict[str, list[Trial]] = {}
    for trial in trials:
        members.setdefault(trial[key], []).append(trial)
    return [
        {
            "name": name,
            "planned": len(rows),
            "scored": sum(1 for row in rows if row["outcome"] in SCORED),
            "passed": sum(1 for row in rows if row["passed"] is True),
            "score": mean(row["score"] for row in rows if row["outcome"] in SCORED),
        }
        for name, rows in members.items()
    ]


def check_table(trials: Iterable[Trial]) -> list[dict[str, Any]]:
    """Return how often each check of each task passed, over the scored trials."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for trial in trials:
        if trial["outcome"] not in SCORED:
            continue
        for check in trial["checks"]:
            row = rows.setdefault(
                (trial["task"], check["id"]),
                {
                    "task": trial["task"],
                    "check": check["id"],
                    "kind": check["kind"],
                    "required": check["required"],
                    "passed": 0,
                    "scored": 0,
                },
            )
            row["scored"] += 1
            row["passed"] += int(check["passed"])
    return list(rows.values())


def harness_notes(trials: Iterable[Trial]) -> list[str]:
    """Return, for each trial that was scored in spite of a fault of the harness, its first note."""
    found = []
    for trial in trials:
        faults = [note for note in trial.get("notes", ()) if note.startswith(HARNESS)]
        if faults:
            found.append(f"{trial['task']}/{trial['instance']}/{trial['repeat']}: {faults[0]}")
    return found


def failed_everywhere(trials: Sequence[Trial]) -> str | None:
    """Return the reason of the first trial if the agent's own errors ended all that were run."""
    ran = [trial for trial in trials if trial["outcome"] != "not_planned"]
    if not ran or any(trial["outcome"] != "agent_error" for trial in ran):
        return None
    return str(ran[0]["reason"]).splitlines()[0]
