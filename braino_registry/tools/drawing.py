"""Pictures of signals and results, drawn without any screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WIDTH, HEIGHT, DPI = 9.0, 5.0, 100
MAX_LEGEND = 12
# what is drawn beyond that is not to be seen, but takes time
MAX_POINTS = 4000
UV = 1e6


def save(path: Path, draw: Callable[[Any, Any], None], *, height: float = HEIGHT) -> None:
    """Draw into a new figure and write it as PNG, without a date or a program's name in it.

    Parameters
    ----------
    path : Path
        The file.
    draw : callable
        Takes the figure and its axes.
    height : float
        Inches.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    draw(figure, figure.add_subplot())
    figure.savefig(path, format="png", metadata={"Software": None})


def psd(axes: Any, freqs: Array, density: Array, names: Sequence[str], title: str) -> None:
    """Draw spectra in µV²/Hz on a logarithmic scale, a line per channel."""
    floor = np.finfo(float).tiny
    for name, row in zip(names, density, strict=True):
        axes.semilogy(freqs, np.maximum(row * UV**2, floor), linewidth=1.0, label=name)
    axes.set(xlabel="Frequency (Hz)", ylabel="Power spectral density (µV²/Hz)", title=title)
    axes.set_xlim(float(freqs[0]), float(freqs[-1]))
    axes.grid(alpha=0.3)
    if len(names) <= MAX_LEGEND:
        axes.legend(loc="upper right", fontsize="small")


def traces(axes: Any, times: Array, data: Array, names: Sequence[str], title: str) -> None:
    """Draw channels below each other, the first one on top."""
    step = max(len(times) // MAX_POINTS, 1)
    centred = (data - np.median(data, axis=1, keepdims=True)) * UV
    spread = float(np.percentile(np.abs(centred), 99.0)) * 2 or 1.0
    for position, row in enumerate(centred):
        # extremes of each piece, so that nothing that is short gets lost
        axes.plot(*_thinned(times, row, step, -position * spread), linewidth=0.6, color="black")
    axes.set_yticks([-k * spread for k in range(len(names))], list(names))
    axes.set(xlabel="Time (s)", title=f"{title} ({spread:.3g} µV between channels)")
    axes.set_xlim(float(times[0]), float(times[-1]))


def _thinned(times: Array, row: Array, step: int, offset: float) -> tuple[Array, Array]:
    if step == 1:
        return times, row + offset
    count = len(row) // step
    pieces = row[: count * step].reshape(count, step)
    both = np.stack([pieces.min(axis=1), pieces.max(axis=1)], axis=1).ravel()
    return np.repeat(times[: count * step : step], 2), both + offset


def heatmap(figure: Any, axes: Any, matrix: Array, names: Sequence[str], title: str) -> None:
    """Draw a square matrix with the channels' names on both sides."""
    signed = float(matrix.min()) < 0
    largest = float(np.abs(matrix).max()) or 1.0
    limits = {"vmin": -largest, "vmax": largest} if signed else {"vmin": 0.0, "vmax": largest}
    image = axes.imshow(matrix, cmap="RdBu_r" if signed else "viridis", **limits)
    size = 9 if len(names) <= 20 else 6
    axes.set_xticks(range(len(names)), list(names), rotation=90, fontsize=size)
    axes.set_yticks(range(len(names)), list(names), fontsize=size)
    axes.set_title(title)
    figure.colorbar(image, ax=axes)


def spectrogram(
    figure: Any, axes: Any, times: Array, freqs: Array, density: Array, title: str
) -> None:
    """Draw power over time and frequency in dB of µV²/Hz."""
    power = 10 * np.log10(np.maximum(density * UV**2, np.finfo(float).tiny))
    low, high = np.percentile(power, [2, 99])
    mesh = axes.pcolormesh(
        times, freqs, power, shading="nearest", vmin=low, vmax=max(high, low + 1e-9)
    )
    axes.set(xlabel="Time (s)", ylabel="Frequency (Hz)", title=title)
    figure.colorbar(mesh, ax=axes, label="dB of µV²/Hz")


def hypnogram(axes: Any, spans: Sequence[Mapping[str, Any]], title: str) -> None:
    """Draw stages over hours, from wakefulness on top to N3."""
    order = ["W", "R", "N1", "N2", "N3"]
    hours, heights = [], []
    for span in spans:
        height = np.nan if span["stage"] is None else -order.index(span["stage"])
        hours += [span["onset"] / 3600, (span["onset"] + span["duration"]) / 3600]
        heights += [height, height]
    axes.plot(hours, heights, linewidth=1.2, color="black")
    axes.set_yticks([-k for k in range(len(order))], order)
    axes.set(xlabel="Time (h)", ylabel="Stage", title=title)
    axes.set_xlim(hours[0], hours[-1])
