"""What a stager and a seizure detector make of synthetic recordings that they know nothing of.

``python -m benchmarks.detectors`` takes the shipped recipes, sets their difficulty, and prints
Cohen's kappa of YASA on six nights, and the event F1 of a line-length detector on forty recordings.
"""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import mne
import numpy as np
from numpy.typing import NDArray
from scipy.signal import butter, sosfilt
from sklearn.metrics import cohen_kappa_score

from braino_registry.registry.roots import builtin
from braino_registry.synthesis.build import thread
from braino_registry.synthesis.planning import plan

Array = NDArray[np.float64]
DIFFICULTIES = (0.0, 0.2, 0.5, 1.0)
NIGHTS = ("nights-a", "nights-b")
"""Recipes of nights: of the first, six nights of three sleepers."""
N_NIGHTS = 6
MONITORING = tuple(f"scalp-monitoring-{letter}" for letter in "abcdefgh")
"""Recipes of scalp EEG, five recordings each."""
THRESHOLDS = (1.6, 2.0, 2.7)
"""Medians of the line length above which a channel counts as active."""


class Recording(NamedTuple):
    """A recording that was made in memory.

    Attributes
    ----------
    rows : dict of str to ndarray, shape (n_times,)
        Channels in µV, each at its own rate.
    truth : mapping
        What was planted.
    """

    rows: dict[str, Array]
    truth: Mapping[str, Any]


def recordings(doc: Mapping[str, Any]) -> Iterator[Recording]:
    """Yield the recordings of a recipe, one after the other, without writing files."""
    whole = plan(doc)
    for one in whole.recordings:
        reel, truth = thread(whole, one)
        parts = list(reel.pieces())
        names = [channel.name for channel in reel.channels]
        rows = {n: np.concatenate([part[k] for part in parts]) for k, n in enumerate(names)}
        yield Recording(rows, truth)


def shipped(recipe: str, difficulty: float) -> dict[str, Any]:
    """Return a shipped recipe at another difficulty."""
    file = builtin() / "generators" / f"{recipe}.json"
    doc: dict[str, Any] = copy.deepcopy(json.loads(file.read_text(encoding="utf-8")))
    for block in doc["recordings"]:
        for layer in block["layers"]:
            if "difficulty" in layer.get("with", {}):
                layer["with"]["difficulty"] = difficulty
    return doc


