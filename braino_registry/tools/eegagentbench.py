"""EEGAgentBench: what a record is, how clean it is, how its channels go together."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct

from braino_registry.recordings.recording import Recording
from braino_registry.tools.decorator import tool
from braino_registry.tools.eegagentbench_records import (
    Channels,
    Measured,
    Record,
    RecordId,
    Stretch,
    finite,
    record,
    sized,
)
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState

EPOCH_S = 30
_SIDES = {"left": "L", "right": "R", "midline": "M", None: "unknown"}


class RecordingInfo(Measured, frozen=True, kw_only=True):
    """Facts about a record."""

    record_id: str
    sampling_rate_hz: Annotated[float, Meta(description="Of the fastest channel, Hz.")]
    duration_sec: Annotated[float, Meta(description="Samples over rate, seconds.")]
    n_samples: int
    n_epochs_30s: Annotated[int, Meta(description="Whole 30-s epochs from the start.")]
    n_channels: int
    n_eeg_channels: int
    channel_names: list[str]
    rates_hz: Annotated[
        dict[str, float], Meta(description="Native rate in Hz of channels at another rate.")
    ]
    reference: Annotated[str | None, Meta(description="As stated with the record, or null.")]
    highpass_hz: Annotated[float | None, Meta(description="As stated for all EEG channels.")]
    lowpass_hz: Annotated[float | None, Meta(description="As stated for all EEG channels.")]
    age_years: Annotated[float | None, Meta(description="Of the participant in years, or null.")]
    sex: Annotated[str | None, Meta(description="Of the participant as stated, or null.")]


@tool("get_recording_info", version="1.0.0", preview=False)
def get_recording_info(state: ToolState, *, record_id: RecordId) -> RecordingInfo:
    """Describe a record: rate, length, channels, reference, filters, age and sex if stated.

    Definition: duration is the number of samples over the sampling rate. n_epochs_30s counts whole
    epochs of 30 s from the first sample; an incomplete last one is left out. The only channel of a
    record is called EEG.

    Example: {"record_id": "EEG_0001AB"}
    """
    chosen = record(state, record_id)
    recording = chosen.recording
    rates = zip(chosen.names, recording.channel_sfreqs, strict=True)
    about = _participant(state, recording)
    found = RecordingInfo(
        record_id=record_id,
        sampling_rate_hz=recording.sfreq,
        duration_sec=recording.duration,
        n_samples=recording.n_times,
        n_epochs_30s=int((recording.duration + 1e-6) // EPOCH_S),
        n_channels=len(chosen.names),
        n_eeg_channels=len(chosen.eeg),
        channel_names=list(chosen.names),
        rates_hz={name: rate for name, rate in rates if rate != recording.sfreq},
        reference=recording.reference,
        highpass_hz=_stated(chosen, "low_cutoff"),
        lowpass_hz=_stated(chosen, "high_cutoff"),
        age_years=_number(about.get("age")),
        sex=about.get("sex") or about.get("gender"),
    )
    return sized(found, len(chosen.names))


def _participant(state: ToolState, recording: Recording) -> dict[str, str]:
    """Return what participants.tsv states of the person, by column in lower case."""
    table = state.tree.participants()
    label = f"sub-{recording.entities.get('bids_subject', '')}"
    for row in table.rows if table is not None else ():
        if row.get("participant_id") == label:
            return {key.lower(): str(value) for key, value in row.items() if value is not None}
    return {}


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else finite(text)
    except ValueError:
        return None


def _stated(chosen: Record, column: str) -> float | None:
    """Return an edge of the hardware's filter if channels.tsv states the same for all."""
    table = chosen.recording.table("channels")
    rows = table.rows if table is not None else ()
    said = {str(row.get("name")): row.get(column) for row in rows}
    names = [
        name
        for name, kind in zip(chosen.recording.ch_names, chosen.types, strict=True)
        if kind in ("eeg", "seeg", "ecog")
    ]
    values = {said.get(name) for name in names}
    return _number(values.pop()) if len(values) == 1 else None


class ChannelRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A channel."""

    name: str
    type: str
    hemisphere: Annotated[str, Meta(description="L, R, M for the midline, or unknown.")]
    region: str
    sampling_rate_hz: float
    marked_bad_in_file: bool


class ChannelList(Measured, frozen=True, kw_only=True):
    """Channels of a record."""

    record_id: str
    channels: list[ChannelRow]
    file_header_bads: list[str]


@tool("get_channel_list", version="1.0.0", preview=False)
def get_channel_list(state: ToolState, *, record_id: RecordId) -> ChannelList:
    """List the channels of a record: type, side of the head, region, rate, whether marked bad.

    Definition: side and region are those of the electrode in the channel's name, of a bipolar
    derivation those of its first electrode; names count in any case, and T3, T4, T5, T6 are T7,
    T8, P7, P8. F7, F8, T7, T8, P7 and P8 are temporal. Types are those of the record's channel
    table, else told by the name.

    Example: {"record_id": "EEG_0001AB"}
    """
    from braino_registry.analysis.montage import lobe_of, side_of, sites_of

    chosen = record(state, record_id)
    site = {name: next(iter(sites_of(name)), "") for name in chosen.eeg}
    bads = set(chosen.recording.bads)
    marked = [
        shown
        for shown, real in zip(chosen.names, chosen.recording.ch_names, strict=True)
        if real in bads
    ]
    rows = [
        ChannelRow(
            name=name,
            type=kind,
            hemisphere=_SIDES[side_of(site.get(name, ""))],
            region=lobe_of(site.get(name, "")) or "unknown",
            sampling_rate_hz=chosen.rate(name),
            marked_bad_in_file=name in marked,
        )
        for name, kind in zip(chosen.names, chosen.types, strict=True)
    ]
    found = ChannelList(record_id=record_id, channels=rows, file_header_bads=marked)
    return sized(found, len(rows))


class NoiseRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Noise of a channel."""

    channel: str
    rms_uv: float | None
    flat_line_ratio: float | None
    saturation_ratio: float | None
    line_noise_ratio: float | None
    hf_noise_ratio: float | None


class NoiseMetrics(Measured, frozen=True, kw_only=True):
    """Noise of channels."""

    record_id: str
    channels: list[NoiseRow]
    notes: list[str]


@tool("compute_noise_metrics", version="1.0.0", preview=False)
def compute_noise_metrics(
    state: ToolState,
    *,
    record_id: RecordId,
    channels: Channels = None,
    line_freq: Annotated[
        float, Meta(description="Frequency of the hum in Hz, 50 or 60.", ge=15, le=180)
    ] = 50.0,
) -> NoiseMetrics:
    """Tell how noisy the channels of a whole record are.

    Definition: rms_uv is the root of the mean square, mean not removed. flat_line_ratio is the
    share of differences between neighbouring samples below 0.1 µV in absolute value.
    saturation_ratio is the share of samples that equal the largest or the smallest; 1 for a
    constant signal, at least 2/n otherwise. line_noise_ratio is the mean density within 2 Hz of
    line_freq over the mean density from 1 Hz to 1 Hz below half the rate. hf_noise_ratio is the sum
    of densities from 40 Hz to 1 Hz below half the rate over the sum from 1 Hz to there. Densities
    by Welch's method: Hann, 2 s, 50 % overlap, mean removed. Null where the rate cannot show it.

    Example: {"record_id": "EEG_0001AB", "channels": ["C3"], "line_freq": 50}
    """
    from braino_registry.analysis.running import moments, welch

    chosen = record(state, record_id)
    rows: list[NoiseRow] = []
    notes: list[str] = []
    for names, span in chosen.spans(channels):
        found = moments(span)
        freqs, psd = welch(span, min(max(2, int(2 * span.sfreq)), span.n))
        line, high = _noise_ratios(freqs, psd, span.sfreq, line_freq)
        if not np.isfinite(line).all():
            notes.append(f"{', '.join(names)}: {line_freq:g} Hz cannot be seen, or all is flat")
        for i, name in enumerate(names):
            rows.append(
                NoiseRow(
                    channel=name,
                    rms_uv=finite(np.sqrt(found.square[i]) * 1e6, 2),
                    flat_line_ratio=finite(found.still[i], 5),
                    saturation_ratio=finite(found.at_ends[i], 7),
                    line_noise_ratio=finite(line[i]),
                    hf_noise_ratio=finite(high[i]),
                )
            )
    return sized(NoiseMetrics(record_id=record_id, channels=rows, notes=notes), len(rows))


