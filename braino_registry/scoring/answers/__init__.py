"""The deterministic reading of answers: a field's value out of data or words, or null and why.

Data wins where it is given; data and words that disagree read as null. What is not said is null,
never guessed; what is said twice, differently, is null too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from braino_registry.numbers import find_unit, read_numbers
from braino_registry.scoring.answers.data import find, typed
from braino_registry.scoring.answers.labels import read_label, read_sequence
from braino_registry.scoring.answers.prose import Vocabulary, clean, split_json
from braino_registry.scoring.answers.scalars import Value, read_number
from braino_registry.scoring.answers.sets import read_set
from braino_registry.scoring.model import Evidence

_OF = {"channel": "ch_names", "subject": "subjects", "recording": "recordings", "event": "events"}


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer says for one field.

    Parameters
    ----------
    value : frozenset, tuple, float, str, list or None
        By the field's type; None if it is missing, unclear or contradictory.
    where : str
        ``"data"``, ``"text"``, ``"artifacts"`` or ``"nowhere"``.
    conflict : bool
        Data and text disagree.
    reason : str
        Why there is no value.
    note : str
        What of the data was passed over, for example "the data has 'channels' but no
        'bad_channels'".
    """

    value: Any
    where: str
    conflict: bool = False
    reason: str = ""
    note: str = ""


def vocabulary_of(name: str, spec: Mapping[str, Any], evidence: Evidence) -> Vocabulary:
    """Return the names that a field may hold, with the spellings that are declared.

    Parameters
    ----------
    name : str
        Name of the field.
    spec : mapping
        The field.
    evidence : Evidence
        Its context has the names of channels, subjects, recordings and events.
    """
    of = spec.get("of")
    names = evidence.vocabulary(_OF[of]) if of in _OF else ()
    labels = spec.get("labels")
    if isinstance(labels, list | tuple):
        names = (*names, *(label for label in labels if isinstance(label, str)))
    aliases = spec.get("aliases")
    spellings = {
        key: [a for a in others if isinstance(a, str)]
        for key, others in (aliases.items() if isinstance(aliases, Mapping) else ())
    }
    if of == "subject":
        for label in names:
            spellings.setdefault(label, []).extend((f"sub-{label}", f"subject {label}"))
    return Vocabulary(names, spellings)


def answer_text(evidence: Evidence) -> tuple[str, dict[str, Any] | None]:
    """Return the cleaned prose of the answer, and the JSON object written in it."""
    if evidence.answer is None:
        return "", None
    prose, block = split_json(evidence.answer.text)
    silent = {
        str(event.get(key))
        for event in evidence.events
        for key in (("tool",) if event.get("type") == "call" else ("kind",))
        if event.get("type") in ("call", "decide") and len(str(event.get(key))) < 60
    }
    return clean(prose, silent), block


def read(spec: Mapping[str, Any], name: str, evidence: Evidence) -> Reading:
    """Read one field of an answer.

    Parameters
    ----------
    spec : mapping
        The field as the answer contract declares it.
    name : str
        Its name.
    evidence : Evidence
        The answer and the names that may occur in it.
    """
    answer = evidence.answer
    if answer is None or answer.empty:
        return Reading(None, "nowhere", reason="there is no answer")
    vocabulary = vocabulary_of(name, spec, evidence)
    text, block = answer_text(evidence)
    given = [v for v in (find(answer.data, name), find(block, name)) if v is not None]
    if given:
        return _from_data(given, spec, name, text, vocabulary, evidence)
    value, reason = _from_text(spec, name, text, vocabulary, evidence)
    if isinstance(value, Value):
        value = value.value
    if value is None and spec.get("type") == "file" and len(answer.artifacts) == 1:
        return Reading(answer.artifacts[0], "artifacts")
    note = _passed_over(name, {**(block or {}), **(answer.data or {})}, evidence)
    where = "text" if value is not None else "nowhere"
    return Reading(value, where, reason=reason, note=note)


