"""Impossible recordings and participants are refused before anything is built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from braino_registry.errors import EntryError
from braino_registry.synthesis import build
from braino_registry.synthesis.planning import plan
from tests.synthesis.small import NOISE, layer, recipe

BLOCK: dict[str, tuple[dict[str, Any], str, str]] = {
    "a recording of a microsecond": ({"duration": 1e-6}, "duration", "1e-06 s is not possible"),
    "a recording of thirty years": ({"duration": 1e9}, "duration", "1e+09 s is not possible"),
    "a billion samples per second": ({"sfreq": 1e9}, "sfreq", "1e+09 Hz is not possible"),
    "one sample per second": ({"sfreq": 1}, "sfreq", "1 Hz is not possible"),
    "more than the memory": ({"sfreq": 2e4, "duration": 86400}, "duration", "GiB of memory"),
    "a drawn rate out of range": (
        {"sfreq": {"draw": {"choice": [1e9]}}},
        "sfreq",
        "1e+09 Hz is not possible",
    ),
    "a rate that is a text": ({"sfreq": {"draw": {"choice": ["fast"]}}}, "sfreq", "not a number"),
    "hum above what is sampled": ({"sfreq": 100}, "line_frequency", "hum of 50 Hz"),
    "a montage that is a number": (
        {"montage": {"draw": {"choice": [19]}}},
        "montage",
        "a montage is a cap, or a list of channels",
    ),
    "a reference that breaks the table": ({"reference": "A1\tA2"}, "reference", "in a table"),
    "a reference that is a number": (
        {"reference": {"draw": {"choice": [1]}}},
        "reference",
        "not a text",
    ),
    "a draw without limits": (
        {"duration": {"draw": {"uniform": [0, 1e300], "step": 1e-300}}},
        "duration.draw",
        "leaves the range of numbers",
    ),
    "more recordings than anybody makes": (
        {"over": {"bids_task": ["rest"], "bids_run": [str(run) for run in range(10_001)]}},
        "over",
        "these are 10001 recordings",
    ),
}


@pytest.mark.parametrize("name", BLOCK)
def test_impossible_recordings_are_refused_before_building(name: str, tmp_path: Path) -> None:
    change, path, problem = BLOCK[name]
    doc = recipe(NOISE)
    doc["recordings"][0].update(change)
    with pytest.raises(EntryError) as caught:
        build(doc, b"", tmp_path / "out")
    place = caught.value.where.partition(" (")[0]
    assert place == f"recipe small: $.recordings[0].{path}"
    assert problem in caught.value.problem
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_dataset_larger_than_a_disk_is_refused(tmp_path: Path) -> None:
    doc = recipe(NOISE, sfreq=1000, duration=9000)
    doc["recordings"][0]["over"]["bids_run"] = [str(run) for run in range(60)]
    with pytest.raises(EntryError, match="the dataset takes") as caught:
        build(doc, b"", tmp_path / "out")
    assert caught.value.where == "recipe small: $.recordings[0]"


@pytest.mark.parametrize("value", ["a\tb", "a\nb", ["a"]])
def test_a_column_holds_one_cell_for_each_participant(value: Any) -> None:
    doc = recipe(NOISE)
    doc["participants"]["columns"] = {"note": {"description": "A note.", "value": value}}
    with pytest.raises(EntryError) as caught:
        plan(doc)
    assert caught.value.where == "recipe small: $.participants.columns.note.value (for sub-01)"


def test_a_layer_for_a_level_that_no_participant_has_is_refused() -> None:
    doc = recipe([*NOISE, {**layer("blinks", per_minute=5, amplitude_uv=90)}])
    doc["participants"]["columns"] = {
        "visit": {"description": "Visit.", "levels": {"1": "first", "2": "second"}, "value": 1}
    }
    doc["recordings"][0]["layers"][-1]["only"] = {"visit": [1, 2]}
    assert plan(doc).recordings[0].layers[-1].kind == "blinks"
    doc["recordings"][0]["layers"][-1]["only"] = {"visit": [1, 3]}
    with pytest.raises(EntryError, match="no recording has visit 3") as caught:
        plan(doc)
    assert caught.value.where.endswith("layers[2].only.visit[1]")
