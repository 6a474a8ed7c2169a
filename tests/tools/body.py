"""A recording with blinks, heartbeat, artefacts and events, and its sidecars gone wrong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests import tiny

SFREQ, SECONDS = 250.0, 90.0
NAMES = (
    "Fp1", "Fp2", "F7", "F3", "Fz", "F4", "F8", "T7", "C3", "Cz", "C4", "T8", "P7", "P3", "Pz",
    "P4", "P8", "O1", "O2",
)  # fmt: skip
CHANNELS = (*NAMES, "HEOG", "VEOG", "ECG")
BLINKS = tuple(3.0 + 4.1 * k for k in range(21))
BEATS = tuple(0.6 + 0.8 * k for k in range(111))
ONSETS = tuple(2.0 + 2.0 * k for k in range(42))
SPOILED = (5, 17)  # epochs with a movement
ID = "sub-01_task-look"


def signal() -> dict[str, np.ndarray]:
    """Return the recording (V) and the parts it is made of, without blinks and heartbeat."""
    rng = np.random.default_rng(8)
    n = int(SFREQ * SECONDS)
    t = np.arange(n) / SFREQ
    angle = np.linspace(0, np.pi, len(NAMES))
    mixing = np.stack([np.cos(k * angle) for k in range(8)], axis=1)
    brain = 5.0 * mixing @ tiny._pink(rng, 8, n) + 1.5 * tiny._pink(rng, len(NAMES), n)
    blink = sum(np.exp(-0.5 * ((t - b) / 0.06) ** 2) for b in BLINKS)
    heart = sum(
        np.exp(-0.5 * ((t - b) / 0.012) ** 2) - 0.2 * np.exp(-0.5 * ((t - b - 0.03) / 0.01) ** 2)
        for b in BEATS
    )
    front = np.array([1.0 if c[:2] == "Fp" else 0.4 if c[0] == "F" else 0.05 for c in NAMES])
    left = np.array([-1.0 if c in ("T7", "P7", "F7") else 0.5 for c in NAMES])
    clean = brain.copy()
    eeg = brain + 120.0 * np.outer(front, blink) + 12.0 * np.outer(left, heart)
    for k in SPOILED:
        first = int((ONSETS[k] + 0.2) * SFREQ)
        eeg[NAMES.index("T8"), first : first + 50] += 400.0 * np.hanning(50)
    body = np.stack([10.0 * tiny._pink(rng, 1, n)[0], 200.0 * blink, 900.0 * heart])
    body += 3.0 * rng.standard_normal(body.shape)
    return {"all": np.vstack([eeg, body]) * 1e-6, "clean": clean * 1e-6}


def write(root: Path) -> dict[str, np.ndarray]:
    """Write the recording, and sub-02 with sidecars that contradict the header."""
    import pybv

    made = signal()
    tiny._json(root / "dataset_description.json", {"Name": "body", "BIDSVersion": "1.10.0"})
    rows = ["participant_id\tage", "sub-01\t31", "sub-02\t42", "sub-03\t55"]
    tiny._text(root / "participants.tsv", "\n".join(rows) + "\n")
    for subject, rate in (("01", 250.0), ("02", 250.0), ("03", 125.0)):
        folder = root / f"sub-{subject}" / "eeg"
        folder.mkdir(parents=True)
        data = made["all"][:, :: int(250 / rate)][:, : int(20 * rate) if subject != "01" else None]
        pybv.write_brainvision(
            data=data * (1e3 if subject == "03" else 1.0), sfreq=rate, ch_names=list(CHANNELS),
            fname_base=f"sub-{subject}_task-look_eeg", folder_out=folder, fmt="binary_float32",
            unit="µV", overwrite=True,
        )  # fmt: skip
        _sidecars(folder, subject, data.shape[1] / rate)
    return made


def _sidecars(folder: Path, subject: str, duration: float) -> None:
    base = f"sub-{subject}_task-look"
    wrong = subject == "02"
    tiny._json(
        folder / f"{base}_eeg.json",
        {
            "TaskName": "look",
            "SamplingFrequency": 500 if wrong else 125 if subject == "03" else 250,
            "PowerLineFrequency": 50, "EEGReference": "n/a",
            "SoftwareFilters": {"Low-pass": {"cutoff (Hz)": 30}} if wrong else "n/a",
            "EEGChannelCount": 32 if wrong else 19, "RecordingDuration": duration,
        },
    )  # fmt: skip
    kinds = ["EEG"] * len(NAMES) + ["HEOG", "VEOG", "ECG"]
    called = ["Oz" if wrong and name == "O2" else name for name in CHANNELS]
    units = "mV" if wrong else "µV"
    rows = [f"{name}\t{kind}\t{units}" for name, kind in zip(called, kinds, strict=True)]
    tiny._text(folder / f"{base}_channels.tsv", "\n".join(["name\ttype\tunits", *rows]) + "\n")
    if subject == "03":
        return
    events = [(onset, "face") for onset in ONSETS if onset < duration]
    events += [(onset + 0.4, "press") for onset in ONSETS[::2] if onset < duration - 1]
    events += [(4.003, "face"), (duration + 5, "press")]
    rows = [f"{onset:.3f}\t0\t{name}" for onset, name in sorted(events)]
    tiny._text(
        folder / f"{base}_events.tsv", "\n".join(["onset\tduration\ttrial_type", *rows]) + "\n"
    )


def snapshot(root: Path) -> str:
    """Return what tells whether any file has changed."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return json.dumps([[str(path), path.stat().st_mtime_ns, path.stat().st_size] for path in files])
