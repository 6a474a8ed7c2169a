"""Trial records: the rows of a report, whichever way a trial ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from braino_registry.runner.isolation import Measured
from braino_registry.runner.plan import Row
from braino_registry.runner.spec import AGENT_STEPS, TrialSpec

Record = dict[str, Any]
#: What of a record is for the digests of the report and does not stay in its row.
LIFTED = ("realised", "verified")
TRIAL_SCHEMA = "urn:braino:schema:report:1#/$defs/trial"
_LONGEST_REASON = 2000
_LONGEST_EVIDENCE = 4000
_LONGEST_NOTE = 500
_MOST_NOTES = 20


def base(spec: TrialSpec, *, category: str, dataset: str | None, chance: float) -> Record:
    """Return the record of a trial of which nothing is known yet."""
    return {
        "task": spec.task,
        "version": spec.version,
        "instance": spec.instance,
        "repeat": spec.repeat,
        "attempt": spec.attempt,
        "seed": spec.seed,
        "category": category,
        "dataset": dataset,
        "chance": chance,
        "outcome": "harness_error",
        "reason": None,
        "passed": None,
        "score": None,
        "checks": [],
        "usage": usage([]),
        "seconds": None,
        "transcript": None,
    }


def place(subset: str | None, difficulty: str) -> Record:
    """Return where a task stands in a suite with subsets; nothing where there are none."""
    return {} if subset is None else {"subset": subset, "difficulty": difficulty}


def unscored(record: Record, reason: str, outcome: str = "harness_error") -> Record:
    """Return a record of a trial that failed on the trusted side; it says nothing of the agent."""
    return {
        **record,
        "outcome": outcome,
        "reason": short(reason, _LONGEST_REASON),
        "passed": None,
        "score": None,
        "checks": [],
    }


def not_planned(row: Row) -> Record:
    """Return the row of a report for an instance that was left out."""
    record = {
        "task": row.task,
        "version": row.version,
        "instance": row.instance,
        "repeat": 1,
        "attempt": 1,
        "category": row.category,
        "dataset": row.dataset,
        "chance": row.chance,
        "outcome": "not_planned",
        "reason": row.reason,
        "passed": None,
        "score": None,
        "checks": [],
        "usage": usage([]),
        "seconds": None,
        "transcript": None,
        **place(row.subset, row.difficulty),
    }
    return {**record, "command": row.command} if row.command else record


def lost(spec: TrialSpec, row: Row, reason: str) -> Record:
    """Return the record of a trial whose worker is gone; its transcript shows how far it came."""
    record = base(spec, category=row.category, dataset=row.dataset, chance=row.chance)
    record |= place(row.subset, row.difficulty)
    transcript = spec.run.transcript(*spec.key)
    there = (spec.run.path / transcript).exists()
    return {**unscored(record, reason), "transcript": transcript if there else None}


def outlasted(spec: TrialSpec, row: Row, step: str, seconds: float) -> Record:
    """Return the record of a trial in which one thing that the agent asked for had no end.

    What takes for ever in the agent's service must not leave its trial unscored: an agent that
    fails could otherwise choose not to count.
    """
    reason = f"seconds: {AGENT_STEPS[step]} took longer than {seconds:.0f} s and was stopped"
    return {**lost(spec, row, reason), "outcome": "limit", "passed": False, "score": 0.0}


def checked(record: Record) -> Record:
    """Return a record that fits the report's schema: itself, or one that says why it does not."""
    from braino_registry.registry import closing, schemas

    row = {key: value for key, value in record.items() if key not in LIFTED}
    if closing.fits_trial(row):
        return record
    errors = list(schemas.compiled({"$ref": TRIAL_SCHEMA}).iter_errors(row))
    if not errors:
        return record
    reason = f"the trial record is invalid at {errors[0].json_path}: {errors[0].message}"
    return unscored({**record, "usage": usage([]), "seconds": None, "notes": []}, reason)


def usage(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what a session used.

    Tokens and cost are null unless the agent reported them, all of them: a sum of which a part is
    unknown would pass for the whole.
    """
    used: dict[str, Any] = {
        "input_tokens": None,
        "output_tokens": None,
        "cost": None,
        "tool_calls": 0,
        "questions": 0,
        "decisions": 0,
    }
    counted = {
        "call": "tool_calls",
        "execute": "tool_calls",
        "ask": "questions",
        "decide": "decisions",
    }
    unknown = set()
    for event in events:
        name = counted.get(event["type"])
        if name is not None:
            used[name] += 1
        elif event["type"] == "usage":
            for what in ("input_tokens", "output_tokens", "cost"):
                value = event["usage"].get(what, 0)
                if value is None:
                    unknown.add(what)
                elif what in event["usage"]:
                    used[what] = (used[what] or 0) + value
    return {**used, **dict.fromkeys(unknown)}


def time_of(events: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return how long a session lasted, and how much of it was not spent by its tools.

    From the session's start event on: what the computer needed before it is not the agent's.
    """
    whole = events[-1]["t"] - events[0]["t"]
    waited = sum(event["seconds"] for event in events if event["type"] in ("call", "execute"))
    return {"seconds": round(whole, 6), "working_seconds": round(max(0.0, whole - waited), 6)}


def notes(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return what a person should know of a trial, within bounds; no member if nothing."""
    shown = [short(text, _LONGEST_NOTE) for text in texts[:_MOST_NOTES]]
    left = len(texts) - len(shown)
    return {"notes": [*shown, f"and {left} more notes"] if left else shown} if shown else {}


def process(measured: Measured) -> dict[str, Any]:
    """Return what was measured of the agent's processes, and what it tried in vain."""
    flags = {"flags": list(measured.flags)} if measured.flags else {}
    return {
        **flags,
        "exit_code": measured.exit_code,
        "peak_memory_bytes": measured.peak_memory_bytes,
        "printed_bytes": measured.printed_bytes,
        "left_behind": measured.left_behind,
    }


def checks(results: Sequence[Any]) -> list[dict[str, Any]]:
    """Return check results as JSON values with bounded evidence."""
    return [
        {
            "id": result.id,
            "kind": result.kind,
            "version": result.version,
            "required": result.required,
            "passed": bool(result.passed),
            "score": float(result.score),
            "evidence": short(result.evidence, _LONGEST_EVIDENCE),
            **({} if result.weight is None else {"weight": float(result.weight)}),
            **({} if result.detail is None else {"detail": dict(result.detail)}),
        }
        for result in results
    ]


def short(text: str, longest: int) -> str:
    """Return ``text``, cut with a mark if it is longer than ``longest`` characters."""
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= longest else text[: longest - 1] + "…"
