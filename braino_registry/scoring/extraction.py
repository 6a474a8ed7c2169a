"""Reading a report by a language model: what it is asked, and what of its reply is taken.

Extraction only. The model sees the fields of the answer contract and the report, never an expected
value, a check or a truth. A field that it leaves out is null, and so is a value that the report
does not print: the reply is held against the text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from braino_registry.numbers import convert, convertible, find_unit, read_numbers
from braino_registry.numbers.spelling import legible
from braino_registry.scoring.answers import vocabulary_of
from braino_registry.scoring.answers.blocks import blocks
from braino_registry.scoring.answers.data import typed
from braino_registry.scoring.answers.prose import Vocabulary, clean, shortened
from braino_registry.scoring.answers.stages import SPELLINGS
from braino_registry.scoring.model import Evidence
from braino_registry.scoring.prompts import prompt

MAX_REPLY = 200_000
MAX_NAMES = 400
_FORMS = {
    "number": "number | null",
    "label": "string | null",
    "set": "array of strings | null",
    "sequence": "array of strings, in order | null",
    "events": 'array of {"onset": seconds, "duration": seconds or null, "label": string} | null',
    "hypnogram": "array with one stage of W, N1, N2, N3, R per epoch | null",
    "text": "string, quoted from the report | null",
    "file": "path as the report prints it | null",
}


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a model read.

    Parameters
    ----------
    values : dict
        By field; None where there is no value.
    problems : dict
        By field, why a value of the reply was not taken; under ``""`` what is wrong with all of it.
    """

    values: dict[str, Any]
    problems: dict[str, str]


def described(fields: Mapping[str, Mapping[str, Any]], evidence: Evidence) -> str:
    """Return the fields for a model: name, form, unit, what they may hold, what they mean.

    Parameters
    ----------
    fields : mapping
        The answer contract.
    evidence : Evidence
        Names of channels, subjects, recordings and events that values may hold.
    """
    lines = []
    for name, spec in fields.items():
        unit = spec.get("unit")
        parts = [f"- {name}: {spec.get('type')}"]
        if unit not in (None, "1", "count"):
            parts.append(f"in {unit}")
        if unit == "1":
            parts.append("as a plain number (12 % is 0.12)")
        names = vocabulary_of(name, spec, evidence).names[:MAX_NAMES]
        if names:
            parts.append(f"of these names: {', '.join(names)}")
        meaning = [str(spec["description"])] if spec.get("description") else []
        said = [phrase for phrase in spec.get("said_as", ()) if isinstance(phrase, str)]
        if said:
            meaning.append("reports may call it " + ", ".join(f'"{phrase}"' for phrase in said))
        lines.append("; ".join(parts) + (f". {'; '.join(meaning)}." if meaning else "."))
    return "\n".join(lines)


def template(fields: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the form of the reply."""
    inner = ", ".join(
        f"{json.dumps(name)}: <{_FORMS.get(str(spec.get('type')), 'null')}>"
        for name, spec in fields.items()
    )
    return f"{{{inner}}}"


def extraction_messages(evidence: Evidence) -> list[dict[str, Any]]:
    """Return what a model is asked, to read the report of an answer.

    Parameters
    ----------
    evidence : Evidence
        Only the report, the fields and the names of the data are looked at.
    """
    report = evidence.answer.text if evidence.answer is not None else ""
    return prompt("extract").messages(
        fields=described(evidence.fields, evidence),
        template=template(evidence.fields),
        report=json.dumps(shortened(report), ensure_ascii=False),
    )


def reply_object(reply: str) -> dict[str, Any] | None:
    """Return the one JSON object of a reply, or None."""
    found = [block.value for block in blocks(reply[:MAX_REPLY]) if isinstance(block.value, dict)]
    return found[0] if len(found) == 1 else None


def extracted(reply: str, evidence: Evidence) -> Extraction:
    """Return what a model's reply gives to each field.

    Parameters
    ----------
    reply : str
        The reply as it came.
    evidence : Evidence
        As for `extraction_messages`.
    """
    fields = evidence.fields
    empty: dict[str, Any] = dict.fromkeys(fields)
    document = reply_object(reply)
    if document is None:
        return Extraction(empty, {"": "the reply is not one JSON object"})
    problems: dict[str, str] = {}
    unknown = sorted(set(map(str, document)) - set(fields))
    if unknown:
        problems[""] = f"the reply has fields that were not asked for: {', '.join(unknown[:5])}"
    report = evidence.answer.text if evidence.answer is not None else ""
    for name, spec in fields.items():
        given = document.get(name)
        if given is None:
            if name not in document:
                problems[name] = "the reply leaves it out"
            continue
        vocabulary = vocabulary_of(name, spec, evidence)
        value, reason = typed(given, spec, vocabulary)
        if value is None:
            problems[name] = reason
        elif not printed(value, spec, report, vocabulary):
            problems[name] = "the report does not print it"
        else:
            empty[name] = value
    return Extraction(empty, problems)


def printed(value: Any, spec: Mapping[str, Any], report: str, vocabulary: Vocabulary) -> bool:
    """Tell whether a report prints a value that is said to be taken from it.

    Parameters
    ----------
    value : float, str, frozenset, tuple or list
        In the form of its field.
    spec : mapping
        The field.
    report : str
        The report.
    vocabulary : Vocabulary
        Names that the field may hold.
    """
    kind = spec.get("type")
    text = legible(report).text
    if kind == "number":
        return _prints(text, float(value), spec.get("unit"))
    if kind == "label":
        return str(value) in {mention.name for mention in vocabulary.find(clean(text))}
    if kind in ("set", "sequence"):
        return set(value) <= {mention.name for mention in vocabulary.find(clean(text))}
    if kind == "events":
        times = [
            each for event in value if isinstance(event, Mapping) for each in [event.get("onset")]
        ]
        return len(times) == len(value) and all(
            isinstance(each, int | float) and _prints(text, float(each), "s") for each in times
        )
    if kind == "hypnogram":
        folded = text.casefold()
        return all(
            any(s.casefold() in folded for s in SPELLINGS.get(str(stage), (str(stage),)))
            for stage in set(map(str, value))
        )
    squeezed = " ".join(clean(text).split()).casefold()
    return " ".join(clean(str(value)).split()).casefold() in squeezed


def _prints(text: str, value: float, unit: str | None) -> bool:
    """Tell whether a text prints a number, in its unit or in one that converts to it."""
    if not math.isfinite(value):
        return False
    target = find_unit(unit)
    for number in read_numbers(text):
        sizes = [(number.value, number.half)]
        if number.unit is not None and target is not None and convertible(number.unit, target.name):
            factor = convert(1.0, number.unit, target.name)
            sizes.append((number.value * factor, number.half * factor))
        if any(abs(v - value) <= h + 1e-9 * max(1.0, abs(value)) for v, h in sizes):
            return True
    return False
