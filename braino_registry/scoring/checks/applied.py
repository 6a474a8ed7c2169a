"""Whether the answer reports what was applied, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from braino_registry.numbers import Number, convert, convertible, read_numbers, unit_of
from braino_registry.scoring.answers import answer_text, cues, read, vocabulary_of
from braino_registry.scoring.answers.denials import stated
from braino_registry.scoring.answers.plain import plain
from braino_registry.scoring.answers.prose import Vocabulary, sentences
from braino_registry.scoring.answers.sets import read_set
from braino_registry.scoring.events import applied, decisions, describe
from braino_registry.scoring.kinds import check
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import NAME, NAMES

_MARKING = re.compile(
    r"\b(?:mark(?:ed|s|ing)?|set as bad|flagged as bad|labell?ed|tagged|exclud(?:ed|es)|approved"
    r"|applied|now bad|are bad now|is bad now|accepted|agreed to|consented to|in the bads"
    r"|on the bad-channel list|after your (?:edit|correction|change))\b",
    re.IGNORECASE,
)
_NOTHING_DONE = re.compile(
    r"\b(?:declin\w+|reject\w*|refus\w+|turned (?:it |this |that |them )?down|vetoed"
    r"|did not agree|didn't agree|said no|disagree\w*|unmarked|unchanged|nothing|kept|none"
    r"|not (?:been )?(?:marked|applied|approved|changed|set|removed|excluded|done)"
    r"|no (?:channels?|changes?|epochs?|components?|correction|preprocessing)"
    r"|left (?:as|alone|in))\b|n't (?:mark|appl|chang|set)",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"\b(?:mark(?:ed)?|appl(?:y|ied)|set|filter(?:ed)?|reject(?:ed)?|remov(?:ed)?|exclud(?:ed)?"
    r"|us(?:ed|ing)|correct(?:ed|ion)?|notch(?:ed)?|chose|chosen|now)\b",
    re.IGNORECASE,
)
_NO_NAMES = Vocabulary(())
# Where and why something was applied; the answer may put these in its own words.
_ASIDE = frozenset({"recording", "view", "reasons", "reason", "why", "n_tests"})


@check(
    "reports_applied",
    version="1.0.0",
    parameters={
        "properties": {
            "decision": {**NAME, "description": "kind of decision"},
            "field": {**NAME, "description": "field that holds the names that were applied"},
            "keys": {**NAMES, "description": "what of the applied has to be reported; all else"},
        },
        "required": ["decision"],
    },
)
def reports_applied(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require that the answer says what a decision applied, and nothing after a rejection."""
    kind = spec["decision"]
    made = decisions(evidence.events, kind)
    if not made:
        return Verdict(False, f"no decision {kind} was made, so nothing can have been applied")
    if evidence.answer is None or evidence.answer.empty:
        return Verdict(False, "there is no answer")
    total = applied(evidence.events, kind)
    keys = spec.get("keys")
    if keys:
        total = {key: value for key, value in total.items() if key in keys}
    proposed = [event.get("proposal") for _, event in made]
    names = {
        key: [v for v in value if isinstance(v, str)]
        for key, value in _listed(total, proposed).items()
    }
    problems = [_names_problem(spec, evidence, listed) for listed in names.values()]
    problems += _scalar_problems(total, names, evidence)
    problems += _overclaims(total, proposed, names, evidence)
    if not total and not _acknowledges(evidence):
        problems.append("does not say that nothing was applied")
    found = [problem for problem in problems if problem]
    shown = describe(total) if total else "nothing"
    if found:
        return Verdict(False, f"{kind} applied {shown}; the answer {'; '.join(found[:4])}")
    return Verdict(True, f"{kind} applied {shown}, and the answer says so")


def _listed(total: Mapping[str, Any], proposed: list[Any]) -> dict[str, list[Any]]:
    """Return the lists of names that were applied, or could have been."""
    keys: dict[str, list[Any]] = {}
    for source in (*proposed, total):
        for key, value in source.items() if isinstance(source, Mapping) else ():
            if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
                keys.setdefault(key, [])
    return {key: list(total.get(key) or []) for key in keys}


def _set_field(spec: Mapping[str, Any], evidence: Evidence) -> tuple[str, Mapping[str, Any]]:
    name = spec.get("field")
    if name in evidence.fields:
        return str(name), evidence.fields[str(name)]
    for other, field in evidence.fields.items():
        if field.get("type") == "set" and field.get("of") == "channel":
            return other, field
    return "bad_channels", {"type": "set", "of": "channel"}