def _passed_over(name: str, data: Mapping[str, Any], evidence: Evidence) -> str:
    """Say which keys of the data are no field of the contract, where a field is not given."""
    fields = {*evidence.fields, name}
    unknown = [
        repr(str(key)[:40])
        for key in data
        if all(find({key: 0}, field) is None for field in fields)
    ]
    if not unknown:
        return ""
    more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
    return f"the data has {', '.join(unknown[:3])}{more} but no {name!r}"


def _from_data(
    given: list[Any],
    spec: Mapping[str, Any],
    name: str,
    text: str,
    vocabulary: Vocabulary,
    evidence: Evidence,
) -> Reading:
    values = [typed(value, spec, vocabulary) for value in given]
    value, reason = values[0]
    if value is None:
        return Reading(None, "data", reason=reason)
    if any(other != value for other, _ in values[1:]):
        return Reading(None, "data", conflict=True, reason="two data objects disagree")
    if spec.get("type") not in ("text", "file", "events", "hypnogram"):
        said, _ = _from_text(spec, name, text, vocabulary, evidence)
        if said is not None and not _same(value, said):
            shown = said.value if isinstance(said, Value) else said
            return Reading(
                None, "data", conflict=True, reason=f"data says {_show(value)}, text {_show(shown)}"
            )
    return Reading(value, "data")


def _same(value: Any, said: Any) -> bool:
    if isinstance(said, Value):
        # Words that do not name the field may speak of another quantity.
        return not said.sure or abs(value - said.value) <= said.half * (1 + 1e-9) + 1e-9 * abs(
            value
        )
    return bool(value == said)


def _show(value: Any) -> str:
    if isinstance(value, frozenset | tuple):
        return ", ".join(sorted(map(str, value)))[:120] or "none"
    return f"{value:.6g}" if isinstance(value, float) else str(value)[:120]


def _from_text(
    spec: Mapping[str, Any], name: str, text: str, vocabulary: Vocabulary, evidence: Evidence
) -> tuple[Any, str]:
    kind = spec.get("type")
    if kind == "number":
        names = evidence.vocabulary("ch_names") + evidence.vocabulary("recordings")
        numbers = read_numbers(text, exempt_names=names)
        return read_number(name, spec, text, numbers, _number_siblings(name, spec, evidence))
    if kind == "set":
        if not vocabulary.names:
            return None, "the contract names no vocabulary"
        siblings = _same_kind(name, spec, evidence)
        reading = read_set(name, str(spec.get("of", "label")), text, vocabulary, siblings)
        return reading.names, reading.reason
    if kind == "label":
        if not vocabulary.names:
            return None, "the contract names no labels"
        return read_label(name, spec, text, vocabulary, _same_kind(name, spec, evidence))
    if kind == "sequence":
        return read_sequence(name, spec, text, vocabulary)
    if kind == "text" and text.strip():
        return text.strip(), ""
    return None, f"a field of type {kind} is read from data only"


def _same_kind(name: str, spec: Mapping[str, Any], evidence: Evidence) -> dict[str, Any]:
    """Return the fields that the same words could belong to, this one included."""
    key = (spec.get("type"), spec.get("of"), _labels(spec))
    found = {
        other: field
        for other, field in evidence.fields.items()
        if (field.get("type"), field.get("of"), _labels(field)) == key
    }
    return {**found, name: spec}


def _labels(spec: Mapping[str, Any]) -> tuple[str, ...]:
    labels = spec.get("labels")
    return tuple(sorted(map(str, labels))) if isinstance(labels, list | tuple) else ()


def _number_siblings(name: str, spec: Mapping[str, Any], evidence: Evidence) -> dict[str, Any]:
    own = _dimension(spec)
    found = {
        other: field
        for other, field in evidence.fields.items()
        if field.get("type") == "number" and _dimension(field) == own
    }
    return {**found, name: spec}


def _dimension(spec: Mapping[str, Any]) -> str:
    unit = find_unit(spec.get("unit"))
    return "bare" if unit is None or unit.dimension in ("count", "ratio") else unit.dimension
