"""From a plan to files: each recording is painted layer by layer, stored and forgotten."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from braino_registry.errors import HostError
from braino_registry.synthesis import bids, bids_long, brainvision, summary
from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import LAYERS
from braino_registry.synthesis.planning import Plan, RecordingPlan, plan
from braino_registry.synthesis.reel import Reel

_MOMENT = 946684800
"""Modification time of all files, 2000-01-01: when a file was made is nobody's business."""


@dataclass(frozen=True)
class BuildResult:
    """What a build made.

    Attributes
    ----------
    digest : str
        ``sha256:...`` over the names and bytes of all files of the BIDS tree.
    truth : mapping
        ``{"recordings": {id: {...}}, "dataset": {...}}``, also in ``truth.json``.
    """

    digest: str
    truth: Mapping[str, Any]


def build(recipe_doc: Mapping[str, Any], salt_material: bytes, out: Path) -> BuildResult:
    """Build a recipe: the BIDS tree in ``out/bids``, what is planted in ``out/truth.json``.

    Parameters
    ----------
    recipe_doc : mapping
        A document that follows the schema ``recipe/1``.
    salt_material : bytes
        Secret that changes every draw; empty for the public data.
    out : Path
        A folder that is empty or does not exist. It appears complete or not at all.

    Raises
    ------
    EntryError
        If the recipe asks for something impossible; nothing is built.
    HostError
        If ``out`` is in use or cannot be written.
    """
    planned = plan(recipe_doc, salt_material)
    staging = out.with_name(f"{out.name}.partial-{os.getpid()}")
    try:
        if out.exists() and any(out.iterdir()):
            raise HostError(
                "the folder for the data is not empty", where=str(out), hint="Choose another one."
            )
        shutil.rmtree(staging, ignore_errors=True)
        (staging / "bids").mkdir(parents=True)
        truth = _write(planned, staging / "bids")
        text = json.dumps(truth, indent=1, ensure_ascii=False, allow_nan=False)
        (staging / "truth.json").write_text(text + "\n", encoding="utf-8", newline="\n")
        digest = tree_digest(staging / "bids")
        for path in [*staging.rglob("*"), staging]:
            os.utime(path, (_MOMENT, _MOMENT))
        if out.exists():
            out.rmdir()
        staging.rename(out)
    except OSError as error:
        raise HostError(
            f"the data cannot be written: {error.strerror or error}",
            where=str(out),
            hint="Free some space, or choose a folder that can be written.",
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return BuildResult(digest, truth)


def tree_digest(root: Path) -> str:
    """Return the digest of a folder: sha256 over path, size and sha256 of each file, sorted.

    Parameters
    ----------
    root : Path
        Folder; times and permissions do not count.
    """
    total = hashlib.sha256()
    files = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    for name in sorted(files):
        with files[name].open("rb") as stream:
            own = hashlib.file_digest(stream, "sha256").hexdigest()
        total.update(f"{name}\0{files[name].stat().st_size}\0{own}\n".encode())
    return f"sha256:{total.hexdigest()}"


def paint(planned: Plan, recording: RecordingPlan) -> tuple[Canvas, dict[str, Any]]:
    """Return a recording with all its layers, in memory, and the truth about it.

    Parameters
    ----------
    planned : Plan
    recording : RecordingPlan
        One of its recordings.
    """
    canvas = Canvas(
        recording.ch_names,
        recording.sfreq,
        recording.line_frequency,
        np.zeros((len(recording.ch_names), recording.n_times)),
        kind="SEEG" if recording.datatype == "ieeg" else "EEG",
    )
    truth = _plant(planned, recording, canvas)
    return canvas, truth


def thread(planned: Plan, recording: RecordingPlan) -> tuple[Reel, dict[str, Any]]:
    """Return a long recording with the painters of all its layers, and the truth about it.

    Parameters
    ----------
    planned : Plan
    recording : RecordingPlan
        One of its recordings with a bipolar montage.
    """
    reel = Reel(
        recording.leads,
        round(recording.sfreq),
        round(recording.duration),
        recording.line_frequency,
    )
    return reel, _plant(planned, recording, reel)


def _plant(planned: Plan, recording: RecordingPlan, onto: Canvas | Reel) -> dict[str, Any]:
    """Apply the layers of a recording and return the truth about it."""
    truth: dict[str, Any] = {
        "ch_names": [],
        "ch_types": {},
        "n_channels": 0,
        "sfreq": recording.sfreq,
        "duration": recording.n_times / recording.sfreq,
        "line_frequency": recording.line_frequency,
        "participant": dict(planned.participants[recording.entities["bids_subject"]]),
    }
    for _, layer in LAYERS:
        if layer.is_long == bool(recording.leads):
            truth.update(json.loads(json.dumps(layer.empty)))
    for step in recording.layers:
        stream = planned.values.stream("layer", f"{recording.id}|{step.part}")
        _merge(truth, LAYERS.get(step.kind).apply(onto, step.params, stream))
    types = dict(onto.ch_types)
    truth |= {"ch_names": list(types), "ch_types": types, "n_channels": len(types)}
    _merge(truth, recording.truth)
    return truth


def _merge(truth: dict[str, Any], facts: Mapping[str, Any]) -> None:
    """Enter the facts of one layer: objects grow, lists and counts add up, the rest is set."""
    for key, value in facts.items():
        known = truth.get(key)
        if isinstance(known, dict) and isinstance(value, Mapping):
            _merge(known, value)
        elif isinstance(known, list) and isinstance(value, list):
            known.extend(value)
        elif isinstance(known, int) and isinstance(value, int) and key.startswith("n_"):
            truth[key] = known + value
        else:
            truth[key] = value


def _write(planned: Plan, root: Path) -> dict[str, Any]:
    recordings: dict[str, Any] = {}
    notes: dict[str, dict[str, dict[str, str]]] = {}
    for recording in planned.recordings:
        name = recording.entities["bids_task"]
        task = planned.recipe["tasks"][name]
        if recording.leads:
            reel, recordings[recording.id] = thread(planned, recording)
            bids_long.write_recording(root, recording, task, reel)
            notes.setdefault(name, {}).update(reel.notes)
            continue
        canvas, recordings[recording.id] = paint(planned, recording)
        grid = brainvision.quantise(canvas.recorded_uv)
        bids.write_recording(root, recording, task, canvas, grid)
        notes.setdefault(name, {}).update(canvas.notes)
    for task, found in notes.items():
        if found:
            bids.write_event_notes(root, task, found)
    bids.write_dataset(root, planned)
    dataset = {**summary.of_participants(planned), **summary.of_recordings(recordings)}
    return {"recordings": recordings, "dataset": {**dataset, **planned.truth}}
