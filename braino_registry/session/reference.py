"""Reference solutions with one thing wrong: how a task's counterexamples are run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from braino_registry.registry.entries import merge_user

STEP_KINDS = ("for_each", "call", "ask", "decide")


def apply_counterexample(
    reference: Mapping[str, Any],
    user: Mapping[str, Any],
    counterexample: Mapping[str, Any],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the reference and the user that a counterexample asks for.

    Parameters
    ----------
    reference : Mapping
        ``steps, answer, data, context`` of the task's reference.
    user : Mapping
        The script of the user.
    counterexample : Mapping
        ``steps``, ``answer`` and ``data`` replace those of the reference; a new answer without
        data drops the data, which would say what the answer no longer says. ``without`` leaves
        out steps: a step kind (``"decide"``), a tool or decision, or a pattern of these
        (``"preprocess.*"``), also inside ``for_each``. ``user`` replaces parts of the script.

    Returns
    -------
    reference, user : dict
        New values; the given ones are not changed.
    """
    changed = dict(reference)
    if "answer" in counterexample:
        changed["answer"] = counterexample["answer"]
        changed.pop("data", None)
    for part in ("steps", "data"):
        if part in counterexample:
            changed[part] = counterexample[part]
    without = counterexample.get("without", ())
    if without:
        changed["steps"] = _leave_out(changed.get("steps", ()), without)
    return changed, merge_user(user, counterexample.get("user", {}))


def _leave_out(
    steps: Sequence[Mapping[str, Any]], without: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Return the steps that no entry of ``without`` names."""
    kept = []
    for step in steps:
        kinds = [each for each in STEP_KINDS if each in step]
        names = [step[each] for each in ("call", "decide") if each in step]
        if any(
            pattern in kinds or any(fnmatchcase(name, pattern) for name in names)
            for pattern in without
        ):
            continue
        if "steps" in step:
            step = {**step, "steps": _leave_out(step["steps"], without)}
        kept.append(step)
    return kept
