"""A processed recording as a recipe: which recording, which steps; and the rows it makes.

Steps apply to the whole recording, channel by channel, whatever window is looked at afterwards:
cutting first and filtering then would put the filter's edges into the data.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis import filters
from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.readers import VOLTAGE_TYPES
from braino_registry.recordings.recording import Recording

Array = NDArray[np.float64]

BATCH_BYTES = 32 * 2**20


@dataclass(frozen=True)
class Step:
    """One processing step.

    Parameters
    ----------
    op : str
        ``pick``, ``filter``, ``notch``, ``resample``, ``reference`` or ``subtract``.
    text : str
        Its parameters as canonical JSON, so that equal steps are equal.
    """

    op: str
    text: str

    @classmethod
    def of(cls, op: str, params: Mapping[str, Any]) -> Step:
        """Return the step of these parameters."""
        return cls(op, json.dumps(params, sort_keys=True))

    @property
    def params(self) -> dict[str, Any]:
        """The parameters."""
        loaded: dict[str, Any] = json.loads(self.text)
        return loaded


@dataclass(frozen=True)
class Signal:
    """A recording after some steps.

    Parameters
    ----------
    recording : Recording
        Where the samples come from.
    steps : tuple of Step
        What was done, in order.
    ch_names, ch_types : tuple of str
        Channels that are left, and their types in MNE's words.
    sfreq : float
        Samples per second.
    n_times : int
        Samples of the whole recording at that rate.
    parent : Signal | None
        The signal before the last step.
    """

    recording: Recording
    steps: tuple[Step, ...]
    ch_names: tuple[str, ...]
    ch_types: tuple[str, ...]
    sfreq: float
    n_times: int
    parent: Signal | None = None

    @classmethod
    def raw(cls, recording: Recording, channels: Sequence[str] | None = None) -> Signal:
        """Return a recording as it is: channels of one native rate, else the fastest ones."""
        names = tuple(recording.at_rate(recording.sfreq) if channels is None else channels)
        index = recording.index(names)
        rates = {recording.channel_sfreqs[i] for i in index}
        if len(rates) != 1:
            raise RecordingError(
                f"the channels {', '.join(names)} were recorded at different rates",
                where=recording.id,
                hint="Choose channels of one rate; recording.info lists the rates.",
            )
        return cls(
            recording=recording,
            steps=() if channels is None else (Step.of("pick", {"channels": list(names)}),),
            ch_names=names,
            ch_types=tuple(recording.ch_types[i] for i in index),
            sfreq=rates.pop(),
            n_times=recording.length_of(names[0]),
        )

    def of_type(self, *types: str) -> tuple[str, ...]:
        """Return the channels of these types."""
        pairs = zip(self.ch_names, self.ch_types, strict=True)
        return tuple(name for name, kind in pairs if kind in types)

    def then(self, step: Step, **changes: Any) -> Signal:
        """Return the signal after one more step."""
        values = {
            "ch_names": self.ch_names,
            "ch_types": self.ch_types,
            "sfreq": self.sfreq,
            "n_times": self.n_times,
            **changes,
        }
        return Signal(recording=self.recording, steps=(*self.steps, step), parent=self, **values)


class Rows:
    """Channels of signals, computed when asked for and kept while there is room.

    Parameters
    ----------
    limit : int
        Bytes to keep at most; what was used longest ago goes first.
    """

    def __init__(self, limit: int = 128 * 2**20) -> None:
        self._limit = limit
        self._kept: OrderedDict[tuple[str, tuple[Step, ...], str], Array] = OrderedDict()
        self.bytes = 0

    def get(self, signal: Signal, channels: Sequence[str], start: int, stop: int) -> Array:
        """Return samples ``[start, stop)`` of channels, shape (n_channels, stop - start), in V."""
        if signal.parent is None:
            return signal.recording.read(channels, start, stop)
        if _is_local(signal):
            return self._local(signal, channels, start, stop)
        out = np.empty((len(channels), stop - start))
        for names, rows in self._whole(signal, channels):
            for name, row in zip(names, rows, strict=True):
                for position, wanted in enumerate(channels):
                    if wanted == name:
                        out[position] = row[start:stop]
        return out

    def _local(self, signal: Signal, channels: Sequence[str], start: int, stop: int) -> Array:
        """Compute a piece of steps that look at one sample at a time."""
        parent, step = _parent(signal), signal.steps[-1]
        rows = self.get(parent, channels, start, stop)
        if step.op == "reference":
            common = np.zeros(stop - start)
            sources = step.params["channels"]
            for names in batches(sources, stop - start):
                common += self.get(parent, names, start, stop).sum(axis=0)
            targets = set(step.params["applies_to"])
            mask = np.array([name in targets for name in channels])
            rows[mask] -= common / len(sources)
        elif step.op == "subtract":
            self._subtract(parent, step.params, rows, channels, start, stop)
        return rows

    def _subtract(
        self,
        parent: Signal,
        params: Mapping[str, Any],
        rows: Array,
        channels: Sequence[str],
        start: int,
        stop: int,
    ) -> None:
        """Take components out of rows: topographies times what the unmixing makes of channels."""
        sources = params["channels"]
        # without components the lists have no second dimension of their own
        unmixing = np.array(params["unmixing"], float).reshape(-1, len(sources))
        columns = np.array(params["mixing"], float).reshape(len(sources), -1)
        mixing = dict(zip(sources, columns, strict=True))
        activity = np.zeros((len(unmixing), stop - start))
        for names in batches(sources, stop - start):
            index = [sources.index(name) for name in names]
            activity += unmixing[:, index] @ self.get(parent, names, start, stop)
        for row, name in enumerate(channels):
            if name in mixing:
                rows[row] -= mixing[name] @ activity

    def _whole(
        self, signal: Signal, channels: Sequence[str]
    ) -> Iterator[tuple[Sequence[str], list[Array]]]:
        """Yield whole rows of channels in batches, from what is kept or computed."""
        for names in batches(list(dict.fromkeys(channels)), signal.n_times):
            found = {name: self._find(signal, name) for name in names}
            absent = [name for name in names if found[name] is None]
            if absent:
                for name, row in zip(absent, self._compute(signal, absent), strict=True):
                    found[name] = row
                    self._keep(signal, name, row)
            yield names, [row for row in found.values() if row is not None]

    def _compute(self, signal: Signal, channels: Sequence[str]) -> Array:
        if _is_local(signal):
            return self._local(signal, channels, 0, signal.n_times)
        parent, step = _parent(signal), signal.steps[-1]
        rows = self.get(parent, channels, 0, parent.n_times)
        return _APPLY[step.op](rows, parent, channels, step.params)

    def _find(self, signal: Signal, channel: str) -> Array | None:
        key = (signal.recording.id, signal.steps, channel)
        row = self._kept.get(key)
        if row is not None:
            self._kept.move_to_end(key)
        return row

    def _keep(self, signal: Signal, channel: str, row: Array) -> None:
        key = (signal.recording.id, signal.steps, channel)
        if key in self._kept or row.nbytes > self._limit // 8:
            return
        self._kept[key] = row.copy()
        self.bytes += row.nbytes
        while self.bytes > self._limit:
            _, old = self._kept.popitem(last=False)
            self.bytes -= old.nbytes


def batches(channels: Sequence[str], n_times: int) -> Iterator[Sequence[str]]:
    """Yield channels in groups whose samples take about 32 MB."""
    size = max(1, BATCH_BYTES // (8 * max(n_times, 1)))
    for first in range(0, len(channels), size):
        yield channels[first : first + size]


def _parent(signal: Signal) -> Signal:
    assert signal.parent is not None  # only called for signals made by a step
    return signal.parent


def _is_local(signal: Signal) -> bool:
    return signal.steps[-1].op in ("pick", "reference", "subtract")


def _voltage_mask(signal: Signal, channels: Sequence[str]) -> NDArray[np.bool_]:
    types = dict(zip(signal.ch_names, signal.ch_types, strict=True))
    return np.array([types[name] in VOLTAGE_TYPES for name in channels])


def _filter(rows: Array, parent: Signal, channels: Sequence[str], params: dict[str, Any]) -> Array:
    mask = _voltage_mask(parent, channels)
    if mask.any():
        rows[mask] = filters.band_pass(rows[mask], parent.sfreq, params["l_freq"], params["h_freq"])
    return rows


def _notch(rows: Array, parent: Signal, channels: Sequence[str], params: dict[str, Any]) -> Array:
    mask = _voltage_mask(parent, channels)
    if mask.any():
        rows[mask] = filters.notch(rows[mask], parent.sfreq, tuple(params["freqs"]))
    return rows


def _resample(
    rows: Array, parent: Signal, channels: Sequence[str], params: dict[str, Any]
) -> Array:
    return filters.resample(rows, parent.sfreq, params["sfreq"])


_APPLY = {"filter": _filter, "notch": _notch, "resample": _resample}
