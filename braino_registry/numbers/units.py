"""Units that occur in EEG reports, how they are written, and what converts into what."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of one dimension.

    Parameters
    ----------
    name : str
        Canonical spelling, for example ``"µV"``.
    dimension : str
        Units of one dimension convert into each other.
    factor : float
        Size of the unit in the dimension's SI unit (V, s, Hz, 1).
    """

    name: str
    dimension: str
    factor: float


# "250 samples per second" is a rate; "250 samples" alone is a count
_PER_SECOND = tuple(
    f"{what}{per}"
    for what in ("samples", "cycles", "times", "data points")
    for per in (" per second", " per sec", " a second", " each second", "/second", "/sec", "/s")
)

_BEATS = tuple(
    f"{what}{per}"
    for what in ("beats", "heartbeats", "heart beats")
    for per in (
        *(" per minute", " per min", " a minute", " each minute", " every minute"),
        *("/minute", "/min", " / min", "·min⁻¹", " min⁻¹"),
    )
)

# name, dimension, factor, symbols (written exactly so), words (any case)
_TABLE: tuple[tuple[str, str, float, tuple[str, ...], tuple[str, ...]], ...] = (
    ("Hz", "frequency", 1.0, ("Hz", "hz", "HZ", "S/s", "Sa/s", "SPS"), ("hertz", *_PER_SECOND)),
    ("kHz", "frequency", 1e3, ("kHz", "khz", "KHz", "kS/s", "kSPS"), ("kilohertz",)),
    ("s", "time", 1.0, ("s",), ("sec", "secs", "second", "seconds")),
    ("ms", "time", 1e-3, ("ms",), ("msec", "msecs", "millisecond", "milliseconds")),
    ("µs", "time", 1e-6, ("µs", "us"), ("microsecond", "microseconds")),
    ("min", "time", 60.0, ("min",), ("mins", "minute", "minutes")),
    ("h", "time", 3600.0, ("h",), ("hr", "hrs", "hour", "hours")),
    ("V", "voltage", 1.0, ("V",), ("volt", "volts")),
    ("mV", "voltage", 1e-3, ("mV", "mv"), ("millivolt", "millivolts")),
    ("µV", "voltage", 1e-6, ("µV", "µv", "uV", "uv"), ("microvolt", "microvolts")),
    ("nV", "voltage", 1e-9, ("nV",), ("nanovolt", "nanovolts")),
    ("V²", "power", 1.0, ("V²", "V^2", "V**2", "V2"), ()),
    ("mV²", "power", 1e-6, ("mV²", "mV^2", "mV2"), ()),
    (
        "µV²",
        "power",
        1e-12,
        ("µV²", "µV^2", "µV**2", "µV2", "uV²", "uV^2", "uV**2", "uV2"),
        ("microvolts squared", "squared microvolts"),
    ),
    ("V²/Hz", "density", 1.0, ("V²/Hz", "V^2/Hz", "V2/Hz"), ()),
    (
        "µV²/Hz",
        "density",
        1e-12,
        ("µV²/Hz", "µV^2/Hz", "µV2/Hz", "uV²/Hz", "uV^2/Hz", "uV2/Hz"),
        (),
    ),
    ("dB", "level", 1.0, ("dB", "db"), ("decibel", "decibels")),
    ("%", "ratio", 0.01, ("%",), ("percent", "per cent", "pct")),
    ("‰", "ratio", 1e-3, ("‰",), ("permille", "per mille", "per mil", "promille")),
    ("‱", "ratio", 1e-4, ("‱",), ("permyriad",)),
    ("1", "ratio", 1.0, (), ()),
    ("bpm", "rate", 1.0, ("bpm", "BPM", "Bpm", "b.p.m."), _BEATS),
    ("µS", "conductance", 1e-6, ("µS", "uS"), ("microsiemens",)),
    ("kΩ", "impedance", 1e3, ("kΩ", "kOhm", "kohm"), ("kiloohm", "kiloohms")),
    ("Ω", "impedance", 1.0, ("Ω",), ("ohm", "ohms")),
    ("count", "count", 1.0, (), ()),
)

UNITS = {name: Unit(name, dimension, factor) for name, dimension, factor, _, _ in _TABLE}
_SYMBOLS = {symbol: UNITS[name] for name, _, _, symbols, _ in _TABLE for symbol in symbols}
_WORDS = {word: UNITS[name] for name, _, _, _, words in _TABLE for word in words}


