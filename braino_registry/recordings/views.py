"""Named views of recordings: channels, window, filter, reference, rate, epochs.

A recording's id is a view of it. Every further view has an id of its own, says what was done, and
computes its samples when they are asked for. The window is applied last and epochs are cut from
the processed recording, so that no filter sees a cut edge.
"""

from __future__ import annotations

import json
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
from braino_registry.recordings.transforms import TRANSFORMS, Epochs
from braino_registry.recordings.tree import BidsTree

Array = NDArray[np.float64]
MAX_BYTES = 256 * 2**20
UV = 1e6


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


class ViewStore:
    """The views of one session.

    Parameters
    ----------
    tree : BidsTree
        The dataset.
    limit : int
        Bytes of processed samples to keep.
    """

    def __init__(self, tree: BidsTree, limit: int = 128 * 2**20) -> None:
        self.tree = tree
        self.rows = Rows(limit)
        self._views: dict[str, View] = {}
        self._derived: dict[tuple[str, str, str], str] = {}

    def ids(self) -> list[str]:
        """Return all ids that :meth:`get` accepts."""
        return [*self._views, *self.tree.recordings()]

    def get(self, identifier: str) -> View:
        """Return a view.

        Raises
        ------
        RecordingError
            If there is neither a view nor a recording of this id; with those there are.
        """
        found = self._views.get(identifier)
        if found is not None:
            return found
        if identifier not in self.tree.recordings():
            raise unknown("view or recording", identifier, self.ids())
        return View(identifier, Signal.raw(self.tree.open(identifier)), self.rows)

    def derive(self, parent: View, op: str, params: Mapping[str, Any]) -> View:
        """Return the view that a step makes of another; the same step gives the same view.

        Parameters
        ----------
        parent : View
            What to start from.
        op : str
            ``pick``, ``window``, ``filter``, ``notch``, ``resample``, ``reference``, ``epochs``,
            ``drop``, ``subtract``.
        params : mapping
            Of the step, see :mod:`braino_registry.recordings.transforms`.

        Raises
        ------
        RecordingError, SignalError
            If the step does not exist or its parameters do not suit the view.
        """
        transform = TRANSFORMS.get(op)
        if transform is None:
            raise unknown("step", op, list(TRANSFORMS))
        key = (parent.id, op, json.dumps(dict(params), sort_keys=True))
        if key in self._derived and op != "reference":
            return self._views[self._derived[key]]
        changes = transform(parent, dict(params))
        view = View(
            id=f"view-{len(self._views) + 1}",
            signal=changes.signal,
            rows=self.rows,
            window=changes.window,
            epochs=changes.epochs,
            history=(*parent.history, {"op": op, **changes.params}),
        )
        self._views[view.id] = view
        self._derived[key] = view.id
        return view
