"""Tiny BIDS datasets with known contents, written in a second."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

SFREQ = 250.0
SECONDS = 60.0
EEG = (
    "F7",
    "F3",
    "Fz",
    "F4",
    "F8",
    "T7",
    "C3",
    "Cz",
    "C4",
    "T8",
    "P3",
    "Pz",
    "P4",
    "O1",
    "Oz",
    "O2",
)
TYPES = ("EEG",) * len(EEG) + ("VEOG",)
CHANNELS = (*EEG, "VEOG")
# every 2 s from 1 s on: target, standard, standard, target, ...
ONSETS = tuple(1.0 + 2.0 * k for k in range(29))
NAMES = tuple("target" if k % 3 == 0 else "standard" for k in range(29))
P3_UV, P3_LATENCY = 12.0, 0.4
ALPHA_HZ = 10.3
LINE_HZ = 50.0


@dataclass(frozen=True)
class Faults:
    """Planted faults by channel."""

    noisy: Sequence[str] = ()
    flat: Sequence[str] = ()
    drifting: Sequence[str] = ()


@dataclass(frozen=True)
class Tiny:
    """What was written."""

    root: Path
    data: dict[str, np.ndarray] = field(default_factory=dict)  # V, (n_channels, n_times)

    @property
    def recordings(self) -> list[str]:
        return sorted(self.data)


def signal(seed: int, faults: Faults = Faults()) -> np.ndarray:
    """Return V, shape (17, 15000): smooth background, alpha at the back, line, P3, faults."""
    rng = np.random.default_rng(seed)
    n = int(SFREQ * SECONDS)
    t = np.arange(n) / SFREQ
    sources = _pink(rng, 4, n)
    angle = np.linspace(0, np.pi, len(EEG))
    mixing = np.stack([np.cos(k * angle / 2) + 0.8 for k in range(4)], axis=1)
    x = 3.0 * mixing @ sources + 1.0 * _pink(rng, len(EEG), n)
    for name, gain in (("O1", 10.0), ("Oz", 12.0), ("O2", 10.0), ("Pz", 5.0)):
        x[EEG.index(name)] += gain * np.sin(2 * np.pi * ALPHA_HZ * t + gain)
    x += 1.5 * np.sin(2 * np.pi * LINE_HZ * t)
    for onset, name in zip(ONSETS, NAMES, strict=True):
        bump = P3_UV * np.exp(-0.5 * ((t - onset - P3_LATENCY) / 0.07) ** 2)
        if name == "target":
            x += np.outer([1.0 if c == "Pz" else 0.5 for c in EEG], bump)
    for name in faults.noisy:
        x[EEG.index(name)] += 80.0 * rng.standard_normal(n)
    for name in faults.drifting:
        x[EEG.index(name)] += 300.0 * np.sin(2 * np.pi * 0.05 * t)
    for name in faults.flat:
        x[EEG.index(name)] = 0.0
    eog = 20.0 * _pink(rng, 1, n)
    return np.vstack([x, eog]) * 1e-6


def _pink(rng: np.random.Generator, rows: int, n: int) -> np.ndarray:
    spectrum = np.fft.rfft(rng.standard_normal((rows, n)), axis=1)
    freqs = np.fft.rfftfreq(n, 1 / SFREQ)
    spectrum *= 1 / np.maximum(freqs, 0.5) ** 0.8
    x = np.fft.irfft(spectrum, n, axis=1)
    return x / x.std(axis=1, keepdims=True)


def write(root: Path, subjects: dict[str, Faults] | None = None) -> Tiny:
    """Write a dataset of one BrainVision recording per subject (task oddball).

    Subject 02 by default has a noisy T8, a flat F7 and a drifting F8.
    """
    chosen = subjects or {
        "01": Faults(),
        "02": Faults(noisy=("T8",), flat=("F7",), drifting=("F8",)),
    }
    tiny = Tiny(root)
    _json(root / "dataset_description.json", {"Name": "tiny", "BIDSVersion": "1.10.0"})
    rows = [f"sub-{s}\t{20 + i}\t{'AB'[i % 2]}" for i, s in enumerate(chosen)]
    _text(root / "participants.tsv", "\n".join(["participant_id\tage\tgroup", *rows]) + "\n")
    for index, (subject, faults) in enumerate(chosen.items()):
        data = signal(index, faults)
        tiny.data[f"sub-{subject}_task-oddball"] = data
        _recording(root, subject, data)
    return tiny


def _recording(root: Path, subject: str, data: np.ndarray) -> None:
    import pybv

    folder = root / f"sub-{subject}" / "eeg"
    folder.mkdir(parents=True)
    base = f"sub-{subject}_task-oddball"
    pybv.write_brainvision(
        data=data, sfreq=SFREQ, ch_names=list(CHANNELS), fname_base=f"{base}_eeg",
        folder_out=folder, fmt="binary_float32", unit="µV", overwrite=True,
    )  # fmt: skip
    sidecar = {
        "TaskName": "oddball", "SamplingFrequency": SFREQ, "PowerLineFrequency": 60,
        "EEGReference": "linked ears", "SoftwareFilters": "n/a",
    }  # fmt: skip
    _json(folder / f"{base}_eeg.json", sidecar)
    rows = [f"{name}\t{kind}\tµV\tgood\tn/a" for name, kind in zip(CHANNELS, TYPES, strict=True)]
    head = "name\ttype\tunits\tstatus\tstatus_description"
    _text(folder / f"{base}_channels.tsv", "\n".join([head, *rows]) + "\n")
    events = [
        f"{onset}\t0.0\t{name}\t{1 if name == 'target' else 2}"
        for onset, name in zip(ONSETS, NAMES, strict=True)
    ]
    _text(
        folder / f"{base}_events.tsv",
        "\n".join(["onset\tduration\ttrial_type\tvalue", *events]) + "\n",
    )


def mark_bad(root: Path, recording: str, channel: str) -> None:
    """Set a channel's status to bad, as a decision does."""
    subject = recording.split("_")[0]
    path = root / subject / "eeg" / f"{recording}_channels.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    changed = [
        line.replace("\tgood\t", "\tbad\t") if line.startswith(f"{channel}\t") else line
        for line in lines
    ]
    _text(path, "\n".join(changed) + "\n")


