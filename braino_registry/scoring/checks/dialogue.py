"""What the agent asked the user, and what was decided."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from braino_registry.scoring.events import calls, decisions, describe, is_about, meets
from braino_registry.scoring.kinds import check
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import CONDITIONS, NAME, NAMES, TIMES, TOOLS, deferred_or

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
    version="1.2.0",
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
            "first": {
                **CONDITIONS,
                "description": "conditions on the first proposal: later ones may use the ruling",
            },
            "rests_on": {
                "type": "object",
                "additionalProperties": False,
                "required": ["tool", "found", "proposed", "most"],
                "description": "the first proposal must hold nothing but what a tool had found",
                "properties": {
                    "tool": {**TOOLS, "description": "whose successful call before it counts"},
                    "found": {**NAME, "description": "JMESPath of a list in its result"},
                    "proposed": {**NAME, "description": "JMESPath of a list in the proposal"},
                    "most": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "a call that finds more than this finds nothing",
                    },
                },
            },
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
    placed = decisions(evidence.events, kind)
    every = [event for _, event in placed]
    made = [event for event in every if is_about(event, spec.get("on"))]
    if not made:
        about = f" about {spec['on']}" if spec.get("on") else ""
        return Verdict(False, f"no decision {kind}{about} was requested")
    astray = [e for e in every if not is_about(e, spec.get("on")) and e.get("applied")]
    if astray:
        elsewhere = describe([str(event.get("recording")) for event in astray])
        return Verdict(False, f"{kind} was applied to {elsewhere} as well")
    at = next(place for place, event in placed if event == made[0])
    guessed = _guessed(spec, evidence, made[0], at)
    if guessed:
        return Verdict(False, f"{kind}: {guessed}")
    right = [
        event
        for event in made
        if event.get("status") in status
        and meets(event.get("applied") or {}, spec.get("where") or {})
        and meets(event.get("proposal") or {}, spec.get("proposed") or {})
    ]
    times = spec.get("times", {})
    low, high = times.get("min", 1), times.get("max")
    about_it = not {"proposed", "first", "rests_on"}.isdisjoint(spec)
    found = "; ".join(_told(event, proposed=about_it) for event in made[:5])
    passed = len(right) >= low and (high is None or len(right) <= high)
    wanted = f"status {' or '.join(status)}"
    for key in ("where", "proposed", "first"):
        wanted += f", {key} {describe(dict(spec[key]))}" if spec.get(key) else ""
    return Verdict(passed, f"{kind}: {found} (expected {wanted}, {len(right)} of it)")


def _told(event: Mapping[str, Any], *, proposed: bool) -> str:
    """Return what became of a decision, and what was proposed where that is asked for."""
    offered = f"proposed {describe(event.get('proposal') or 'nothing')}, " if proposed else ""
    return f"{offered}{event.get('status')}, applied {describe(event.get('applied') or 'nothing')}"


def _guessed(spec: Mapping[str, Any], evidence: Evidence, first: Mapping[str, Any], at: int) -> str:
    """Return why the first proposal does not come from a look at the data, or an empty string."""
    proposal = first.get("proposal") or {}
    if spec.get("first") and not meets(proposal, spec["first"]):
        wanted = describe(dict(spec["first"]))
        return f"the first proposal was {describe(proposal or 'nothing')} (expected {wanted})"
    look = spec.get("rests_on")
    if look is None:
        return ""
    import jmespath

    found: list[Any] = []
    for call in calls(evidence.events, look["tool"]):
        listed = jmespath.search(look["found"], call.result)
        if call.index < at and isinstance(listed, list) and len(listed) <= look["most"]:
            found += listed
    items = jmespath.search(look["proposed"], proposal)
    if not isinstance(items, list) or not items or any(item not in found for item in items):
        return (
            f"the first proposal was {describe(items or 'nothing')}, of which "
            f"{describe(look['tool'])} had found {describe(found or 'nothing')}"
        )
    return ""
