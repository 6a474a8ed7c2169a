"""Reports for tests, made by the code that makes real ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from braino_registry.runner import compose, records
from braino_registry.runner.spec import TrialSpec

WORK = "sha256:" + "1" * 64
SCORING = "sha256:" + "2" * 64


def check(name: str = "names-it", passed: bool = True, required: bool = True) -> dict[str, Any]:
    return {
        "id": name,
        "kind": "set",
        "version": "1.0.0",
        "required": required,
        "passed": passed,
        "score": float(passed),
        "evidence": "found T8, expected T8",
    }


def trial(
    task: str = "bad-channels-ask",
    instance: str = "sub-02",
    repeat: int = 1,
    outcome: str = "passed",
    checks: Sequence[dict[str, Any]] | None = None,
    **changes: Any,
) -> dict[str, Any]:
    spec = TrialSpec(
        task=task,
        version="1.0.0",
        instance=instance,
        repeat=repeat,
        factory="pkg.agent:make",
        run_dir="/nowhere",
    )
    given = list(checks) if checks is not None else [check(passed=outcome == "passed")]
    scored = outcome in ("passed", "failed", "limit", "agent_error", "scored")
    record = {
        **records.base(spec, category="decisions", dataset="two-subject-rest@1.0.0", chance=0.0),
        "outcome": outcome,
        "passed": (outcome == "passed") if scored else None,
        "score": sum(c["score"] for c in given) / max(len(given), 1) if scored else None,
        "checks": given if scored else [],
        "seconds": 0.5 if scored else None,
    }
    return {**record, **changes}


def report(
    trials: Sequence[dict[str, Any]],
    *,
    planned: int | None = None,
    not_planned: Sequence[dict[str, Any]] = (),
    digests: dict[str, dict[str, str]] | None = None,
    interrupted: bool = False,
    **asked: Any,
) -> dict[str, Any]:
    tasks = dict.fromkeys(row["task"] for row in [*trials, *not_planned])
    rows = [{"task": row["task"], "instance": row["instance"]} for row in trials]
    same = {"version": "1.0.0", "work": WORK, "scoring": SCORING}
    run = compose.run_document(
        run_id=asked.pop("run_id", "run-1"),
        asked={
            "subset": None,
            "tasks": [],
            "paradigm": "tools",
            "profile": "strict",
            "isolation": "process",
            "repeats": 1,
            "seed": 0,
            "shard": None,
            "jobs": 1,
            "data": "all",
            "include_large": False,
            "fetch": False,
            "tier": "minimum",
            **{key: value for key, value in asked.items() if key not in ("model", "agent")},
        },
        agent={
            "name": asked.get("agent", "probe"),
            "model": asked.get("model"),
            "factory": "pkg.agent:make",
        },
        plan={
            "suite": "braino",
            "suite_version": "1.0.0",
            "trials": len(rows) if planned is None else planned,
            "planned": rows,
            "not_planned": [
                {"task": row["task"], "instance": row["instance"]} for row in not_planned
            ],
            "digests": {task: (digests or {}).get(task, same) for task in tasks},
        },
        tier={"memory_bytes": 1, "gpu": False},
        enforcement={"memory": "none"},
        salt=None,
        rule="braino",
        computer={
            "cpu": "a processor",
            "cores": 2,
            "memory_bytes": 1,
            "os": "Linux",
            "python": "CPython 3.11",
            "packages": {"numpy": "2.4"},
        },
    )
    return compose.report(run, [*trials, *not_planned], interrupted=interrupted)
