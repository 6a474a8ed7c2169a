"""A few seconds of the signal, the channels in which something was planted first."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from braino_registry.recordings.recording import Recording
from braino_registry.reports.html.pictures import Painter, Picture, Scene, painters
from braino_registry.reports.html.svg import Drawing, Scale, axes

SECONDS = 6.0
CHANNELS = 9
_FAULTY = 6
_WIDTH, _ROW, _LEFT = 640, 30, 118
#: Rows up and down to which a channel far beyond the others is drawn; beyond, it is cut.
_REACH = 0.75
#: Extremes are kept of each column, so that a spike of one sample is still seen.
_COLUMNS = 230
#: Where a window begins: before the first of what was planted, the rarest first.
_STRIKING = (
    "seizures", "artefact_trials", "muscle_stretches", "pops", "spindles", "muscle_bursts",
)  # fmt: skip


def paint(scene: Scene) -> Picture | None:
    """Return the traces, None without a recording that holds voltages."""
    recording = scene.recording
    if recording is None:
        return None
    faults = scene.faults()
    names = _chosen(recording, faults)
    if not names:
        return None
    rate = recording.channel_sfreqs[recording.index(names)[0]]
    n = recording.length_of(names[0])
    first = min(_begin(scene), max(0.0, n / rate - SECONDS))
    start = int(first * rate)
    stop = min(n, start + int(SECONDS * rate))
    if stop - start < 2:
        return None
    data = recording.read(names, start, stop) * 1e6
    drawing = _draw(data, names, faults, start / rate, rate, recording.id)
    planted = ", ".join(f"{name} {word}" for name, word in faults.items() if name in names)
    said = f"Planted: {planted}." if planted else "As recorded, each channel without its mean."
    return Picture(f"{recording.id}: {(stop - start) / rate:.3g} s of the signal", drawing, said)


def _chosen(recording: Recording, faults: Mapping[str, str]) -> list[str]:
    """Return channels of one rate: the faulty ones, and others spread over the montage."""
    rate = recording.sfreq
    voltages = [
        name
        for name, kind, sfreq in zip(
            recording.ch_names, recording.ch_types, recording.channel_sfreqs, strict=True
        )
        if kind.lower() in ("eeg", "eog", "ecg", "emg", "seeg", "ecog") and sfreq == rate
    ]
    faulty = [name for name in voltages if name in faults][:_FAULTY]
    rest = [name for name in voltages if name not in faults]
    many = max(0, min(CHANNELS - len(faulty), len(rest)))
    places = np.linspace(0, len(rest) - 1, many).round()
    return faulty + [rest[i] for i in dict.fromkeys(int(each) for each in places)]


def _begin(scene: Scene) -> float:
    """Return from which second on to show, a little before something that was planted."""
    onsets = [
        each.get("onset")
        for name in _STRIKING
        for each in scene.listed(name)
        if isinstance(each, dict)
    ]
    clipped = scene.group("clipping").values()
    onsets = [each.get("onset") for each in clipped if isinstance(each, dict)] + onsets
    onsets += scene.listed("blinks")
    first = next((each for each in onsets if isinstance(each, int | float)), 10.0)
    return max(0.0, float(first) - 2.0)


def _draw(
    data: NDArray[np.float64],
    names: list[str],
    faults: Mapping[str, str],
    begin: float,
    rate: float,
    title: str,
) -> str:
    centred = data - np.nanmedian(data, axis=1, keepdims=True)
    good = [i for i, name in enumerate(names) if name not in faults] or list(range(len(names)))
    spread = float(np.median(np.nanstd(centred[good], axis=1))) or 1.0
    step = 6 * spread  # microvolts between two channels
    height = _ROW * len(names) + 40
    what = f"Traces of {', '.join(names)} in {title}"
    drawing = Drawing(_WIDTH, height, what)
    x = Scale(begin, begin + data.shape[1] / rate, _LEFT, _WIDTH - 12)
    for row, name in enumerate(names):
        middle = _ROW * row + 20.0
        times, values = _columns(centred[row])
        y = middle - np.clip(values * _ROW / step, -_REACH * _ROW, _REACH * _ROW)
        style = "bad" if name in faults else "c0"
        label = f"{name} {faults[name]}" if name in faults else name
        drawing.text(_LEFT - 8, middle + 4, label, "badtext" if name in faults else "small", "end")
        drawing.line(x(begin + times / rate), y, style)
    _scale_bar(drawing, step)
    axes(drawing, x, None, "s")
    return drawing.document()


def _scale_bar(drawing: Drawing, step: float) -> None:
    """Draw how many microvolts are how high, below the names, where no trace is."""
    nice = 10 ** np.floor(np.log10(step))
    size = max((k * nice for k in (1, 2, 5) if k * nice <= step), default=nice)
    high = size / step * _ROW
    base = float(drawing.height - 6)
    drawing.rule(12, base - high, 12, base, "bar")
    drawing.text(20, base - 2, f"{size:g} µV", "small")


def _columns(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return samples and values in which each column's extremes are kept in their order."""
    n = values.size
    if n <= 2 * _COLUMNS:
        return np.arange(n, dtype=float), values
    edges = np.linspace(0, n, _COLUMNS + 1).astype(int)
    places: list[int] = [
        place
        for left, right in itertools.pairwise(edges)
        for place in sorted(
            {left + int(values[left:right].argmin()), left + int(values[left:right].argmax())}
        )
    ]
    return np.array(places, dtype=float), values[places]


painters.add("traces", Painter(paint, place=20), __name__)
