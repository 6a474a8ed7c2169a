"""What the tools of EEGAgentBench share: records, channels, windows of time, plain results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from braino_registry.analysis.running import Span
from braino_registry.recordings.alone import EEG_TYPES, plain_channels
from braino_registry.recordings.recording import Recording
from braino_registry.tools.decorator import Result, Shared
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState

RecordId = Annotated[str, Meta(description="The record's id, as the request gives it.")]
Channels = Annotated[
    list[str] | None,
    Meta(description="Channels by name, in any case; all EEG channels if left out."),
]
Tmin = Annotated[float | None, Meta(description="Start in seconds; the record's start by default.")]
Tmax = Annotated[float | None, Meta(description="End in seconds; the record's end by default.")]

MAX_SHOWN = 40


class About(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How large a result is."""

    approx_response_bytes: int
    approx_response_tokens: int
    n_rows: int
    truncated: bool


class Measured(Result, frozen=True, kw_only=True):
    """A result with its size."""

    meta: Annotated[About | msgspec.UnsetType, Meta(description="Size of this result.")] = (
        msgspec.field(name="_meta", default=msgspec.UNSET)
    )


Sized = TypeVar("Sized", bound=Measured)


def sized(result: Sized, n_rows: int, *, truncated: bool = False) -> Sized:
    """Return a result that tells its own size."""
    size = len(msgspec.json.encode(result))
    about = About(
        approx_response_bytes=size,
        approx_response_tokens=size // 4,
        n_rows=n_rows,
        truncated=truncated,
    )
    return msgspec.structs.replace(result, meta=about)


@dataclass(frozen=True)
class Record:
    """A recording as these tools show it.

    Parameters
    ----------
    id : str
        What the agent calls it.
    recording : Recording
        What it is.
    names, types : tuple of str
        Its channels as shown: one alone is called EEG.
    """

    id: str
    recording: Recording
    names: tuple[str, ...]
    types: tuple[str, ...]

    @property
    def eeg(self) -> tuple[str, ...]:
        """The EEG channels."""
        pairs = zip(self.names, self.types, strict=True)
        return tuple(name for name, kind in pairs if kind in EEG_TYPES)

    def rate(self, name: str) -> float:
        """Return the native rate of a channel in Hz."""
        return self.recording.channel_sfreqs[self.names.index(name)]

    def type_of(self, name: str) -> str:
        """Return the type of a channel in MNE's words."""
        return self.types[self.names.index(name)]

    def pick(self, channels: Sequence[str] | None) -> tuple[str, ...]:
        """Return the channels that are meant.

        Raises
        ------
        ToolError
            If one does not exist or is named twice, or there is no EEG channel to default to.
        """
        if channels is None:
            if not self.eeg:
                raise ToolError(f"{self.id} has no EEG channel", self._allowed())
            return self.eeg
        if not channels:
            raise ToolError("the list of channels is empty", "Name one, or leave channels out.")
        known = {name.casefold(): name for name in self.names}
        found: list[str] = []
        for given in channels:
            name = given if given in self.names else known.get(given.strip().casefold())
            if name is None:
                raise ToolError(f"{self.id} has no channel {given[:60]!r}", self._allowed())
            if name in found:
                raise ToolError(f"the channel {name} is named twice", "Name each channel once.")
            found.append(name)
        return tuple(found)

    def _allowed(self) -> str:
        shown = ", ".join(self.names[:MAX_SHOWN])
        more = len(self.names) - MAX_SHOWN
        return f"Pass channels among {shown}{f' and {more} more' if more > 0 else ''}."

    def spans(
        self,
        channels: Sequence[str] | None,
        tmin: float | None = None,
        tmax: float | None = None,
        least: float = 0.0,
    ) -> Iterator[tuple[tuple[str, ...], Span]]:
        """Yield the channels meant, those of one rate together, with a window of them.

        Parameters
        ----------
        channels, tmin, tmax
            As the agent gave them.
        least : float
            Seconds that the window must hold.

        Raises
        ------
        ToolError
            If the window is not within the record, or too short.
        """
        names = self.pick(channels)
        begin, end = self.window(tmin, tmax, least)
        rates = list(dict.fromkeys(self.rate(name) for name in names))
        for rate in rates:
            group = tuple(name for name in names if self.rate(name) == rate)
            real = [self.recording.ch_names[self.names.index(name)] for name in group]
            length = self.recording.length_of(real[0])
            start, stop = _sample(begin, rate), min(_sample(end, rate), length)
            if stop - start < 3:
                raise ToolError(
                    f"the window holds {stop - start} samples of {', '.join(group[:3])}, recorded "
                    f"at {rate:g} Hz",
                    f"Pass a window of at least {3 / rate:.4g} s.",
                )
            yield group, Span(_Reader(self.recording, real), start, stop, rate, len(group))

    def window(self, tmin: float | None, tmax: float | None, least: float) -> tuple[float, float]:
        """Return start and end of a window in seconds.

        Raises
        ------
        ToolError
            If it leaves the record, or is too short.
        """
        whole = self.recording.duration
        begin, end = tmin or 0.0, whole if tmax is None else tmax
        if begin < 0 or end > whole + 1e-6 or begin >= end:
            raise ToolError(
                f"the window from {begin:g} to {end:g} s is not within the record",
                f"Pass 0 <= tmin < tmax <= {math.floor(whole * 1000) / 1000:g} (its end).",
            )
        if end - begin < least - 1e-9:
            raise ToolError(
                f"the window of {end - begin:.4g} s is too short",
                f"Pass a window of at least {least:.4g} s; the record has {whole:.4g} s.",
            )
        return begin, end


@dataclass(frozen=True)
class _Reader:
    recording: Recording
    channels: Sequence[str]

    def __call__(self, start: int, stop: int) -> Any:
        return self.recording.read(self.channels, start, stop)


def _sample(seconds: float, rate: float) -> int:
    return round(seconds * rate)


def record(state: ToolState, record_id: str) -> Record:
    """Return the record that an id stands for.

    Raises
    ------
    ToolError
        If there is none.
    """
    recording = state.record(record_id)
    names, types = plain_channels(recording)
    return Record(record_id, recording, names, types)


class Stretch(Shared, frozen=True, kw_only=True):
    """What of a record a tool looks at: channels, over a window of time."""

    record_id: RecordId
    channels: Channels = None
    tmin: Tmin = None
    tmax: Tmax = None

    def spans(self, state: ToolState, least: float = 0.0) -> Iterator[tuple[tuple[str, ...], Span]]:
        """Yield its channels, those of one rate together; see :meth:`Record.spans`."""
        found = record(state, self.record_id)
        return found.spans(self.channels, self.tmin, self.tmax, least)


def finite(value: Any, digits: int = 4) -> float | None:
    """Return a number rounded to so many decimals, None if it is not finite."""
    number = float(value)
    return round(number, digits) if math.isfinite(number) else None
