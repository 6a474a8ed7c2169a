"""The form of an answer, as it is told to a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_EVENT = {
    "type": "object",
    "properties": {"onset_sec": {"type": "number"}, "offset_sec": {"type": "number"}},
    "required": ["onset_sec", "offset_sec"],
}
_STAGES = {
    "type": "object",
    "properties": {
        "start_epoch": {"type": "integer"},
        "end_epoch": {"type": "integer"},
        "stage": {"type": "string"},
    },
    "required": ["start_epoch", "end_epoch", "stage"],
}


def data_schema(fields: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a JSON Schema for ``AgentAnswer.data``.

    Parameters
    ----------
    fields : mapping | None
        The session's fields by name; None where the suite does not tell them.
    """
    if not fields:
        return {"type": "object", "description": "The values of the answer by name, if any."}
    return {
        "type": "object",
        "description": "The same answer by field; leave out what cannot be known.",
        "properties": {name: _field(spec) for name, spec in fields.items()},
    }


def _field(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of one field."""
    kind = spec["type"]
    about = [str(spec.get("description", ""))]
    item: dict[str, Any] = {"type": "string"}
    if spec.get("labels"):
        item["enum"] = list(spec["labels"])
    if spec.get("of") == "channel_pair":
        about.append("a pair of channels is written as one text, 'Fz-Cz'")
    if kind == "number":
        shape: dict[str, Any] = {"type": "number"}
        if "unit" in spec:
            about.append(f"in {spec['unit']}")
    elif kind in ("set", "sequence"):
        shape = {"type": "array", "items": item}
    elif kind == "events":
        shape = {"type": "array", "items": _EVENT}
    elif kind == "hypnogram":
        shape = {"type": "array", "items": _STAGES}
    else:
        shape = item
        if kind == "file":
            about.append("the file's path in the workspace")
    told = "; ".join(part for part in about if part)
    return {**shape, "description": told} if told else shape


def answer_schema(fields: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the JSON Schema of the arguments of `submit_answer`."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["text"],
        "properties": {
            "text": {
                "type": "string",
                "description": "The answer in words, for the researcher who asked.",
            },
            "data": data_schema(fields),
            "artifacts": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Files of the workspace that belong to the answer.",
            },
        },
    }
