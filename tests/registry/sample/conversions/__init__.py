"""Conversions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from braino_registry.registry.plugins import PluginGroup


@dataclass(frozen=True)
class Conversion:
    version: str
    parameters: dict[str, Any]


CONVERSIONS: PluginGroup[Conversion] = PluginGroup(
    "tests.registry.sample.conversions", "conversion"
)
CONVERSIONS.add(
    "edf@1.0.0",
    Conversion("1.0.0", {"type": "object", "properties": {"line_frequency": {"type": "number"}}}),
    __name__,
)