def write_mixed_edf(root: Path, seconds: int = 40) -> dict[str, np.ndarray]:
    """Write ``sub-01_task-sleep`` as EDF: two channels at 100 Hz, SpO2 at 1 Hz; return the data."""
    import edfio

    folder = root / "sub-01" / "eeg"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(5)
    spo2 = np.round(96 - 3 * np.abs(np.sin(np.arange(seconds) / 7)), 1)
    data = {
        "EEG Fpz-Cz": 20 * rng.standard_normal(100 * seconds),
        "EOG horizontal": 0.05 * rng.standard_normal(100 * seconds),
        "SpO2": spo2,
    }
    signals = [
        edfio.EdfSignal(
            data["EEG Fpz-Cz"], 100, label="EEG Fpz-Cz", physical_dimension="uV",
            physical_range=(-200, 200),
        ),
        edfio.EdfSignal(
            data["EOG horizontal"], 100, label="EOG horizontal", physical_dimension="mV",
            physical_range=(-1, 1),
        ),
        edfio.EdfSignal(
            spo2, 1, label="SpO2", physical_dimension="%", physical_range=(0, 100)
        ),
    ]  # fmt: skip
    edfio.Edf(signals, annotations=[edfio.EdfAnnotation(3.0, 1.5, "arousal")]).write(
        folder / "sub-01_task-sleep_eeg.edf"
    )
    return data


def _json(path: Path, document: dict[str, object]) -> None:
    _text(path, json.dumps(document))


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
