"""Check kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from braino_registry.registry.plugins import PluginGroup


@dataclass(frozen=True)
class Kind:
    version: str
    parameters: dict[str, Any]


CHECKS: PluginGroup[Kind] = PluginGroup("tests.registry.sample.checks", "check")
EXPECTED = {"$ref": "urn:braino:schema:task:1#/$defs/expected"}


def kind(name: str, version: str, required: dict[str, Any], **optional: Any) -> None:
    schema = {
        "type": "object",
        "properties": {**required, **optional},
        "required": sorted(required),
    }
    CHECKS.add(name, Kind(version, schema), f"{__name__}.{name}")
