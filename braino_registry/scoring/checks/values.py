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
from braino_registry.scoring.parts import COUNT, NAME, NAME_OR_PAIR, THRESHOLD, deferred_or
from braino_registry.scoring.units import score_sequence, score_set
from braino_registry.scoring.units.collections import SequenceMode

#: What a field's ``of`` says where its names are pairs of channels.
PAIR = "channel_pair"
_MODES: Mapping[str, SequenceMode] = {
    "position": "position",
    "order": "exact",
    "weighted": "weighted",
}


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
    """Return expected names in the spelling that the reading gives; what is no name is left out."""
    field = evidence.fields.get(spec["field"], {})
    vocabulary = vocabulary_of(spec["field"], field, evidence)
    names = [names] if isinstance(names, str) else names
    listed = names if isinstance(names, Sequence) else []
    texts = [text for name in listed if (text := _as_text(name)) is not None]
    return [vocabulary.canonical(text) or text for text in texts]


def _as_text(name: Any) -> str | None:
    """Return a name, or the two names of a pair joined; None for what is neither."""
    if isinstance(name, Mapping):
        name = name.get("channels")
    if isinstance(name, list | tuple) and all(isinstance(part, str) for part in name):
        return "-".join(sorted(name))
    return name if isinstance(name, str) else None


