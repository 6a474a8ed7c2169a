"""Small recipes, and the few ways in which the tests build and look at them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.registry.roots import builtin
from braino_registry.synthesis.brainvision import LSB_UV, quantise
from braino_registry.synthesis.build import paint
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

NOISE: list[dict[str, Any]] = [
    {
        "layer": "background",
        "with": {"rms_uv": 9, "exponent": 1.7, "width_deg": 62, "common": 0.38, "own": 0.02},
    },
    {"layer": "sensor_noise", "with": {"rms_uv": 0.6, "spread": 0.2}},
]


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
