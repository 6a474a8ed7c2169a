"""Whether the agent left a file, and what it holds: measured, never taken from a header."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.registry import documents
from braino_registry.scoring.events import Call, calls, describe, meets, satisfies
from braino_registry.scoring.files.errors import UnreadableFileError
from braino_registry.scoring.files.places import regular
from braino_registry.scoring.kinds import check
from braino_registry.scoring.lineage import Lineage
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import CONDITION, CONDITIONS, COUNT, NAME, TOOLS, deferred_or
from braino_registry.scoring.units import score_artifact

if TYPE_CHECKING:
    from braino_registry.scoring.files.images import Picture

MAX_JSON = 10_000_000
_WEIGHT: dict[str, Any] = {"type": "number", "exclusiveMinimum": 0, "default": 1}
_POSITIVE: dict[str, Any] = {"type": "number", "exclusiveMinimum": 0}
_HZ_OR_NONE: dict[str, Any] = {"type": ["number", "null"], "exclusiveMinimum": 0}


def _field(value: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the schema of a field of a file: what it should be, and what that counts."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["is"],
        "properties": {"is": value, "weight": _WEIGHT, **more},
    }


_SIGNAL: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "minProperties": 1,
    "properties": {
        "channels": _field(deferred_or({"type": "array", "minItems": 1, "items": NAME})),
        "n_channels": _field(deferred_or({"type": "integer", "minimum": 1})),
        "shape": _field(
            deferred_or({"type": "array", "minItems": 1, "items": COUNT})
        ),
        "sfreq": _field(deferred_or(_POSITIVE), tolerance={"type": "number", "minimum": 0}),
        "duration": _field(deferred_or(_POSITIVE), tolerance={"type": "number", "minimum": 0}),
        "rms": _field(
            {
                "description": "of all channels by order or by name, or their mean",
                "if": {"type": "array"},
                "then": {"minItems": 1, "items": _POSITIVE},
                "else": {
                    "if": {"type": "object"},
                    "then": {"minProperties": 1},
                    "else": _POSITIVE,
                },
            },
            tolerance={"type": "number", "minimum": 0, "maximum": 1},
            unit={"enum": ["uV", "V"]},
        ),
        "course": _field(
            deferred_or(
                {
                    "type": "array",
                    "minItems": 10,
                    "items": _POSITIVE,
                    "description": "RMS part after part, as time.course has it; a file with "
                    "another course holds another signal, and scores nothing",
                }
            ),
            seconds={**_POSITIVE, "default": 1, "description": "length of a part"},
            correlation={"type": "number", "exclusiveMinimum": 0, "maximum": 1, "default": 0.9},
        ),
        "reference": _field({"const": "average"}),
        "passband": _field(
            deferred_or(
                {"type": "array", "minItems": 2, "maxItems": 2, "items": _HZ_OR_NONE}
            )
        ),
        "rate": {
            "type": "object",
            "additionalProperties": False,
            "required": ["is"],
            "properties": {"is": deferred_or(_POSITIVE)},
            "description": "rate of a format that states none; no field that is checked",
        },
    },
}  # fmt: skip
_STEP: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["tool"],
    "properties": {"tool": TOOLS, "with": CONDITIONS},
}
_THROUGH: dict[str, Any] = {
    **_STEP,
    "properties": {
        **_STEP["properties"],
        "and": {
            "if": {"type": "array"},
            "then": {"minItems": 1, "items": _STEP},
            "else": _STEP,
            "description": "calls that it must rest on as well",
        },
    },
}
_ONLY: dict[str, Any] = {
    **_STEP,
    "properties": {
        **_STEP["properties"],
        "besides": {
            "type": "array",
            "items": NAME,
            "uniqueItems": True,
            "description": "arguments that may be anything",
        },
    },
    "description": "every call of this tool that it rests on has no other arguments than these",
}
_IMAGE: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "minProperties": 1,
    "properties": {
        "shows": _field({"enum": ["curves", "grid"]}),
        "drawn_by": {
            "type": "object",
            "additionalProperties": False,
            "required": ["tool"],
            "properties": {
                "tool": TOOLS,
                "with": CONDITIONS,
                "showing": {**CONDITIONS, "description": "conditions on the call's result"},
                "through": {
                    "if": {"type": "array"},
                    "then": {"minItems": 1, "items": _THROUGH},
                    "else": _THROUGH,
                    "description": "a call, or one of several, whose result it was drawn from",
                },
                "only": _ONLY,
                "on": deferred_or(NAME),
                "weight": _WEIGHT,
            },
        },
    },
}


@check(
    "artifact",
    version="1.3.0",
    unit="artifact",
    parameters={
        "properties": {
            "path": {
                "type": "string",
                "pattern": r"^(?!/)(?!.*(^|/)\.\.?(/|$))[^\\\x00]+$",
                "description": "of a file below the artifacts folder",
            },
            "min_bytes": {"type": "integer", "minimum": 1},
            "json": {
                "type": "object",
                "additionalProperties": False,
                "required": ["value", "is"],
                "properties": {
                    "value": {**NAME, "description": "JMESPath in the file's JSON"},
                    "is": CONDITION,
                },
            },
            "signal": {**_SIGNAL, "description": "what is measured in an EDF, FIF, NPY or CSV"},
            "image": {**_IMAGE, "description": "what the pixels of a PNG show"},
        },
        "required": ["path"],
        "allOf": [
            {"not": {"required": pair}}
            for pair in (["json", "signal"], ["json", "image"], ["signal", "image"])
        ],
    },
)
def artifact(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require a regular, non-empty file in the artifacts folder, with the measured content.

    Of a signal or an image, the score is the weighted share of the fields that are right (equation
    10 of the BrainBench paper); what cannot be read scores 0.
    """
    problem, status = regular(evidence.artifacts, spec["path"])
    if status is None:
        return Verdict(False, f"{spec['path']}: {problem}")
    least = spec.get("min_bytes", 1)
    if status.st_size < least:
        return Verdict(False, f"{spec['path']}: {status.st_size} bytes, expected {least} or more")
    path = evidence.artifacts / spec["path"]
    if "json" in spec:
        return _measured(path, status.st_size, spec["path"], spec["json"])
    try:
        if "signal" in spec:
            return _signal(path, status.st_size, spec)
        if "image" in spec:
            return _image(path, status.st_size, spec, evidence)
    except UnreadableFileError as error:
        return Verdict(False, f"{spec['path']}: {error}", 0.0)
    return Verdict(True, f"{spec['path']}: {status.st_size} bytes")


