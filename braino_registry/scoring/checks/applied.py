"""Whether the answer reports what was applied, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from braino_registry.numbers import Number, convert, convertible, read_numbers, unit_of
from braino_registry.scoring.answers import answer_text, cues, read, vocabulary_of
from braino_registry.scoring.answers.enacted import Told, acts
from braino_registry.scoring.answers.plain import plain
from braino_registry.scoring.answers.prose import Vocabulary, sentences
from braino_registry.scoring.answers.sets import read_set
from braino_registry.scoring.events import applied, decisions, describe, is_about
from braino_registry.scoring.kinds import check
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import NAME, NAMES, deferred_or

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
_WHICH = re.compile(r"\b(?:components?|epochs?|ICs?|trials?)(?:\(s\))?[ \t]+$", re.IGNORECASE)
# Where and why something was applied; the answer may put these in its own words.
_ASIDE = frozenset({"recording", "view", "reasons", "reason", "why", "n_tests", "decomposition"})
# Kinds whose act is itself called a rejection or an exclusion.
_REJECTING = {"reject-epochs": "rejected", "exclude-components": "excluded"}
_BY_THE_USER = re.compile(
    r"\b(?:you|(?:the )?user|researcher)\s+(?:\w+\s+){0,2}?reject\w*"
    r"|\breject\w*\s+by\s+(?:you|the user)"
    r"|\b(?:proposal|request|suggestion|decision|this|that|it)\b[^.;]{0,60}\breject\w*",
    re.IGNORECASE,
)


@check(
    "reports_applied",
    version="1.2.0",
    parameters={
        "properties": {
            "decision": {**NAME, "description": "kind of decision"},
            "on": {**deferred_or(NAME), "description": "recording that it is about"},
            "field": {**NAME, "description": "field that holds the names that were applied"},
            "keys": {**NAMES, "description": "what of the applied has to be reported; all else"},
        },
        "required": ["decision"],
    },
)
def reports_applied(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require that the answer says what a decision applied, and nothing after a rejection."""
    kind, on = spec["decision"], spec.get("on")
    made = [found for found in decisions(evidence.events, kind) if is_about(found[1], on)]
    if not made:
        return Verdict(False, f"no decision {kind} was made, so nothing can have been applied")
    if evidence.answer is None or evidence.answer.empty:
        return Verdict(False, "there is no answer")
    total = applied(evidence.events, kind, on)
    keys = spec.get("keys")
    if keys:
        total = {key: value for key, value in total.items() if key in keys}
    proposed = [event.get("proposal") for _, event in made]
    names = {
        key: [v for v in value if isinstance(v, str)]
        for key, value in _listed(total, proposed).items()
    }
    problems = [
        _names_problem(spec, evidence, listed)
        if key == "channels" or "field" in spec
        else _others_problem(key, listed, evidence)
        for key, listed in names.items()
    ]
    problems += _scalar_problems(total, names, evidence, kind)
    problems += _overclaims(total, proposed, names, evidence, kind)
    if not total and not _acknowledges(evidence, kind):
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


def _others_problem(key: str, wanted: list[str], evidence: Evidence) -> str:
    """Compare names in another role, the channels of a reference, with what the answer names."""
    text, _ = answer_text(evidence)
    names = Vocabulary([*evidence.vocabulary("ch_names"), *wanted])
    words, told = cues.pattern([key]), Told(text)
    said = {
        mention.name
        for sentence in sentences(text, names)
        for segment in sentence.segments
        if words is not None and words.search(f"{sentence.header} {segment.text}")
        for mention in segment.mentions
        if told.holds(sentence.start + mention.start, sentence.start + mention.stop)
    }
    missing = [name for name in wanted if (names.canonical(name) or name) not in said]
    return f"does not name {describe(missing)} as {key}" if missing else ""


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


def _acknowledges(evidence: Evidence, kind: str) -> bool:
    text, _ = answer_text(evidence)
    if kind in _REJECTING:
        # "8 epochs were rejected" reports a rejection of data, not one of the proposal
        text = _BY_THE_USER.sub("declined", text)
        text = re.sub(r"\breject\w*", "", text, flags=re.IGNORECASE)
    return _NOTHING_DONE.search(text) is not None


def _scalar_problems(
    total: Mapping[str, Any], names: Mapping[str, Any], evidence: Evidence, kind: str
) -> list[str]:
    text, block = answer_text(evidence)
    told = Told(text, rejecting=kind in _REJECTING)
    data = {**(block or {}), **(evidence.answer.data or {} if evidence.answer else {})}
    problems = []
    for key, value in total.items():
        if key in names or key in _ASIDE or value in (None, []) or isinstance(value, bool | dict):
            continue
        if isinstance(value, list):
            # epochs or components: their numbers, or how many they are
            own = _numbers_of(value)
            every = len(own) == len(value) and all(_states(n, key, told, data) for n in own)
            if not every and not _counts(len(value), told, data):
                problems.append(f"does not report the {len(value)} {key}")
        elif not _states(value, key, told, data):
            problems.append(f"does not report {key} {describe(value)}")
        else:
            problems += _contradicted(key, value, told)
    return problems


