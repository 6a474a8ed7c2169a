"""What the agent called, and in which order. Only successful calls count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.scoring.events import Call, Lineage, calls, describe, meets
from braino_registry.scoring.kinds import check
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import CONDITIONS, NAME, TIMES, TOOL, deferred_or

_WHICH = {
    "with": {**CONDITIONS, "description": "conditions on the call's arguments"},
    "on": {**deferred_or(NAME), "description": "recording that the call works on"},
}


def _matching(
    evidence: Evidence, pattern: str, conditions: Mapping[str, Any] | None, on: str | None
) -> list[Call]:
    lineage = Lineage(evidence.events) if on is not None else None
    return [
        call
        for call in calls(evidence.events, pattern)
        if meets(call.args, conditions or {}) and (lineage is None or on in lineage.ancestors(call))
    ]


def _which(spec: Mapping[str, Any], pattern: str) -> str:
    text = pattern
    if spec.get("with"):
        text += f" with {describe(dict(spec['with']))}"
    return text + (f" on {spec['on']}" if spec.get("on") else "")


def _seen(evidence: Evidence) -> str:
    tools = list(dict.fromkeys(call.tool for call in calls(evidence.events)))
    return f"called: {describe(tools)}" if tools else "no successful call at all"


@check(
    "called",
    version="1.0.0",
    parameters={"properties": {"tool": TOOL, **_WHICH, "times": TIMES}, "required": ["tool"]},
)
def called(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require that a tool was called, with these arguments, on this recording, so often."""
    found = _matching(evidence, spec["tool"], spec.get("with"), spec.get("on"))
    times = spec.get("times", {})
    low, high = times.get("min", 1), times.get("max")
    passed = len(found) >= low and (high is None or len(found) <= high)
    wanted = f"{low}" + ("" if high is None else f" to {high}") + ("" if high else " or more")
    return Verdict(
        passed,
        f"{_which(spec, spec['tool'])}: {len(found)} successful calls, expected {wanted}"
        + ("" if passed else f"; {_seen(evidence)}"),
    )


@check(
    "not_called",
    version="1.0.0",
    parameters={"properties": {"tool": TOOL, **_WHICH}, "required": ["tool"]},
)
def not_called(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require that a tool was not called with these arguments on this recording."""
    found = _matching(evidence, spec["tool"], spec.get("with"), spec.get("on"))
    which = _which(spec, spec["tool"])
    if found:
        shown = describe(dict(found[0].args))
        return Verdict(False, f"{which}: called {len(found)} times, first with {shown}")
    return Verdict(True, f"{which}: never called successfully")


@check(
    "called_before",
    version="1.0.0",
    parameters={
        "properties": {
            "first": TOOL,
            "then": TOOL,
            "first_with": CONDITIONS,
            "then_with": CONDITIONS,
            "on": _WHICH["on"],
            "feeds": {
                "type": "boolean",
                "description": "the later call must work on what the earlier one made",
            },
        },
        "required": ["first", "then"],
    },
)
def called_before(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require one tool before another; with ``feeds``, the other worked on its result."""
    first, then = spec["first"], spec["then"]
    earlier = _matching(evidence, first, spec.get("first_with"), spec.get("on"))
    later = _matching(evidence, then, spec.get("then_with"), spec.get("on"))
    if not earlier or not later:
        absent = " and ".join(n for n, found in ((first, earlier), (then, later)) if not found)
        return Verdict(False, f"{absent} was never called as required; {_seen(evidence)}")
    lineage = Lineage(evidence.events) if spec.get("feeds") else None
    for call in later:
        for before in earlier:
            if before.index < call.index and (lineage is None or lineage.descends(call, before)):
                link = "fed" if lineage else "came before"
                return Verdict(True, f"{before.tool} {link} {call.tool}")
    problem = "worked on nothing that came from" if spec.get("feeds") else "was not called after"
    return Verdict(False, f"{then} {problem} {first}")
