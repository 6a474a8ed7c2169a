"""What the agent called, and in which order. Only successful calls count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.scoring.answers import cues
from braino_registry.scoring.events import (
    Call,
    calls,
    describe,
    first_done,
    meets,
    satisfies,
    strings,
)
from braino_registry.scoring.kinds import check
from braino_registry.scoring.lineage import digits, same_printed
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import CONDITIONS, NAMES, ORDER, RECORDINGS, TIMES, TOOLS

_WITH = {**CONDITIONS, "description": "conditions on the call's arguments"}
_ON = {
    **RECORDINGS,
    "description": "recording that the call works on, or recordings of which it works on every "
    "one, be it through views and results or through numbers measured in them",
}


def _names(given: str | Sequence[str] | None) -> frozenset[str]:
    """Return one name or several as a set."""
    return frozenset([given] if isinstance(given, str) else given or ())


def _matching(
    evidence: Evidence,
    patterns: str | Sequence[str],
    conditions: Mapping[str, Any] | None,
    on: str | Sequence[str] | None,
) -> list[Call]:
    lineage, wanted = evidence.lineage, _names(on)
    return [
        call
        for call in calls(evidence.events, patterns)
        if meets(call.args, conditions or {}) and (not wanted or wanted <= lineage.ancestors(call))
    ]


def _gave(call: Call, conditions: Mapping[str, Any]) -> bool:
    """Tell whether a call's result holds, at each JMESPath, what is wanted there."""
    import jmespath
    from jmespath.exceptions import JMESPathError

    for path, wanted in conditions.items():
        try:
            found = jmespath.search(path, call.result)
        except (JMESPathError, TypeError, ValueError):  # a path that this tool's result cannot have
            return False
        if found is None or not satisfies(found, wanted):
            return False
    return True


def _as_recorded(
    found: list[Call], patterns: str | Sequence[str], evidence: Evidence
) -> list[Call]:
    """Return the calls that work on nothing that came from certain tools."""
    changing = calls(evidence.events, patterns) if patterns else []
    lineage = evidence.lineage
    return [c for c in found if not any(lineage.descends(c, other) for other in changing)]


def _in_order(calls_: list[Call], spec: Mapping[str, Any], evidence: Evidence) -> list[Call]:
    """Return the calls that stand where ``before`` and ``after`` want them.

    What has to wait may never come, which is for another check; what has to come first must.
    """
    late = first_done(evidence.events, spec["before"]) if "before" in spec else None
    early = first_done(evidence.events, spec["after"]) if "after" in spec else -1
    if early is None:
        return []
    return [c for c in calls_ if c.index > early and (late is None or c.index < late)]


def _different(found: list[Call]) -> list[Call]:
    """Return the calls without those that ask for the same once more."""
    kept: list[Call] = []
    for call in found:
        if not any(_alike(call, other) for other in kept):
            kept.append(call)
    return kept


def _alike(one: Call, two: Call) -> bool:
    """Tell whether two calls ask for the same: order, flags and rounding make no difference."""
    if one.tool != two.tool or sorted(strings(one.args)) != sorted(strings(two.args)):
        return False
    left, right = (sorted(digits(call.args, least=1)) for call in (one, two))
    return len(left) == len(right) and all(map(same_printed, left, right))


def _which(spec: Mapping[str, Any], patterns: str | Sequence[str]) -> str:
    text = patterns if isinstance(patterns, str) else " or ".join(patterns)
    if spec.get("with"):
        text += f" with {describe(dict(spec['with']))}"
    if spec.get("result"):
        text += f" that gives {describe(dict(spec['result']))}"
    text += f" on {describe(spec['on'])}" if spec.get("on") else ""
    if spec.get("not_from"):
        text += f" on nothing that came from {describe(spec['not_from'])}"
    for order in ("before", "after"):
        text += f" {order} {spec[order]}" if spec.get(order) else ""
    return text


def _seen(evidence: Evidence) -> str:
    tools = list(dict.fromkeys(call.tool for call in calls(evidence.events)))
    return f"called: {describe(tools)}" if tools else "no successful call at all"


def failing(spec: Mapping[str, Any], evidence: Evidence, words: Sequence[str]) -> list[Call]:
    """Return the failed calls that are as good as a look: their error names what is missing.

    Parameters
    ----------
    spec : mapping
        A check with ``failing``, the tools in question, and perhaps ``on``.
    evidence : Evidence
        The transcript.
    words : sequence of str
        Any of them in the error is enough.
    """
    said = cues.pattern(list(words))
    if said is None or not spec.get("failing"):
        return []
    lineage, wanted = evidence.lineage, _names(spec.get("on"))
    found = []
    for call in calls(evidence.events, spec["failing"], ok=False):
        if said.search(_said_by_tool(call)) and wanted <= lineage.ancestors(call):
            found.append(call)
    return found


