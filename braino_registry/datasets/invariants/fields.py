"""JSON Schemas of the fields that rows of invariants share."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

PATTERN: Schema = {
    "type": "string",
    "minLength": 1,
    "description": "Shell pattern of recording ids.",
}
COUNT: Schema = {"type": "integer", "minimum": 0}
POSITIVE: Schema = {"type": "number", "exclusiveMinimum": 0}
NOT_NEGATIVE: Schema = {"type": "number", "minimum": 0}
CELL: Schema = {"type": ["string", "number"]}
CELLS: Schema = {"type": "array", "minItems": 1, "items": CELL}
COLUMNS: Schema = {
    "type": "array",
    "minItems": 1,
    "uniqueItems": True,
    "items": {"type": "string", "minLength": 1},
}
WHERE: Schema = {
    "type": "object",
    "description": "Value, or list of values, by column.",
    "minProperties": 1,
    "additionalProperties": {"anyOf": [CELL, CELLS]},
}
