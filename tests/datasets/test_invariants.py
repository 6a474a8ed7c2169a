from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import fresh_copy
from braino_registry.datasets.invariants import INVARIANTS, broken_invariants, invalid_rows
from braino_registry.datasets.invariants.events import table_digest
from braino_registry.recordings.tsv import read_tsv
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
    assert any("states no SamplingFrequency" in text for text in _broken(tiny_dataset, tree))
    next(tree.rglob("*eyesopen_eeg.vhdr")).unlink()
    assert "1 recordings instead of 2" in _broken(tiny_dataset, tree)


def test_a_pattern_that_matches_nothing_holds_nowhere(tiny_dataset: Tiny, tree: Path) -> None:
    row = {"kind": "event_count", "recording": "sub-9*", "trial_type": "T1", "equals": 0}
    assert broken_invariants(tree, [row]) == ["no recording matches 'sub-9*'"]


def _write(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Two subjects, sidecars alone: a root JSON that both inherit, a BOM, CR LF line ends."""
    root = tmp_path / "small"
    _write(root / "task-rest_eeg.json", '{"SamplingFrequency": 100, "TaskName": "rest"}')
    for label, seconds in (("01", 60), ("02", 90.5)):
        stem = root / f"sub-{label}" / "eeg" / f"sub-{label}_task-rest"
        _write(Path(f"{stem}_eeg.json"), json.dumps({"RecordingDuration": seconds}))
    events = root / "sub-01" / "eeg" / "sub-01_task-rest_events.tsv"
    table = "onset\tduration\tsample\ttrial_type\tstage\n0\t30\t1\tN2\tS2\n30\t30\t3001\tN3\tS4\n"
    events.write_bytes(b"\xef\xbb\xbf" + table.replace("\n", "\r\n").encode())
    _write(root / "participants.tsv", "participant_id\tage\tgroup", "sub-01\t20\tA", "sub-02\t\tB")
    (root / "derivatives" / "sub-09" / "eeg").mkdir(parents=True)
    _write(root / "derivatives" / "sub-09" / "eeg" / "sub-09_task-rest_eeg.json", "{}")
    return root


HOLD: list[dict[str, Any]] = [
    {"kind": "recording_count", "equals": 2},
    {"kind": "recording_count", "recording": "sub-02*", "equals": 1},
    {"kind": "subject_count", "equals": 2},
    {"kind": "recordings_per_subject", "recording": "*", "equals": 1},
    {"kind": "sampling_rate", "recording": "*", "equals": 100},
    {"kind": "sample_count", "recording": "sub-02*", "equals": 9050},
    {"kind": "event_count", "recording": "sub-01*", "where": {"stage": ["S3", "S4"]}, "equals": 1},
    {"kind": "event_count", "recording": "sub-01*", "where": {"onset": 30.0}, "equals": 1},
    {"kind": "sample_column", "recording": "*", "first": 1, "within": 0},
    {"kind": "event_levels", "recording": "*", "columns": ["stage", "trial_type"],
     "allowed": [["S2", "N2"], ["S4", "N3"]]},
    {"kind": "events_back_to_back", "recording": "sub-01*", "start": 0, "step": 30},
    {"kind": "events_are", "recording": "*", "columns": ["onset", "duration"],
     "where": {"trial_type": "N3"}, "events": {"sub-01_task-rest": [[30, 30]]}},
    {"kind": "participant_count", "where": {"group": "A"}, "equals": 1},
    {"kind": "participants_are", "columns": ["age", "group"],
     "participants": {"sub-01": ["20", "A"], "sub-02": ["n/a", "B"]}},
]  # fmt: skip

BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"kind": "recording_count", "equals": 3}, "2 recordings instead of 3"),
    ({"kind": "recording_count", "recording": "sub-02*", "equals": 0},
     "1 recordings 'sub-02*' instead of 0"),
    ({"kind": "recordings_per_subject", "recording": "*", "equals": 1, "except": {"sub-02": 2}},
     "sub-02: 1 recordings instead of 2"),
    ({"kind": "recordings_per_subject", "recording": "*", "equals": 1, "except": {"sub-03": 1}},
     "sub-03: 0 recordings instead of 1"),
    ({"kind": "sample_count", "recording": "sub-02*", "equals": 9051},
     "sub-02_task-rest: 9050.0 samples instead of 9051"),
    ({"kind": "sample_column", "recording": "*", "first": 0, "within": 0.5},
     "sub-01_task-rest: event 1 has sample 1 instead of 0.00"),
    ({"kind": "event_levels", "recording": "*", "columns": ["stage"], "allowed": [["S2"]]},
     "sub-01_task-rest: event 2 says S4, which is not allowed"),
    ({"kind": "events_back_to_back", "recording": "sub-01*", "start": 10, "step": 30},
     "sub-01_task-rest: event 1 does not start at 10 s"),
    ({"kind": "events_back_to_back", "recording": "sub-01*", "start": 0, "step": 20},
     "sub-01_task-rest: event 1 lasts 30 s"),
    ({"kind": "events_back_to_back", "recording": "sub-02*", "start": 0, "step": 20},
     "sub-02_task-rest: there are no events"),
    ({"kind": "events_are", "recording": "*", "columns": ["onset"], "events": {}},
     "sub-01_task-rest: 2 events instead of 0"),
    ({"kind": "events_are", "recording": "*", "columns": ["onset", "stage"],
      "events": {"sub-01_task-rest": [[0, "S2"], [31, "S4"]]}},
     "sub-01_task-rest: event 2 is onset 30, stage S4 instead of onset 31, stage S4"),
    ({"kind": "events_are", "recording": "sub-01*", "columns": ["onset"],
      "events": {"sub-01_task-rest": [[0], [30]], "sub-01_task-gone": [[1]]}},
     "sub-01_task-gone: the recording with listed events is not there"),
    ({"kind": "events_digest", "columns": ["onset"], "digests": {"sub-07_task-x": "0" * 24}},
     "sub-07_task-x: the recording is not there"),
    ({"kind": "events_digest", "columns": ["gone"], "digests": {"sub-01_task-rest": "0" * 24}},
     "events_digest: small: the events have no column 'gone'"),
    ({"kind": "participant_count", "where": {"group": "A"}, "equals": 2},
     "1 participants with group A instead of 2"),
    ({"kind": "participants_are", "columns": ["age"], "participants": {"sub-01": ["20"]}},
     "sub-02 is no participant of this dataset"),
    ({"kind": "participants_are", "columns": ["age"],
      "participants": {"sub-01": ["21"], "sub-02": ["n/a"], "sub-03": ["3"]}},
     "sub-01: age 20 instead of 21"),
    ({"kind": "duration", "recording": "sub-09*", "equals": 1}, "no recording matches 'sub-09*'"),
    ({"kind": "channel_count", "recording": "sub-01*", "type": "EEG", "equals": 1},
     "sub-01_task-rest: 0 EEG channels instead of 1"),
]  # fmt: skip


@pytest.mark.parametrize("row", HOLD, ids=lambda row: row["kind"])
def test_what_holds_is_found_to_hold(small: Path, row: dict[str, Any]) -> None:
    assert invalid_rows([row], "$") == ()
    assert broken_invariants(small, [row]) == []


@pytest.mark.parametrize(("row", "found"), BROKEN)
def test_what_does_not_hold_is_said(small: Path, row: dict[str, Any], found: str) -> None:
    assert invalid_rows([row], "$") == ()
    assert found in broken_invariants(small, [row])


def test_the_digest_of_events_is_of_what_they_say_and_not_of_bytes(small: Path) -> None:
    events = small / "sub-01" / "eeg" / "sub-01_task-rest_events.tsv"
    columns = ["onset", "duration", "stage"]
    digest = table_digest(read_tsv(events), columns)
    _write(events, "stage\tonset\tduration", "S2\t0.0\t30.00", "S4\t30.0000001\t30")
    assert table_digest(read_tsv(events), columns) == digest
    row = {"kind": "events_digest", "columns": columns, "digests": {"sub-01_task-rest": digest}}
    assert broken_invariants(small, [row]) == []
    _write(events, "stage\tonset\tduration", "S4\t30\t30", "S2\t0\t30")
    assert "the events are others" in broken_invariants(small, [row])[0]


def test_totals_are_not_asked_of_a_selection(small: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"kind": "recording_count", "equals": 40},
        {"kind": "subject_count", "equals": 40},
        {"kind": "participant_count", "equals": 40},
        {"kind": "recordings_per_subject", "recording": "*", "equals": 7},
        {"kind": "duration", "recording": "sub-30*", "equals": 1},
        {"kind": "file_count", "files": "*.tsv", "equals": 9},
    ]
    assert broken_invariants(small, rows, whole=False) == []
    assert len(broken_invariants(small, rows)) == 7
    wrong = {"kind": "sampling_rate", "recording": "*", "equals": 99}
    assert len(broken_invariants(small, [wrong], whole=False)) == 2


def test_a_sidecar_that_cannot_be_read_breaks_what_it_should_prove(small: Path) -> None:
    _write(small / "sub-01" / "eeg" / "sub-01_task-rest_eeg.json", "{")
    row = {"kind": "sampling_rate", "recording": "*", "equals": 100}
    (found,) = broken_invariants(small, [row])
    assert found.startswith("sampling_rate: sub-01_task-rest_eeg.json: cannot be read")
    _write(small / "sub-01" / "eeg" / "sub-01_task-rest_eeg.json", '{"SamplingFrequency": "100"}')
    assert "states no SamplingFrequency" in broken_invariants(small, [row])[0]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_in_place_of_a_table_ends_in_words_and_not_in_waiting(small: Path) -> None:
    events = small / "sub-01" / "eeg" / "sub-01_task-rest_events.tsv"
    events.unlink()
    os.mkfifo(events)
    row = {"kind": "event_count", "recording": "*", "trial_type": "N2", "equals": 1}
    (found,) = broken_invariants(small, [row])
    assert "it is a pipe, not a regular file" in found


def test_a_table_with_ragged_rows_or_no_utf8_is_no_crash(small: Path) -> None:
    events = small / "sub-01" / "eeg" / "sub-01_task-rest_events.tsv"
    row = {"kind": "event_count", "recording": "sub-01*", "trial_type": "N2", "equals": 1}
    for raw in (b"onset\tonset\n1\t2\n", b"onset\n1\t2\n", b"\xff\xfe\x00", b"\0\0\0\n", b""):
        events.write_bytes(raw)
        assert broken_invariants(small, [row])


def test_a_participant_that_stands_twice_is_found(small: Path) -> None:
    _write(small / "participants.tsv", "participant_id\tage", "sub-01\t20", "sub-01\t20")
    row = {"kind": "participants_are", "columns": ["age"], "participants": {"sub-01": ["20"]}}
    (found,) = broken_invariants(small, [row])
    assert "'sub-01' stands there twice" in found


def test_files_are_told_by_their_beginnings(tmp_path: Path) -> None:
    (tmp_path / "night").mkdir()
    (tmp_path / "night" / "a.edf").write_bytes(b"0       X")
    (tmp_path / "night" / "b.edf").write_bytes(b"/annex/objects/SHA256E-s1--0.edf")
    (tmp_path / "night" / "c.edf").write_bytes(b"<!DOCTYPE html><html>")
    (tmp_path / "night" / "d.edf").write_bytes(b"")
    (tmp_path / "night" / "a_scores.edf").write_bytes(b"0       X")
    rows: list[dict[str, Any]] = [
        {"kind": "file_kind", "files": "**/*.edf"},
        {"kind": "files_paired", "files": "night/?.edf", "ends": ".edf", "with": "_scores.edf"},
        {"kind": "file_count", "files": "night/*_scores.edf", "equals": 2},
    ]
    assert invalid_rows(rows, "$") == ()
    assert broken_invariants(tmp_path, rows) == [
        "night/b.edf: it is a git-annex pointer",
        "night/c.edf: it is a web page",
        "night/d.edf: it does not begin like a .edf file",
        "b.edf is there without b_scores.edf",
        "c.edf is there without c_scores.edf",
        "d.edf is there without d_scores.edf",
        "1 files 'night/*_scores.edf' instead of 2",
    ]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"kind": "recording_cuont", "equals": 1}, "there is no invariant 'recording_cuont'"),
        ({"kind": "recording_count"}, "'equals' is a required property"),
        ({"kind": "recording_count", "equals": -1}, "-1 is less than the minimum"),
        ({"kind": "recording_count", "equals": 1, "equal": 1}, "'equal' was unexpected"),
        ({"kind": "events_digest", "columns": ["a"], "digests": {"x": "0"}}, "does not match"),
        ({"kind": "participants_are", "columns": ["a", "b"], "participants": {"sub-1": ["x"]}},
         "1 cells for 2 columns"),
        ({"kind": "events_are", "recording": "*", "columns": ["a"], "events": {"x": [[1, 2]]}},
         "2 cells for 1 columns"),
    ],
)  # fmt: skip
def test_a_row_that_says_nothing_checkable_is_refused(row: dict[str, Any], problem: str) -> None:
    (error,) = invalid_rows([{"kind": "subject_count", "equals": 1}, row], "$.invariants")
    assert problem in error.problem
    assert error.where.startswith("$.invariants[1]")


def test_kinds_carry_a_strict_schema() -> None:
    for name, item in INVARIANTS:
        assert item.name == name
        assert item.schema["additionalProperties"] is False
        assert item.schema["properties"]["kind"] == {"const": name}
        assert len(item.schema["required"]) > 1