def _said_by_tool(call: Call) -> str:
    """Return the problem that a failed call names, without the words that the agent put there."""
    error = call.result if isinstance(call.result, Mapping) else {}
    problem = str(error.get("problem", ""))
    for word in strings(call.args):
        if not word.startswith("sub-"):  # that a recording is not there is the tool's own finding
            problem = problem.replace(word, " ")
    return problem.replace("_", " ")


@check(
    "called",
    version="1.1.0",
    about_calls=True,
    parameters={
        "properties": {
            "tool": TOOLS,
            "with": _WITH,
            "on": _ON,
            "covers": {
                **RECORDINGS,
                "description": "recordings of which each was worked on by one of the calls",
            },
            "overview": {
                **TOOLS,
                "description": "tools of which one call is as good as one on each recording",
            },
            "result": {**CONDITIONS, "description": "conditions on the result, by JMESPath"},
            "not_from": {
                **TOOLS,
                "description": "tools on whose results the call must not work, at any distance: "
                "a filter or a reference that the request rules out",
            },
            "times": TIMES,
            "distinct": {
                "type": "boolean",
                "description": "calls with the same names and numbers count once",
            },
            **ORDER,
            "failing": {
                **TOOLS,
                "description": "tools whose failed call is as good, where its error says so",
            },
            "saying": {**NAMES, "description": "words of that error; any of them is enough"},
        },
        "required": ["tool"],
        "dependentRequired": {
            "failing": ["saying"],
            "saying": ["failing"],
            "overview": ["covers"],
        },
    },
)
def called(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require that a tool was called, with these arguments, on this recording, so often."""
    found = _matching(evidence, spec["tool"], spec.get("with"), spec.get("on"))
    found = [call for call in found if _gave(call, spec.get("result") or {})]
    found = _as_recorded(found, spec.get("not_from") or (), evidence)
    found += failing(spec, evidence, spec.get("saying") or ())
    overviews = calls(evidence.events, spec.get("overview") or ())
    found = _in_order(found + overviews, spec, evidence)
    which = _which(spec, spec["tool"])
    left = _names(spec.get("covers")) - _covered(found, evidence)
    if left and not any(call in overviews for call in found):
        return Verdict(False, f"{which}: nothing of {describe(sorted(left))}; {_seen(evidence)}")
    number = len(_different(found)) if spec.get("distinct") else len(found)
    times = spec.get("times", {})
    low, high = times.get("min", 1), times.get("max")
    passed = number >= low and (high is None or number <= high)
    wanted = f"{low}" + ("" if high is None else f" to {high}") + ("" if high else " or more")
    sort = "different" if spec.get("distinct") else "successful"
    return Verdict(
        passed,
        f"{which}: {number} {sort} call{'' if number == 1 else 's'}, expected {wanted}"
        + ("" if passed else f"; {_seen(evidence)}"),
    )


def _covered(found: list[Call], evidence: Evidence) -> frozenset[str]:
    lineage = evidence.lineage
    return frozenset(name for call in found for name in lineage.ancestors(call))


@check(
    "not_called",
    version="1.1.0",
    about_calls=True,
    parameters={"properties": {"tool": TOOLS, "with": _WITH, "on": _ON}, "required": ["tool"]},
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
    version="1.1.0",
    about_calls=True,
    parameters={
        "properties": {
            "first": TOOLS,
            "then": TOOLS,
            "first_with": CONDITIONS,
            "then_with": CONDITIONS,
            "on": {**_ON, "description": f"of both calls: {_ON['description']}"},
            "then_on": {**_ON, "description": f"of the later call: {_ON['description']}"},
            "feeds": {
                "type": "boolean",
                "description": "the later call must work on what the earlier one made or reported",
            },
            "before": {**ORDER["before"], "description": "what has to wait for both"},
        },
        "required": ["first", "then"],
    },
)
def called_before(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require one tool before another; with ``feeds``, the other worked on its result."""
    first, then = _which({}, spec["first"]), _which({}, spec["then"])
    both = _names(spec.get("on"))
    earlier = _matching(evidence, spec["first"], spec.get("first_with"), sorted(both))
    on = sorted(both | _names(spec.get("then_on")))
    later = _in_order(
        _matching(evidence, spec["then"], spec.get("then_with"), on),
        {"before": spec["before"]} if "before" in spec else {},
        evidence,
    )
    if not earlier or not later:
        absent = " and ".join(n for n, found in ((first, earlier), (then, later)) if not found)
        return Verdict(False, f"{absent} was never called as required; {_seen(evidence)}")
    lineage = evidence.lineage if spec.get("feeds") else None
    for call in later:
        for before in earlier:
            if before.index < call.index and (lineage is None or lineage.descends(call, before)):
                link = "fed" if lineage else "came before"
                return Verdict(True, f"{before.tool} {link} {call.tool}")
    problem = "worked on nothing that came from" if spec.get("feeds") else "was not called after"
    return Verdict(False, f"{then} {problem} {first}")