def _signal(path: Path, size: int, spec: Mapping[str, Any]) -> Verdict:
    from braino_registry.scoring.files.measures import measure
    from braino_registry.scoring.files.signals import open_signal

    found = measure(open_signal(path), spec["signal"])
    wanted = {name: describe(field["is"]) for name, field in spec["signal"].items()}
    told = [
        f"{each.name} {each.found}" + ("" if each.passed else f", expected {wanted[each.name]}")
        for each in found
    ]
    if any(each.name == "course" and not each.passed for each in found):
        # names, rate, length and band can be had without the recording
        return Verdict(False, f"{spec['path']}: another signal; {'; '.join(told)}", 0.0)
    return _shared(spec["path"], size, [(each.weight, each.passed) for each in found], told)


def _image(path: Path, size: int, spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    from braino_registry.scoring.files.images import open_picture

    picture, wanted = open_picture(path), spec["image"]
    width, height = picture.size
    if picture.blank:
        return Verdict(False, f"{spec['path']}: {width} x {height} pixels, all the same", 0.0)
    results, told = [], [f"{width} x {height} pixels"]
    if "shows" in wanted:
        kind = wanted["shows"]["is"]
        passed = picture.shows_curves if kind == "curves" else picture.shows_map
        results.append((float(wanted["shows"].get("weight", 1)), passed))
        told.append(f"{'shows' if passed else 'shows no'} {kind}")
    drawn = wanted.get("drawn_by")
    # code draws with what it likes; only its pixels can be asked
    if drawn is not None and not _coded(evidence):
        passed = _drawn(drawn, spec["path"], picture, evidence)
        results.append((float(drawn.get("weight", 1)), passed))
        how = f"{describe(drawn['tool'])} with {describe(dict(drawn.get('with', {})))}"
        told.append(f"{'drawn' if passed else 'not drawn'} by {how}")
    return _shared(spec["path"], size, results, told)


def _coded(evidence: Evidence) -> bool:
    return any(e.get("type") == "execute" and e.get("ok") is True for e in evidence.events)


def _drawn(wanted: Mapping[str, Any], name: str, picture: Picture, evidence: Evidence) -> bool:
    """Tell whether the last call that wrote the file is one as it was asked for."""
    lineage, last = evidence.lineage, None
    for call in calls(evidence.events):
        result = call.result
        if isinstance(result, Mapping) and result.get("file") == name:
            last = call
    if last is None or last not in calls(evidence.events, wanted["tool"]):
        return False
    sizes = [last.result.get(key) for key in ("width_px", "height_px")]
    if None not in sizes and tuple(sizes) != picture.size:
        return False  # something else was put in its place
    on = wanted.get("on")
    return (
        meets(last.args, wanted.get("with", {}))
        and meets(last.result, wanted.get("showing", {}))
        and (on is None or on in lineage.ancestors(last))
        and _drawn_through(wanted.get("through"), last, lineage, evidence)
        and _nothing_else(wanted.get("only"), last, lineage, evidence)
    )


def _drawn_through(wanted: Any, drawing: Call, lineage: Lineage, evidence: Evidence) -> bool:
    """Tell whether a figure was drawn from what a certain call made."""

    def rests_on(step: Mapping[str, Any]) -> bool:
        return any(
            meets(call.args, step.get("with", {})) and lineage.descends(drawing, call)
            for call in calls(evidence.events, step["tool"])
        )

    ways = _several(wanted)
    return not ways or any(
        all(rests_on(step) for step in (way, *_several(way.get("and")))) for way in ways
    )


def _nothing_else(
    wanted: Mapping[str, Any] | None, drawing: Call, lineage: Lineage, evidence: Evidence
) -> bool:
    """Tell whether a figure was drawn from what was processed as asked, and in no other way."""
    if wanted is None:
        return True
    asked, free = wanted.get("with", {}), frozenset(wanted.get("besides", ()))
    return all(
        set(done) <= set(asked) and meets(done, {name: asked[name] for name in done})
        for call in calls(evidence.events, wanted["tool"])
        if lineage.descends(drawing, call)
        for done in [{k: v for k, v in call.args.items() if v is not None and k not in free}]
    )


def _several(value: Any) -> list[Mapping[str, Any]]:
    """Return what is given once or as a list as a list."""
    return [value] if isinstance(value, Mapping) else list(value or ())


def _shared(name: str, size: int, results: list[tuple[float, bool]], told: list[str]) -> Verdict:
    score = score_artifact(path_ok=True, exists=True, name_ok=True, size=size, checks=results)
    return Verdict(all(passed for _, passed in results), f"{name}: {'; '.join(told)}", score)


def _measured(path: Path, size: int, name: str, wanted: Mapping[str, Any]) -> Verdict:
    import jmespath
    from jmespath.exceptions import JMESPathError

    if size > MAX_JSON:
        return Verdict(False, f"{name}: {size} bytes are too many for a JSON value")
    try:
        document = json.loads(
            documents.read_bytes(path, MAX_JSON), parse_constant=lambda _: math.nan
        )
        found = jmespath.search(wanted["value"], document)
    except (OSError, ValueError, RecursionError, JMESPathError) as error:
        return Verdict(False, f"{name}: {type(error).__name__}, no JSON value could be read")
    passed = found is not None and satisfies(found, wanted["is"])
    return Verdict(
        passed,
        f"{name}: {wanted['value']} is {describe(found)}, expected {describe(wanted['is'])}",
    )
