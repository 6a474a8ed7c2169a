"""EEGAgentBench: the signal in time, and what stands out of it."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from braino_registry.tools.decorator import tool
from braino_registry.tools.eegagentbench_records import (
    Measured,
    Stretch,
    finite,
    sized,
)
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState

UV = 1e6
LEAST_SAMPLES = 64
SHOWN_PEAKS = 5


class TemporalRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A channel in time."""

    channel: str
    mean_uv: float | None
    std_uv: float | None
    rms_uv: float | None
    peak_to_peak_uv: float | None
    skewness: float | None
    kurtosis: float | None
    hjorth_activity_uv2: float | None
    hjorth_mobility: float | None
    hjorth_complexity: float | None
    line_length_uv_s: float | None
    zero_crossing_rate_hz: float | None


class Temporal(Measured, frozen=True, kw_only=True):
    """Channels in time."""

    record_id: str
    channels: list[TemporalRow]
    notes: list[str]


@tool("compute_temporal_features", version="1.0.0", preview=False)
def compute_temporal_features(
    state: ToolState,
    *,
    stretch: Stretch,
) -> Temporal:
    """Describe channels in time: amplitude, shape of the distribution, Hjorth, line length.

    Definition: std_uv and hjorth_activity_uv2 are of the population (divided by n); rms_uv keeps
    the mean; skewness is m3 over m2 to the power 3/2, kurtosis m4 over m2 squared minus 3 (excess).
    hjorth_mobility is the root of var(dx) / var(x) and hjorth_complexity mobility(dx) /
    mobility(x), with differences per sample. line_length_uv_s is the sum of absolute differences
    over the duration, zero_crossing_rate_hz the sign changes per second of the signal without its
    mean. Null where the signal is flat.

    Example: {"record_id": "EEG_0001AB", "channels": ["C3"], "tmin": 0, "tmax": 10}
    """
    from braino_registry.analysis.running import moments

    rows: list[TemporalRow] = []
    flat: list[str] = []
    for names, span in stretch.spans(state):
        found = moments(span)
        with np.errstate(divide="ignore", invalid="ignore"):
            alive = np.where(found.m2 > 1e-24, found.m2, np.nan)
            moved = np.where(found.var_1 > 1e-24, found.var_1, np.nan)
            mobility = np.sqrt(found.var_1 / alive)
            columns = {
                "mean_uv": found.mean * UV,
                "std_uv": np.sqrt(found.m2) * UV,
                "rms_uv": np.sqrt(found.square) * UV,
                "peak_to_peak_uv": (found.high - found.low) * UV,
                "skewness": found.m3 / alive**1.5,
                "kurtosis": found.m4 / alive**2 - 3,
                "hjorth_activity_uv2": found.m2 * UV**2,
                "hjorth_mobility": mobility,
                "hjorth_complexity": np.sqrt(found.var_2 / moved) / mobility,
                "line_length_uv_s": found.path * UV * span.sfreq / span.n,
                "zero_crossing_rate_hz": found.crossings * span.sfreq / span.n,
            }
        for i, name in enumerate(names):
            values = {key: finite(column[i]) for key, column in columns.items()}
            rows.append(TemporalRow(channel=name, **values))
            if not np.isfinite(alive[i]):
                flat.append(name)
    notes = [f"flat, so that their shape is null: {', '.join(flat)}"] if flat else []
    return sized(Temporal(record_id=stretch.record_id, channels=rows, notes=notes), len(rows))


class TransientRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Candidates of a channel."""

    channel: str
    n_candidates: int
    n_candidates_detected: int
    amplitude_mean_uv: float | None
    amplitude_max_uv: float | None
    width_mean_ms: float | None
    sharpness_mean_uv_s: float | None
    background_rms_uv: float | None
    background_peak_to_peak_uv: float | None
    amplitude_to_rms_ratio_mean: float | None
    amplitude_to_rms_ratio_max: float | None


class Candidate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the highest peaks."""

    channel: str
    time_sec: float
    width_ms: float
    amplitude_uv: float
    sharpness_uv_s: float
    polarity: str


class Transients(Measured, frozen=True, kw_only=True):
    """Candidates."""

    record_id: str
    channels: list[TransientRow]
    top_candidates: list[Candidate]
    n_candidates_detected: int
    n_candidates_returned: int


