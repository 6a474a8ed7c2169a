"""A BIDS dataset of three subjects and two tasks, small enough for a test, and its entry."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import savemat

from braino_registry.registry.entries import PublicDataset
from tests.datasets import tiny

SUBJECTS, TASKS = ("001", "002", "010"), ("P3", "rest")
N_TIMES = 512


def _eeglab(name: str) -> tuple[bytes, bytes]:
    """Return a `.set` and its `.fdt`: one channel, two seconds."""
    samples = np.random.default_rng(list(name.encode())).normal(0, 20, N_TIMES).astype("<f4")
    head = {
        "setname": name, "nbchan": 1, "trials": 1, "pnts": N_TIMES, "srate": 256, "xmin": 0,
        "xmax": (N_TIMES - 1) / 256, "data": f"{name}_eeg.fdt", "chanlocs": [{"labels": "Cz"}],
        "event": [], "epoch": [], "ref": "common",
        "icawinv": [], "icaweights": [], "icasphere": [], "icachansind": [],
    }  # fmt: skip
    stream = io.BytesIO()
    savemat(stream, {"EEG": head})
    # The first 116 bytes are free text; scipy writes the time there.
    return b"MATLAB 5.0 MAT-file".ljust(116) + stream.getvalue()[116:], samples.tobytes()


@lru_cache(maxsize=1)
def _bodies() -> dict[str, bytes]:
    found: dict[str, bytes] = {
        "dataset_description.json": b'{"Name": "Small", "BIDSVersion": "1.9.0"}\n',
        "README": b"Small.\n",
        "participants.tsv": ("participant_id\n" + "".join(f"sub-{s}\n" for s in SUBJECTS)).encode(),
        "task-P3_events.json": b'{"value": {"Levels": {"11": "rare"}}}\n',
        "task-rest_eeg.json": b'{"SamplingFrequency": 256}\n',
    }
    for subject in SUBJECTS:
        home = f"sub-{subject}"
        found[f"{home}/{home}_scans.tsv"] = b"filename\n"
        found[f"{home}/eeg/{home}_space-CapTrak_electrodes.tsv"] = f"name\n{subject}\n".encode()
        found[f"derivatives/clean/{home}/eeg/{home}_task-rest_eeg.set"] = b"MATLAB " + home.encode()
        for task in TASKS:
            stem = f"{home}/eeg/{home}_task-{task}"
            header, samples = _eeglab(f"{home}_task-{task}")
            sidecar = {"TaskName": task, "SamplingFrequency": 256, "RecordingDuration": 2.0}
            found |= {
                f"{stem}_eeg.set": header,
                f"{stem}_eeg.fdt": samples,
                f"{stem}_eeg.json": json.dumps(sidecar).encode(),
                f"{stem}_channels.tsv": b"name\ttype\tunits\nCz\tEEG\tuV\n",
            }
        events = "onset\tduration\ttrial_type\n0.5\t0\trare\n1\t0\tfrequent\n"
        found[f"{home}/eeg/{home}_task-P3_events.tsv"] = events.encode()
    return dict(sorted(found.items()))


def bodies() -> dict[str, bytes]:
    """Return every file of the tree by its path."""
    return dict(_bodies())


def used() -> dict[str, bytes]:
    """Return the files that the entry does not leave out."""
    every = bodies().items()
    return {path: body for path, body in every if not path.startswith("derivatives/")}


def document(*bases: str) -> dict[str, Any]:
    """Return the entry without its pins."""
    doc = tiny.document() | {"id": "small-bids", "title": "Small BIDS"}
    del doc["recordings"]
    doc["mirrors"] = [{"id": f"m{i}", "name": base, "base": base} for i, base in enumerate(bases)]
    doc["pins"]["file"] = "small-bids.pins.tsv"
    doc["conversion"] = {"use": "bids@1.0.0", "parameters": {"leave_out": ["derivatives/**"]}}
    doc["labels"] = {"dataset": {}, "recordings": {}}
    doc["invariants"] = [
        {"kind": "recording_count", "equals": 6},
        {"kind": "subject_count", "equals": 3},
        {"kind": "event_count", "recording": "*_task-P3", "trial_type": "rare", "equals": 1},
    ]
    doc["expects"] = {}
    return doc


def entry(
    folder: Path, *bases: str, kinds: Sequence[str] = ("sha256",), **changes: Any
) -> PublicDataset:
    """Write the entry with its pins and return it."""
    pins = [tiny.pin_of(path, body, kinds) for path, body in bodies().items()]
    return tiny.entry(document(*(bases or (tiny.BASE,))) | changes, folder, pins)


def write(folder: Path) -> Path:
    """Write the tree."""
    for path, body in bodies().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(body)
    return folder
