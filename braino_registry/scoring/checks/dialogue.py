"""What the agent asked the user, and what was decided."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from braino_registry.scoring.events import decisions, describe, is_about, meets
from braino_registry.scoring.kinds import check
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import CONDITIONS, NAME, NAMES, TIMES, deferred_or

_STATUS = {"enum": ["approved", "edited", "rejected"]}


@check(
    "asked",
    version="1.0.0",
    parameters={
        "properties": {
            "about": {
                "if": {"type": "array"},
                "then": NAMES,
                "else": NAME,
                "description": "what the user can be asked about; any of a list is enough",
            },
            "before": {
                **NAME,
                "description": "tool (or pattern) or decision that has to wait",
                "names": ["tool", "decision"],
            },
            "at_most": {
                "type": "integer",
                "minimum": 1,
                "description": "questions in all; asking about everything is not asking",
            },
        },
        "required": ["about"],
    },
)
def asked(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require that the user was asked about something, before something else was done."""
    about = [spec["about"]] if isinstance(spec["about"], str) else list(spec["about"])
    questions = [(i, e) for i, e in enumerate(evidence.events) if e.get("type") == "ask"]
    right = [i for i, event in questions if event.get("about") in about]
    subject = " or ".join(about)
    if not right:
        others = describe([str(e.get("about") or "something else") for _, e in questions])
        return Verdict(False, f"never asked about {subject}; asked about: {others}")
    limit = spec.get("at_most")
    if limit is not None and len(questions) > limit:
        return Verdict(False, f"asked {len(questions)} questions, at most {limit} are in order")
    wait = spec.get("before")
    if wait is not None:
        done = next((i for i, e in enumerate(evidence.events) if _is(e, wait)), None)
        if done is not None and right[0] > done:
            return Verdict(False, f"asked about {subject} only after {wait}")
    return Verdict(True, f"asked about {subject}: {describe(_question(evidence, right[0]))}")


def _question(evidence: Evidence, index: int) -> str:
    return str(evidence.events[index].get("question", ""))


def _is(event: Mapping[str, Any], name: str) -> bool:
    if event.get("type") == "decide":
        return event.get("kind") == name
    tool = event.get("tool")
    return (
        event.get("type") == "call"
        and event.get("ok") is True
        and isinstance(tool, str)
        and fnmatchcase(tool, name)
    )


@check(
    "decided",
    version="1.1.0",
    parameters={
        "properties": {
            "decision": {**NAME, "description": "kind of decision"},
            "on": {
                **deferred_or(NAME),
                "description": "recording that it is about; none may be applied to another",
            },
            "status": {
                "if": {"type": "array"},
                "then": {"type": "array", "minItems": 1, "uniqueItems": True, "items": _STATUS},
                "else": _STATUS,
            },
            "where": {**CONDITIONS, "description": "conditions on what was applied"},
            "proposed": {**CONDITIONS, "description": "conditions on the proposal"},
            "times": TIMES,
        },
        "required": ["decision"],
    },
)
def decided(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require that a decision was put to the user, with this status and this applied."""
    kind = spec["decision"]
    status = spec.get("status", ["approved", "edited", "rejected"])
    status = [status] if isinstance(status, str) else status
    every = [event for _, event in decisions(evidence.events, kind)]
    made = [event for event in every if is_about(event, spec.get("on"))]
    if not made:
        about = f" about {spec['on']}" if spec.get("on") else ""
        return Verdict(False, f"no decision {kind}{about} was requested")
    astray = [e for e in every if not is_about(e, spec.get("on")) and e.get("applied")]
    if astray:
        elsewhere = describe([str(event.get("recording")) for event in astray])
        return Verdict(False, f"{kind} was applied to {elsewhere} as well")
    right = [
        event
        for event in made
        if event.get("status") in status
        and meets(event.get("applied") or {}, spec.get("where") or {})
        and meets(event.get("proposal") or {}, spec.get("proposed") or {})
    ]
    times = spec.get("times", {})
    low, high = times.get("min", 1), times.get("max")
    found = "; ".join(
        f"{e.get('status')}, applied {describe(e.get('applied') or 'nothing')}" for e in made[:5]
    )
    passed = len(right) >= low and (high is None or len(right) <= high)
    wanted = f"status {' or '.join(status)}"
    for key in ("where", "proposed"):
        wanted += f", {key} {describe(dict(spec[key]))}" if spec.get(key) else ""
    return Verdict(passed, f"{kind}: {found} (expected {wanted}, {len(right)} of it)")