@tool("detect_transients", version="1.0.0", preview=False)
def detect_transients(
    state: ToolState,
    *,
    stretch: Stretch,
    min_amplitude_uv: Annotated[float, Meta(description="Least height in µV.", ge=1)] = 70.0,
    max_candidates_per_channel: Annotated[
        Annotated[int, Meta(ge=1, le=1000)] | None,
        Meta(description="Highest ones that count, 20 if left out."),
    ] = None,
    max_events_per_channel: Annotated[
        Annotated[int, Meta(ge=1, le=1000)] | None,
        Meta(description="Another name of the same."),
    ] = None,
) -> Transients:
    """Find sharp peaks: candidates for spikes, but also for blinks, muscle and movement.

    Definition: Butterworth band-pass of 4th order from 1 Hz to the smaller of 70 Hz and 1 Hz below
    half the rate, forward and backward; positive and negative peaks of at least min_amplitude_uv,
    70 ms apart among their own kind. width is for how long the absolute signal stays above half the
    peak, sharpness the largest slope within 70 ms; background is the filtered window as a whole. Of
    each channel the highest candidates count; the five highest of all are shown with their time
    from the record's start. Null where a channel has no candidate.

    Example: {"record_id": "EEG_0001AB", "channels": ["C3"], "tmin": 0, "tmax": 60}
    """
    from braino_registry.analysis.transients import find_transients

    if None not in (max_candidates_per_channel, max_events_per_channel):
        raise ToolError("two names of one argument are given", "Pass max_candidates_per_channel.")
    most = max_candidates_per_channel or max_events_per_channel or 20
    rows: list[TransientRow] = []
    every: list[Candidate] = []
    for names, span in stretch.spans(state):
        if span.n < LEAST_SAMPLES or span.sfreq <= 6:
            raise ToolError(
                f"{span.n} samples of {', '.join(names[:3])} at {span.sfreq:g} Hz are too few",
                f"Pass a window of {LEAST_SAMPLES / span.sfreq:.3g} s or more of faster channels.",
            )
        for name, found in zip(names, find_transients(span, min_amplitude_uv / UV), strict=True):
            size = np.abs(found.amplitude)
            kept = np.sort(np.argsort(-size, kind="stable")[:most])
            ratio = size[kept] / found.rms if found.rms > 0 else size[kept] * np.nan
            some = bool(kept.size)
            rows.append(
                TransientRow(
                    channel=name,
                    n_candidates=int(kept.size),
                    n_candidates_detected=int(size.size),
                    amplitude_mean_uv=finite(size[kept].mean() * UV, 2) if some else None,
                    amplitude_max_uv=finite(size[kept].max() * UV, 2) if some else None,
                    width_mean_ms=finite(found.width[kept].mean() * 1e3, 2) if some else None,
                    sharpness_mean_uv_s=finite(found.sharpness[kept].mean() * UV, 1)
                    if some
                    else None,
                    background_rms_uv=finite(found.rms * UV, 2),
                    background_peak_to_peak_uv=finite(found.peak_to_peak * UV, 2),
                    amplitude_to_rms_ratio_mean=finite(ratio.mean(), 3) if some else None,
                    amplitude_to_rms_ratio_max=finite(ratio.max(), 3) if some else None,
                )
            )
            every += [
                Candidate(
                    channel=name,
                    time_sec=round(float(found.sample[i] / span.sfreq), 3),
                    width_ms=round(float(found.width[i] * 1e3), 2),
                    amplitude_uv=round(float(size[i] * UV), 2),
                    sharpness_uv_s=round(float(found.sharpness[i] * UV), 1),
                    polarity="positive" if found.amplitude[i] > 0 else "negative",
                )
                for i in kept
            ]
    detected = sum(row.n_candidates_detected for row in rows)
    highest = sorted(every, key=lambda each: each.amplitude_uv, reverse=True)
    found_all = Transients(
        record_id=stretch.record_id,
        channels=rows,
        top_candidates=highest[:SHOWN_PEAKS],
        n_candidates_detected=detected,
        n_candidates_returned=len(every),
    )
    return sized(found_all, len(rows), truncated=len(every) < detected)
