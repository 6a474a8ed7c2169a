"""EEGAgentBench: features of windows, one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from braino_registry.analysis.running import Span
from braino_registry.tools.decorator import tool
from braino_registry.tools.eegagentbench_records import (
    Channels,
    Measured,
    Record,
    RecordId,
    Tmax,
    Tmin,
    record,
    sized,
)
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState

BUDGET_TOKENS = 8000
#: Characters of a number with its comma, at most; measured values are shorter on average.
CELL = 10
NAME = 48  # characters around the values of one feature of one channel
Feature = Literal[
    "rms_uv", "std_uv", "kurtosis", "peak_to_peak_uv", "line_length_uv_s", "hjorth_mobility",
    "zero_crossing_rate_hz",
    "delta_power", "theta_power", "alpha_power", "sigma_power", "beta_power", "gamma_power",
    "delta_relative", "theta_relative", "alpha_relative", "sigma_relative", "beta_relative",
    "gamma_relative", "theta_alpha_ratio", "slow_fast_ratio",
]  # fmt: skip
DEFAULT: tuple[Feature, ...] = (
    "rms_uv", "kurtosis", "delta_relative", "theta_relative", "alpha_relative", "beta_relative",
    "gamma_relative",
)  # fmt: skip


class ChannelWindows(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Windows of a channel."""

    channel: str
    values: Annotated[
        dict[str, list[float | None]],
        Meta(
            description="One value per window by feature: _uv in µV, _uv_s in µV per second, "
            "_power in µV², _hz in Hz, others pure."
        ),
    ]


class Windows(Measured, frozen=True, kw_only=True):
    """Windows of channels."""

    record_id: str
    n_windows: int
    left_over: Annotated[
        str, Meta(description="What at the end fills no whole window and is not covered.")
    ]
    channels: list[ChannelWindows]
    notes: list[str]


@tool("compute_windowed_features", version="1.0.0", preview=False)
def compute_windowed_features(
    state: ToolState,
    *,
    record_id: RecordId,
    channels: Channels = None,
    features: Annotated[
        list[Feature] | None,
        Meta(description="Which features; rms, kurtosis and relative powers if left out."),
    ] = None,
    window_sec: Annotated[
        float, Meta(description="Length of a window in seconds.", ge=0.1, le=3600)
    ] = 5.0,
    step_sec: Annotated[
        Annotated[float, Meta(ge=0.05)] | None,
        Meta(description="From start to start in seconds; window_sec if left out."),
    ] = None,
    tmin: Tmin = None,
    tmax: Tmax = None,
) -> Windows:
    """Compute features of windows one after the other: the course of a long record.

    Window number i, from 0, starts at tmin + i * step_sec. A result has at most about 8000 tokens;
    a longer one is refused, and the error names an end that fits.

    Definition: rms_uv keeps the mean, std_uv is of the population, kurtosis is excess;
    line_length_uv_s is the sum of absolute differences over the duration; hjorth_mobility the root
    of var(dx) / var(x) with differences per sample; zero_crossing_rate_hz of the signal without its
    mean. Powers in µV² by Welch's method (Hann, 2 s or the window if shorter, 50 % overlap, mean
    removed) and the trapezoid rule over delta 1-4, theta 4-8, alpha 8-13, sigma 11-16, beta 13-30,
    gamma 30-45 Hz, both edges included. A relative power is the share of the sum of all of these
    but sigma. slow_fast_ratio: delta and theta over alpha and beta. Null where a window is flat or
    the rate cannot show it.

    Example: {"record_id": "EEG_0001AB", "features": ["rms_uv"], "window_sec": 5, "step_sec": 5}
    """
    from braino_registry.analysis.windowed import n_windows, windowed

    chosen = record(state, record_id)
    names = list(dict.fromkeys(features if features is not None else DEFAULT))
    if not names:
        raise ToolError("the list of features is empty", "Name one, or leave features out.")
    step = step_sec or window_sec
    begin, end = chosen.window(tmin, tmax, window_sec)
    count = 1 + math.floor((end - begin - window_sec) / step + 1e-9)
    picked = chosen.pick(channels)
    _refuse_long(chosen, count, len(picked), len(names), (begin, window_sec, step))
    groups = [
        (group, span, *_samples(group, span, window_sec, step))
        for group, span in chosen.spans(picked, begin, end)
    ]
    # Seconds and samples may round apart by one window.
    count = min([count, *(n_windows(span.n, length, hop) for _, span, length, hop in groups)])
    if count < 1:
        raise ToolError("the record ends before one window is full", "Pass a smaller window_sec.")
    made: dict[str, ChannelWindows] = {}
    undefined: set[str] = set()
    for group, span, length, hop in groups:
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for batch in windowed(span, length, hop, names):
            for name, values in batch.items():
                columns[name].append(values)
        for i, channel in enumerate(group):
            values_of = {
                name: [shortened(v) for part in parts for v in part[i].tolist()][:count]
                for name, parts in columns.items()
            }
            undefined |= {name for name, values in values_of.items() if None in values}
            made[channel] = ChannelWindows(channel=channel, values=values_of)
    reached = begin + (count - 1) * step + window_sec
    found = Windows(
        record_id=record_id,
        n_windows=count,
        left_over=f"{end - reached:.4g} s before {end:g} s" if end - reached > 1e-6 else "nothing",
        channels=[made[name] for name in picked],
        notes=[f"null in flat windows, or not shown by the rate: {', '.join(sorted(undefined))}"]
        if undefined
        else [],
    )
    return sized(found, count * len(picked))


def _samples(group: Sequence[str], span: Span, window: float, step: float) -> tuple[int, int]:
    """Return window and step in samples."""
    length, hop = round(window * span.sfreq), round(step * span.sfreq)
    if length < 4 or hop < 1:
        raise ToolError(
            f"{window:g} s are {length} samples of {', '.join(group[:3])}, recorded at "
            f"{span.sfreq:g} Hz",
            f"Pass window_sec of at least {4 / span.sfreq:g}, or leave these channels out.",
        )
    return length, hop


def shortened(value: float) -> float | None:
    """Return a number with five significant digits, at most four decimals; None if not finite."""
    if not math.isfinite(value):
        return None
    size = abs(value)
    return round(value, 4 if size < 10 else 3 if size < 100 else 2 if size < 1000 else 1)


def _refuse_long(
    chosen: Record, count: int, n_channels: int, n_features: int, places: tuple[float, float, float]
) -> None:
    """Refuse a call whose result would be too long, and name one that is not.

    Raises
    ------
    ToolError
        With the end of the longest window that fits.
    """
    begin, window, step = places
    most = most_windows(n_channels, n_features)
    if count <= most:
        return
    size = _tokens(count, n_channels, n_features)
    problem = (
        f"{count} windows of {n_channels} channels and {n_features} features would take about "
        f"{size} tokens, more than {BUDGET_TOKENS}"
    )
    if most < 1:
        raise ToolError(problem, "Name fewer channels or fewer features.")
    end = begin + (most - 1) * step + window
    raise ToolError(
        problem,
        f"Pass tmin {begin:g} and tmax {end:.10g} ({most} windows), and go on from "
        f"{begin + most * step:.10g}; or name fewer channels or features, or larger steps.",
    )


def _tokens(count: int, n_channels: int, n_features: int) -> int:
    return (n_channels * n_features * (count * CELL + NAME) + 600) // 4


def most_windows(n_channels: int, n_features: int) -> int:
    """Return how many windows fit into one result."""
    room = (4 * BUDGET_TOKENS - 600) / (n_channels * n_features) - NAME
    return max(0, math.floor(room / CELL))
