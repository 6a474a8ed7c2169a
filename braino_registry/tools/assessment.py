"""Channel by channel: missing samples, flat stretches, excessive amplitude, drift."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.quality import _require_continuous
from braino_registry.tools.recording import View
from braino_registry.tools.spectrum import Channels
from braino_registry.tools.state import ToolState


class AssessedRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is wrong with one channel; null where it has no samples."""

    channel: str
    missing_percent: float
    flat_percent: float | None
    excessive_percent: float | None
    largest_uv: float | None
    sd_uv: float | None
    drift_uv: float | None
    slope_uv_per_s: Annotated[float | None, Meta(description="µV per second.")]


class Assessed(Result, frozen=True, kw_only=True):
    """What is wrong with channels."""

    missing: Annotated[list[str], Meta(description="Channels with missing samples.")]
    flat: list[str]
    excessive: Annotated[list[str], Meta(description="Channels with excessive amplitudes.")]
    drifting: list[str]
    mean_drift_uv: Annotated[float | None, Meta(description="Over channels.")]
    median_drift_uv: Annotated[float | None, Meta(description="Over channels.")]
    n_channels: int
    rows: Annotated[list[AssessedRow], Meta(description="Of all channels; see results.page.")]


@tool("quality.assess", version="1.0.0", aliases=("ArtifactQualityAnalyzer",))
def assess(
    state: ToolState,
    *,
    view: View,
    channels: Channels = None,
    amplitude_uv: Annotated[
        float, Meta(description="Excessive beyond this distance from the median, µV.", gt=0)
    ] = 150.0,
    drift_limit_uv: Annotated[
        float, Meta(description="Drifting from this drift_uv on, µV.", gt=0)
    ] = 20.0,
) -> Assessed:
    """Measure missing samples, flat stretches, excessive amplitude and baseline drift by channel.

    Pass the recording as it is: a high-pass removes the drift that is to be measured.

    Definition: missing: not finite; left out of the rest. flat_percent: complete one-second pieces
    with an SD below 0.5 µV; flat from 50 % on. excessive_percent: samples further than amplitude_uv
    from the channel's median; excessive from 1 % on. largest_uv: the largest such distance.
    drift_uv: SD (n) of the means of complete one-second pieces. slope_uv_per_s: least-squares line.

    Example: {"view": "sub-01_task-rest", "amplitude_uv": 100}
    """
    from braino_registry.analysis import assessment as analysis

    chosen = state.view(view)
    _require_continuous(chosen)
    names = chosen.pick(channels)
    rows = []
    for group, data in chosen.batches(names):
        limits = {"amplitude_uv": amplitude_uv, "drift_limit_uv": drift_limit_uv}
        rows += analysis.assess(data, chosen.sfreq, group, **limits)["rows"]
    found = analysis.assessed(rows, drift_limit_uv)
    result = state.results.put("quality.assess", found)
    return msgspec.convert({**found, "n_channels": len(rows), "result": result}, Assessed)
