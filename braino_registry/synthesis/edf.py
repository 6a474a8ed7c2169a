"""Signals on disk: EDF, each channel at its own rate, written piece by piece."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from braino_registry.synthesis.brainvision import quantise
from braino_registry.synthesis.reel import Strip

_N_RECORDS = slice(236, 244)
"""Where the header states the number of data records."""
_DIGITAL = (-32768, 32767)


class EdfWriter:
    """An EDF file that grows by whole seconds; the data record lasts one.

    Parameters
    ----------
    path : Path
        The file; it must not exist.
    channels : sequence of Strip
        In the order of the file.
    """

    def __init__(self, path: Path, channels: Sequence[Strip]) -> None:
        self._channels = tuple(channels)
        self._records = 0
        self._file = path.open("xb")
        self._file.write(_header(self._channels))

    def write(self, samples: Sequence[NDArray[np.float64]]) -> None:
        """Append some seconds.

        Parameters
        ----------
        samples : sequence of ndarray
            One per channel, in its unit: as many whole seconds of each. They are kept as
            multiples of the channel's step, in a way that any machine repeats.
        """
        columns = [
            quantise(values[None], channel.step).reshape(-1, channel.sfreq)
            for values, channel in zip(samples, self._channels, strict=True)
        ]
        records = np.concatenate(columns, axis=1).astype("<i2", copy=False)
        self._file.write(records.tobytes())
        self._records += len(records)

    def close(self) -> None:
        """State the number of records in the header, and close the file."""
        self._file.seek(_N_RECORDS.start)
        self._file.write(f"{self._records:<8d}".encode("ascii"))
        self._file.close()

    def __enter__(self) -> EdfWriter:
        """Return the writer."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()


def _header(channels: Sequence[Strip]) -> bytes:
    """Return the header of a file with these channels, by the library that knows the format."""
    from edfio import Edf, EdfSignal

    signals = [
        EdfSignal.from_digital(
            np.zeros(channel.sfreq, dtype=np.int16),
            channel.sfreq,
            label=channel.name,
            # The format is ASCII: µV is written as it has always been there.
            physical_dimension={"µV": "uV", "oC": "degC"}.get(channel.unit, channel.unit),
            physical_range=(
                round(_DIGITAL[0] * channel.step, 6),
                round(_DIGITAL[1] * channel.step, 6),
            ),
            digital_range=_DIGITAL,
        )
        for channel in channels
    ]
    file = io.BytesIO()
    Edf(signals, data_record_duration=1).write(file)
    return file.getvalue()[: 256 * (1 + len(channels))]
