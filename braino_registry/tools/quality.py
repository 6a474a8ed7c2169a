"""Which channels cannot be used."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.recording import View
from braino_registry.tools.state import ToolState


class Row(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Measures of one channel; null where the channel is flat."""

    channel: str
    sd_uv: float | None
    deviation_z: float | None
    high_frequency_z: float | None
    slow_uv: float | None
    slow_z: float | None
    correlation: float | None


class BadChannels(Result, frozen=True, kw_only=True):
    """Channels that stand out."""

    channels: Annotated[list[str], Meta(description="All of them, in the recording's order.")]
    n_bad: Annotated[int, Meta(description="How many they are.")]
    n_examined: int
    reasons: Annotated[
        dict[str, list[str]],
        Meta(
            description="By channel: flat, deviation, high_frequency_noise, drift, low_correlation."
        ),
    ]
    flat_channels: list[str]
    noisy_channels: Annotated[
        list[str], Meta(description="High-frequency noise, or too much amplitude that is no drift.")
    ]
    drifting_channels: list[str]
    measures: Annotated[
        list[Row], Meta(description="Of the channels found; results.page shows those of all.")
    ]


@tool("quality.bad_channels", version="1.0.0")
def bad_channels(
    state: ToolState,
    *,
    view: View,
    z_threshold: Annotated[float, Meta(description="Limit of the robust z scores.", gt=0)] = 5.0,
    flat_uv: Annotated[float, Meta(description="Flat below this SD in µV.", ge=0)] = 0.5,
    drift_uv: Annotated[float, Meta(description="Least SD in µV of a drift.", ge=0)] = 20.0,
    min_correlation: Annotated[
        float, Meta(description="Least correlation with some other channel.", ge=0, le=1)
    ] = 0.4,
) -> BadChannels:
    """Find EEG channels that stand out: flat, too large or small, noisy, drifting, uncorrelated.

    Pass a view that was high-passed at 1 Hz (preprocess.filter with l_freq 1): on unfiltered data
    slow drift decides every channel's amplitude, so noisy channels hide. Drift itself shows on
    unfiltered data only. It marks nothing; marking needs a decision.

    Definition: Robust z = (x - median) / (1.4826 MAD) over channels that are not flat. flat: SD
    below flat_uv in most one-second pieces. deviation: |z| of log SD above z_threshold.
    high_frequency_noise: z of the log power ratio (30–45 and 65–100 Hz) / (1–30 Hz) above
    z_threshold. drift: SD of one-second means above drift_uv and above half of the channel's SD,
    and z of its log above z_threshold.
    low_correlation: median over one-second pieces of the largest |r| with another channel below
    min_correlation.

    Example: {"view": "view-1"}
    """
    from braino_registry.recordings.operations import analyse

    chosen = state.view(view)
    _require_continuous(chosen)
    found = analyse(
        "quality.bad_channels", chosen, None,
        z_threshold=z_threshold, flat_uv=flat_uv, drift_uv=drift_uv,
        min_correlation=min_correlation,
    )  # fmt: skip
    rows = found.pop("measures")
    bad = set(found["channels"])
    result = state.results.put("quality.bad_channels", {**found, "measures": rows})
    return msgspec.convert(
        {
            **found,
            "n_bad": len(bad),
            "n_examined": len(rows),
            "measures": [row for row in rows if row["channel"] in bad],
            "result": result,
        },
        BadChannels,
    )


def _require_continuous(view: object) -> None:
    from braino_registry.tools.errors import ToolError

    if getattr(view, "epochs", None) is not None:
        raise ToolError(
            "channels are judged on a continuous view, not on epochs",
            "Pass the view that the epochs were made of.",
        )