def _alternatives(spellings: dict[str, Unit]) -> str:
    return "|".join(re.escape(text) for text in sorted(spellings, key=lambda s: (-len(s), s)))


_UNIT = (
    rf"(?:(?P<symbol>{_alternatives(_SYMBOLS)})|(?i:(?P<word>{_alternatives(_WORDS)})))"
    r"(?![A-Za-z0-9µΩ²^])"
)
# A unit stands at once after its number, after spaces, after a hyphen ("a 600-ms window") or in
# brackets of its own.
UNIT_AFTER = re.compile(
    r"(?:[ \t\u00a0\u2000-\u200a\u202f\u3000]{0,6}(?:[(\[](?=[^\s()\[\]]{1,8}[)\]]))?|[-–‑])"
    rf"{_UNIT}"
)
# "µV: 12", "amplitude (µV) = 12", "| µV | 12"
UNIT_BEFORE = re.compile(rf"(?<![A-Za-z0-9µ]){_UNIT}[)\]]?[ \t]{{0,4}}[:=|≈~][ \t]{{0,4}}$")

_SUFFIXES = {
    "uv2_per_hz": "µV²/Hz",
    "uv2_hz": "µV²/Hz",
    "uv2": "µV²",
    "v2": "V²",
    "uv": "µV",
    "mv": "mV",
    "nv": "nV",
    "v": "V",
    "khz": "kHz",
    "hz": "Hz",
    "ms": "ms",
    "us": "µs",
    "s": "s",
    "sec": "s",
    "seconds": "s",
    "minutes": "min",
    "hours": "h",
    "percent": "%",
    "pct": "%",
    "db": "dB",
    "bpm": "bpm",
    "count": "count",
    "counts": "count",
    "fraction": "1",
    "fractions": "1",
    "ratio": "1",
    "ratios": "1",
    "proportion": "1",
    "share": "1",
}
_HERTZ = "sfreq l_freq h_freq fmin fmax freq freqs frequency frequencies notch line_freq mains"
_SECONDS = "onset onsets duration durations latency latencies tmin tmax"
_SHARES = "p p_value p_values p_corrected p_adjusted p_uncorrected"
_NAMES = {
    **dict.fromkeys(_HERTZ.split(), "Hz"),
    **dict.fromkeys(_SECONDS.split(), "s"),
    **dict.fromkeys(_SHARES.split(), "1"),
}


def find_unit(text: str | None) -> Unit | None:
    """Return the unit that ``text`` spells, or None.

    Parameters
    ----------
    text : str | None
        For example ``"uV"``, ``"µV"``, ``"milliseconds"``, ``"1"``.
    """
    if text is None:
        return None
    text = text.strip().replace("\u03bc", "µ")
    return UNITS.get(text) or _SYMBOLS.get(text) or _WORDS.get(text.lower())


def unit_of(field_name: str) -> str | None:
    """Return the unit that the name of a field states, or None.

    Parameters
    ----------
    field_name : str
        For example ``"peak_uv"`` (µV), ``"latency"`` (s), ``"relative_alpha"`` (1).
    """
    name = field_name.lower()
    if name in _NAMES:
        return _NAMES[name]
    if name.startswith("n_") or name.startswith("num_"):
        return "count"
    parts = name.split("_")
    for length in (3, 2, 1):
        unit = _SUFFIXES.get("_".join(parts[-length:])) if len(parts) >= length else None
        if unit is not None and (len(parts) > length or length > 1 or len(parts[-1]) > 1):
            return unit
    if parts[0] in ("relative", "fraction", "ratio", "proportion"):
        return "1"
    if parts[-1] in _NAMES and len(parts[-1]) > 1:
        return _NAMES[parts[-1]]
    return "1" if name.startswith("p_value") else None


def convertible(one: str | None, other: str | None) -> bool:
    """Tell whether two units measure the same dimension.

    Parameters
    ----------
    one, other : str | None
        Spellings of units; an unknown one converts to nothing.
    """
    left, right = find_unit(one), find_unit(other)
    return left is not None and right is not None and left.dimension == right.dimension


def convert(value: float, source: str, target: str) -> float:
    """Return ``value`` in another unit.

    Parameters
    ----------
    value : float
        Number in ``source``.
    source, target : str
        Two units of one dimension.

    Raises
    ------
    ValueError
        If the units do not convert into each other.
    """
    left, right = find_unit(source), find_unit(target)
    if left is None or right is None or left.dimension != right.dimension:
        raise ValueError(f"{source!r} does not convert to {target!r}")
    return value if left.factor == right.factor else value * left.factor / right.factor
