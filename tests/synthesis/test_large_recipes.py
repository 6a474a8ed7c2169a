"""Recipes of hours of recording: a short piece of each in every run, all of it in the long one."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets.invariants import broken_invariants
from braino_registry.registry.roots import builtin
from braino_registry.synthesis import build, plan
from braino_registry.synthesis.validation import expected, issues
from tests.synthesis.small import LARGE, shipped

QUICK = ("nights-a", "scalp-monitoring-b")
_SHORT = {"nights": 14_400, "scalp": 1_500, "chbmit": 1_500, "sleep": 63_900}


def _first(name: str) -> dict[str, Any]:
    """Return a recipe of the first recording only, and that short."""
    doc = copy.deepcopy(shipped(name))
    block = doc["recordings"][0]
    for entity in ("bids_subject", "bids_session", "bids_run"):
        if entity in block["over"]:
            block["over"][entity] = block["over"][entity][:1]
    block["over"].setdefault("bids_subject", doc["participants"]["labels"][:1])
    block["duration"] = _SHORT[name.partition("-")[0]]
    return doc | {"recordings": [block]}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n not in QUICK)) for n in LARGE]
)
def test_the_first_recording_can_be_made(name: str, tmp_path: Path) -> None:
    made = build(_first(name), b"", tmp_path / "out")
    (truth,) = made.truth["recordings"].values()
    if name.startswith(("nights", "sleep")):
        assert len(truth["hypnogram"]) == truth["n_epochs"] == truth["duration"] / 30
        assert {*truth["hypnogram"]} == {"W", "N1", "N2", "N3", "REM"}
    else:
        assert len(truth["seizures"]) == truth["n_seizures"]
        assert truth["n_channels"] == 23


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_bytes_are_those_that_the_recipe_records(name: str, tmp_path: Path) -> None:
    made = build(shipped(name), b"", tmp_path / "out")
    assert made.digest == shipped(name)["expects"]["digest"]
    assert issues(tmp_path / "out" / "bids") == expected(shipped(name))
    shutil.rmtree(tmp_path / "out")


@pytest.mark.parametrize("letter", "abcdefgh")
def test_some_recordings_of_a_child_have_no_seizure(letter: str) -> None:
    for salt in (b"", b"salt 2"):
        recordings = plan(shipped(f"scalp-monitoring-{letter}"), salt).recordings
        counts = [
            step.params["count"]
            for recording in recordings
            for step in recording.layers
            if step.kind == "scalp_seizures"
        ]
        expected_counts = [0, 0, 0, 1, 2] if letter in "aceg" else [0, 0, 1, 1, 3]
        assert sorted(counts) == expected_counts


def test_all_default_data_take_less_than_six_gigabytes() -> None:
    samples = sum(
        len(recording.ch_names) * recording.n_times
        for name in LARGE
        if not name.endswith("-twin")
        for recording in plan(shipped(name)).recordings
    )
    assert 2 * samples < 4e9


def _entry(name: str) -> dict[str, Any]:
    text = (builtin() / "datasets" / f"{name}.json").read_text(encoding="utf-8")
    doc: dict[str, Any] = json.loads(text)
    return doc


@pytest.mark.parametrize(
    ("public", "twin"),
    [
        ("ds004504", "ds004504-twin"),
        ("chbmit-nemar", "chbmit-twin"),
        ("sleep-edf", "sleep-edf-twin"),
    ],
)
def test_an_entry_names_its_twin(public: str, twin: str) -> None:
    assert _entry(public)["twin"] == twin


def test_a_twin_has_as_many_seizures_as_its_original() -> None:
    (rows,) = (row for row in _entry("chbmit-nemar")["invariants"] if row["kind"] == "events_are")
    for recording in plan(shipped("chbmit-twin")).recordings:
        (step,) = (one for one in recording.layers if one.kind == "scalp_seizures")
        assert step.params["count"] == len(rows["events"].get(recording.id, []))
        assert recording.sfreq == 256


def test_a_twin_has_the_people_of_its_original(tmp_path: Path) -> None:
    doc = copy.deepcopy(shipped("ds004504-twin"))
    doc["recordings"][0]["duration"] = 2
    build(doc, b"", tmp_path / "out")
    kinds = ("sampling_rate", "channel_count", "recordings_per_subject")
    rows = [row for row in _entry("ds004504")["invariants"] if row["kind"] in kinds]
    assert len(rows) == 3
    assert broken_invariants(tmp_path / "out" / "bids", rows) == []
    (stated,) = (r for r in _entry("ds004504")["invariants"] if r["kind"] == "participants_are")
    table = (tmp_path / "out" / "bids" / "participants.tsv").read_text("utf-8").splitlines()
    for line in table[1:]:
        name, gender, age = line.split("\t")
        assert stated["participants"][name][:2] == [gender, age]


def test_a_twin_of_a_night_has_its_rates_and_rooms(tmp_path: Path) -> None:
    build(_first("sleep-edf-twin"), b"", tmp_path / "out")
    kinds = ("sampling_rate", "channel_count")
    rows = [row for row in _entry("sleep-edf")["invariants"] if row["kind"] in kinds]
    assert broken_invariants(tmp_path / "out" / "bids", rows) == []