def _states(value: Any, key: str, told: Told, data: Mapping[str, Any]) -> bool:
    if isinstance(value, str):
        words = cues.pattern([value])
        if words is None or any(value == v for v in data.values()):
            return words is not None
        return told.says(words)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    if any(not isinstance(v, bool) and v == value for v in data.values()):
        return True
    unit = unit_of(key)
    said = [n for n in told.numbers if _prints(n, float(value), unit) and told.holds(*n.span)]
    named = cues.pattern([key])
    if named is None or not said or not told.denies(named):
        return bool(said)
    return any(told.together(n, named) for n in said)


def _counts(count: int, told: Told, data: Mapping[str, Any]) -> bool:
    """Tell whether the text says how many; "component 1" says which."""
    if any(not isinstance(v, bool) and v == count for v in data.values()):
        return True
    return any(
        _prints(n, float(count), None)
        and told.holds(*n.span)
        and not _WHICH.search(told.text[max(0, n.span[0] - 20) : n.span[0]])
        for n in told.numbers
    )


def _contradicted(key: str, value: Any, told: Told) -> list[str]:
    """Find another number that the text gives to a setting ("the notch is at 60 Hz")."""
    named, unit = cues.pattern([key]), unit_of(key)
    if named is None or isinstance(value, bool) or not isinstance(value, int | float):
        return []
    given = told.others(named, unit)
    if not given or any(_prints(n, float(value), unit) for n in given):
        return []
    return [f"gives {key} as {given[0].text}"]


def _prints(number: Number, value: float, unit: str | None) -> bool:
    if not number.claimed and number.exempt_reason != "number word":
        return False
    shown = value
    if number.unit is not None and unit not in (None, "count"):
        if not convertible(number.unit, unit):
            return False
        shown = convert(value, unit or number.unit, number.unit)
    return abs(number.value - shown) <= number.half * (1 + 1e-9)


def _overclaims(
    total: Mapping[str, Any],
    proposed: list[Any],
    names: Mapping[str, Any],
    evidence: Evidence,
    kind: str,
) -> list[str]:
    """Find proposed values, not applied, that the answer reports as done."""
    text, _ = answer_text(evidence)
    parts = [
        Told(segment.text)
        for sentence in sentences(text, _NO_NAMES)
        for segment in sentence.segments
        if _DOING.search(segment.text) and cues.polarity(segment.text, _DOING) == "yes"
    ]
    problems = []
    for source in proposed:
        for key, value in source.items() if isinstance(source, Mapping) else ():
            if key in names or key in _ASIDE or total.get(key) == value:
                continue
            if isinstance(value, list):
                problems += _overclaimed_list(key, value, total.get(key) or [], text, kind)
            elif isinstance(value, str | int | float) and not isinstance(value, bool):
                if any(_states(value, key, part, {}) for part in parts):
                    problems.append(f"claims {key} {describe(value)}, which was not applied")
    return problems


def _overclaimed_list(
    key: str, proposed: list[Any], done: list[Any], text: str, kind: str
) -> list[str]:
    """Find a claim that more was rejected or excluded than was."""
    if kind not in _REJECTING:
        return []
    for claim in acts(text):
        if not done:
            return [f"claims that {key} were {_REJECTING[kind]}: {claim.strip()[:60]!r}"]
        # "epochs of subject 01" names no epoch
        numbers = [n.value for n in read_numbers(claim) if _says_how_many(n)]
        left = set(_numbers_of(proposed)) - set(_numbers_of(done))
        allowed = {*_numbers_of(done), float(len(done))}
        if len(proposed) != len(done):
            left.add(float(len(proposed)))
        more = [n for n in numbers if n in left and n not in allowed]
        if more:
            return [f"claims {key} {more[0]:g} as {_REJECTING[kind]}"]
    return []


def _says_how_many(number: Number) -> bool:
    said = number.claimed or number.exempt_reason == "number word"
    return said and number.unit is None and number.decimals == 0


def _numbers_of(items: list[Any]) -> list[float]:
    """Return what a list calls its items: themselves, or their ``epoch`` or ``component``."""
    found = []
    for item in items:
        named = item.get("epoch", item.get("component")) if isinstance(item, Mapping) else item
        if isinstance(named, int | float) and not isinstance(named, bool):
            found.append(float(named))
    return found