def _names_problem(spec: Mapping[str, Any], evidence: Evidence, wanted: list[str]) -> str:
    """Compare the names that the answer claims with those that were applied."""
    name, field = _set_field(spec, evidence)
    vocabulary = vocabulary_of(name, field, evidence)
    expected = frozenset(vocabulary.canonical(w) or w for w in wanted)
    text, _ = answer_text(evidence)
    reading = read(field, name, evidence)
    if reading.conflict:
        return f"contradicts itself ({reading.reason})"
    # Once nothing was applied, only words of acting claim anything: "T8 is bad" does not.
    claimed = _claimed(name, field, text, vocabulary, None if expected else _MARKING)
    if claimed is None and (expected or reading.where == "data"):
        claimed = reading.value
    if claimed is None:
        # After a rejection it is enough that nothing is claimed; who says so is checked apart.
        passed_over = f" ({reading.note})" if reading.note else ""
        return f"does not say which{passed_over}" if expected else ""
    if claimed != expected:
        return f"says {describe(claimed)} instead of {describe(expected)}"
    return ""


def _claimed(
    name: str,
    field: Mapping[str, Any],
    text: str,
    vocabulary: Vocabulary,
    words: re.Pattern[str] | None,
) -> frozenset[str] | None:
    """Return the names that the text says were acted on, or None if it speaks of no act."""
    if not vocabulary.names or _MARKING.search(text) is None:
        return None
    text = plain(text, vocabulary, words or cues.generic(str(field.get("of"))))
    acted = [
        sentence.text
        for sentence in sentences(text, vocabulary)
        if _MARKING.search(sentence.text) or _MARKING.search(sentence.header)
    ]
    said = read_set(name, str(field.get("of")), "\n".join(acted), vocabulary, {name: field}, words)
    return said.names


def _acknowledges(evidence: Evidence) -> bool:
    text, _ = answer_text(evidence)
    return _NOTHING_DONE.search(text) is not None


def _scalar_problems(
    total: Mapping[str, Any], names: Mapping[str, Any], evidence: Evidence
) -> list[str]:
    text, block = answer_text(evidence)
    numbers = read_numbers(text)
    data = {**(block or {}), **(evidence.answer.data or {} if evidence.answer else {})}
    problems = []
    for key, value in total.items():
        if key in names or key in _ASIDE or value in (None, []) or isinstance(value, bool | dict):
            continue
        if isinstance(value, list):
            # epochs or components: their numbers, or how many they are
            plain = all(isinstance(item, int | float) for item in value)
            every = plain and all(_states(item, key, text, numbers, data) for item in value)
            if not every and not _states(len(value), "n", text, numbers, data):
                problems.append(f"does not report the {len(value)} {key}")
        elif not _states(value, key, text, numbers, data):
            problems.append(f"does not report {key} {describe(value)}")
    return problems


def _states(
    value: Any, key: str, text: str, numbers: list[Number], data: Mapping[str, Any]
) -> bool:
    if isinstance(value, str):
        words = cues.pattern([value])
        if words is None or any(value == v for v in data.values()):
            return words is not None
        return cues.asserted(text.replace("_", " "), words)[0]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    if any(not isinstance(v, bool) and v == value for v in data.values()):
        return True
    unit = unit_of(key)
    return any(_prints(n, float(value), unit) and stated(text, *n.span) for n in numbers)


def _prints(number: Number, value: float, unit: str | None) -> bool:
    if number.exempt_reason not in (None, "small count"):
        return False
    if number.unit is not None and unit not in (None, "count"):
        if not convertible(number.unit, unit):
            return False
        return _close(number, value, number.unit, unit)
    return abs(number.value - value) <= 0.5 * 10.0**-number.decimals * (1 + 1e-9)


def _close(number: Number, value: float, printed: str, unit: str | None) -> bool:
    shown = convert(value, unit or printed, printed)
    return abs(number.value - shown) <= 0.5 * 10.0**-number.decimals * (1 + 1e-9)


def _overclaims(
    total: Mapping[str, Any], proposed: list[Any], names: Mapping[str, Any], evidence: Evidence
) -> list[str]:
    """Find proposed values, not applied, that the answer reports as done."""
    text, _ = answer_text(evidence)
    parts = [
        segment.text
        for sentence in sentences(text, _NO_NAMES)
        for segment in sentence.segments
        if _DOING.search(segment.text)
    ]
    problems = []
    for source in proposed:
        for key, value in source.items() if isinstance(source, Mapping) else ():
            if key in names or key in _ASIDE or total.get(key) == value:
                continue
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                continue
            for part in parts:
                said = cues.polarity(part, _DOING)
                if said == "yes" and _states(value, key, part, read_numbers(part), {}):
                    problems.append(f"claims {key} {describe(value)}, which was not applied")
                    break
    return problems