def kappa(
    night: Recording,
    *,
    eeg: str,
    eog: str,
    emg: str | None,
    age: float,
    sfreq: float = 100,
) -> float:
    """Return Cohen's kappa of YASA's stages with those that were planted.

    Parameters
    ----------
    night : Recording
        With ``hypnogram`` in its truth: a stage per 30 s.
    eeg, eog : str
        Channels that YASA is given.
    emg : str or None
        The chin, where the recording has it as a signal and not as an envelope.
    age : float
        Of the sleeper, in years; YASA asks for it, and for the sex.
    sfreq : float
        Rate of these channels in Hz.
    """
    import yasa

    used = [name for name in (eeg, eog, emg) if name is not None]
    info = mne.create_info(used, sfreq, "eeg")
    signal = np.array([night.rows[name] for name in used]) * 1e-6
    raw = mne.io.RawArray(signal, info, verbose="error")
    named = dict(zip(("eeg_name", "eog_name", "emg_name"), used, strict=False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        staging = yasa.SleepStaging(raw, metadata={"age": age, "male": True}, **named)
        predicted = staging.predict()
    called = {"WAKE": "W", "R": "REM"}
    guess = [str(stage) for stage in getattr(predicted, "hypno", predicted)]
    truth = list(night.truth["hypnogram"])
    return float(cohen_kappa_score(truth, [called.get(stage, stage) for stage in guess]))


class Found(NamedTuple):
    """Events of a detector: seizures met, events beside them, seizures missed."""

    hits: int
    false: int
    missed: int

    @property
    def f1(self) -> float:
        """Harmonic mean of sensitivity and precision; 0 where nothing was met."""
        return 2 * self.hits / max(2 * self.hits + self.false + self.missed, 1)

    def plus(self, other: Found) -> Found:
        """Return both together."""
        return Found(*(p + q for p, q in zip(self, other, strict=True)))


NOTHING = Found(0, 0, 0)


def line_length(x: Array, sfreq: int) -> Array:
    """Return the length of the line that each channel draws in 2 s, every second (1 to 25 Hz).

    The feature of Esteller et al. (2001).

    Parameters
    ----------
    x : ndarray, shape (n_channels, n_times)
        Channels in µV; whole seconds of them.
    sfreq : int
        Sampling frequency in Hz.
    """
    y = sosfilt(butter(2, [1, 25], "bandpass", fs=sfreq, output="sos"), x)
    step = np.abs(np.diff(y, axis=1, prepend=0)).reshape(len(x), -1, sfreq).sum(axis=2)
    return np.asarray(step[:, :-1] + step[:, 1:])


def detect(length: Array, times: float) -> list[tuple[int, int]]:
    """Return events: longer than so many medians in two channels for 10 s, gaps of 6 s closed."""
    above = length > times * np.median(length, axis=1, keepdims=True)
    hit = np.concatenate([[0], (above.sum(axis=0) >= 2) * 1, [0]])
    edges = np.flatnonzero(np.diff(hit)).reshape(-1, 2)
    merged: list[tuple[int, int]] = []
    for first, last in edges.tolist():
        if merged and first - merged[-1][1] <= 6:
            merged[-1] = (merged[-1][0], last)
        else:
            merged.append((first, last))
    return [(first, last) for first, last in merged if last - first >= 10]


def met(x: Array, seizures: Sequence[Mapping[str, float]], sfreq: int, times: float) -> Found:
    """Return what the detector finds in a recording, any overlap counting.

    An event may come 30 s before a seizure and end 60 s after it.
    """
    events = detect(line_length(x, sfreq), times)
    spans = [(s["onset"] - 30, s["onset"] + s["duration"] + 60) for s in seizures]
    hits = [any(a < last and b > first for a, b in events) for first, last in spans]
    false = sum(not any(a < last and b > first for first, last in spans) for a, b in events)
    return Found(sum(hits), false, len(hits) - sum(hits))


def staged(difficulty: float) -> list[float]:
    """Return YASA's kappa on six nights of the shipped recipes."""
    nights = [one for name in NIGHTS for one in recordings(shipped(name, difficulty))][:N_NIGHTS]
    return [
        kappa(
            night,
            eeg="EEG Fpz-Cz",
            eog="EOG horizontal",
            emg=None,
            age=float(night.truth["participant"]["age"]),
        )
        for night in nights
    ]


def detected(difficulty: float) -> dict[float, Found]:
    """Return what line length finds in the recordings of the shipped recipes, by threshold."""
    found = dict.fromkeys(THRESHOLDS, NOTHING)
    for name in MONITORING:
        for one in recordings(shipped(name, difficulty)):
            x = np.array(list(one.rows.values()))
            for times in THRESHOLDS:
                more = met(x, one.truth["seizures"], 256, times)
                found[times] = found[times].plus(more)
    return found


def main() -> int:
    """Print both tables."""
    print("| difficulty | YASA's kappa: mean (least to most) of 6 nights | line length: event F1 |")
    print("|---|---|---|")
    for difficulty in DIFFICULTIES:
        kappas = staged(difficulty)
        by = detected(difficulty)
        best = max(by, key=lambda times: by[times].f1)
        print(
            f"| {difficulty} | {np.mean(kappas):.2f} ({min(kappas):.2f} to {max(kappas):.2f}) | "
            f"{by[best].f1:.2f} at {best} medians: {by[best].hits} met, {by[best].missed} missed, "
            f"{by[best].false} false |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
