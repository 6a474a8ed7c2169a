"""The twin of a public dataset has its shape: codes, counts, channels and rate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets.invariants import broken_invariants
from braino_registry.registry.roots import builtin

#: Sites of ERP CORE in the order of its files; it writes FP1 and FP2.
SITES = (
    "Fp1 F3 F7 FC3 C3 C5 P3 P7 P9 PO7 PO3 O1 Oz Pz CPz Fp2 Fz F4 F8 FC4 FCz Cz C4 C6 P4 P8 P10 "
    "PO8 PO4 O2"
).split()


def _load(*parts: str) -> dict[str, Any]:
    doc: dict[str, Any] = json.loads(builtin().joinpath(*parts).read_text(encoding="utf-8"))
    return doc


@pytest.fixture(scope="module")
def recipe() -> dict[str, Any]:
    return _load("generators", "erp-core-p3-twin.json")


@pytest.fixture(scope="module")
def entry() -> dict[str, Any]:
    return _load("datasets", "erp-core-p3.json")


def test_the_entry_names_its_twin(recipe: dict[str, Any], entry: dict[str, Any]) -> None:
    assert entry["twin"] == recipe["id"]
    assert [*recipe["tasks"]] == ["P3"]


def test_every_letter_comes_as_often_as_there(
    recipe: dict[str, Any], entry: dict[str, Any]
) -> None:
    (recording,) = recipe["recordings"]
    assert recording["montage"]["channels"] == SITES
    assert recording["sfreq"] == 1024
    assert recording["line_frequency"] == 60
    trials = next(layer["with"] for layer in recording["layers"] if layer["layer"] == "trials")
    shown = {str(one["code"]): one["count"] for one in trials["stimuli"].values()}
    stated = [row for row in entry["invariants"] if row["kind"] == "event_count"]
    assert [row["equals"] for row in stated] == [40, 160]
    for row in stated:
        assert sum(shown.pop(code) for code in row["where"]["value"]) == row["equals"]
    assert shown == {}
    assert {one["code"] for one in trials["responses"]} == {201}
    assert {one["slips"]["code"] for one in trials["responses"]} == {202}


@pytest.mark.slow
def test_what_holds_of_each_recording_there_holds_here(
    recipe: dict[str, Any], entry: dict[str, Any], tmp_path: Path
) -> None:
    from braino_registry.synthesis import build

    one = recipe | {"participants": recipe["participants"] | {"labels": ["001"]}}
    build(one, b"", tmp_path)
    shared = ("event_count", "sampling_rate")
    rows = [row for row in entry["invariants"] if row["kind"] in shared]
    rows.append({"kind": "channel_count", "recording": "*", "type": "EEG", "equals": 30})
    rows.append({"kind": "sample_column", "recording": "*", "first": 0, "within": 0.001})
    assert broken_invariants(tmp_path / "bids", rows) == []
    assert broken_invariants(
        tmp_path / "bids",
        [{"kind": "sample_column", "recording": "*", "first": 1, "within": 0.06}],
    )