def _noise_ratios(freqs: Any, psd: Any, sfreq: float, line_freq: float) -> tuple[Any, Any]:
    top = sfreq / 2 - 1
    whole = (freqs >= 1) & (freqs <= top)
    near = whole & (np.abs(freqs - line_freq) <= 2)
    high = whole & (freqs > 40)
    nothing = np.full(len(psd), np.nan)
    if not whole.any():
        return nothing, nothing
    with np.errstate(divide="ignore", invalid="ignore"):
        line = psd[:, near].mean(axis=1) / psd[:, whole].mean(axis=1) if near.any() else nothing
        fast = psd[:, high].sum(axis=1) / psd[:, whole].sum(axis=1) if high.any() else nothing
    return line, fast


class Pair(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two channels."""

    a: str
    b: str
    r: float | None


class Correlations(Measured, frozen=True, kw_only=True):
    """How channels go together."""

    record_id: str
    pairs: list[Pair]
    n_pairs: Annotated[int, Meta(description="Pairs there are; the strongest are shown.")]
    mean_absolute_r: Annotated[
        dict[str, float | None],
        Meta(description="Per channel, mean |r| with the others; a pure number, not in Hz."),
    ]
    constant_channels: list[str]


@tool("compute_channel_correlation", version="1.0.0", preview=False)
def compute_channel_correlation(
    state: ToolState,
    *,
    stretch: Stretch,
    max_pairs: Annotated[
        int, Meta(description="Most pairs to show, those of largest |r|.", ge=1, le=500)
    ] = 200,
) -> Correlations:
    """Correlate every two channels over a window of time.

    Definition: Pearson's r of the samples; null for a channel that is constant.

    Example: {"record_id": "EEG_0001AB", "channels": ["C3", "C4"], "tmin": 0, "tmax": 10}
    """
    from braino_registry.analysis.running import correlation

    groups = list(stretch.spans(state))
    names, span = groups[0]
    if len(groups) > 1 or len(names) < 2:
        shown = record(state, stretch.record_id).names
        raise ToolError(
            "these channels cannot be correlated: it takes two or more of one rate",
            f"Pass two or more channels of one rate among {', '.join(shown[:20])}.",
        )
    table = correlation(span)
    pairs = [
        Pair(a=names[i], b=names[j], r=finite(table[i, j]))
        for i in range(len(names))
        for j in range(i + 1, len(names))
    ]
    # Constant channels last; the sort keeps the order of channels among equals.
    strongest = sorted(pairs, key=lambda pair: -1 if pair.r is None else abs(pair.r), reverse=True)
    others = ~np.eye(len(names), dtype=bool)
    means = {}
    for i, name in enumerate(names):
        row = np.abs(table[i][others[i]])
        known = row[np.isfinite(row)]
        means[name] = finite(known.mean()) if known.size else None
    found = Correlations(
        record_id=stretch.record_id,
        pairs=strongest[:max_pairs],
        n_pairs=len(pairs),
        mean_absolute_r=means,
        constant_channels=[n for i, n in enumerate(names) if not np.isfinite(table[i, i])],
    )
    return sized(found, min(max_pairs, len(pairs)), truncated=len(pairs) > max_pairs)
