from __future__ import annotations

import json
from pathlib import Path

import pytest

from braino_registry.datasets import fresh_copy
from braino_registry.datasets.invariants import INVARIANTS, broken_invariants
from braino_registry.registry import schemas
from tests.datasets.conftest import Tiny


@pytest.fixture
def tree(tiny_dataset: Tiny, tmp_path: Path) -> Path:
    fresh_copy(
        tiny_dataset.store.build_or_find(tiny_dataset.entry), tmp_path / "tree", writable=True
    )
    return tmp_path / "tree"


def _broken(tiny_dataset: Tiny, tree: Path) -> list[str]:
    return broken_invariants(tree, list(tiny_dataset.entry.doc["invariants"]))


def test_they_hold_after_conversion(tiny_dataset: Tiny, tree: Path) -> None:
    assert _broken(tiny_dataset, tree) == []


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("1.5\t1\tT1\n", "", "0 'T1' events instead of 1"),
        ("T2", "T1", "2 'T1' events instead of 1"),
        ("1.5\t1\tT1\n", "1.5\t1\tT1\n1.5\t1\tT1\n", "2 'T1' events instead of 1"),
    ],
)
def test_lost_doubled_and_renamed_events_are_found(
    tiny_dataset: Tiny, tree: Path, old: str, new: str, found: str
) -> None:
    events = next(tree.rglob("*_task-fistmovement_run-1_events.tsv"))
    text = events.read_text(encoding="utf-8")
    assert old in text
    events.write_text(text.replace(old, new), encoding="utf-8")
    assert _broken(tiny_dataset, tree) == [f"sub-001_task-fistmovement_run-1: {found}"]


def test_lost_channels_rates_and_recordings_are_found(tiny_dataset: Tiny, tree: Path) -> None:
    channels = next(tree.rglob("*eyesopen_channels.tsv"))
    lines = channels.read_text(encoding="utf-8").splitlines(keepends=True)
    channels.write_text("".join(lines[:-1]), encoding="utf-8")
    sidecar = next(tree.rglob("*eyesopen_eeg.json"))
    doc = json.loads(sidecar.read_text(encoding="utf-8"))
    sidecar.write_text(json.dumps(doc | {"SamplingFrequency": 128, "RecordingDuration": 5}))
    assert _broken(tiny_dataset, tree) == [
        "sub-001_task-eyesopen: 128 Hz instead of 160",
        "sub-001_task-eyesopen: 5 s instead of 4",
        "sub-001_task-eyesopen: 3 EEG channels instead of 4",
    ]
    sidecar.unlink()
    assert "1 recordings instead of 2" in _broken(tiny_dataset, tree)


def test_a_pattern_that_matches_nothing_holds_nowhere(tiny_dataset: Tiny, tree: Path) -> None:
    row = {"kind": "event_count", "recording": "sub-9*", "trial_type": "T1", "equals": 0}
    assert broken_invariants(tree, [row]) == ["no recording matches 'sub-9*'"]


def test_the_schema_knows_the_kinds_that_exist() -> None:
    items = schemas.document("dataset-1")["properties"]["invariants"]["items"]
    assert sorted(items["properties"]["kind"]["enum"]) == INVARIANTS.names()
