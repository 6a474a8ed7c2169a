"""Power spectral density of a recording, with the rhythms and the hum that were planted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.analysis.spectra import welch_psd
from braino_registry.recordings.recording import Recording
from braino_registry.reports.html.pictures import Painter, Picture, Scene, painters
from braino_registry.reports.html.svg import Drawing, Scale, axes, legend

SECONDS = 60.0
HIGHEST_HZ = 100.0
_WIDTH, _HEIGHT = 640, 230
_SINGLE = 3
_MARKS = 5


@dataclass(frozen=True)
class Measured:
    """The spectra of the channels of a recording.

    Parameters
    ----------
    names : list of str
        EEG channels at the highest rate, 64 at most.
    freqs : ndarray, shape (n_freqs,)
        In Hz.
    psd : ndarray, shape (n_channels, n_freqs)
        In V²/Hz.
    seconds : float
        How much of the recording was read, from its beginning.
    """

    names: list[str]
    freqs: NDArray[np.float64]
    psd: NDArray[np.float64]
    seconds: float


def measure(recording: Recording) -> Measured | None:
    """Return spectra by Welch's method, None where a recording has no EEG or is too short."""
    rate = recording.sfreq
    types = zip(recording.ch_names, recording.ch_types, recording.channel_sfreqs, strict=True)
    names = [name for name, kind, sfreq in types if kind.lower() == "eeg" and sfreq == rate][:64]
    if not names:
        return None
    stop = min(recording.length_of(names[0]), int(SECONDS * rate))
    if stop < 4 * rate:
        return None
    data = recording.read(names, 0, stop)
    if not np.isfinite(data).all():
        return None
    freqs, psd = welch_psd(data, rate, segment_seconds=2.0)
    return Measured(names, freqs, psd, stop / rate)


def decibel(psd: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a power spectral density in V²/Hz as dB re 1 µV²/Hz; zero is −60 dB."""
    level: NDArray[np.float64] = 10 * np.log10(psd * 1e12 + 1e-6)
    return level


def paint(scene: Scene) -> Picture | None:
    """Return the spectrum, None without a recording that is long enough."""
    recording = scene.recording
    found = None if recording is None else measure(recording)
    if recording is None or found is None:
        return None
    names, freqs, psd = found.names, found.freqs, found.psd
    shown = (freqs >= 1) & (freqs <= min(HIGHEST_HZ, 0.98 * recording.sfreq / 2))
    faults = scene.faults()
    good = [i for i, name in enumerate(names) if name not in faults] or list(range(len(names)))
    lines = [(f"median of {len(good)} channels", np.median(psd[good], axis=0), "c0")]
    for i, name in enumerate(names):
        if name in faults and faults[name] not in ("decoy", "swapped") and len(lines) <= _SINGLE:
            lines.append((f"{name}, {faults[name]}", psd[i], ("bad", "c1", "c2")[len(lines) - 1]))
    levels = [(name, decibel(row[shown]), style) for name, row, style in lines]
    marks = _marks(scene, float(freqs[shown][-1]))
    svg = _draw(freqs[shown], levels, marks, recording.id)
    said = "; ".join(f"{name} at {hz:g} Hz" for hz, name in marks)
    caption = f"Welch, segments of 2 s, the first {found.seconds:.3g} s."
    return Picture(
        "Power spectral density", svg, f"{caption} Planted: {said}." if said else caption
    )


def _marks(scene: Scene, highest: float) -> list[tuple[float, str]]:
    """Return frequencies at which something was planted, with its name."""
    found: list[tuple[float, str]] = []
    for group in ("rhythms", "tones"):
        for name, each in scene.group(group).items():
            hz = each.get("frequency_hz") if isinstance(each, dict) else None
            if isinstance(hz, int | float):
                found.append((float(hz), str(name)))
    line = scene.truth.get("line_frequency")
    if isinstance(line, int | float):
        found.append((float(line), "mains"))
    return sorted((hz, name) for hz, name in found if 1 <= hz <= highest)[:_MARKS]


def _draw(freqs: Any, levels: list[Any], marks: list[tuple[float, str]], title: str) -> str:
    drawing = Drawing(_WIDTH, _HEIGHT, f"Power spectral density of {title}")
    low = min(float(values.min()) for _, values, _ in levels)
    high = max(float(values.max()) for _, values, _ in levels)
    x = Scale(0.0, float(freqs[-1]), 44, _WIDTH - 12)
    y = Scale(low - 2, high + 4, _HEIGHT - 26, 20)
    axes(drawing, x, y, "Hz", "dB re 1 µV²/Hz")
    for row, (hz, name) in enumerate(marks):
        drawing.rule(x.at(hz), 20, x.at(hz), _HEIGHT - 22, "mark")
        drawing.text(x.at(hz) + 4, 30 + 13 * (row % 2), name, "marktext")
    for _, values, style in levels:
        drawing.line(x(freqs), y(values), style)
    legend(drawing, [(name, style) for name, _, style in levels], _WIDTH - 240, 62)
    return drawing.document()


painters.add("spectrum", Painter(paint, place=30), __name__)
