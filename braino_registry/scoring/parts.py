"""Pieces of JSON Schema that several check kinds share."""

from __future__ import annotations

from typing import Any

NAME: dict[str, Any] = {"type": "string", "minLength": 1}
NAMES: dict[str, Any] = {"type": "array", "minItems": 1, "items": NAME, "uniqueItems": True}
TOOL: dict[str, Any] = {
    "type": "string",
    "pattern": r"^[a-z][a-z0-9_]*(\.([a-z0-9_]+|\*))*$",
    "description": "name of a tool, or a pattern such as preprocess.*",
    "names": ["tool"],
}
TOOLS: dict[str, Any] = {
    "if": {"type": "array"},
    "then": {"type": "array", "minItems": 1, "uniqueItems": True, "items": TOOL},
    "else": TOOL,
    "description": "name of a tool, or a pattern such as preprocess.*; any of a list is enough",
    "names": ["tool"],
}
# A name, or a pair of names of which the order does not matter.
NAME_OR_PAIR: dict[str, Any] = {
    "if": {"type": "array"},
    "then": {"minItems": 2, "maxItems": 2, "items": NAME},
    "else": NAME,
}
COUNT: dict[str, Any] = {"type": "integer", "minimum": 1}
THRESHOLD: dict[str, Any] = {
    "type": "number",
    "exclusiveMinimum": 0,
    "maximum": 1,
    "description": "score from which the check passes; 1 by default",
}
# Where a call is to stand among what else was done.
ORDER: dict[str, Any] = {
    "before": {
        **NAME,
        "description": "tool (or pattern) or decision that has to wait for the call",
        "names": ["tool", "decision"],
    },
    "after": {
        **NAME,
        "description": "tool (or pattern) or decision that has to come first",
        "names": ["tool", "decision"],
    },
}
TIMES: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "minProperties": 1,
    "properties": {
        "min": {"type": "integer", "minimum": 1},
        "max": {"type": "integer", "minimum": 1},
    },
}

_SOURCES = ("literal", "truth", "label", "instance", "pipeline", "workflow")

# A value that is computed when the trial is scored; the task schema says what may stand in it.
DEFERRED: dict[str, Any] = {
    "type": "object",
    "minProperties": 1,
    "maxProperties": 2,
    "properties": {
        **{source: True for source in _SOURCES},
        "args": {"type": "object"},
        "$": NAME,
    },
    "additionalProperties": False,
    "oneOf": [*({"required": [source]} for source in _SOURCES), {"required": ["$"]}],
}


def deferred_or(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema of ``schema`` or a value that is computed later."""
    return {"if": {"type": "object"}, "then": DEFERRED, "else": schema}


# One recording, or several of which every one is meant.
RECORDINGS: dict[str, Any] = {
    "if": {"type": "array"},
    "then": NAMES,
    "else": deferred_or(NAME),
}

# What an argument or an applied value has to be: equal to a value, or within limits.
CONDITION: dict[str, Any] = {
    "if": {"type": "object"},
    "then": {
        "anyOf": [
            DEFERRED,
            {
                "type": "object",
                "additionalProperties": False,
                "minProperties": 1,
                "properties": {
                    "min": {"type": "number"},
                    "max": {"type": "number"},
                    "one_of": {"type": "array", "minItems": 1},
                    "contains": {"not": {"type": "null"}},
                    "max_items": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "how long a list may be: naming everything is not finding",
                    },
                    "or_left_out": {
                        "not": {"type": "null"},
                        "description": "a condition that also an argument left out meets, since "
                        "the tool's own default does",
                    },
                },
            },
        ]
    },
    "else": {"not": {"type": "null"}},
}
CONDITIONS: dict[str, Any] = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": CONDITION,
}
