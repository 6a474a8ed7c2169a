"""Small recipes, and the few ways in which the tests build and look at them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from braino_registry.registry.roots import builtin
from braino_registry.synthesis.brainvision import LSB_UV, quantise
from braino_registry.synthesis.build import paint
from braino_registry.synthesis.canvas import Event
from braino_registry.synthesis.planning import plan

ROOT = Path(__file__).resolve().parents[2]
HED = "Sensory-event, Visual-presentation"
NAMES = (
    "two-subject-rest",
    "faulty-channels",
    "oddball-p3",
    "mains-hum",
    "alpha-groups",
    "eyes-open-closed",
)
ALL = tuple(sorted(path.stem for path in (builtin() / "generators").glob("*.json")))
LARGE = tuple(
    name
    for name in ALL
    if name.startswith(("nights-", "scalp-monitoring-", "sleep-edf-twin", "chbmit-twin"))
)
"""Recipes of hours of recording; `test_large_recipes` builds them."""
REGULAR = tuple(name for name in ALL if name not in LARGE)

NOISE: list[dict[str, Any]] = [
    {
        "layer": "background",
        "with": {"rms_uv": 9, "exponent": 1.7, "width_deg": 62, "common": 0.38, "own": 0.02},
    },
    {"layer": "sensor_noise", "with": {"rms_uv": 0.6, "spread": 0.2}},
]


def layer(kind: str, **params: Any) -> dict[str, Any]:
    """Return a layer of a recipe."""
    return {"layer": kind, "with": params}


SHOWN = {"count": 20, "duration": 0.2, "code": 1, "description": "A letter.", "hed": HED}
KEY = {"code": 9, "description": "A key.", "hed": HED}
TIMING = {"median": 0.4, "spread": 0.1, "earliest": 0.2, "latest": 1}


LETTERS = layer("trials", start=1, interval=1.5, tail=2, stimuli={"letter": SHOWN})
WAVE = layer(
    "evoked",
    name="wave",
    amplitude_uv={"letter": 8},
    latency=0.4,
    width=0.06,
    sites=["Pz"],
    width_deg=50,
)
WINDOWS = {"baseline": [-0.2, 0], "window": [0.2, 0.6]}
TROUBLE = {"event": "letter", "late_by": [0.05, 0.08], "again_after": [0.004, 0.012]}
MU = {
    "name": "mu",
    "frequency_hz": 11,
    "bandwidth_hz": 1.5,
    "amplitude_uv": 20,
    "width_deg": 26,
    "change": {"letter": {"C3": -0.8, "C4": 0}},
    "onset": 0.1,
    "rise": 0.1,
    "hold": 0.6,
}


def recipe(
    layers: list[dict[str, Any]], *, sfreq: float = 128, duration: float = 20, **more: Any
) -> dict[str, Any]:
    """Return a recipe of one participant with 19 channels."""
    return {
        "schema": "recipe/1",
        "id": "small",
        "version": "1.0.0",
        "title": "A small recipe",
        "seed": 11,
        "dataset": {
            "name": "Rest",
            "readme": "One participant sat at rest and looked at a cross. The EEG was "
            "recorded with 19 scalp electrodes against linked earlobes and was not filtered.",
        },
        "participants": {"labels": ["01"]},
        "tasks": {"rest": {"description": "Rest.", "instructions": "Rest."}},
        "recordings": [
            {
                "over": {"bids_task": ["rest"]},
                "montage": "standard-19",
                "sfreq": sfreq,
                "duration": duration,
                "line_frequency": 50,
                "layers": layers,
            }
        ],
        "expects": {"validator": []},
        **more,
    }


def shipped(name: str) -> dict[str, Any]:
    """Return a recipe that belongs to the package."""
    file = builtin() / "generators" / f"{name}.json"
    doc: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return doc


def painted(
    doc: Mapping[str, Any], salt: bytes = b"", number: int = 0
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """Return one recording in µV, as stored, and its truth, without writing files."""
    planned = plan(doc, salt)
    canvas, truth = paint(planned, planned.recordings[number])
    return quantise(canvas.signal_uv) * LSB_UV, truth


def digest_in_process(doc: Mapping[str, Any], folder: Path, python: str, hash_seed: str) -> str:
    """Build in a fresh process of some interpreter and return the digest."""
    code = (
        "import json, sys, pathlib\n"
        "from braino_registry.synthesis import build\n"
        "print(build(json.load(sys.stdin), b'salt of sixteen b', pathlib.Path(sys.argv[1])).digest)"
    )
    folder.mkdir()
    environ = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTHONHASHSEED": hash_seed,
        "TZ": "Asia/Tokyo",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [python, "-c", code, str(folder / "out")],
        input=json.dumps(doc),
        capture_output=True,
        text=True,
        env=environ,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def this_python() -> str:
    """Return the interpreter that runs the tests."""
    return sys.executable


class Made(NamedTuple):
    """One recording of a shipped recipe as its files hold it, and the truth about it."""

    id: str
    x: NDArray[np.float64]
    names: list[str]
    sfreq: float
    events: list[Event]
    truth: dict[str, Any]

    def row(self, name: str) -> NDArray[np.float64]:
        """Return one channel in µV."""
        found: NDArray[np.float64] = self.x[self.names.index(name)]
        return found

    def onsets(self, event: str) -> list[int]:
        """Return the samples at which an event was written."""
        return [one.sample for one in self.events if one.trial_type == event]

    def scalp(self) -> NDArray[np.float64]:
        """Return the scalp channels in µV."""
        keep = [self.truth["ch_types"][name] == "EEG" for name in self.names]
        return self.x[np.array(keep)]


def made(name: str, salt: bytes) -> Iterator[Made]:
    """Yield the recordings of a shipped recipe, one after the other, without writing files."""
    planned = plan(shipped(name), salt)
    for recording in planned.recordings:
        canvas, truth = paint(planned, recording)
        x = quantise(canvas.recorded_uv) * LSB_UV
        names = list(canvas.ch_types)
        yield Made(recording.id, x, names, recording.sfreq, canvas.events, truth)
