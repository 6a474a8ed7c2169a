"""Draw the gallery: what synthetic recordings look like, with what is planted in them.

Usage: python docs/images/gallery.py [FOLDER]
Builds the datasets if they are not in the cache, and writes one picture per dataset into FOLDER,
by default the folder of this file.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import mne
import numpy as np
from PIL import Image

import braino_registry

mpl.use("Agg")
from matplotlib import pyplot as plt  # after the choice of what draws

PLAIN, MARKED, SECOND = "#33415c", "#d1495b", "#3a7ca5"
STAGES = ("N3", "N2", "N1", "REM", "W")  # from below
STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "figure.dpi": 110,
}
Truth = Mapping[str, Any]


def opened(dataset: str, recording: str) -> tuple[mne.io.BaseRaw, Truth]:
    """Return a recording and what was planted in it.

    Parameters
    ----------
    dataset, recording : str
        ``"oddball-p3"`` and ``"sub-01_task-oddball"``, for example.
    """
    root = braino_registry.fetch(dataset)
    truth = json.loads((root.parent / "truth.json").read_text(encoding="utf-8"))
    (file,) = (
        path for path in root.rglob(f"{recording}_eeg.*") if path.suffix in (".vhdr", ".edf")
    )
    raw = mne.io.read_raw(file, preload=True, verbose="error")
    return raw, truth["recordings"][recording]


def traces(
    axes: plt.Axes,
    raw: mne.io.BaseRaw,
    names: Sequence[str],
    start: float,
    stop: float,
    apart_uv: float,
    marked: Sequence[str] = (),
) -> None:
    """Draw channels below each other, in µV, from ``start`` to ``stop`` in s."""
    data = raw.copy().crop(start, stop).pick(list(names), verbose="error")
    uv = data.get_data(picks=list(names)) * 1e6
    uv = uv - np.median(uv, axis=1, keepdims=True)
    for place, (name, row) in enumerate(zip(names, uv, strict=True)):
        color = MARKED if name in marked else PLAIN
        axes.plot(data.times + start, row - place * apart_uv, color=color, linewidth=0.6)
    axes.set_yticks([-place * apart_uv for place in range(len(names))], names)
    axes.set_ylim(-(len(names) - 0.3) * apart_uv, 0.8 * apart_uv)
    axes.set_xlim(start, stop)
    axes.set_xlabel("Time (s)")


def faults() -> plt.Figure:
    """Draw flat, noisy and drifting channels among good ones."""
    raw, truth = opened("faulty-channels", "sub-01_task-fixation")
    bad = [truth[f"{kind}_channels"][0] for kind in ("flat", "noisy", "drifting")]
    names = ["Fp1", "Fp2", "F3", "Fz", "C3", "Cz", "Pz", *bad, "O1", "O2"]
    figure, axes = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    traces(axes, raw.filter(0.3, None, verbose="error"), names, 20, 30, 130, bad)
    axes.set_title("Blinks in front; planted faults in red: flat, noisy, drifting")
    return figure


def alpha() -> plt.Figure:
    """Draw spectra with eyes open and closed."""
    figure, axes = plt.subplots(figsize=(7.2, 3.0), layout="constrained")
    for task, color in (("eyesopen", SECOND), ("eyesclosed", MARKED)):
        raw, truth = opened("eyes-open-closed", f"sub-01_task-{task}")
        spectrum = raw.compute_psd("welch", fmin=1, fmax=40, n_fft=1000, verbose="error")
        power, freqs = spectrum.get_data(picks=["O1", "Oz", "O2"], return_freqs=True)
        label = f"eyes {task.removeprefix('eyes')}"
        axes.plot(freqs, 10 * np.log10(power.mean(axis=0) * 1e12), color=color, label=label)
    planted = truth["rhythms"]["alpha"]["frequency_hz"]
    axes.axvline(planted, color="grey", linestyle=":", linewidth=1, label=f"planted: {planted} Hz")
    axes.set(xlabel="Frequency (Hz)", ylabel="Power at O1, Oz, O2 (dB µV²/Hz)")
    axes.set_title("Alpha blocks when the eyes open")
    axes.legend(frameon=False)
    return figure


def oddball() -> plt.Figure:
    """Draw the average to targets and standards at Pz."""
    raw, truth = opened("oddball-p3", "sub-01_task-oddball")
    table = Path(str(raw.filenames[0])).with_name("sub-01_task-oddball_events.tsv")
    with table.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    kinds = {"standard": 1, "target": 2}
    events = np.array(
        [
            (round(float(row["onset"]) * raw.info["sfreq"]), 0, kinds[row["trial_type"]])
            for row in rows
            if row["trial_type"] in kinds
        ]
    )
    epochs = mne.Epochs(
        raw, events, kinds, tmin=-0.2, tmax=1.0, picks=["Pz"], baseline=(None, 0), preload=True,
        verbose="error",
    )  # fmt: skip
    figure, axes = plt.subplots(figsize=(7.2, 3.0), layout="constrained")
    for kind, color in (("standard", SECOND), ("target", MARKED)):
        trials = epochs[kind].get_data(copy=False)[:, 0] * 1e6
        mean, error = trials.mean(axis=0), trials.std(axis=0, ddof=1) / np.sqrt(len(trials))
        axes.plot(epochs.times, mean, color=color, label=f"{kind} ({len(trials)})")
        axes.fill_between(epochs.times, mean - error, mean + error, color=color, alpha=0.2, lw=0)
    planted = truth["measured"]["p3"]
    axes.plot(
        planted["peak_latency_s"], planted["peak_amplitude_uv"], "x", color="black",
        label="peak without noise",
    )  # fmt: skip
    axes.axhline(0, color="grey", linewidth=0.6)
    axes.axvline(0, color="grey", linewidth=0.6)
    axes.set(xlabel="Time from the stimulus (s)", ylabel="Pz (µV)", xlim=(-0.2, 1))
    axes.set_title("A P3 to rare targets; bands are one standard error")
    axes.legend(frameon=False)
    return figure


def night() -> plt.Figure:
    """Draw a night: stages above, power over time below."""
    raw, truth = opened("nights-a", "sub-01_ses-1_task-sleep")
    stages = truth["hypnogram"]
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(7.2, 4.0), sharex=True, layout="constrained", height_ratios=(1, 1.6)
    )
    hours = np.arange(len(stages) + 1) * 30 / 3600
    above.stairs([STAGES.index(stage) for stage in stages], hours, baseline=None, color=PLAIN)
    above.set_yticks(range(len(STAGES)), STAGES)
    above.set_title("A planted night, and the first EEG channel of the same recording")
    channel = mne.pick_types(raw.info, eeg=True)[:1]
    sfreq, n = raw.info["sfreq"], int(raw.info["sfreq"] * 30)
    pieces = raw.get_data(picks=channel)[0][: len(stages) * n].reshape(-1, n) * 1e6
    power, freqs = mne.time_frequency.psd_array_welch(
        pieces, sfreq, fmin=0.5, fmax=25, n_fft=int(4 * sfreq), verbose="error"
    )
    mesh = below.pcolormesh(
        hours, np.append(freqs, freqs[-1] + 0.25), 10 * np.log10(power.T), cmap="magma", vmin=-10,
        vmax=25, rasterized=True,
    )  # fmt: skip
    below.set(xlabel="Time (h)", ylabel="Frequency (Hz)")
    figure.colorbar(mesh, ax=below, label="dB µV²/Hz", pad=0.01)
    return figure


def seizure() -> plt.Figure:
    """Draw the beginning of a seizure in a double banana."""
    raw, truth = opened("scalp-monitoring-a", "sub-01_task-rest_run-2")
    event = truth["seizures"][0]
    start, stop = event["onset"] - 5, event["onset"] + 17
    names = raw.ch_names[:16]
    figure, axes = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
    traces(axes, raw.filter(0.5, 40, verbose="error"), names, start, stop, 120)
    axes.axvspan(event["onset"], stop, color=MARKED, alpha=0.1, lw=0)
    axes.set_title(f"A seizure that begins at {event['focus']}, planted in the shaded time")
    return figure


PICTURES: Mapping[str, Callable[[], plt.Figure]] = {
    "faults": faults,
    "alpha": alpha,
    "oddball": oddball,
    "night": night,
    "seizure": seizure,
}


def main(folder: Path) -> None:
    """Draw all pictures."""
    with plt.rc_context(STYLE):
        for name, draw in PICTURES.items():
            figure = draw()
            drawn = io.BytesIO()
            figure.savefig(drawn)
            plt.close(figure)
            # A palette is a third of the size, and nobody sees it in such pictures.
            Image.open(drawn).convert("RGB").quantize(128).save(
                folder / f"gallery-{name}.png", optimize=True
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
