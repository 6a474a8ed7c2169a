"""A new component, check kind, tool or task is one file, and no list is edited."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
FOLDERS = ("braino", "braino_registry", "schemas", "tasks", "generators", "datasets", "releases")

LAYER = '''
"""A tone in every channel."""

from __future__ import annotations

from typing import Any

import numpy as np

from braino_registry.synthesis.canvas import Canvas
from braino_registry.synthesis.component import POSITIVE, Params, layer, record
from braino_registry.synthesis.streams import Stream


@layer("plain_tone", parameters=record({"frequency_hz": POSITIVE, "amplitude_uv": POSITIVE}))
def tone(canvas: Canvas, params: Params, stream: Stream) -> dict[str, Any]:
    """Add a sine to every channel."""
    turns = np.arange(canvas.n_times) * (2 * np.pi * params["frequency_hz"] / canvas.sfreq)
    canvas.signal_uv += params["amplitude_uv"] * np.sin(turns)
    return {"tone_hz": params["frequency_hz"]}
'''

CHECK = '''
"""A check on the length of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.scoring.kinds import check
from braino_registry.scoring.model import Evidence, Verdict


@check(
    "short",
    version="1.0.0",
    parameters={"properties": {"words": {"type": "integer", "minimum": 1}}, "required": ["words"]},
)
def short(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require an answer of at most so many words."""
    text = evidence.answer.text if evidence.answer else ""
    count = len(text.split())
    return Verdict(0 < count <= spec["words"], f"{count} words, expected at most {spec['words']}")
'''

TOOL = '''
"""A tool that tells how many recordings there are."""

from __future__ import annotations

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.state import ToolState


class Count(Result, frozen=True, kw_only=True):
    """How many recordings a dataset has."""

    n_recordings: int


@tool("dataset.count", version="1.0.0")
def count(state: ToolState) -> Count:
    """Count the recordings of the dataset.

    Definition: a recording is one EEG file of the BIDS tree.

    Example: {}
    """
    return Count(n_recordings=len(state.tree.recordings()))
'''


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of the project that a contributor could edit."""
    target = tmp_path / "checkout"
    for name in FOLDERS:
        shutil.copytree(TOP / name, target / name)
    return target


def python(checkout: Path, code: str) -> str:
    """Run code on the copy, in a fresh interpreter."""
    env = {
        **os.environ,
        "PYTHONPATH": str(checkout),
        "BRAINO_DATA": str(checkout.parent / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=env,
        cwd=checkout,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def a_task(check: dict[str, object], fails: list[dict[str, object]]) -> dict[str, object]:
    """Return a new task that is `count-events` under another name, with one check more."""
    task = json.loads((TOP / "tasks/braino/count-events.json").read_text(encoding="utf-8"))
    task["id"] = "count-again"
    task["checks"].append(check)
    task["counterexamples"] += fails
    return task


def write(checkout: Path, task: dict[str, object]) -> None:
    (checkout / "tasks/braino/count-again.json").write_text(json.dumps(task), encoding="utf-8")


TRY = """
from braino_registry.runner import try_task, run_counterexample
print(try_task("count-again")["outcome"])
print([c["id"] for c in run_counterexample("count-again", -1 + {n})["checks"] if not c["passed"]])
"""


def test_a_task_is_one_file(checkout: Path) -> None:
    check = {"id": "looks-once", "kind": "called", "tool": "recording.info", "times": {"max": 1}}
    fail = {
        "why": "looks twice",
        "steps": [
            {"call": "recording.info", "args": {"view": {"$": "recording"}}, "as": "info"},
            {"call": "recording.info", "args": {"view": {"$": "recording"}}, "as": "info"},
        ],
        "fails": ["looks-once"],
    }
    task = a_task(check, [fail])
    write(checkout, task)
    n = len(task["counterexamples"])  # type: ignore[arg-type]
    assert python(checkout, TRY.format(n=n)).split("\n")[:2] == ["passed", "['looks-once']"]


def test_a_check_kind_is_one_file(checkout: Path) -> None:
    (checkout / "braino_registry/scoring/checks/short.py").write_text(CHECK, encoding="utf-8")
    fail = {"why": "babbles", "answer": "{{ 'well ' * 60 }}", "fails": ["brief"]}
    task = a_task({"id": "brief", "kind": "short", "words": 50}, [fail])
    write(checkout, task)
    code = """
from braino_registry.runner import try_task, run_counterexample
print(try_task("count-again")["outcome"])
print([c["id"] for c in run_counterexample("count-again", {n})["checks"] if not c["passed"]][-1])
"""
    n = len(task["counterexamples"]) - 1  # type: ignore[arg-type]
    # babbling gives no numbers either, so that the older checks fail with it
    task["counterexamples"][n]["fails"] = [  # type: ignore[index]
        "counts-stimuli", "counts-responses", "knows-the-rate", "brief",
    ]  # fmt: skip
    write(checkout, task)
    assert python(checkout, code.format(n=n)).split("\n")[:2] == ["passed", "brief"]


def test_a_check_kind_brings_its_own_schema(checkout: Path) -> None:
    (checkout / "braino_registry/scoring/checks/short.py").write_text(CHECK, encoding="utf-8")
    fail = {"why": "babbles", "answer": "well", "fails": ["brief"]}
    write(checkout, a_task({"id": "brief", "kind": "short", "words": 0}, [fail]))
    code = "from braino_registry.registry import Registry\nprint(*Registry.open().problems)"
    assert "$.checks[5].words" in python(checkout, code)


def test_a_tool_is_one_file(checkout: Path) -> None:
    (checkout / "braino_registry/tools/counting.py").write_text(TOOL, encoding="utf-8")
    code = """
from braino_registry.tools.catalog import Toolset
from braino_registry.tools.linting import lint
(spec,) = Toolset(("dataset.count@1.0.0",)).specs()
print(spec.description.split("\\n")[0], spec.result["properties"]["n_recordings"]["type"], lint())
"""
    assert python(checkout, code).strip() == "Count the recordings of the dataset. integer []"


def test_a_layer_is_one_file(checkout: Path) -> None:
    layers = checkout / "braino_registry/synthesis/layers"
    (layers / "plain_tone.py").write_text(LAYER, encoding="utf-8")
    code = """
import json, tempfile
from pathlib import Path
from braino_registry.recordings.operations import operations
from braino_registry.synthesis import build
recipe = json.loads(Path("generators/eyes-open-closed.json").read_text(encoding="utf-8"))
tone = {"layer": "plain_tone", "with": {"frequency_hz": 33, "amplitude_uv": 40}}
recipe["recordings"][0]["layers"].append(tone)
out = Path(tempfile.mkdtemp())
truth = build(recipe, b"", out).truth["recordings"]["sub-01_task-eyesopen"]
run = operations(out / "bids")
view = run["recordings.open"](recording="sub-01_task-eyesopen")
print(truth["tone_hz"], round(run["spectra.peak"](view=view, fmin=20, fmax=45)["frequency_hz"], 1))
"""
    assert python(checkout, code).strip() == "33 33.0"
