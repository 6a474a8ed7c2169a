"""Files that released cases ask for, under both profiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from braino_registry.scoring import Answer, Evidence, score
from tests.scoring.files import zoo

GOOD = zoo.average(zoo.filtered(zoo.eeg(), 1.0, 40.0))
FIELDS: dict[str, Any] = {
    "channel_count": {"value": 4, "weight": 1},
    "channel_names": {"value": list(zoo.NAMES), "weight": 1},
    "sfreq_hz": {"value": 200.0, "weight": 1},
    "duration_sec": {"value": 40.0, "weight": 1},
    "reference_mode": {"value": "average", "weight": 1},
    "bandpass_hz": {"value": [1.0, 40.0], "weight": 1},
    "signal_rms": {"value": float((GOOD**2).mean() ** 0.5), "weight": 2, "tolerance": 0.05},
}


def result(
    folder: Path, text: str, profile: Any = "strict", artifacts: tuple[str, ...] = (), **params: Any
) -> float:
    given = Evidence("", [], Answer(text, None, artifacts), artifacts=folder, profile=profile)
    wanted = {"match_mode": "eeg_file_match", "validator_config": FIELDS, **params}
    check = {"id": "x", "kind": "case_file", "target": "path", "params": wanted, "weight": 1}
    (found,) = score([check], given, "brainbench").checks
    assert "fault of the harness" not in found.evidence
    return found.score


@pytest.mark.parametrize(
    "path",
    ["file_check/a.edf", "/workspace/file_check/a.edf", "workspace/file_check/a.edf",
     "'file_check/a.edf'"],
)  # fmt: skip
def test_a_file_is_found_where_the_report_says(tmp_path: Path, path: str) -> None:
    zoo.write_edf(tmp_path / "file_check" / "a.edf", GOOD)
    assert result(tmp_path, f"path: {path}") == 1


def test_the_only_file_needs_no_naming(tmp_path: Path) -> None:
    zoo.write_edf(tmp_path / "a.edf", GOOD)
    assert result(tmp_path, "Written.", artifacts=("a.edf",)) == 1
    assert result(tmp_path, "Written.", artifacts=("a.edf", "b.edf")) == 0
    assert result(tmp_path, "Written.") == 0


def test_profiles_differ_on_a_header_that_lies(tmp_path: Path) -> None:
    raw = zoo.average(zoo.eeg())
    zoo.write_edf(tmp_path / "a.edf", raw, prefilter="HP:1Hz LP:40Hz")
    honest = {"validator_config": {"bandpass_hz": FIELDS["bandpass_hz"]}}
    assert result(tmp_path, "path: a.edf", "published", **honest) == 1
    assert result(tmp_path, "path: a.edf", "strict", **honest) == 0
    zoo.write_edf(tmp_path / "b.edf", GOOD)
    assert result(tmp_path, "path: b.edf", "published", **honest) == 0
    assert result(tmp_path, "path: b.edf", "strict", **honest) == 1


def test_fields_weigh(tmp_path: Path) -> None:
    zoo.write_edf(tmp_path / "a.edf", 3 * GOOD)
    assert result(tmp_path, "path: a.edf") == pytest.approx(6 / 8)


@pytest.mark.parametrize("path", ["../a.edf", "/etc/passwd", "nowhere.edf", "", "x.edf"])
def test_what_is_not_there_scores_nothing(tmp_path: Path, path: str) -> None:
    (tmp_path / "x.edf").write_text("text")
    zoo.write_edf(tmp_path.parent / "a.edf", GOOD)
    assert result(tmp_path, f"path: {path}") == 0


def test_modes_without_fields(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "empty.txt").write_text("")
    for mode in ("", "file_exists"):
        assert result(tmp_path, "path: a.txt", match_mode=mode) == 1
        assert result(tmp_path, "path: empty.txt", match_mode=mode) == 0
        assert result(tmp_path, "path: a.txt", match_mode=mode, file_name="b.txt") == 0
    assert result(tmp_path, "path: a.txt", match_mode="image_file_match") == 0
    assert result(tmp_path, "path: a.txt", "published", match_mode="image_file_match") == 1
