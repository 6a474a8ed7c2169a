"""A dataset of two tiny EDF+ files, made on the spot, and its entry."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from braino_registry.datasets.content import hash_file, hash_stream
from braino_registry.datasets.pins import Pin, Variant, content_digest, mirrors_of, render
from braino_registry.registry.entries import PublicDataset
from braino_registry.registry.roots import builtin

RUNS = {"S001/S001R01.edf": 1, "S001/S001R03.edf": 3}
BASE = "https://example.org/data/"


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


def pins(mirror: Path, kinds: Sequence[str] = ("sha256", "md5", "git-blob")) -> list[Pin]:
    """Return the pins of the two runs that lie in ``mirror``."""
    files = [mirror / f"somewhere/file-{i}.bin" for i in range(len(RUNS))]
    return [
        Pin(path, (Variant(hash_file(file, kinds), file.stat().st_size),))
        for path, file in zip(RUNS, files, strict=True)
    ]


def pin_of(path: str, body: bytes, kinds: Sequence[str] = ("sha256",)) -> Pin:
    """Return the pin of a file with this content."""
    hashes = hash_stream(io.BytesIO(body), len(body), kinds)
    return Pin(path, (Variant(hashes, len(body)),))


def document() -> dict[str, Any]:
    """Return the entry of the two runs; `entry` adds its pins."""
    file = builtin() / "datasets" / "eegmmi.json"
    doc: dict[str, Any] = copy.deepcopy(json.loads(file.read_text(encoding="utf-8")))
    doc |= {"id": "tiny", "mirrors": [{"id": "test", "name": "test", "base": BASE}]}
    doc["pins"] = {"file": "tiny.pins.tsv", "sha256": "0" * 64, "content": "0" * 64}
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


def entry(
    doc: dict[str, Any],
    folder: Path,
    pinned: Sequence[Pin],
    cells: Mapping[str, Sequence[str]] | None = None,
) -> PublicDataset:
    """Write an entry with its pins into ``folder`` and return it as the registry would."""
    mirrors = mirrors_of(doc)
    every = {pin.path: ["="] * len(mirrors) for pin in pinned if pin.archive is None}
    text = render(pinned, mirrors, every if cells is None else cells)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / doc["pins"]["file"]).write_text(text, encoding="utf-8", newline="\n")
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    doc["pins"] |= {"sha256": sha256, "content": content_digest(text)}
    file = folder / f"{doc['id']}.json"
    file.write_text(json.dumps(doc), encoding="utf-8")
    return opened(file)


def opened(file: Path) -> PublicDataset:
    """Return the entry in a file."""
    doc = json.loads(file.read_text(encoding="utf-8"))
    return PublicDataset("dataset", doc["id"], doc["version"], file, doc)


def copy_of(mirror: Path, folder: Path) -> Path:
    """Return a copy of a mirror that may be changed."""
    shutil.copytree(mirror, folder)
    return folder