@check(
    "set",
    version="1.2.0",
    unit="set",
    parameters={
        "properties": {
            "field": NAME,
            "expected": deferred_or({"type": "array", "items": NAME_OR_PAIR, "uniqueItems": True}),
            "mode": {"enum": ["exact", "f1", "partial"], "default": "exact"},
            "threshold": THRESHOLD,
            "top_k": {**COUNT, "description": "more names than these score nothing"},
            "per_match": {
                "type": "number",
                "exclusiveMinimum": 0,
                "maximum": 1,
                "description": "what each right name is worth; by default all of them make 1",
            },
        },
        "required": ["field", "expected"],
        "allOf": [
            {
                "if": {"required": ["mode"], "properties": {"mode": {"const": "partial"}}},
                "then": {"required": ["top_k"]},
                "else": {"properties": {"per_match": False, "top_k": False}},
            },
            {
                "if": {"required": ["mode"], "properties": {"mode": {"enum": ["f1", "partial"]}}},
                "else": {"properties": {"threshold": False}},
            },
        ],
    },
)
def set_(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require the expected members; one too many is as wrong as one too few.

    ``exact`` takes nothing else. ``f1`` is graded: the harmonic mean of precision and recall,
    rescaled so that naming every name that the field may hold is worth 0. ``partial`` is the
    BrainBench paper's (equation 6), which asks for no precision: hence its limit ``top_k``.
    """
    wanted = frozenset(_canonical(spec["expected"], spec, evidence))
    reading, field = _read(spec, evidence)
    if not isinstance(reading.value, frozenset):
        return _unread(spec, reading, sorted(wanted))
    found = reading.value
    text = f"{spec['field']}: found {describe(found)}, expected {describe(wanted)}"
    if found - wanted:
        text += f"; too many: {describe(found - wanted)}"
    if wanted - found:
        text += f"; missing: {describe(wanted - found)}"
    mode = spec.get("mode", "exact")
    if mode == "partial" and len(found) > spec["top_k"]:
        return Verdict(False, f"{text}; more than {spec['top_k']} are named", 0.0)
    score = score_set(
        sorted(found), sorted(wanted), mode,
        per_match=spec.get("per_match"), profile=evidence.profile,
    )  # fmt: skip
    if mode == "exact":
        return _judged(score == 1, text, reading)
    if mode == "f1":
        text += f"; F1 {score:.3f}"
        score = _above_naming_all(score, len(wanted), _possible(spec, field, evidence))
    return _graded(score, spec, f"{text}; score {score:.3f}")


def _possible(spec: Mapping[str, Any], field: Mapping[str, Any], evidence: Evidence) -> int:
    """Return how many names a field may hold."""
    if field.get("of") == PAIR:
        n = len(evidence.vocabulary("ch_names"))
        return n * (n - 1) // 2
    return len(vocabulary_of(spec["field"], field, evidence).names)


def _above_naming_all(f1: float, n_right: int, n_possible: int) -> float:
    """Return F1 as a share of the way from what naming everything is worth to 1."""
    everything = 2 * n_right / (n_possible + n_right) if n_possible > n_right else 0.0
    return max(0.0, (f1 - everything) / (1 - everything))


@check(
    "number",
    version="1.2.0",
    unit="numerical",
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
    version="1.2.0",
    unit="categorical",
    parameters={
        "properties": {"field": NAME, "expected": deferred_or(NAME_OR_PAIR)},
        "required": ["field", "expected"],
    },
)
def label(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require the expected label, in any spelling that the contract declares."""
    canonical = _canonical([spec["expected"]], spec, evidence)
    if not canonical or not canonical[0]:
        return Verdict(False, f"{spec['field']}: there is no label to expect")
    (wanted,) = canonical
    reading, _ = _read(spec, evidence)
    if not isinstance(reading.value, str):
        return _unread(spec, reading, wanted)
    passed = reading.value.casefold() == wanted.casefold()
    text = f"{spec['field']}: found {describe(reading.value)}, expected {wanted}"
    return _judged(passed, text, reading)


@check(
    "sequence",
    version="1.2.0",
    unit="sequence",
    parameters={
        "properties": {
            "field": NAME,
            "expected": deferred_or({"type": "array", "minItems": 1, "items": NAME_OR_PAIR}),
            "mode": {"enum": ["exact", "position", "order", "weighted"], "default": "exact"},
            "threshold": THRESHOLD,
            "top_k": {**COUNT, "description": "only the first of both count"},
            "slip": {"type": "integer", "minimum": 0, "description": "places a name may be off"},
            "min_overlap": {**COUNT, "description": "fewer names in common score nothing"},
            "position_weights": {
                "type": "array",
                "minItems": 1,
                "items": {"type": "number", "minimum": 0},
                "description": "by default 1, 1/2, 1/3 and so on",
            },
            "surplus": {
                "enum": ["fails", "cut"],
                "default": "fails",
                "description": "what becomes of more names than are expected",
            },
        },
        "required": ["field", "expected"],
        "allOf": [
            {
                "if": {"required": ["mode"], "properties": {"mode": {"const": "weighted"}}},
                "else": {
                    "properties": {"slip": False, "min_overlap": False, "position_weights": False}
                },
            },
            {
                "if": {"required": ["mode"], "properties": {"mode": {"not": {"const": "exact"}}}},
                "else": {"properties": {"threshold": False, "top_k": False, "surplus": False}},
            },
            {
                "if": {"required": ["mode"], "properties": {"mode": {"const": "position"}}},
                "then": {"properties": {"top_k": False}},
            },
        ],
    },
)
def sequence(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require the expected names in the expected order.

    ``exact`` takes nothing else. ``position``, ``order`` and ``weighted`` are those of the
    BrainBench paper (equations 7 and 8), behind a guard of ours: naming more than is expected
    scores nothing, unless ``surplus`` says that the rest is cut off.
    """
    wanted = tuple(_canonical(spec["expected"], spec, evidence))
    reading, _ = _read(spec, evidence)
    if not isinstance(reading.value, tuple) or not wanted:
        return _unread(spec, reading, wanted)
    found = reading.value
    text = f"{spec['field']}: found {describe(found)}, expected {describe(wanted)}"
    mode = spec.get("mode", "exact")
    if mode == "exact":
        return _judged(found == wanted, text, reading)
    most = min(len(wanted), spec.get("top_k", len(wanted)))
    said = found if mode == "position" else tuple(dict.fromkeys(found))
    if len(said) > most:
        if spec.get("surplus", "fails") == "fails":
            return Verdict(False, f"{text}; {len(said)} names where {most} are expected", 0.0)
        said = said[:most]
    score = score_sequence(
        list(said), list(wanted), _MODES[mode],
        top_k=spec.get("top_k"), slip=spec.get("slip", 0), min_overlap=spec.get("min_overlap", 1),
        weights=spec.get("position_weights"), profile=evidence.profile,
    )  # fmt: skip
    return _graded(score, spec, f"{text}; score {score:.3f}")


def _graded(score: float, spec: Mapping[str, Any], text: str) -> Verdict:
    """Return the verdict of a check with degrees: it passes at its threshold, by default 1."""
    return Verdict(score >= spec.get("threshold", 1.0), text, score)
