"""Analyses beside the libraries that do the same, and what a long recording costs.

``python benchmarks/analysis.py [--json] [--sfreq HZ]``

Both sides of a ratio take turns in one run. Spectra and phases: 32 channels, 10 minutes, 250 Hz;
phases with their filter on both sides, MNE-Connectivity's over time as the mean of its wavelets at
8, 9 … 13 Hz. Sample
entropy: 32 channels of 2,500 samples. Memory: what an analysis of 64 channels over two hours
allocates at most, together with the recording, over the size of the recording in float64.
Libraries of the dependency group ``test``; without one its ratio is left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

# threads that wait for each other would count as work
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from braino_registry.analysis import (
    assessment,
    bands,
    complexity,
    connectivity,
    filters,
    spectra,
    timedomain,
)

SFREQ = 250.0
TARGETS = {
    "spectra over scipy, at most": 1.3,
    "plv beside mne-connectivity, at least": 5.0,
    "wpli beside mne-connectivity, at least": 5.0,
    "sample entropy beside antropy, at least": 0.5,
    "memory over the recording, at most": 2.0,
}


def signal(n_channels: int, n_times: int, seed: int = 0) -> np.ndarray:
    """Return smooth noise in V, shape (n_channels, n_times)."""
    rng = np.random.default_rng(seed)
    out = np.empty((n_channels, n_times))
    for row in out:
        noise = rng.standard_normal(n_times)
        row[:] = np.convolve(noise, np.ones(5) / 5, mode="same") * 1e-5
    return out


def seconds(*works: Callable[[], Any], times: int = 5) -> list[float]:
    """Return the shortest processor time of each work; all take turns, so that load hits all."""
    spent: list[list[float]] = [[] for _ in works]
    for _ in range(times):
        for work, of_one in zip(works, spent, strict=True):
            start = time.process_time()
            work()
            of_one.append(time.process_time() - start)
    return [min(of_one) for of_one in spent]


def spectral(data: np.ndarray) -> dict[str, float]:
    """Time Welch's method, here and in SciPy."""
    from scipy.signal import welch

    ours, theirs = seconds(
        lambda: spectra.welch_psd(data, SFREQ),
        lambda: welch(data, SFREQ, nperseg=1000, noverlap=500),
    )
    return {"spectra, s": ours, "spectra over scipy, at most": ours / theirs}


def phases(data: np.ndarray) -> dict[str, float]:
    """Time phase locking and phase lag, here and in MNE-Connectivity."""
    if importlib.util.find_spec("mne_connectivity") is None:
        print("mne-connectivity is not installed: no ratio", file=sys.stderr)
        return {}
    from mne_connectivity import spectral_connectivity_time

    names = [f"c{k}" for k in range(len(data))]
    found: dict[str, float] = {}
    for method in ("plv", "wpli"):

        def ours(method: str = method) -> Any:
            alpha = filters.band_pass(data, SFREQ, 8.0, 13.0)
            return connectivity.connectivity(alpha, SFREQ, names, method=method)  # type: ignore[arg-type]

        def theirs(method: str = method) -> Any:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return spectral_connectivity_time(
                    data[None], freqs=np.arange(8.0, 14.0), fmin=8.0, fmax=13.0, faverage=True,
                    method=method, sfreq=SFREQ, mode="cwt_morlet", n_cycles=7, verbose="error",
                )  # fmt: skip

        mine, other = seconds(ours, theirs, times=1)
        found[f"{method}, s"] = mine
        found[f"{method} beside mne-connectivity, at least"] = other / mine
    return found


def entropy(data: np.ndarray) -> dict[str, float]:
    """Time sample entropy, here and in antropy."""
    if importlib.util.find_spec("antropy") is None:
        print("antropy is not installed: no ratio", file=sys.stderr)
        return {}
    import antropy

    names = [f"c{k}" for k in range(len(data))]
    ours, theirs = seconds(
        lambda: complexity.sample_entropy(data, names),
        lambda: [antropy.sample_entropy(row) for row in data],
    )
    return {
        "sample entropy, s": ours,
        "sample entropy beside antropy, at least": theirs / ours,
    }


def works(data: np.ndarray, sfreq: float) -> dict[str, Callable[[], Any]]:
    """Return what is measured for its memory."""
    names = [f"c{k}" for k in range(len(data))]
    times = np.arange(data.shape[1]) / sfreq

    def connected(method: Any, **band: float) -> Callable[[], Any]:
        return lambda: connectivity.connectivity(data, sfreq, names, method=method, **band)

    return {
        "powers": lambda: bands.powers(data, sfreq, names),
        "edge": lambda: bands.edge(data, sfreq, names),
        "notch": lambda: bands.notch_attenuation(data, sfreq, names, notch_hz=45.0),
        "moments": lambda: timedomain.moments(data, names),
        "hjorth": lambda: timedomain.hjorth(data, names),
        "field power": lambda: timedomain.gfp_peaks(data, sfreq, times, windows=[(0.0, 7200.0)]),
        "drift": lambda: timedomain.drift(data, sfreq, names),
        "assessment": lambda: assessment.assess(data, sfreq, names),
        "pearson": connected("pearson"),
        "plv": connected("plv"),
        "wpli": connected("wpli"),
        "coherence": connected("coherence", fmin=8.0, fmax=13.0),
    }


def memory(sfreq: float) -> dict[str, float]:
    """Measure what the analyses of a long recording allocate."""
    data = signal(64, round(7200 * sfreq))
    found: dict[str, float] = {}
    for name, work in works(data, sfreq).items():
        tracemalloc.start()
        try:
            work()
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        found[f"memory of {name}"] = 1 + peak / data.nbytes
    found["memory over the recording, at most"] = max(found.values())
    return found


def main() -> int:
    """Measure, print, and tell by the exit code whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--sfreq", type=float, default=SFREQ, help="rate of the long recording in Hz"
    )
    options = parser.parse_args()
    data = signal(32, round(600 * SFREQ))
    found = {**spectral(data), **phases(data), **entropy(data[:, :2500]), **memory(options.sfreq)}
    missed = [
        name
        for name, target in TARGETS.items()
        if name in found
        and (found[name] > target if name.endswith("at most") else found[name] < target)
    ]
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        for name, value in found.items():
            target = f"  (target {TARGETS[name]:g})" if name in TARGETS else ""
            print(f"{name:45s} {value:8.3f}{target}")
        print("targets missed: " + (", ".join(missed) or "none"))
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
