"""Whether a field of the answer has the expected value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.numbers import convert, convertible
from braino_registry.scoring.answers import Reading, read, vocabulary_of
from braino_registry.scoring.events import describe
from braino_registry.scoring.kinds import check
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import NAME, deferred_or


def _read(spec: Mapping[str, Any], evidence: Evidence) -> tuple[Reading, Mapping[str, Any]]:
    field = evidence.fields.get(spec["field"])
    if field is None:
        return Reading(None, "nowhere", reason="the contract has no such field"), {}
    return read(field, spec["field"], evidence), field


def _unread(spec: Mapping[str, Any], reading: Reading, expected: Any) -> Verdict:
    what = "contradictory" if reading.conflict else "not given"
    why = "; ".join(part for part in (reading.reason, reading.note) if part)
    return Verdict(False, f"{spec['field']}: {what} ({why}); expected {describe(expected)}")


def _judged(passed: bool, text: str, reading: Reading) -> Verdict:
    """Return a verdict that says, where the check failed, what of the data was passed over."""
    return Verdict(passed, text if passed or not reading.note else f"{text} ({reading.note})")


def _canonical(names: Any, spec: Mapping[str, Any], evidence: Evidence) -> list[str]:
    """Return expected names in the spelling that the reading gives."""
    field = evidence.fields.get(spec["field"], {})
    vocabulary = vocabulary_of(spec["field"], field, evidence)
    names = [names] if isinstance(names, str) else names
    listed = names if isinstance(names, Sequence) else []
    return [vocabulary.canonical(str(name)) or str(name) for name in listed]


@check(
    "set",
    version="1.1.0",
    parameters={
        "properties": {
            "field": NAME,
            "expected": deferred_or({"type": "array", "items": NAME, "uniqueItems": True}),
            "mode": {"enum": ["exact", "f1"], "default": "exact"},
            "threshold": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        },
        "required": ["field", "expected"],
        "if": {"required": ["mode"], "properties": {"mode": {"const": "f1"}}},
        "then": {"required": ["threshold"]},
        "else": {"properties": {"threshold": False}},
    },
)
def set_(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require exactly the expected members; one too many is as wrong as one too few."""
    wanted = frozenset(_canonical(spec["expected"], spec, evidence))
    reading, _ = _read(spec, evidence)
    if not isinstance(reading.value, frozenset):
        return _unread(spec, reading, sorted(wanted))
    found = reading.value
    hits = len(found & wanted)
    f1 = 2 * hits / (len(found) + len(wanted)) if found or wanted else 1.0
    text = f"{spec['field']}: found {describe(found)}, expected {describe(wanted)}"
    if found - wanted:
        text += f"; too many: {describe(found - wanted)}"
    if wanted - found:
        text += f"; missing: {describe(wanted - found)}"
    if spec.get("mode") == "f1":
        return Verdict(f1 >= spec["threshold"], f"{text}; F1 {f1:.3f}", f1)
    return _judged(found == wanted, text, reading)


@check(
    "number",
    version="1.1.0",
    parameters={
        "properties": {
            "field": NAME,
            "expected": deferred_or({"type": "number"}),
            "unit": {**NAME, "description": "unit of the expected value; the field's by default"},
            "tolerance": {
                "type": "object",
                "additionalProperties": False,
                "minProperties": 1,
                "properties": {
                    "abs": {"type": "number", "minimum": 0},
                    "rel": {"type": "number", "minimum": 0, "maximum": 0.5},
                },
                "description": "in the unit of the expected value, or as a share of it",
            },
        },
        "required": ["field", "expected", "tolerance"],
    },
)
def number(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require the expected number, within a tolerance, in whatever unit the answer names."""
    wanted = spec["expected"]
    if isinstance(wanted, bool) or not isinstance(wanted, int | float) or not math.isfinite(wanted):
        return Verdict(False, f"{spec['field']}: there is no finite number to expect")
    reading, field = _read(spec, evidence)
    own = field.get("unit")
    unit = spec.get("unit", own)
    label = f" {unit}" if unit not in (None, "1", "count") else ""
    if not isinstance(reading.value, float):
        return _unread(spec, reading, f"{wanted:.6g}{label}")
    value = reading.value
    if unit != own:
        if own is None or unit is None or not convertible(own, unit):
            return Verdict(False, f"{spec['field']}: {own!r} does not convert to {unit!r}")
        value = convert(value, own, unit)
    tolerance = spec["tolerance"]
    allowed = max(tolerance.get("abs", 0.0), tolerance.get("rel", 0.0) * abs(wanted))
    # one part in 10¹²: the last bits of a conversion are nobody's error
    passed = abs(value - wanted) <= allowed + 1e-12 * max(abs(wanted), abs(value))
    text = f"{spec['field']}: found {value:.6g}{label}"
    return _judged(passed, f"{text}, expected {wanted:.6g}{label} ± {allowed:.3g}", reading)


@check(
    "label",
    version="1.1.0",
    parameters={
        "properties": {"field": NAME, "expected": deferred_or(NAME)},
        "required": ["field", "expected"],
    },
)
def label(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require the expected label, in any spelling that the contract declares."""
    expected = spec["expected"]
    if not isinstance(expected, str) or not expected:
        return Verdict(False, f"{spec['field']}: there is no label to expect")
    (wanted,) = _canonical(expected, spec, evidence)
    reading, _ = _read(spec, evidence)
    if not isinstance(reading.value, str):
        return _unread(spec, reading, wanted)
    passed = reading.value.casefold() == wanted.casefold()
    text = f"{spec['field']}: found {describe(reading.value)}, expected {wanted}"
    return _judged(passed, text, reading)


@check(
    "sequence",
    version="1.1.0",
    parameters={
        "properties": {
            "field": NAME,
            "expected": deferred_or({"type": "array", "minItems": 1, "items": NAME}),
            "mode": {"enum": ["exact", "positions"], "default": "exact"},
            "threshold": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        },
        "required": ["field", "expected"],
        "if": {"required": ["mode"], "properties": {"mode": {"const": "positions"}}},
        "then": {"required": ["threshold"]},
        "else": {"properties": {"threshold": False}},
    },
)
def sequence(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require the expected names in the expected order, and nothing else."""
    wanted = tuple(_canonical(spec["expected"], spec, evidence))
    reading, _ = _read(spec, evidence)
    if not isinstance(reading.value, tuple) or not wanted:
        return _unread(spec, reading, wanted)
    found = reading.value
    hits = sum(a == b for a, b in zip(found, wanted, strict=False))
    share = hits / max(len(found), len(wanted))
    text = f"{spec['field']}: found {describe(found)}, expected {describe(wanted)}"
    if spec.get("mode") == "positions":
        return Verdict(share >= spec["threshold"], f"{text}; {share:.2f} in place", share)
    return _judged(found == wanted, text, reading)
