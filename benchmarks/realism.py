"""Compare synthetic recordings with real ones and write docs/realism.md with its pictures.

Run it as ``python -m benchmarks.realism``. The real recordings (EEGMMI as EDF, the EEGLAB
tutorial as .set) are looked for below the folder that BRAINO_SHARED names, by default
``../shared`` beside the checkout. Every number in the document comes from here.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import mne
import numpy as np
from numpy.typing import NDArray
from scipy.signal import find_peaks, welch
from scipy.stats import kurtosis

from benchmarks.counting import counted
from benchmarks.independent import section
from benchmarks.realism_pages import write_page, write_pictures
from braino_registry.registry.roots import builtin
from braino_registry.synthesis.brainvision import LSB_UV, quantise
from braino_registry.synthesis.build import paint
from braino_registry.synthesis.montage import POSITIONS
from braino_registry.synthesis.planning import plan

Array = NDArray[np.float64]
ROOT = Path(__file__).resolve().parent.parent
BINS = (0, 25, 40, 60, 80, 100, 130, 180)
"""Edges of the bins of angular distance between channels, in degrees."""

REGIONS: Mapping[str, str] = {
    "frontal": "F3 Fz F4 F7 F8 AF3 AF4",
    "central": "FC1 FC2 FC5 FC6 C3 Cz C4",
    "temporal": "T7 T8",
    "parietal": "CP1 CP2 CP5 CP6 P3 Pz P4 P7 P8",
    "occipital": "PO3 PO4 PO7 PO8 O1 Oz O2",
}


@dataclass(frozen=True)
class Recording:
    """A recording of either kind.

    Attributes
    ----------
    name, state : str
        What it is, and ``"open"``, ``"closed"`` or ``"task"``.
    real : bool
    x : ndarray, shape (n_channels, n_times)
        In µV, recorded reference.
    ch_names : list of str
        Sites of the 10-10 system.
    sfreq : float
        In Hz.
    trials : list of int
        Samples at which the target of a task came.
    """

    name: str
    state: str
    real: bool
    x: Array
    ch_names: list[str]
    sfreq: float
    trials: list[int]


def _site(label: str) -> str | None:
    known = {name.lower(): name for name in POSITIONS}
    return known.get(label.strip(".").lower())


def _from_raw(raw: mne.io.BaseRaw, name: str, state: str, trials: list[int]) -> Recording:
    sites = {label: _site(label) for label in raw.ch_names}
    keep = [label for label, site in sites.items() if site is not None]
    x = np.empty((len(keep), int(raw.n_times)), dtype=np.float64)
    x[:] = raw.get_data(picks=keep)
    x *= 1e6
    names = [str(sites[label]) for label in keep]
    return Recording(name, state, True, x, names, float(raw.info["sfreq"]), trials)


def real_recordings(shared: Path) -> list[Recording]:
    """Return the real recordings below a folder.

    Parameters
    ----------
    shared : Path
        Searched for ``S00xR0y.edf`` and ``eeglab_data.set``.
    """
    found = []
    for path in sorted(shared.rglob("S00?R0[12].edf")):
        state = "closed" if path.stem.endswith("R02") else "open"
        raw = mne.io.read_raw_edf(path, preload=True, verbose="error")
        found.append(_from_raw(raw, f"EEGMMI {path.stem}", state, []))
    for path in sorted(shared.rglob("eeglab_data.set")):
        raw = mne.io.read_raw_eeglab(path, preload=True, verbose="error")
        times = [a["onset"] for a in raw.annotations if a["description"] == "square"]
        onsets = [round(float(time) * raw.info["sfreq"]) for time in times]
        found.append(_from_raw(raw, "EEGLAB tutorial", "task", onsets))
    return found


def synthetic_recordings() -> list[Recording]:
    """Return recordings of the shipped recipes, built without a salt."""
    wanted = {
        "eyes-open-closed": {"eyesopen": "open", "eyesclosed": "closed"},
        "rest-runs": {"eyesopen": "open", "eyesclosed": "closed"},
        "blinks-ica": {"fixation": "open"},
        "oddball-p3": {"oddball": "task"},
    }
    found = []
    for recipe, states in wanted.items():
        file = builtin() / "generators" / f"{recipe}.json"
        planned = plan(json.loads(file.read_text(encoding="utf-8")))
        for one in planned.recordings:
            canvas, _ = paint(planned, one)
            onsets = [e.sample for e in canvas.events if e.trial_type == "target"]
            x: Array = np.multiply(quantise(canvas.signal_uv), LSB_UV, dtype=np.float64)
            name = f"{recipe} {one.id.removeprefix('sub-').replace('_task-', ' ')}"
            state = states[one.entities["bids_task"]]
            found.append(Recording(name, state, False, x, list(canvas.ch_names), one.sfreq, onsets))
    return found


def _filtered(one: Recording, low: float, high: float | None) -> Array:
    x: Array = mne.filter.filter_data(one.x, one.sfreq, low, high, verbose="error")
    return x


def spectrum(one: Recording) -> tuple[Array, Array]:
    """Return frequencies and the power of each channel, Welch windows of 4 s, average reference."""
    x = one.x - one.x.mean(axis=0)
    f, p = welch(x, one.sfreq, nperseg=int(4 * one.sfreq))
    return f, p


def exponent(one: Recording) -> float:
    """Return the median over channels of the slope of log power, 2-40 Hz without 7-14 Hz."""
    f, p = spectrum(one)
    use = (f >= 2) & (f <= 40) & ((f < 7) | (f > 14))
    return float(-np.median(np.polyfit(np.log(f[use]), np.log(p[:, use].T), 1)[0]))


def rms(one: Recording) -> float:
    """Return the median RMS of a channel in µV, 1-40 Hz, recorded reference."""
    return float(np.median(_filtered(one, 1.0, 40.0).std(axis=1)))


def peakedness(one: Recording) -> float:
    """Return the median excess kurtosis, 1-40 Hz, average reference."""
    x = _filtered(one, 1.0, 40.0)
    return float(np.median(kurtosis(x - x.mean(axis=0), axis=1)))


def angles(ch_names: Sequence[str]) -> Array:
    """Return the angle between each two sites in degrees."""
    places = np.array([POSITIONS[name] for name in ch_names])
    places /= np.linalg.norm(places, axis=1, keepdims=True)
    found: Array = np.degrees(np.arccos(np.clip(places @ places.T, -1, 1)))
    return found


def correlations(one: Recording) -> list[float]:
    """Return the median correlation by distance (`BINS`), 1-40 Hz, average reference.

    A bin without channels gives NaN.
    """
    x = _filtered(one, 1.0, 40.0)
    r = np.corrcoef(x - x.mean(axis=0))
    upper = np.triu_indices(len(r), 1)
    arcs, r = angles(one.ch_names)[upper], r[upper]
    bins = [r[(arcs >= a) & (arcs < b)] for a, b in pairwise(BINS)]
    return [float(np.median(inside)) if len(inside) else float("nan") for inside in bins]


def alpha(one: Recording) -> dict[str, float]:
    """Return peak (Hz), height above the background (dB) and width (Hz) of occipital alpha."""
    f, p = spectrum(one)
    rows = [one.ch_names.index(name) for name in ("O1", "Oz", "O2") if name in one.ch_names]
    power = p[rows].mean(axis=0)
    use = (f >= 2) & (f <= 40) & ((f < 7) | (f > 14))
    slope, level = np.polyfit(np.log(f[use]), np.log(power[use]), 1)
    inside = (f >= 7) & (f <= 14)
    above = power[inside] / np.exp(level + slope * np.log(f[inside]))
    best = int(np.argmax(above))
    half = above >= 1 + (above[best] - 1) / 2
    first = last = best
    while first > 0 and half[first - 1]:
        first -= 1
    while last < len(half) - 1 and half[last + 1]:
        last += 1
    return {
        "peak": float(f[inside][best]),
        "height": float(10 * np.log10(above[best])),
        "width": float((last - first + 1) * (f[1] - f[0])),
    }


def alpha_by_region(one: Recording) -> dict[str, float]:
    """Return the amplitude of 8-13 Hz by region relative to the mean of all, average reference."""
    f, p = spectrum(one)
    size = np.sqrt(p[:, (f >= 8) & (f <= 13)].sum(axis=1))
    found = {}
    for region, names in REGIONS.items():
        rows = [one.ch_names.index(name) for name in names.split() if name in one.ch_names]
        found[region] = float(size[rows].mean() / size.mean())
    return found


def blinks(one: Recording) -> dict[str, float] | None:
    """Return rate, size (µV) and width (ms) of blinks over the forehead, None if there are few."""
    names = [name for name in ("Fp1", "Fpz", "Fp2") if name in one.ch_names]
    x = _filtered(one, 0.5, 20.0)
    front = x[[one.ch_names.index(name) for name in names]].mean(axis=0)
    limit = max(60.0, 5 * 1.4826 * float(np.median(np.abs(front))))
    peaks, facts = find_peaks(front, height=limit, distance=int(0.4 * one.sfreq), width=1)
    if len(peaks) < 5:
        return None
    at = x[:, peaks]
    eyes = np.array(POSITIONS["Fpz"])
    arcs = [
        float(np.degrees(np.arccos(np.clip(eyes @ np.array(POSITIONS[n]), -1, 1))))
        for n in one.ch_names
    ]
    gains = np.median(at, axis=1) / np.median(front[peaks])
    far = {}
    for a, b in ((20, 40), (40, 60), (60, 90), (90, 120), (120, 181)):
        inside = [gain for gain, arc in zip(gains, arcs, strict=True) if a <= arc < b]
        if inside:
            far[f"gain {a}-{b}"] = float(np.mean(inside))
    return {
        "rate": 60 * len(peaks) * one.sfreq / one.x.shape[1],
        "size": float(np.median(facts["peak_heights"])),
        "width": float(np.median(facts["widths"]) / one.sfreq * 1000),
        **far,
    }


def trial_noise(one: Recording) -> float:
    """Return the SD in µV of the mean of 300-600 ms at Pz over pseudo-trials or trials."""
    pz = mne.filter.filter_data(
        one.x[one.ch_names.index("Pz")], one.sfreq, 0.1, 30.0, verbose="error"
    )
    step = int(1.5 * one.sfreq)
    onsets = one.trials or list(range(step, len(pz) - step, step))
    return float(np.std(_means(pz, onsets, one.sfreq), ddof=1))


def _means(row: Array, onsets: Sequence[int], sfreq: float) -> list[float]:
    a, b, c = (round(t * sfreq) for t in (0.2, 0.3, 0.6))
    inside = [s for s in onsets if s >= a and s + c < len(row)]
    return [float(row[s + b : s + c + 1].mean() - row[s - a : s + 1].mean()) for s in inside]


def trial_snr(one: Recording) -> float | None:
    """Return mean over SD of single trials (300-600 ms at Pz), None without trials."""
    if not one.trials:
        return None
    pz = mne.filter.filter_data(
        one.x[one.ch_names.index("Pz")], one.sfreq, 0.1, 30.0, verbose="error"
    )
    means = _means(pz, one.trials, one.sfreq)
    return float(np.mean(means) / np.std(means, ddof=1))


MEASURES: Mapping[str, Callable[[Recording], float | None]] = {
    "spectral exponent, 2-40 Hz": exponent,
    "RMS of a channel, 1-40 Hz (µV)": rms,
    "excess kurtosis": peakedness,
    "occipital alpha: peak (Hz)": lambda one: alpha(one)["peak"],
    "occipital alpha: height (dB)": lambda one: alpha(one)["height"],
    "occipital alpha: width (Hz)": lambda one: alpha(one)["width"],
    "alpha, occipital over frontal": lambda one: (
        alpha_by_region(one)["occipital"] / alpha_by_region(one)["frontal"]
    ),
    "correlation of neighbours (0-25°)": lambda one: correlations(one)[0],
    "correlation at 60-80°": lambda one: correlations(one)[3],
    "correlation beyond 130°": lambda one: correlations(one)[-1],
    "blinks per minute": lambda one: (blinks(one) or {}).get("rate"),
    "blink over the forehead (µV)": lambda one: (blinks(one) or {}).get("size"),
    "blink width at half height (ms)": lambda one: (blinks(one) or {}).get("width"),
    "blink at 40-60° (share)": lambda one: (blinks(one) or {}).get("gain 40-60"),
    "blink at 90-120° (share)": lambda one: (blinks(one) or {}).get("gain 90-120"),
    "SD of single trials at Pz (µV)": trial_noise,
    "mean over SD of single trials at Pz": trial_snr,
}


def main() -> int:
    """Write the document and its pictures; exit code 3 without real recordings."""
    shared = Path(os.environ.get("BRAINO_SHARED", ROOT.parent / "shared"))
    recordings = [*real_recordings(shared), *synthetic_recordings()]
    if not any(one.real for one in recordings):
        print(f"no real recordings below {shared}; set BRAINO_SHARED", file=sys.stderr)
        return 3
    values = {
        one.name: {name: measure(one) for name, measure in MEASURES.items()} for one in recordings
    }
    curves = {
        one.name: {
            "spectrum": tuple(map(np.asarray, spectrum(one))),
            "correlation": correlations(one),
            "alpha": alpha_by_region(one),
            "blink": blinks(one),
        }
        for one in recordings
    }
    kinds = {one.name: (one.real, one.state) for one in recordings}
    write_pictures(ROOT / "docs" / "images", kinds, curves, BINS)
    write_page(ROOT / "docs" / "realism.md", kinds, values, section())
    print(f"{counted(len(recordings), 'recording')} compared: docs/realism.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
