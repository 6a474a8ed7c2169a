"""Named views of recordings: channels, window, filter, reference, rate, epochs.

A recording's id is a view of it. Every further view has an id of its own, says what was done, and
computes its samples when they are asked for. The window is applied last and epochs are cut from
the processed recording, so that no filter sees a cut edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.epochs import cut, epoch_times, peak_to_peak, subtract_baseline
from braino_registry.analysis.windows import window_to_samples
from braino_registry.recordings.errors import RecordingError, unknown
from braino_registry.recordings.recording import Recording
from braino_registry.recordings.signal import BATCH_BYTES, Rows, Signal, batches

Array = NDArray[np.float64]
MAX_BYTES = 256 * 2**20
UV = 1e6


@dataclass(frozen=True)
class Epochs:
    """Which epochs a view consists of.

    Parameters
    ----------
    events : tuple of str
        Names of the events, which count as one kind.
    samples : tuple of int
        Samples nearest to the delayed onsets of the events that are left, at the view's rate, from
        the recording's start.
    start, stop : int
        First sample of an epoch and the one after its last, relative to the event.
    baseline : (float, float) | None
        Half-open interval in seconds whose mean is subtracted.
    n_found, n_outside, n_rejected : int
        Events found; of them without a complete epoch; of the rest rejected by amplitude.
    lag : int
        Samples between an event and ``samples``: the delay, rounded.
    """

    events: tuple[str, ...]
    samples: tuple[int, ...]
    start: int
    stop: int
    baseline: tuple[float, float] | None
    n_found: int
    n_outside: int
    n_rejected: int
    lag: int = 0


@dataclass(frozen=True)
class View:
    """A view of a recording.

    Parameters
    ----------
    id : str
        The recording's id, or ``view-1``, ``view-2`` …
    signal : Signal
        The processed recording.
    window : (float, float) | None
        Half-open window in seconds from the recording's start.
    epochs : Epochs | None
        Set if the view consists of epochs.
    history : tuple of mapping
        What was done: ``op`` and its parameters.
    """

    id: str
    signal: Signal
    rows: Rows = field(repr=False, compare=False)
    window: tuple[float, float] | None = None
    epochs: Epochs | None = None
    history: tuple[Mapping[str, Any], ...] = ()

    @property
    def recording(self) -> Recording:
        """The recording that it shows."""
        return self.signal.recording

    @property
    def ch_names(self) -> tuple[str, ...]:
        """Its channels."""
        return self.signal.ch_names

    @property
    def ch_types(self) -> tuple[str, ...]:
        """Types of its channels in MNE's words."""
        return self.signal.ch_types

    @property
    def sfreq(self) -> float:
        """Its samples per second."""
        return self.signal.sfreq

    @property
    def samples(self) -> tuple[int, int]:
        """First sample and the one after the last, from the recording's start."""
        if self.window is None:
            return 0, self.signal.n_times
        start, stop = window_to_samples(*self.window, self.sfreq)
        return start, min(stop, self.signal.n_times)

    @property
    def n_times(self) -> int:
        """Samples of the view, or of one of its epochs."""
        if self.epochs is not None:
            return self.epochs.stop - self.epochs.start
        start, stop = self.samples
        return stop - start

    @property
    def times(self) -> Array:
        """Seconds of its samples: from the event for epochs, else from the recording's start."""
        if self.epochs is not None:
            return epoch_times(self.epochs.start, self.epochs.stop, self.sfreq)
        start, stop = self.samples
        return epoch_times(start, stop, self.sfreq)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The recording's events within the window, onsets from the recording's start."""
        events = self.recording.events
        if self.window is None:
            return events
        return [e for e in events if self.window[0] <= float(e["onset"]) < self.window[1]]

    def pick(self, channels: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return the channels asked for, by default its EEG channels.

        Raises
        ------
        RecordingError
            If one is not in the view, or there is no EEG channel.
        """
        if channels is None:
            names = self.signal.of_type("eeg", "ecog", "seeg")
            if not names:
                raise RecordingError(
                    f"{self.id} has no EEG channel", hint=f"Channels: {', '.join(self.ch_names)}."
                )
            return names
        if not channels:
            raise RecordingError("the list of channels is empty", hint="Name one, or leave it out.")
        if len(set(channels)) != len(channels):
            raise RecordingError("a channel is named twice", hint="Name each channel once.")
        for name in channels:
            if name not in self.ch_names:
                self._explain(name)
        return tuple(channels)

    def _explain(self, name: str) -> None:
        recording = self.recording
        if name in recording.ch_names and not self.signal.steps:
            rate = recording.channel_sfreqs[recording.ch_names.index(name)]
            raise RecordingError(
                f"{name} was recorded at {rate:g} Hz, not at the {self.sfreq:g} Hz of {self.id}",
                hint=f"Make a view of it first: preprocess.pick with channels [{name!r}].",
            )
        raise unknown("channel", name, self.ch_names, where=self.id)

    def data(self, channels: Sequence[str] | None = None) -> Array:
        """Return samples in V.

        Parameters
        ----------
        channels : sequence of str | None
            Channels in the order wanted; None for all of the view.

        Returns
        -------
        array, shape (n_channels, n_times), of epochs (n_epochs, n_channels, n_times)

        Raises
        ------
        RecordingError
            If a channel is not in the view, or the samples would take more than 256 MB.
        """
        names = self.ch_names if channels is None else self.pick(channels)
        count = len(self.epochs.samples) if self.epochs is not None else 1
        if 8 * len(names) * self.n_times * count > MAX_BYTES:
            raise RecordingError(
                f"{len(names)} channels of {self.id} do not fit into memory at once",
                hint="Choose fewer channels, a window (preprocess.crop) or a lower rate.",
            )
        if self.epochs is None:
            return self.rows.get(self.signal, names, *self.samples)
        return self._epochs(self.epochs, names)

    def _epochs(self, plan: Epochs, names: Sequence[str]) -> Array:
        parts = []
        for group in batches(names, self.signal.n_times):
            rows = self.rows.get(self.signal, group, 0, self.signal.n_times)
            part = cut(rows, plan.samples, plan.start, plan.stop)
            if plan.baseline is not None:
                part = subtract_baseline(part, plan.start, self.sfreq, plan.baseline)
            parts.append(part)
        return np.concatenate(parts, axis=1)

    def batches(self, channels: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Array]]:
        """Yield names and samples of a few channels at a time, for what is done per channel."""
        count = len(self.epochs.samples) if self.epochs is not None else 1
        size = max(1, BATCH_BYTES // max(8 * self.n_times * count, 1))
        names = self.pick(channels)
        for first in range(0, len(names), size):
            group = names[first : first + size]
            yield group, self.data(group)

    def worst(self, channels: Sequence[str]) -> Array:
        """Return the largest peak-to-peak amplitude of each epoch over channels, in µV."""
        spans = [peak_to_peak(data).max(axis=1) for _, data in self.batches(channels)]
        worst: Array = np.max(spans, axis=0) * UV
        return worst
