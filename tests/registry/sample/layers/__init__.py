"""Layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from braino_registry.registry.plugins import PluginGroup


@dataclass(frozen=True)
class Layer:
    parameters: dict[str, Any]


LAYERS: PluginGroup[Layer] = PluginGroup("tests.registry.sample.layers", "layer")
LAYERS.add(
    "noisy-channel",
    Layer(
        {
            "type": "object",
            "required": ["channel", "sd_uv"],
            "properties": {"channel": {"type": "string"}, "sd_uv": {"type": "number"}},
        }
    ),
    __name__,
)
