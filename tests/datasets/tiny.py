"""A dataset of two tiny EDF+ files, made on the spot, and its entry."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np

from braino_registry.datasets.content import hash_file
from braino_registry.registry.entries import PublicDataset
from braino_registry.registry.roots import builtin

RUNS = {"S001/S001R01.edf": 1, "S001/S001R03.edf": 3}


def write_run(path: Path, seed: int, seconds: int = 4) -> None:
    """Write an EEGMMI-like EDF+ file of four channels: whole µV at 160 Hz."""
    from edfio import Edf, EdfAnnotation, EdfSignal

    rng = np.random.default_rng(seed)
    signals = [
        EdfSignal(
            rng.integers(-300, 300, seconds * 160).astype(float),
            sampling_frequency=160,
            label=label,
            physical_dimension="uV",
            physical_range=(-8092, 8092),
            digital_range=(-8092, 8092),
        )
        for label in ("Fc5.", "Cz..", "Fp1.", "Oz..")
    ]
    notes = [EdfAnnotation(0, 1.0, "T0"), EdfAnnotation(1.5, 1.0, "T1"), EdfAnnotation(3, 1, "T2")]
    path.parent.mkdir(parents=True, exist_ok=True)
    Edf(signals, annotations=notes).write(path)


def write_mirror(folder: Path) -> Path:
    """Write both runs under names that have nothing to do with the upstream ones."""
    for index, seed in enumerate(RUNS.values()):
        write_run(folder / "somewhere" / f"file-{index}.bin", seed)
    return folder


def document(mirror: Path, base: str = "https://example.org/data/") -> dict[str, Any]:
    """Return the entry of the two runs that lie in ``mirror``."""
    file = builtin() / "datasets" / "eegmmi.json"
    doc: dict[str, Any] = copy.deepcopy(json.loads(file.read_text(encoding="utf-8")))
    doc |= {"id": "tiny", "mirrors": [{"name": "test", "base": base}]}
    doc["files"] = [
        {
            "path": path,
            "size": (mirror / f"somewhere/file-{i}.bin").stat().st_size,
            "hashes": hash_file(mirror / f"somewhere/file-{i}.bin", ("sha256", "md5", "git-blob")),
        }
        for i, path in enumerate(RUNS)
    ]
    doc["recordings"] = [
        {"bids": {"bids_subject": "001", "bids_task": "eyesopen"}, "files": ["S001/S001R01.edf"]},
        {
            "bids": {"bids_subject": "001", "bids_task": "fistmovement", "bids_run": "1"},
            "files": ["S001/S001R03.edf"],
        },
    ]
    doc["labels"] = {
        "dataset": {"n_subjects": 1},
        "recordings": {"sub-001_task-eyesopen": {"sfreq": 160}},
    }
    doc["invariants"] = [
        {"kind": "recording_count", "equals": 2},
        {"kind": "subject_count", "equals": 1},
        {"kind": "sampling_rate", "recording": "*", "equals": 160},
        {"kind": "duration", "recording": "*", "equals": 4},
        {"kind": "channel_count", "recording": "*", "type": "EEG", "equals": 4},
        {"kind": "event_count", "recording": "*_task-fist*", "trial_type": "T1", "equals": 1},
    ]
    doc["expects"] = {"validator": []}
    return doc


def entry(doc: dict[str, Any]) -> PublicDataset:
    """Return a document as the registry would."""
    return PublicDataset("dataset", doc["id"], doc["version"], Path("tiny.json"), doc)
