"""Averages of epochs and what is measured on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.epochs import EpochView, epochs_of
from braino_registry.tools.state import ToolState

Channel = Annotated[
    str | list[str], Meta(description="One channel, or several whose mean is measured.")
]
Erp = Annotated[str, Meta(description="The erp that erp.average or erp.difference returned.")]


@dataclass(frozen=True)
class Evoked:
    """A kept average.

    Parameters
    ----------
    times : array, shape (n_times,)
        Seconds from the event.
    uv : mapping of str to array
        Waveforms in µV by channel.
    eeg, recordings : tuple of str
        Which channels are EEG; what was averaged.
    n_epochs : int
        How many epochs were averaged.
    """

    times: Any
    uv: Mapping[str, Any]
    eeg: tuple[str, ...]
    recordings: tuple[str, ...]
    n_epochs: int

    @property
    def data(self) -> Any:
        """Waveforms in V, shape (n_channels, n_times), in the order of ``uv``."""
        import numpy as np

        return np.stack(list(self.uv.values())) * 1e-6


def evoked(state: ToolState, identifier: str) -> Evoked:
    """Return the average that an id stands for."""
    found: Evoked = state.results.get(identifier, "erp").hidden
    return found


class Average(Result, frozen=True, kw_only=True):
    """A kept average."""

    erp: Annotated[str, Meta(description="Its id, for erp.measure and results.page.")]
    recordings: list[str]
    n_epochs: int
    n_channels: int
    peak_channel: Annotated[str, Meta(description="Where the largest deflection is.")]
    peak_uv: float
    peak_latency: Annotated[
        float | None,
        Meta(description="Seconds from the event; null if it lies at an end of the epoch."),
    ]


@tool("erp.average", version="1.0.0")
def average(
    state: ToolState,
    *,
    view: EpochView,
) -> Average:
    """Average epochs over trials. results.page with path uv.Pz shows the waveform of Pz.

    Definition: Mean over epochs, per channel and sample, in µV. The peak is the largest absolute
    value after the event over EEG channels; for the peak of one component use erp.measure.

    Example: {"view": "view-2"}
    """
    chosen, plan = epochs_of(state, view)
    waves = {
        name: row * 1e6
        for names, data in chosen.batches(chosen.ch_names)
        for name, row in zip(names, data.mean(axis=0), strict=True)
    }
    count = len(plan.samples)
    return _kept(state, Evoked(chosen.times, waves, chosen.pick(), (chosen.recording.id,), count))


@tool("erp.difference", version="1.0.0")
def difference(state: ToolState, *, minuend: Erp, subtrahend: Erp) -> Average:
    """Subtract one average from another, channel by channel: target minus standard, say.

    Definition: minuend - subtrahend in µV; n_epochs is that of the smaller average. The peak is the
    largest absolute value after the event over EEG channels.

    Example: {"minuend": "result-1", "subtrahend": "result-2"}
    """
    import numpy as np

    from braino_registry.analysis.erp_waves import difference as analysis

    one, other = evoked(state, minuend), evoked(state, subtrahend)
    found = analysis(minuend=asdict(one), subtrahend=asdict(other))
    made = Evoked(
        times=one.times,
        uv={name: np.array(wave) for name, wave in found["uv"].items()},
        eeg=one.eeg,
        recordings=tuple(sorted({*one.recordings, *other.recordings})),
        n_epochs=found["n_epochs"],
    )
    return _kept(state, made)


def _kept(state: ToolState, erp: Evoked) -> Average:
    import numpy as np

    after = np.flatnonzero(erp.times >= 0)
    if not after.size:
        after = np.arange(erp.times.size)
    data = np.stack([erp.uv[name] for name in erp.eeg])[:, after]
    row, column = np.unravel_index(int(np.argmax(np.abs(data))), data.shape)
    begin, step = float(erp.times[0]), float(np.diff(erp.times[:2]).sum())
    note = f"uv.<channel> in µV; item k is at {begin:.6g} + k * {step:.6g} s from the event"
    value = {"uv": erp.uv, "n_epochs": erp.n_epochs}
    identifier = state.results.put("erp", value, note=note, hidden=erp)
    return Average(
        erp=identifier,
        result=identifier,
        recordings=list(erp.recordings),
        n_epochs=erp.n_epochs,
        n_channels=len(erp.uv),
        peak_channel=erp.eeg[int(row)],
        peak_uv=float(data[row, column]),
        peak_latency=_unless_at_end(erp.times, int(after[column])),
    )


def _unless_at_end(times: Any, at: int) -> float | None:
    """Return a time, or None for the first and the last: an end was chosen, not found."""
    return float(times[at]) if 0 < at < len(times) - 1 else None


class Measurement(Result, frozen=True, kw_only=True):
    """Amplitude, and latency for a peak."""

    amplitude_uv: float
    latency: Annotated[
        float | None,
        Meta(description="Seconds from the event; null for a mean, and without a local extremum."),
    ]
    local: Annotated[
        bool | None, Meta(description="Whether the peak is a local extremum; null for a mean.")
    ]
    channel: str | list[str]
    kind: str
    n_epochs: int


@tool("erp.measure", version="1.0.0")
def measure(
    state: ToolState,
    *,
    erp: Erp,
    channel: Channel,
    tmin: Annotated[float, Meta(description="Begin of the window, seconds from the event.")],
    tmax: Annotated[float, Meta(description="End of the window, included.")],
    kind: Annotated[
        Literal["mean", "peak"], Meta(description="Mean amplitude, or peak with latency.")
    ] = "mean",
    polarity: Annotated[
        Literal["positive", "negative"], Meta(description="Which way the peak points.")
    ] = "positive",
) -> Measurement:
    """Measure a component of an average: its mean amplitude, or its peak and latency.

    Definition: The window is tmin <= t <= tmax. mean: the mean over its samples. peak: the largest
    local maximum, a sample not smaller than both its neighbours (negative: the deepest minimum),
    the earliest of equals. The latency is the time of that sample. Where there is none: the
    amplitude of the largest sample, local is false, and there is no latency.

    Example: {"erp": "result-1", "channel": "Pz", "tmin": 0.3, "tmax": 0.5, "kind": "mean"}
    """
    from braino_registry.analysis import erp as analysis

    stored = evoked(state, erp)
    data, names = stored.data, list(stored.uv)
    if kind == "mean":
        found = analysis.mean_amplitude(
            data, stored.times, names, channel=channel, tmin=tmin, tmax=tmax
        )
    else:
        found = analysis.peak(
            data, stored.times, names, channel=channel, tmin=tmin, tmax=tmax, polarity=polarity
        )
    return Measurement(
        amplitude_uv=found["amplitude_uv"],
        # without a local extremum it is an end of the window, which was chosen and not found
        latency=found.get("latency") if found.get("local") else None,
        local=found.get("local"),
        channel=channel,
        kind=f"{polarity} peak" if kind == "peak" else "mean",
        n_epochs=stored.n_epochs,
    )
