"""The deterministic reading of answers: a field's value out of data or words, or null and why.

Data wins where it is given; data and words that disagree read as null. What is not said is null,
never guessed; what is said twice, differently, is null too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from braino_registry.numbers import find_unit
from braino_registry.scoring.answers.blocks import Block, blocks, named, without
from braino_registry.scoring.answers.data import find, typed
from braino_registry.scoring.answers.pairs import PairVocabulary
from braino_registry.scoring.answers.prose import Vocabulary, shortened
from braino_registry.scoring.answers.scalars import Value
from braino_registry.scoring.answers.textual import Said, from_text, said_in
from braino_registry.scoring.model import Evidence

_LISTED = ("events", "hypnogram", "sequence")
_OF = {
    "channel": "ch_names",
    "channel_pair": "ch_names",
    "subject": "subjects",
    "recording": "recordings",
    "event": "events",
}


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
    return PairVocabulary(names) if of == "channel_pair" else Vocabulary(names, spellings)


def silent_names(evidence: Evidence) -> frozenset[str]:
    """Return the names of tools and decisions, whose words are no statements."""
    return frozenset(
        str(event.get(key))
        for event in evidence.events
        for key in (("tool",) if event.get("type") == "call" else ("kind",))
        if event.get("type") in ("call", "decide") and len(str(event.get(key))) < 60
    )


def answer_text(evidence: Evidence) -> tuple[str, dict[str, Any] | None]:
    """Return the cleaned prose of the answer, and the JSON object written in it."""
    if evidence.answer is None:
        return "", None
    prose, found = parts_of(evidence.answer.text)
    merged: dict[str, Any] = {}
    for block in found:
        merged |= block.value if isinstance(block.value, dict) else {}
    return said_in(prose, silent_names(evidence)).text, merged or None


@lru_cache(maxsize=16)
def parts_of(text: str) -> tuple[str, tuple[Block, ...]]:
    """Return a report without its JSON, and the JSON."""
    text = shortened(text)
    found = blocks(text)
    return without(text, found), tuple(found)


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
    prose, found = parts_of(answer.text)
    said = said_in(prose, silent_names(evidence))
    own = find(answer.data, name)
    given: list[tuple[Any, str | None]] = [] if own is None else [(own, None)]
    for block in found:
        given += _in_block(block, name, spec, evidence)
    if given:
        return _from_data(given, spec, name, said, vocabulary, evidence)
    value, reason = _from_words(name, spec, said, vocabulary, evidence)
    if isinstance(value, Value):
        value = value.value
    if value is None and spec.get("type") == "file" and len(answer.artifacts) == 1:
        return Reading(answer.artifacts[0], "artifacts")
    note = _passed_over(name, {**(answer_text(evidence)[1] or {}), **(answer.data or {})}, evidence)
    where = "text" if value is not None else "nowhere"
    return Reading(value, where, reason=reason, note=note)


def _from_words(
    name: str, spec: Mapping[str, Any], said: Said, vocabulary: Vocabulary, evidence: Evidence
) -> tuple[Any, str]:
    """Return what the words say: by rule, or as a model has read them."""
    if evidence.parsed is not None:
        value = evidence.parsed.get(name)
        return value, "" if value is not None else "the parser gives no value"
    return from_text(name, spec, said, vocabulary, evidence, silent_names(evidence))


def _in_block(
    block: Block, name: str, spec: Mapping[str, Any], evidence: Evidence
) -> list[tuple[Any, str | None]]:
    """Return what a JSON block in the text gives to a field, each with the unit of its key."""
    if isinstance(block.value, list):
        kinds = [field.get("type") for field in evidence.fields.values()]
        kind = spec.get("type")
        fits = kind in _LISTED and kinds.count(kind) == 1 and not set(kinds) - {kind} & set(_LISTED)
        return [(block.value, None)] if fits else []
    direct = find(block.value, name)
    if direct is not None:
        return [(direct, None)]
    return [(e.value, e.unit) for e in named(block.value, name, spec) if e.value is not None]


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
    given: list[tuple[Any, str | None]],
    spec: Mapping[str, Any],
    name: str,
    said: Said,
    vocabulary: Vocabulary,
    evidence: Evidence,
) -> Reading:
    values = [typed(_in_unit(value, unit, spec), spec, vocabulary) for value, unit in given]
    value, reason = values[0]
    if value is None:
        return Reading(None, "data", reason=reason)
    if any(other != value for other, _ in values[1:]):
        return Reading(None, "data", conflict=True, reason="two data objects disagree")
    if spec.get("type") not in ("text", "file", "events", "hypnogram"):
        words, _ = _from_words(name, spec, said, vocabulary, evidence)
        if words is not None and not _same(value, words):
            shown = words.value if isinstance(words, Value) else words
            return Reading(
                None, "data", conflict=True, reason=f"data says {_show(value)}, text {_show(shown)}"
            )
    return Reading(value, "data")


def _in_unit(value: Any, unit: str | None, spec: Mapping[str, Any]) -> Any:
    """Return a number of data with the unit that its key states, where the field has one."""
    bare = isinstance(value, bool) or not isinstance(value, int | float)
    if bare or unit in (None, "count") or find_unit(spec.get("unit")) is None:
        return value
    if unit == "1" and spec.get("unit") != "%":
        return value
    return f"{value!r} {unit}" if unit != "1" else value * 100


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
