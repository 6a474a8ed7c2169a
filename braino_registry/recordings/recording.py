"""One recording: its file, its sidecars, its samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.recordings import sidecars
from braino_registry.recordings.entities import BidsName
from braino_registry.recordings.errors import RecordingError, unknown
from braino_registry.recordings.readers import Reader, open_reader
from braino_registry.recordings.tsv import Table, number, read_tsv

Event = dict[str, Any]
_NUMERIC = ("onset", "duration", "sample", "response_time")


@dataclass(frozen=True)
class _Kept:
    """A sidecar as it was read, and what tells that it has changed since."""

    stamp: tuple[Any, ...]
    paths: list[Path]
    value: Any


class Recording:
    """A recording of a BIDS dataset; what can change on disk is read anew each time.

    Parameters
    ----------
    root : Path
        The dataset.
    path : Path
        The data file.
    name : BidsName
        Its name taken apart.
    """

    def __init__(self, root: Path, path: Path, name: BidsName) -> None:
        self.root = root
        self.path = path
        self.name = name
        self.id = name.recording_id
        self._folders = sidecars.folders(root, path)
        self._kept: dict[str, _Kept] = {}

    @cached_property
    def _reader(self) -> Reader:
        return open_reader(self.root, self.path, self._table("channels"))

    def _table(self, suffix: str) -> Table | None:
        def read(paths: list[Path]) -> Table | None:
            return read_tsv(paths[-1]) if paths else None

        table: Table | None = self._sidecar(suffix, ".tsv", read)
        return table

    def _sidecar(self, suffix: str, extension: str, read: Callable[[list[Path]], Any]) -> Any:
        """Return a sidecar's content; it is read again if it or its folder changed."""
        ending = suffix + extension
        kept = self._kept.get(ending)
        if kept is None or kept.stamp != sidecars.stamp([*self._folders, *kept.paths]):
            paths = sidecars.applicable(self.root, self.path, self.name, suffix, extension)
            before = sidecars.stamp([*self._folders, *paths])
            kept = self._kept[ending] = _Kept(before, paths, read(paths))
        return kept.value

    @property
    def entities(self) -> dict[str, str]:
        """``bids_subject``, ``bids_task`` … of the recording."""
        return self.name.prefixed

    @property
    def ch_names(self) -> tuple[str, ...]:
        """Channel names as the file spells them."""
        return self._reader.ch_names

    @property
    def ch_types(self) -> tuple[str, ...]:
        """Channel types in MNE's words, from channels.tsv or else the label."""
        return self._reader.ch_types

    @property
    def channel_sfreqs(self) -> tuple[float, ...]:
        """Native sampling rate of each channel in Hz."""
        return self._reader.sfreqs

    @property
    def sfreq(self) -> float:
        """The highest sampling rate in Hz."""
        return max(self._reader.sfreqs)

    @property
    def n_times(self) -> int:
        """Samples of a channel at the highest rate."""
        return max(self._reader.lengths)

    @property
    def duration(self) -> float:
        """Seconds: samples divided by the rate."""
        return self.n_times / self.sfreq

    @property
    def header_units(self) -> tuple[str | None, ...]:
        """Unit of each channel as the data file states it, or None."""
        return self._reader.units

    def table(self, suffix: str) -> Table | None:
        """Return the table that applies, for example ``channels`` or ``electrodes``, or None."""
        return self._table(suffix)

    @property
    def electrodes(self) -> dict[str, tuple[float, float, float]]:
        """Coordinates in electrodes.tsv by channel, in whatever unit it uses; empty without one.

        An electrodes.tsv may name a coordinate system, which no recording has, in its name.
        """
        found: dict[str, tuple[float, float, float]] = {}
        path = sidecars.electrodes(self.root, self.path, self.name)
        for row in read_tsv(path).rows if path is not None else ():
            x, y, z = (number(row.get(axis)) for axis in "xyz")
            if row.get("name") and x is not None and y is not None and z is not None:
                found[str(row["name"])] = (x, y, z)
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """What reading the file and its sidecars brought up."""
        return self._reader.notes

    @property
    def bads(self) -> tuple[str, ...]:
        """Channels whose status in channels.tsv is ``bad``, in its order."""
        table = self._table("channels")
        if table is None:
            return ()
        return tuple(
            str(row["name"])
            for row in table.rows
            if row.get("name") and (row.get("status") or "").lower() == "bad"
        )

    @property
    def sidecar(self) -> dict[str, Any]:
        """The merged JSON sidecar, empty if there is none."""
        return self._json or {}

    @property
    def _json(self) -> dict[str, Any] | None:
        merged: dict[str, Any] | None = self._sidecar(
            self.name.suffix, ".json", sidecars.merged_json
        )
        return merged

    @property
    def line_freq(self) -> float | None:
        """Mains frequency that the sidecar states in Hz, or None."""
        stated = self.sidecar.get("PowerLineFrequency")
        if isinstance(stated, bool) or not isinstance(stated, (int, float)):
            return None
        return float(stated) if stated > 0 else None

    @property
    def reference(self) -> str | None:
        """The reference that the sidecar states, or None."""
        stated = self.sidecar.get(f"{self.name.suffix.upper()}Reference")
        if isinstance(stated, str) and stated.strip().lower() not in ("", "n/a"):
            return stated
        return None

    @property
    def events_source(self) -> str:
        """Where :attr:`events` come from: ``events.tsv``, ``data file`` or ``none``."""
        if self._table("events") is not None:
            return "events.tsv"
        return "data file" if self._reader.header_events() else "none"

    @property
    def events(self) -> list[Event]:
        """Events by onset (s from the first sample), with all columns of events.tsv.

        Without an events.tsv, the markers in the data file, their text as ``trial_type``.
        Rows without an onset are left out.
        """
        table = self._table("events")
        if table is None:
            found = self._reader.header_events()
        else:
            found = [event for row in table.rows if (event := _event(dict(row))) is not None]
        return sorted(found, key=lambda event: float(event["onset"]))

    @property
    def sidecars_missing(self) -> tuple[str, ...]:
        """Names of the files that BIDS asks for and that do not apply to this recording.

        An events.tsv is asked for unless the task name begins with ``rest``.
        """
        missing = []
        if self._json is None:
            missing.append(f"{self.name.suffix}.json")
        if self._table("channels") is None:
            missing.append("channels.tsv")
        rest = self.name.entities.get("task", "").lower().startswith("rest")
        if not rest and self._table("events") is None:
            missing.append("events.tsv")
        return tuple(missing)

    def index(self, channels: Sequence[str]) -> list[int]:
        """Return positions of channels.

        Raises
        ------
        RecordingError
            If one does not exist; with close matches.
        """
        known = {name: i for i, name in enumerate(self.ch_names)}
        for name in channels:
            if name not in known:
                raise unknown("channel", name, self.ch_names, where=self.id)
        return [known[name] for name in channels]

    def at_rate(self, sfreq: float) -> tuple[str, ...]:
        """Return the channels that were recorded at a rate."""
        return tuple(
            name
            for name, rate in zip(self.ch_names, self.channel_sfreqs, strict=True)
            if rate == sfreq
        )

    def length_of(self, channel: str) -> int:
        """Return the samples of a channel at its own rate."""
        return self._reader.lengths[self.index([channel])[0]]

    def read(
        self, channels: Sequence[str] | None = None, start: int = 0, stop: int | None = None
    ) -> NDArray[np.float64]:
        """Return samples; only the piece asked for is read.

        Parameters
        ----------
        channels : sequence of str | None
            Channels of one native rate; None for all at the highest rate.
        start, stop : int | None
            Samples at that rate, ``stop`` exclusive; None for the end.

        Returns
        -------
        array, shape (n_channels, n)
            Volts; channels that are no voltage stay in the unit of the file.

        Raises
        ------
        RecordingError
            If a channel does not exist, rates differ, or the piece is outside the recording.
        """
        names = list(self.at_rate(self.sfreq) if channels is None else channels)
        index = self.index(names)
        rates = sorted({self.channel_sfreqs[i] for i in index})
        if len(rates) > 1:
            raise RecordingError(
                f"channels with different rates ({', '.join(f'{r:g}' for r in rates)} Hz) "
                "cannot be read together",
                where=self.id,
                hint="Ask for channels of one rate.",
            )
        n = self._reader.lengths[index[0]] if index else self.n_times
        last = n if stop is None else stop
        if not 0 <= start <= last <= n:
            raise RecordingError(
                f"samples {start} to {last} are outside the recording",
                where=self.id,
                hint=f"Ask for samples between 0 and {n}.",
            )
        if not index or start == last:
            return np.empty((len(index), last - start))
        return self._reader.read(index, start, last)


def event_name(event: Mapping[str, Any]) -> str:
    """Return what an event is counted under: its trial_type, else its value, else ``n/a``."""
    return str(event.get("trial_type") or event.get("value") or "n/a")


def _event(row: dict[str, str | None]) -> Event | None:
    onset = number(row.get("onset"))
    if onset is None:
        return None
    event: Event = dict(row)
    for name in _NUMERIC:
        if name in event:
            event[name] = number(row[name])
    event["onset"] = onset
    return event


def is_vertical(recording: Recording, channel: str) -> bool:
    """Tell whether an EOG channel records blinks: by its type in channels.tsv, else by its name.

    A channel that is only called EOG counts; HEOG and EOGh do not.
    """
    table = recording.table("channels")
    for row in table.rows if table is not None else ():
        if row.get("name") == channel and row.get("type"):
            kind = str(row["type"]).upper()
            if kind in ("VEOG", "HEOG"):
                return kind == "VEOG"
    label = channel.upper()
    return not any(mark in label for mark in ("HEOG", "EOGH", "EOG_H", "EOG H", "EOG-H", "HORIZ"))
