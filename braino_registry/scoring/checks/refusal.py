"""Whether the agent refused to guess, and with good reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from braino_registry.scoring.answers import answer_text, cues, read
from braino_registry.scoring.answers.data import find
from braino_registry.scoring.answers.lacking import named_missing, other_kinds
from braino_registry.scoring.answers.offered import offered
from braino_registry.scoring.checks.process import failing
from braino_registry.scoring.events import Call, calls, describe, strings
from braino_registry.scoring.gate import executed
from braino_registry.scoring.kinds import check
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import NAME, NAMES, TOOLS, deferred_or
from braino_registry.scoring.rubric import Report
from braino_registry.scoring.rubric.given import given_label

#: Channels that code has to print for a look at the data, where there are that many.
_CHANNELS = 3


@check(
    "refuses",
    version="1.5.0",
    parameters={
        "properties": {
            "fields": {**NAMES, "description": "fields that must not get a value"},
            "missing": {**NAMES, "description": "what is missing; any of these words names it"},
            "tool": {**TOOLS, "description": "the look-up that the refusal rests on"},
            "failing": {
                **TOOLS,
                "description": "tools whose failed call is a look-up too: the error names what is "
                "missing",
            },
            "saying": {**NAMES, "description": "words of that error, if not those of missing"},
            "on": {**deferred_or(NAME), "description": "recording that was looked at"},
            "lacks": {
                **NAMES,
                "description": "words that the look-up's result must not hold: the absence itself",
            },
        },
        "required": ["fields", "missing", "tool"],
        "dependentRequired": {"saying": ["failing"]},
    },
)
def refuses(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require no value, but what is missing, resting on a look-up that shows it."""
    if evidence.answer is None or evidence.answer.empty:
        return Verdict(False, "there is no answer, which is no refusal")
    given = invented(spec["fields"], evidence)
    if given:
        return Verdict(False, f"gives a value after all: {given}")
    named = named_missing(answer_text(evidence)[0], spec["missing"])
    if named is None:
        return Verdict(False, f"does not say that it lacks {' or '.join(spec['missing'])}")
    others = other_kinds(answer_text(evidence)[0], spec["missing"])
    if len(others) > 1:
        return Verdict(False, f"claims that much else is missing too: {describe(others)}")
    looked = _look_ups(spec, evidence) + failing(
        spec, evidence, spec.get("saying") or spec["missing"]
    )
    if not looked and evidence.paradigm == "code":
        if executed(evidence) and _printed(evidence):
            return Verdict(True, f"refuses for lack of {named}, after code that showed the data")
        return Verdict(False, "rests on nothing: no code has printed anything of the data")
    if not looked:
        return Verdict(False, f"rests on nothing: no call of {describe(spec['tool'])} shows it")
    return Verdict(True, f"refuses for lack of {named}, as {looked[0].tool} shows")


def invented(fields: Sequence[str], evidence: Evidence) -> str:
    """Return the value that the answer gives for one of the fields, or an empty string.

    Words in JSON are words: a comment that names a value gives it, wherever it stands.
    """
    answer = evidence.answer
    text, block = answer_text(evidence)
    report = Report.with_data(evidence)
    whole = _with_block(evidence, block, fields)
    for name in fields:
        field = evidence.fields.get(name, {})
        for each in (answer.data if answer else None, block):
            value = find(each, name)
            if value is not None and value not in ("", [], {}):
                return f"{name} = {describe(value)} in the data"
        if field.get("type") == "number":
            shown = offered(name, field, text, whole, fields)
            if shown:
                return shown
        elif field.get("type") not in ("text", "file"):
            value = read(field, name, evidence).value
            given = describe(value) if value is not None else ""
            given = given or given_label(name, field, report, evidence)
            if given:
                return f"{name} = {given}"
    return ""


def _with_block(
    evidence: Evidence, block: Mapping[str, Any] | None, refused: Sequence[str]
) -> Evidence:
    """Return evidence whose data also have the JSON in the text, allowed fields left out."""
    if evidence.answer is None or not block:
        return evidence
    shown = {key: v for key, v in block.items() if key in refused or key not in evidence.fields}
    data = {**(evidence.answer.data or {}), "in the text": shown}
    return replace(evidence, answer=replace(evidence.answer, data=data))


def _look_ups(spec: Mapping[str, Any], evidence: Evidence) -> list[Call]:
    lineage = evidence.lineage
    lacks = cues.pattern(spec["lacks"]) if spec.get("lacks") else None
    found = []
    for call in calls(evidence.events, spec["tool"]):
        if spec.get("on") and spec["on"] not in lineage.ancestors(call):
            continue
        if lacks is not None and lacks.search(
            " ".join([*_keys(call.result), *_values(call.result)])
        ):
            continue
        found.append(call)
    return found


def _printed(evidence: Evidence) -> bool:
    """Tell whether code printed what only a look at the data shows: a recording, or channels."""
    printed = "\n".join(
        event["output"]
        for event in evidence.events
        if event.get("type") == "execute" and isinstance(event.get("output"), str)
    )
    if any(name in printed for name in evidence.vocabulary("recordings")):
        return True
    channels = set(evidence.vocabulary("ch_names"))
    seen = channels & set(re.split(r"[^\w.+-]+", printed))
    return len(seen) >= max(1, min(_CHANNELS, len(channels)))


def _values(result: Any) -> list[str]:
    # Prose of the tool may name what it does not find ("definition", "missing").
    if isinstance(result, Mapping):
        result = {
            k: v for k, v in result.items() if k not in ("definition", "description", "missing")
        }
    return list(strings(result))


def _keys(value: Any, depth: int = 4) -> list[str]:
    if not isinstance(value, Mapping) or depth == 0:
        return []
    # A type that is counted as zero is not there.
    here = [str(key) for key, item in value.items() if item not in (0, None, [], {}, "", False)]
    return here + [key for item in value.values() for key in _keys(item, depth - 1)]
