"""Putting a report together from trial records and what the run was asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from braino_registry.reports import cover, summarise
from braino_registry.runner.records import LIFTED

Record = dict[str, Any]


def run_document(
    *,
    run_id: str,
    asked: Mapping[str, Any],
    agent: Mapping[str, Any],
    plan: Mapping[str, Any],
    tier: Mapping[str, Any],
    enforcement: Mapping[str, str],
    salt: str | None,
    rule: str,
    computer: Mapping[str, Any],
    release: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return ``run.json``: what was asked, and everything it was resolved to."""
    return {
        "schema": "run/1",
        "run_id": run_id,
        "started": now(),
        "asked": dict(asked),
        "agent": dict(agent),
        "plan": dict(plan),
        "tier": dict(tier),
        "enforcement": dict(enforcement),
        "salt": salt,
        "rule": rule,
        "computer": dict(computer),
        "release": None if release is None else dict(release),
    }


def report(
    run: Mapping[str, Any], records: Iterable[Record], *, interrupted: bool
) -> dict[str, Any]:
    """Return the ``report/1`` document of a run, not yet sealed.

    Parameters
    ----------
    run : mapping
        The run's ``run.json``.
    records : iterable of dict
        Trial records in any order, with rows of what was not planned.
    interrupted : bool
        Whether a person stopped the run.
    """
    asked, plan, agent = run["asked"], run["plan"], run["agent"]
    trials = ordered(records, plan)
    datasets = _datasets(trials)
    # A run folder that is older than this member was held to no release.
    release = run.get("release")
    rows = [{key: trial[key] for key in trial if key not in LIFTED} for trial in trials]
    return {
        "schema": "report/1",
        "run_id": run["run_id"],
        "release": release,
        "suite": plan["suite"],
        "agent": {
            "name": agent["name"],
            "model": agent["model"],
            "factory": agent["factory"],
            "family": None,
            "parameters": None,
            "context": _window(agent),
            **{name: agent[name] for name in ("options", "settings") if agent.get(name)},
        },
        "tier": asked["tier"],
        "computer": run["computer"],
        "settings": {
            "suite_version": plan["suite_version"],
            "subset": asked["subset"],
            "tasks": asked["tasks"],
            "paradigm": asked["paradigm"],
            "profile": asked["profile"],
            **({"parser": run["parser"]} if run.get("parser") else {}),
            "isolation": asked["isolation"],
            "enforcement": run["enforcement"],
            "limits": run["tier"],
            "repeats": asked["repeats"],
            "seed": asked["seed"],
            **({"shard": asked["shard"]} if asked["shard"] else {}),
            "jobs": asked["jobs"],
            "data": asked["data"],
            "include_large": asked["include_large"],
            "fetch": asked["fetch"],
            "salt": run["salt"],
        },
        "digests": {"tasks": plan["digests"], "datasets": datasets},
        "verified": all(row["verified"] for row in datasets.values())
        and (release is None or release["verified"]),
        "started": run["started"],
        "finished": now(),
        **({"merged": run["merged"]} if "merged" in run else {}),
        "trials": rows,
        "summary": summarise(
            rows,
            rule=run["rule"],
            planned=plan["trials"],
            repeats=asked["repeats"],
            profile=asked["profile"],
        ),
        "coverage": cover(
            rows, planned=plan["trials"], interrupted=interrupted, shard=asked["shard"]
        ),
    }


def _window(agent: Mapping[str, Any]) -> int | None:
    """Return the window of an agent's model in tokens, as the agent says."""
    told = agent.get("settings", {}).get("window")
    return told if type(told) is int and told > 0 else None


def ordered(records: Iterable[Record], plan: Mapping[str, Any]) -> list[Record]:
    """Return records in the order of the plan, whatever the order in which they ended."""
    place = {
        (row["task"], row["instance"]): number
        for number, row in enumerate([*plan["planned"], *plan["not_planned"]])
    }
    return sorted(records, key=lambda row: (place[(row["task"], row["instance"])], row["repeat"]))


def _datasets(trials: Sequence[Record]) -> dict[str, dict[str, Any]]:
    found = {}
    for trial in trials:
        if trial["dataset"] is not None and trial.get("realised") is not None:
            found[trial["dataset"]] = {
                "realised": trial["realised"],
                "verified": bool(trial["verified"]),
            }
    return dict(sorted(found.items()))


def now() -> str:
    """Return the time as the report writes it: UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
