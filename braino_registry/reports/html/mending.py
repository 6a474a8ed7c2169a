"""What is left of a report that cannot be trusted, or of a run that has written none.

Rows may come from a journal that was torn, from an older version or from anybody. Only what has the
type that a page needs is kept of them; a row without its essentials is left out, and counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.errors import BrainoError, ReportError
from braino_registry.registry import documents
from braino_registry.reports import document
from braino_registry.reports.summary import cover, summarise

_OUTCOMES = frozenset({
    "passed", "failed", "limit", "agent_error", "harness_error", "infra_error", "scored",
    "not_planned",
})  # fmt: skip
_TEXTS = {"version": "?", "category": "?"}
_MAYBE = ("dataset", "reason", "transcript", "subset", "difficulty", "command")
_TOLD = ("input_tokens", "output_tokens", "cost")
_COUNTS = ("tool_calls", "questions", "decisions")


@dataclass(frozen=True)
class Mended:
    """A report as far as it could be read.

    Parameters
    ----------
    report : dict
        It has the members of a ``report/1`` document that a page needs.
    damaged : int
        Rows that were left out.
    written : bool
        Whether there was a report at all.
    from_journal : bool
        Whether the rows are those of the journal.
    plain_headline : bool
        Whether the rule of the suite could not be applied to what is left.
    """

    report: dict[str, Any]
    damaged: int
    written: bool
    from_journal: bool
    plain_headline: bool

    def banners(self, error: ReportError) -> list[str]:
        """Return what has to be said of it first."""
        if not self.from_journal:
            found = [f"This report cannot be trusted: {error.problem}. What can be read is shown."]
        elif self.written:
            found = [
                f"The report of this run cannot be used ({error.problem}); what follows is read "
                "from its journal."
            ]
        else:
            found = ["This run has written no report yet; what follows is read from its journal."]
        if self.damaged:
            one = self.damaged == 1
            what = ("line" if one else "lines") if self.from_journal else "row" if one else "rows"
            of = "journal" if self.from_journal else "report"
            found.append(
                f"{self.damaged} {what} of the {of} {'is' if one else 'are'} damaged and left out."
            )
        if self.plain_headline:
            found.append("The rule of the suite cannot be applied to what is left; the score is "
                         "the mean over tasks.")  # fmt: skip
        return found


def mend(path: Path, file: Path, run: Mapping[str, Any]) -> Mended | None:
    """Return what is left of a report, None if nothing is.

    Parameters
    ----------
    path : Path
        What was asked for, a run folder or a report.
    file : Path
        The report that cannot be read.
    run : mapping
        What ``run.json`` beside it holds; empty without one.
    """
    home = path if path.is_dir() else file.parent
    trials, damaged = _journal(home / "journal.jsonl")
    if run and (trials or not file.exists()):
        return _composed(run, trials, damaged, written=file.exists(), from_journal=True)
    return _unsealed(file)


def group(value: Any, name: str) -> dict[str, Any]:
    """Return a member that is an object; an empty one if it is something else."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def listed(value: Any, name: str) -> list[dict[str, Any]]:
    """Return the objects of a member that is a list; none if it is something else."""
    found = value.get(name) if isinstance(value, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _journal(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the last record of each trial, and how many lines could not be read."""
    try:
        lines = documents.read_bytes(path, documents.LARGEST_RECORD).split(b"\n")
    except (OSError, BrainoError):
        return [], 0
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    damaged = 0
    for line in filter(bytes.strip, lines):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            damaged += 1
            continue
        row = _row(group(entry, "record"))
        if row is not None:
            found[row["task"], row["instance"], row["repeat"]] = row
        elif not isinstance(entry, dict) or entry.get("type") == "finished":
            damaged += 1
    return list(found.values()), damaged


def _row(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return of a record what has the type that it should have, None without its essentials."""
    names = [record.get(name) for name in ("task", "instance")]
    repeat, outcome = record.get("repeat"), record.get("outcome")
    checks = record.get("checks")
    if not all(isinstance(name, str) for name in (*names, outcome)) or outcome not in _OUTCOMES:
        return None
    if not _is_count(repeat) or not isinstance(checks, list):
        return None
    score = _number(record.get("score"))
    passed = record.get("passed")
    usage = group(record, "usage")
    row: dict[str, Any] = {
        "task": names[0],
        "instance": names[1],
        "repeat": repeat,
        "outcome": outcome,
        "score": score if score is None or 0 <= score <= 1 else None,
        "passed": passed if isinstance(passed, bool) else None,
        "checks": list(_checks(checks)),
        "attempt": record["attempt"] if _is_count(record.get("attempt")) else 1,
        "chance": _number(record.get("chance")) or 0.0,
        "seconds": _number(record.get("seconds")),
        "usage": {name: _number(usage.get(name)) for name in _TOLD}
        | {name: _number(usage.get(name)) or 0 for name in _COUNTS},
        "notes": [str(note) for note in record.get("notes") or () if isinstance(note, str)]
        if isinstance(record.get("notes"), list)
        else [],
        "dataset": None,
        "reason": None,
        "transcript": None,
    }
    for name, otherwise in _TEXTS.items():
        row[name] = record[name] if isinstance(record.get(name), str) else otherwise
    row |= {name: record[name] for name in _MAYBE if isinstance(record.get(name), str)}
    return row


def _checks(rows: list[Any]) -> Iterator[dict[str, Any]]:
    for one in rows:
        if not isinstance(one, dict) or not isinstance(one.get("id"), str):
            continue
        found = {
            "id": one["id"],
            "kind": str(one.get("kind", "?")),
            "required": one.get("required") is True,
            "passed": one.get("passed") is True,
            "score": _number(one.get("score")),
            "evidence": str(one.get("evidence", "")),
        }
        if (weight := _number(one.get("weight"))) is not None:
            found["weight"] = weight
        if isinstance(one.get("detail"), dict):
            found["detail"] = one["detail"]
        yield found


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else None  # not a NaN, nor beyond all bounds


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**6


def _composed(
    run: Mapping[str, Any],
    trials: list[dict[str, Any]],
    damaged: int,
    *,
    written: bool,
    from_journal: bool,
) -> Mended:
    """Return the report that a run would have, as far as its journal tells."""
    plan, asked, agent = group(run, "plan"), group(run, "asked"), group(run, "agent")
    planned = plan["trials"] if _is_count(plan.get("trials")) else len(trials)
    repeats = asked["repeats"] if _is_count(asked.get("repeats")) else 1
    profile = str(asked.get("profile", "strict"))
    planned = max(planned, len(trials))
    rule, plain = str(run.get("rule", "braino")), False

    def summed(rule: str) -> dict[str, Any]:
        return summarise(trials, rule=rule, planned=planned, repeats=repeats, profile=profile)

    try:
        summary = summed(rule)
    except (KeyError, TypeError, ValueError, AttributeError):
        # a rule may need details that are not there; the page then says so
        summary, plain = summed("braino"), True
    settings = {
        name: str(asked.get(name, "?")) for name in ("isolation", "paradigm", "profile", "data")
    }
    salt = run.get("salt")
    report: dict[str, Any] = {
        "schema": document.SCHEMA,
        "run_id": str(run.get("run_id", "?")),
        "release": None,
        "suite": str(plan.get("suite", "?")),
        "agent": {
            "name": str(agent.get("name", "?")),
            "factory": str(agent.get("factory", "?")),
            "model": None if agent.get("model") is None else str(agent["model"]),
        },
        "tier": str(asked.get("tier", "?")),
        "computer": group(run, "computer"),
        "settings": {
            **settings,
            "repeats": repeats,
            "enforcement": {},
            "salt": salt if isinstance(salt, str) else None,
            "suite_version": str(plan.get("suite_version", "?")),
        },
        "digests": {"tasks": _digests(plan), "datasets": {}},
        "verified": False,
        "started": str(run.get("started", "?")),
        "finished": "?",
        "trials": trials,
        "summary": summary,
        "coverage": cover(trials, planned=planned, interrupted=False),
    }
    return Mended(report, damaged, written, from_journal, plain)


def _digests(plan: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: row
        for name, row in group(plan, "digests").items()
        if isinstance(row, dict) and row.keys() >= {"version", "work", "scoring"}
    }


def _unsealed(file: Path) -> Mended | None:
    """Return a report whose seal or schema is wrong, if it has rows that can be shown."""
    try:
        found = json.loads(documents.read_bytes(file, documents.LARGEST_RECORD))
    except (OSError, ValueError, RecursionError, BrainoError):
        return None
    given = found.get("trials") if isinstance(found, dict) else None
    if not isinstance(given, list):
        return None
    rows = [_row(row) if isinstance(row, dict) else None for row in given]
    trials = [row for row in rows if row is not None]
    if not trials:
        return None
    run = {name: found.get(name) for name in ("run_id", "agent", "started", "computer")}
    run |= {
        "plan": {"suite": found.get("suite", "?"), "trials": len(rows)},
        "rule": group(found, "summary").get("rule", "braino"),
        "asked": {"tier": found.get("tier", "?")},
    }
    return _composed(run, trials, len(rows) - len(trials), written=True, from_journal=False)
