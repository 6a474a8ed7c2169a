"""Whether a report draws the right conclusions, by a rubric that needs no judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.scoring.checks.grounded import grounded
from braino_registry.scoring.checks.refusal import invented
from braino_registry.scoring.kinds import check
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import NAME, NAMES, deferred_or
from braino_registry.scoring.rubric import Outcome, Report, affirmed, chosen, judge

_STATEMENT: dict[str, Any] = {
    "type": "string",
    "pattern": r"^\s*[^+|\s][^+|]*(\s*[+|]\s*[^+|\s][^+|]*)*$",
    "description": "phrases joined by +, all in one clause; | separates those worth the same",
}
_STATEMENTS: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "items": _STATEMENT,
    "uniqueItems": True,
}
_YES_NO = deferred_or({"type": "boolean"})
_WHEN = {**_YES_NO, "description": "whether it applies to the instance; by default it does"}


def _form(required: list[str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": {"id": NAME, "when": _WHEN, **properties},
    }


_FINDING: dict[str, Any] = {
    "type": "object",
    "if": {"required": ["says"]},
    "then": _form(
        ["says"], says=_STATEMENTS, opposite=_STATEMENTS, **{"is": _YES_NO}
    ),
    "else": {
        "if": {"required": ["among"]},
        "then": _form(
            ["among", "about", "is"],
            among={
                "type": "object",
                "minProperties": 2,
                "additionalProperties": {"type": "array", "items": NAME, "uniqueItems": True},
            },
            about=NAMES,
            **{"is": deferred_or(NAME)},
        ),
        "else": {
            "if": {"required": ["direction"]},
            "then": _form(
                ["direction", "of"],
                direction=deferred_or({"enum": ["up", "down", "same"]}),
                of=NAMES,
                to=NAMES,
                **{"from": NAMES},
            ),
            "else": {
                "if": {"required": ["verdict"]},
                "then": _form(["verdict"], verdict=_YES_NO, on=NAMES),
                "else": _form(["lacks"], lacks=deferred_or(NAMES)),
            },
        },
    },
}  # fmt: skip


@check(
    "semantic",
    version="1.1.0",
    unit="semantic",
    parameters={
        "properties": {
            "findings": {"type": "array", "minItems": 1, "items": _FINDING},
            "partial": {
                "type": "boolean",
                "description": "whether the share of the findings that hold is the score",
            },
            "forbids": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "if": {"type": "object"},
                    "then": {
                        "additionalProperties": False,
                        "required": ["says", "when"],
                        "properties": {"says": _STATEMENT, "when": _WHEN},
                    },
                    "else": _STATEMENT,
                },
                "description": "statements that must not be affirmed",
            },
            "no_values_of": {
                **deferred_or(NAMES),
                "description": "fields that must not get a value",
            },
            "grounded": {
                "type": "boolean",
                "description": "whether every number has to have a source",
            },
        },
        "required": ["findings"],
    },
)
def semantic(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require the findings of a rubric, stated once and one way, and nothing that it forbids.

    A report that states a finding both ways, affirms what is forbidden, gives a value that cannot
    be known, or invents a number scores nothing, whatever else it says.
    """
    if evidence.answer is None or evidence.answer.empty:
        return Verdict(False, "there is no answer", 0.0)
    report = Report.of(evidence)
    bad = _disqualified(spec, report, evidence)
    if bad:
        return Verdict(False, bad, 0.0)
    holdings = [
        judge(each, number, report, evidence)
        for number, each in enumerate(spec["findings"])
        if each.get("when", True) is True
    ]
    if not holdings:
        return Verdict(False, "no finding applies to this instance", 0.0)
    told = "; ".join(str(each) for each in holdings)
    if any(each.outcome is Outcome.BOTH for each in holdings):
        return Verdict(False, told, 0.0)
    held = sum(each.outcome is Outcome.HELD for each in holdings)
    share = held / len(holdings)
    return Verdict(share == 1, told, share if spec.get("partial") else float(share == 1))


def _disqualified(spec: Mapping[str, Any], report: Report, evidence: Evidence) -> str:
    """Return what spoils the whole report, or an empty text."""
    for each in spec.get("forbids", ()):
        statement = each if isinstance(each, str) else each["says"]
        if not isinstance(each, str) and each["when"] is not True:
            continue
        if affirmed(report, [statement])[0]:
            return f"states what it must not: {statement}"
    if spec.get("no_values_of"):
        given = invented(spec["no_values_of"], evidence) or _chosen(spec, report, evidence)
        if given:
            return f"gives a value after all: {given}"
    if spec.get("grounded"):
        found = grounded({}, evidence)
        if not found.passed:
            return found.evidence
    return ""


def _chosen(spec: Mapping[str, Any], report: Report, evidence: Evidence) -> str:
    """Return the option of a finding that a report gives although its field must not get one.

    A report has to be read the same where a finding applies and where it must not be answered:
    otherwise the same words pass either way.
    """
    fields = [evidence.fields.get(name, {}) for name in spec["no_values_of"]]
    withheld = {frozenset(field.get("labels") or ()) for field in fields}
    for each in spec["findings"]:
        if "among" in each and frozenset(each["among"]) in withheld:
            value = chosen(each, report, evidence).value
            if value is not None:
                return f"{' or '.join(each['about'][:1])}: {value}"
    return ""
