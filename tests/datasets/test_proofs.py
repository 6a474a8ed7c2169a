"""Invariants of the entries on the real sidecars, and on sidecars with one thing wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets.invariants import broken_invariants, invalid_rows
from braino_registry.datasets.invariants.reading import Sidecars
from braino_registry.registry.roots import builtin
from tests.shared import shared

Lines = list[list[str]]

#: Entry, folder of real sidecars, whether all of the dataset is there, a recording with events.
REAL = [
    ("erp-core-p3", "nm000132-erpcore", True, "sub-007_task-P3"),
    ("chbmit-nemar", "nm000110-chbmit", False, "sub-chb01_task-rest_run-3"),
    ("chbmit-nemar", "nm000110-chbmit", False, "sub-chb24_task-rest_run-4"),
    ("sleep-edf-nemar", "nm000185-sleepedfx", False, "sub-cassette02_ses-night1_task-sleep"),
    ("sleep-edf-nemar", "nm000185-sleepedfx", False, "sub-telemetry04_ses-night2_task-sleep"),
]


def _invariants(name: str) -> list[dict[str, Any]]:
    doc = json.loads((builtin() / "datasets" / f"{name}.json").read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = doc["invariants"]
    return rows


@pytest.mark.parametrize(
    ("name", "folder", "whole"),
    sorted({row[:3] for row in REAL} | {("ds004504", "ds004504", True)}),
)
def test_they_hold_on_the_real_sidecars(name: str, folder: str, whole: bool) -> None:
    bids = shared("realdata", "bids-meta", folder)
    assert Sidecars(bids).recordings()
    assert broken_invariants(bids, _invariants(name), whole=whole) == []


def _one_subject(tmp_path: Path, folder: str, recording: str) -> tuple[Path, Path]:
    """Copy the root files and one subject; return the root and the recording's events."""
    source = shared("realdata", "bids-meta", folder)
    root = tmp_path / "bids"
    root.mkdir()
    for path in source.iterdir():
        if path.is_file():
            shutil.copyfile(path, root / path.name)
    subject = recording.split("_")[0]
    shutil.copytree(source / subject, root / subject, copy_function=shutil.copyfile)
    (events,) = root.rglob(f"{recording}_events.tsv")
    return root, events


def _remove(lines: Lines, at: int, columns: list[str]) -> None:
    del lines[at]


def _shift(lines: Lines, at: int, columns: list[str]) -> None:
    """Move the event by 26 ms, in every column that says when it was."""
    lines[at][columns.index("onset")] = str(float(lines[at][columns.index("onset")]) + 0.026)
    if "sample" in columns:
        where = columns.index("sample")
        lines[at][where] = str(int(float(lines[at][where])) + 27)


def _lengthen(lines: Lines, at: int, columns: list[str]) -> None:
    where = columns.index("duration")
    lines[at][where] = str(float(lines[at][where]) + 30)


def _duplicate(lines: Lines, at: int, columns: list[str]) -> None:
    lines.insert(at, list(lines[at]))


def _relabel(lines: Lines, at: int, columns: list[str]) -> None:
    """Give the event another label, in every column, as a rare letter becomes a frequent one."""
    other = {
        "33": "31", "31": "33", "201": "202", "202": "201", "seizure": "background",
        "Wake": "N1", "Sleep stage W": "Sleep stage 1",
        "N1": "Wake", "Sleep stage 1": "Sleep stage W",
        "N2": "N3", "Sleep stage 2": "Sleep stage 3",
    }  # fmt: skip
    changed = [other.get(cell, cell) for cell in lines[at]]
    if changed == lines[at]:
        where = columns.index("value" if "value" in columns else "trial_type")
        changed[where] = "99"
    lines[at][:] = changed


@pytest.mark.parametrize("change", [_remove, _shift, _lengthen, _duplicate, _relabel])
@pytest.mark.parametrize(("name", "folder", "whole", "recording"), REAL)
def test_one_event_that_is_wrong_is_found(
    tmp_path: Path,
    name: str,
    folder: str,
    whole: bool,
    recording: str,
    change: Callable[[Lines, int, list[str]], None],
) -> None:
    root, events = _one_subject(tmp_path, folder, recording)
    rows = _invariants(name)
    assert broken_invariants(root, rows, whole=False) == []
    text = events.read_text(encoding="utf-8-sig")
    head, *body = (line.split("\t") for line in text.splitlines())
    for at in sorted({0, len(body) // 3, len(body) // 2, len(body) - 1}):
        lines = [list(line) for line in body]
        change(lines, at, head)
        assert lines != body
        changed = "\n".join("\t".join(line) for line in [head, *lines]) + "\n"
        events.write_text(changed, encoding="utf-8")
        found = broken_invariants(root, rows, whole=False)
        assert found, f"event {at + 1}"
        assert all(text.startswith(recording) for text in found), found


PARTICIPANTS = [
    ("removed", lambda lines: lines.pop(40)),
    ("twice", lambda lines: lines.append(list(lines[40]))),
    ("another group", lambda lines: lines[40].__setitem__(3, "A")),
    ("another age", lambda lines: lines[40].__setitem__(2, "44")),
    ("labels of the next one", lambda lines: _swap(lines, 35, 36)),
    ("a stranger", lambda lines: lines.append(["sub-089", "F", "60", "C", "30"])),
]


def _swap(lines: Lines, one: int, other: int) -> None:
    lines[one][1:], lines[other][1:] = lines[other][1:], lines[one][1:]


@pytest.mark.parametrize(("what", "change"), PARTICIPANTS, ids=[row[0] for row in PARTICIPANTS])
def test_one_participant_that_is_wrong_is_found(
    tmp_path: Path, what: str, change: Callable[[Lines], object]
) -> None:
    source = shared("realdata", "bids-meta", "ds004504")
    root = tmp_path / "bids"
    shutil.copytree(source, root, copy_function=shutil.copyfile)
    table = root / "participants.tsv"
    text = table.read_bytes().decode("utf-8")
    head, *body = [line.split("\t") for line in text.split("\r\n") if line]
    assert len(body) == 88
    change(body)
    table.write_bytes("\r\n".join("\t".join(line) for line in [head, *body]).encode())
    assert broken_invariants(root, _invariants("ds004504"))


def test_totals_follow_from_what_is_stated_of_each() -> None:
    seizures = next(row for row in _invariants("chbmit-nemar") if row["kind"] == "events_are")
    assert sum(map(len, seizures["events"].values())) == 198
    assert len(seizures["events"]) == 141
    assert sum(line[1] for lines in seizures["events"].values() for line in lines) == 12011
    people = next(row for row in _invariants("ds004504") if row["kind"] == "participants_are")
    groups = [values[2] for values in people["participants"].values()]
    assert [groups.count(group) for group in "AFC"] == [36, 23, 29]
    nights = next(
        row for row in _invariants("sleep-edf") if row["kind"] == "recordings_per_subject"
    )
    assert 100 * nights["equals"] - sum(2 - n for n in nights["except"].values()) == 153 + 44


@pytest.mark.parametrize(
    "path", sorted((builtin() / "datasets").glob("*.json")), ids=lambda p: p.stem
)
def test_the_rows_of_every_entry_are_valid(path: Path) -> None:
    doc = json.loads(path.read_text(encoding="utf-8"))
    assert invalid_rows(doc["invariants"], "$.invariants") == ()
    assert invalid_rows(doc.get("local", {}).get("checks", []), "$.local.checks") == ()
