"""Faults of the metadata: a sidecar that is missing, or that says what is not so."""

from __future__ import annotations

from typing import Any

from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import CH_NAME, CHANNEL, POSITIVE, Params, layer, record
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


@layer(
    "sidecar_contradicts",
    parameters=record(
        {},
        {
            "sampling_frequency": POSITIVE,
            "units": {"enum": ["mV", "V", "nV"]},
            "channel_count": {"type": "integer", "minimum": 1},
            "channel_name": record({"channel": CHANNEL, "called": CH_NAME}),
            "left_out": CHANNEL,
        },
    ),
    empty={"contradictions": [], "stated": {}},
)
def sidecar_contradicts(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Let the sidecars say something else than the header of the data file.

    ``sampling_frequency`` (Hz) and ``channel_count`` stand in the JSON sidecar; ``units``,
    another name of a channel and a channel left out in channels.tsv. Given nothing, they agree.
    Truth: ``contradictions``,
    names among ``sampling_frequency``, ``units``, ``channel_count`` and ``channel_names``, and
    what is ``stated``.
    """
    found = []
    if "sampling_frequency" in params:
        canvas.sidecar["SamplingFrequency"] = params["sampling_frequency"]
        found.append("sampling_frequency")
    if "units" in params:
        canvas.table.units = params["units"]
        found.append("units")
    if "channel_count" in params:
        canvas.sidecar["EEGChannelCount"] = params["channel_count"]
        found.append("channel_count")
    if "channel_name" in params:
        canvas.table.renamed[params["channel_name"]["channel"]] = params["channel_name"]["called"]
        found.append("channel_names")
    if "left_out" in params:
        canvas.table.left_out.add(params["left_out"])
        found.append("channel_names")
    return {"contradictions": sorted(set(found)), "stated": dict(params)}
