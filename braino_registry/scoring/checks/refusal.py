"""Whether the agent refused to guess, and with good reason."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from braino_registry.numbers import Number, convertible, from_transcript, read_numbers
from braino_registry.scoring.answers import answer_text, cues, read
from braino_registry.scoring.answers.data import find
from braino_registry.scoring.answers.prose import Vocabulary, sentences
from braino_registry.scoring.events import Call, Lineage, calls, describe, strings
from braino_registry.scoring.kinds import check
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import NAME, NAMES, TOOL, deferred_or

_LACKING = re.compile(
    r"\b(?:no|not|without|none|nothing|lack(?:s|ing)?|missing|absen(?:t|ce)|unavailable|neither|nor"
    r"|cannot|never|isn't|wasn't|doesn't|don't|didn't|hasn't|aren't|needs?|requires?|would need)\b",
    re.IGNORECASE,
)
_NO_NAMES = Vocabulary(())


@check(
    "refuses",
    version="1.0.0",
    parameters={
        "properties": {
            "fields": {**NAMES, "description": "fields that must not get a value"},
            "missing": {**NAMES, "description": "what is missing; any of these words names it"},
            "tool": {**TOOL, "description": "the look-up that the refusal rests on"},
            "on": {**deferred_or(NAME), "description": "recording that was looked at"},
            "lacks": {
                **NAMES,
                "description": "words that the look-up's result must not hold: the absence itself",
            },
        },
        "required": ["fields", "missing", "tool"],
    },
)
def refuses(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require no value, but what is missing, resting on a look-up that shows it."""
    if evidence.answer is None or evidence.answer.empty:
        return Verdict(False, "there is no answer, which is no refusal")
    invented = _invented(spec, evidence)
    if invented:
        return Verdict(False, f"gives a value after all: {invented}")
    named = _named_missing(spec["missing"], evidence)
    if named is None:
        return Verdict(False, f"does not say that it lacks {' or '.join(spec['missing'])}")
    looked = _look_ups(spec, evidence)
    if not looked:
        return Verdict(False, f"rests on nothing: no successful call of {spec['tool']} shows it")
    return Verdict(True, f"refuses for lack of {named}, as {looked[0].tool} shows")


def _invented(spec: Mapping[str, Any], evidence: Evidence) -> str:
    """Return the value that the answer gives for one of the fields, or an empty string."""
    text, block = answer_text(evidence)
    answer = evidence.answer
    for name in spec["fields"]:
        field = evidence.fields.get(name, {})
        for data in (answer.data if answer else None, block):
            value = find(data, name)
            if value is not None and value not in ("", [], {}):
                return f"{name} = {describe(value)} in the data"
        value = read(field, name, evidence).value
        if value is not None and field.get("type") not in ("text", "file"):
            return f"{name} = {describe(value)}"
        if field.get("type") == "number":
            shown = _number_given(name, field, text, evidence)
            if shown:
                return shown
    return ""


def _number_given(name: str, field: Mapping[str, Any], text: str, evidence: Evidence) -> str:
    """Find numbers that are offered although no single one can be read as the answer."""
    unit = field.get("unit")
    asked = [n for n in read_numbers(evidence.request) if n.exempt_reason is None]
    ledger = from_transcript(evidence.events, evidence.request)
    words = cues.pattern(cues.field_phrases(name, field))
    parts = sentences(text, _NO_NAMES)
    names = evidence.vocabulary("ch_names") + evidence.vocabulary("recordings")
    for number in read_numbers(text, exempt_names=names):
        if number.exempt_reason is not None or any(_equal(number, n) for n in asked):
            continue
        shown = f"{number.text} {number.unit or ''}".strip()
        if unit is not None and unit != "1" and convertible(number.unit, unit):
            return f"{shown} has the unit of {name}"
        if number.unit is None and ledger.grounds(number) is None and words is not None:
            for sentence in parts:
                inside = sentence.start <= number.span[0] < sentence.start + len(sentence.text)
                if inside and words.search(sentence.text.replace("_", " ")):
                    return f"{shown}, which no tool reported, beside {name}"
    return ""


def _equal(one: Number, two: Number) -> bool:
    return one.value == two.value and one.unit == two.unit


def _named_missing(alternatives: list[str], evidence: Evidence) -> str | None:
    """Return the word for what is missing, where a sentence of the answer says that it is."""
    text, _ = answer_text(evidence)
    for sentence in sentences(text, _NO_NAMES):
        body = sentence.text.replace("_", " ")
        for word in alternatives:
            words = cues.pattern([word])
            if words is not None and words.search(body) and _LACKING.search(body):
                return word
    return None


def _look_ups(spec: Mapping[str, Any], evidence: Evidence) -> list[Call]:
    lineage = Lineage(evidence.events)
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
