"""Faults of the metadata: a sidecar that is missing, or that says what is not so."""

from __future__ import annotations

from typing import Any

from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import Params, layer, record
from braino_registry.synthesis.streams import Stream


@layer(
    "missing_sidecar",
    parameters=record({"suffix": {"enum": ["channels", "events"]}}),
    empty={"missing_sidecars": []},
)
def missing_sidecar(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Leave out a sidecar of the recording, as if it had never been written."""
    canvas.missing.add(params["suffix"])
    return {"missing_sidecars": [params["suffix"]]}


@layer(
    "sidecar_says",
    parameters=record({"line_frequency": {"enum": ["n/a", 50, 60]}}),
    empty={"sidecar_line_frequency": None},
)
def sidecar_says(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Let the sidecar name another mains frequency than the room had, or none."""
    canvas.sidecar["PowerLineFrequency"] = params["line_frequency"]
    return {"sidecar_line_frequency": params["line_frequency"]}
