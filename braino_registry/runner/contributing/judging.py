"""Whether a trial went as it was to go, with what the checks saw that did something else."""

from __future__ import annotations

from typing import Any

from braino_registry.reports import harness_notes
from braino_registry.runner.contributing.findings import Finding

#: How a trial ends that something beside the agent and the checks has stopped.
STOPPED = "harness_error"
#: How a trial ends where nothing went wrong; some tasks have no pass rule.
ENDED = ("passed", "failed", "scored")


def judge(
    instance: str, what: str, record: dict[str, Any], fails: set[str] | None, hint: str,
    command: str = "",
) -> Finding:  # fmt: skip
    """Return whether a trial failed as it was to.

    Parameters
    ----------
    instance, what : str
        Which trial, and what it was to show.
    record : dict
        Its record.
    fails : set of str | None
        The checks that have to fail, no more and no less; None if any required one has to.
    hint : str
        What to do next if it did not.
    command : str
        What shows the trial, for where something stopped it and no check is at fault.
    """
    if record["outcome"] == STOPPED:
        cause = (str(record["reason"] or "").splitlines() or [STOPPED])[0]
        then = "Mend what stopped the trial; no check was at fault."
        then += f" See it with: {command}" if command else ""
        return Finding(instance, what, False, told(record), hoped(fails), then, cause=cause)
    checks = record["checks"]
    failed = [check["id"] for check in checks if not check["passed"]]
    if fails is None:
        ok = not record["passed"] and bool(failed)
        differs = [check for check in checks if check["required"]]
    else:
        ok = record["outcome"] in ENDED and set(failed) == fails
        differs = [check for check in checks if check["passed"] == (check["id"] in fails)]
    says = told(record)
    return Finding(
        instance, what, ok, says, hoped(fails), "" if ok else hint, () if ok else differs
    )


def told(record: dict[str, Any]) -> str:
    """Return in words how a trial ended."""
    failed = [check["id"] for check in record["checks"] if not check["passed"]]
    says = str(record["outcome"])
    says += f"; checks that fail: {', '.join(failed)}" if failed else ""
    if record["reason"]:
        says += f" ({record['reason']})"
    for note in harness_notes([record]):
        says += f"; {note}"
    return says


def score_of(record: dict[str, Any]) -> str:
    """Return a trial's score for people."""
    score = record["score"]
    return "none" if score is None else f"{score:.3g}"


def hoped(fails: set[str] | None) -> str:
    """Return in words what a trial was to show."""
    if fails is None:
        return "a check that fails"
    return f"these checks fail: {', '.join(sorted(fails))}" if fails else "every check passes"
