"""Reading the signals that an agent exported: EDF, FIF, NPY and CSV."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from braino_registry.registry import documents
from braino_registry.scoring.files.errors import UnreadableFileError

#: Most bytes of a file that is read.
LARGEST = 64 * 2**20
_UV = {"uv": 1.0, "µv": 1.0, "μv": 1.0, "v": 1e6, "mv": 1e3, "nv": 1e-3}
_TIMES = ("time", "times", "t", "time_s", "seconds", "time (s)", "time [s]")


@dataclass(frozen=True)
class SignalFile:
    """The signals of a file.

    Parameters
    ----------
    data : ndarray, shape (n_channels, n_times)
        The samples: in µV where the file states a voltage, else as they are.
    ch_names : tuple of str | None
        None where the format has no names.
    sfreq : float | None
        Samples per second; None where the format states none.
    shape : tuple of int
        As the file holds them.
    in_uv : bool
        Whether the file states its unit, so that ``data`` are µV.
    sixteen_bit : bool
        Whether the samples were rounded to 16 bits.
    """

    data: NDArray[np.float64]
    ch_names: tuple[str, ...] | None
    sfreq: float | None
    shape: tuple[int, ...]
    in_uv: bool
    sixteen_bit: bool = False


def open_signal(path: Path) -> SignalFile:
    """Return the signals of a file, by the ending of its name.

    Parameters
    ----------
    path : Path
        A regular file; see `places.regular`.

    Raises
    ------
    UnreadableFileError
        If it is not what its name says, damaged, cut short, too large, or holds no finite sample.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise UnreadableFileError(f"files of the kind {path.suffix!r} hold no signal")
    if path.stat().st_size > LARGEST:
        raise UnreadableFileError(f"it has more than {LARGEST} bytes")
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = reader(path)
    except UnreadableFileError:
        raise
    # the libraries fail in any way on bytes that are not theirs
    except Exception as error:
        raise UnreadableFileError(f"no {path.suffix[1:]}: {type(error).__name__}") from error
    for warning in told:
        text = str(warning.message)
        if "runcated" in text or "header indicates" in text:
            raise UnreadableFileError(f"it is cut short: {text}")
    if found.data.size == 0 or not np.isfinite(found.data).all():
        raise UnreadableFileError("it holds no samples, or some that are not finite")
    return found


def _edf(path: Path) -> SignalFile:
    import edfio

    signals = edfio.read_edf(path).signals
    rates = {signal.sampling_frequency for signal in signals}
    if len(rates) != 1:
        raise UnreadableFileError(f"its channels have {len(rates)} rates")
    units = [_UV.get(signal.physical_dimension.strip().casefold()) for signal in signals]
    rows = [
        np.asarray(signal.data, dtype=np.float64) * (1.0 if scale is None else scale)
        for signal, scale in zip(signals, units, strict=True)
    ]
    data = np.stack(rows)
    names = tuple(signal.label.strip() for signal in signals)
    return SignalFile(data, names, float(*rates), data.shape, None not in units, True)


def _fif(path: Path) -> SignalFile:
    import mne

    raw = mne.io.read_raw_fif(path, preload=True, verbose="error")
    data = raw.get_data() * 1e6
    return SignalFile(
        data, tuple(raw.ch_names), float(raw.info["sfreq"]), data.shape, in_uv=True
    )  # fmt: skip


def _npy(path: Path) -> SignalFile:
    with path.open("rb") as file:
        values = np.lib.format.read_array(file, allow_pickle=False)
    if values.dtype.kind not in "fiu":
        raise UnreadableFileError("it holds no real numbers")
    if values.ndim not in (1, 2):
        raise UnreadableFileError(f"it has {values.ndim} dimensions")
    return SignalFile(
        np.atleast_2d(values).astype(np.float64), None, None, values.shape, in_uv=False
    )  # fmt: skip


def _csv(path: Path) -> SignalFile:
    text = documents.read_bytes(path, LARGEST).decode("utf-8-sig")
    header = next(csv.reader(io.StringIO(text)), [])
    names = [name.strip() for name in header]
    if not names or any(_is_number(name) for name in names):
        raise UnreadableFileError("its first line has no names")
    table = np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1, ndmin=2)
    if table.shape[1] != len(names):
        raise UnreadableFileError(f"{len(names)} names stand over {table.shape[1]} columns")
    sfreq = None
    if names[0].casefold() in _TIMES:
        times, table, names = table[:, 0], table[:, 1:], names[1:]
        steps = np.diff(times)
        if steps.size and steps.min() > 0:
            sfreq = float((times.size - 1) / (times[-1] - times[0]))
    return SignalFile(table.T.copy(), tuple(names), sfreq, table.T.shape, in_uv=False)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


_READERS: Mapping[str, Callable[[Path], SignalFile]] = {
    ".edf": _edf,
    ".fif": _fif,
    ".npy": _npy,
    ".csv": _csv,
}
