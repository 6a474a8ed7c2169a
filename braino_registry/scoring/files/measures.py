"""The fields of a signal file that can be asked for, each measured on its samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from braino_registry.scoring.files.signals import SignalFile
from braino_registry.scoring.files.spectrum import passband_problem

# The mean over channels that an average reference leaves, as a share of the signal.
_REFERENCE = 1e-3
_REFERENCE_16_BIT = 1e-2
_LEAST_PARTS = 5
_TO_UV = {"uV": 1.0, "V": 1e6}


@dataclass(frozen=True)
class Finding:
    """One field of a file: whether it is as it should be, what was found, and its weight."""

    name: str
    passed: bool
    found: str
    weight: float


Field = Callable[[SignalFile, Mapping[str, Any], float | None], tuple[bool, str]]


def measure(signal: SignalFile, wanted: Mapping[str, Mapping[str, Any]]) -> list[Finding]:
    """Measure the fields that a check asks for.

    Parameters
    ----------
    signal : SignalFile
        The file.
    wanted : mapping
        By name of the field: ``is``, the value; perhaps ``tolerance``, ``unit``, ``weight``. The
        entry ``rate`` is no field: it states the rate of a format that has none.
    """
    rate = wanted.get("rate", {}).get("is")
    sfreq = signal.sfreq if signal.sfreq is not None else _number(rate)
    found = []
    for name, spec in wanted.items():
        if name in FIELDS:
            passed, text = FIELDS[name](signal, spec, sfreq)
            found.append(Finding(name, passed, text, float(spec.get("weight", 1))))
    return found


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _channels(signal: SignalFile, spec: Mapping[str, Any], sfreq: float | None) -> tuple[bool, str]:
    wanted = [_plain(name) for name in spec["is"]]
    if signal.ch_names is None:
        return False, "the format has no names"
    names = [_plain(name) for name in signal.ch_names]
    return names == wanted, ", ".join(signal.ch_names)[:120]


def _plain(name: str) -> str:
    """Return a channel's name without what formats put around it ("EEG Fp1" is "fp1")."""
    bare = name.strip().casefold().removeprefix("eeg").strip()
    return bare or name.strip().casefold()


def _n_channels(
    signal: SignalFile, spec: Mapping[str, Any], sfreq: float | None
) -> tuple[bool, str]:
    n = signal.data.shape[0]
    return n == spec["is"], str(n)


def _shape(signal: SignalFile, spec: Mapping[str, Any], sfreq: float | None) -> tuple[bool, str]:
    # one channel may be stored as a row or as a plain list of samples
    found, wanted = ([n for n in each if n != 1] for each in (signal.shape, spec["is"]))
    return found == wanted, " x ".join(map(str, signal.shape))


def _sfreq(signal: SignalFile, spec: Mapping[str, Any], sfreq: float | None) -> tuple[bool, str]:
    if signal.sfreq is None:
        return False, "the format states no rate"
    allowed = spec.get("tolerance", 1e-6 * abs(spec["is"]))
    return abs(signal.sfreq - spec["is"]) <= allowed, f"{signal.sfreq:.6g} Hz"


def _duration(signal: SignalFile, spec: Mapping[str, Any], sfreq: float | None) -> tuple[bool, str]:
    if sfreq is None:
        return False, "without a rate there is no duration"
    seconds = signal.data.shape[1] / sfreq
    allowed = spec.get("tolerance", 1 / sfreq) + 1e-9
    return abs(seconds - spec["is"]) <= allowed, f"{seconds:.6g} s"


def _rms(signal: SignalFile, spec: Mapping[str, Any], sfreq: float | None) -> tuple[bool, str]:
    unit = spec.get("unit", "uV")
    scale = 1.0 if signal.in_uv else _TO_UV[unit]
    found = np.sqrt(np.mean(np.square(signal.data * scale), axis=1))
    wanted = _by_channel(spec["is"], signal)
    if wanted is None:
        return False, "its channels are not those that are expected"
    if isinstance(wanted, float):
        found, wanted = np.array([found.mean()]), [wanted]
    if len(wanted) != found.size:
        return False, f"{found.size} channels, {len(wanted)} expected"
    target = np.asarray(wanted, dtype=np.float64) * _TO_UV[unit]
    allowed = float(spec.get("tolerance", 0.1)) * np.abs(target)
    text = ", ".join(f"{value:.4g}" for value in found[:8])
    return bool(np.all(np.abs(found - target) <= allowed)), f"{text} µV"


def _course(signal: SignalFile, spec: Mapping[str, Any], sfreq: float | None) -> tuple[bool, str]:
    """Tell whether the file goes up and down as only the signal that was asked for does."""
    wanted = np.asarray(spec["is"], dtype=np.float64)
    if sfreq is None:
        return False, "without a rate there is no course"
    length = round(float(spec.get("seconds", 1.0)) * sfreq)
    n_parts = min(signal.data.shape[1] // max(length, 1), wanted.size)
    if length < 2 or n_parts < max(wanted.size / 2, _LEAST_PARTS):
        return False, f"{n_parts} parts are too few for a course"
    parts = signal.data[:, : length * n_parts].reshape(-1, n_parts, length)
    found = np.sqrt(np.square(parts).mean(axis=2)).mean(axis=0)
    correlation = _correlation(found, wanted[:n_parts])
    limit = float(spec.get("correlation", 0.9))
    return correlation >= limit, f"correlates with the one expected by {correlation:.2f}"


def _correlation(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    """Return Pearson's correlation; 0 where one of both does not vary, or is not finite."""
    a, b = a - a.mean(), b - b.mean()
    scale = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / scale if math.isfinite(scale) and scale > 0 else 0.0


def _by_channel(value: Any, signal: SignalFile) -> float | Sequence[float] | None:
    """Return what is expected in the order of the file's channels."""
    if not isinstance(value, Mapping):
        return [float(item) for item in value] if isinstance(value, list | tuple) else float(value)
    stated = {_plain(name): float(item) for name, item in value.items()}
    if signal.ch_names is None:  # a format without names keeps the order that was asked for
        return list(stated.values())
    names = [_plain(name) for name in signal.ch_names]
    return [stated[name] for name in names] if set(names) == set(stated) else None


def _reference(
    signal: SignalFile, spec: Mapping[str, Any], sfreq: float | None
) -> tuple[bool, str]:
    if signal.data.shape[0] < 2:
        return False, "one channel has no average reference"
    whole = math.sqrt(float(np.mean(np.square(signal.data))))
    mean = math.sqrt(float(np.mean(np.square(signal.data.mean(axis=0)))))
    share = mean / whole if whole > 0 else math.inf
    limit = _REFERENCE_16_BIT if signal.sixteen_bit else _REFERENCE
    return share <= limit, f"the mean over channels has {share:.2g} of the signal's RMS"


def _passband(signal: SignalFile, spec: Mapping[str, Any], sfreq: float | None) -> tuple[bool, str]:
    if sfreq is None:
        return False, "without a rate there is no spectrum"
    low, high = (_number(corner) for corner in spec["is"])
    problem = passband_problem(signal.data, sfreq, low, high)
    return not problem, problem or "as asked for"


#: By name, how a field is measured.
FIELDS: Mapping[str, Field] = {
    "channels": _channels,
    "n_channels": _n_channels,
    "shape": _shape,
    "sfreq": _sfreq,
    "duration": _duration,
    "rms": _rms,
    "course": _course,
    "reference": _reference,
    "passband": _passband,
}
