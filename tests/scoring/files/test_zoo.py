"""The zoo of files: each scored by what it holds, whatever it says of itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mne
import numpy as np
import pytest

from braino_registry.analysis.filters import resample
from braino_registry.analysis.timedomain import rms_course
from tests.scoring.evidence import evidence, run
from tests.scoring.files import zoo

RAW = zoo.eeg()
ASKED = zoo.average(zoo.filtered(RAW, 1.0, 40.0))
SIGNAL: dict[str, Any] = {
    "channels": {"is": list(zoo.NAMES)},
    "sfreq": {"is": 200.0},
    "duration": {"is": zoo.SECONDS},
    "rms": {"is": zoo.rms(ASKED), "tolerance": 0.03},
    "reference": {"is": "average"},
    "passband": {"is": [1.0, 40.0]},
}
PATH = "file_check/clean.edf"
CHECK = {"kind": "artifact", "path": PATH, "weight": 100, "signal": SIGNAL}

Make = Callable[[Path], Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "artifacts" / "file_check").mkdir(parents=True)
    return tmp_path / "artifacts"


def score(folder: Path, check: dict[str, Any] = CHECK) -> Any:
    return run(check, evidence("The file is written.", artifacts=folder))


def fields_failed(result: Any) -> set[str]:
    told = result.evidence.removeprefix(f"{PATH}: ").split("; ")
    return {part.split()[0] for part in told if ", expected" in part}


def test_the_file_that_was_asked_for(folder: Path) -> None:
    zoo.write_edf(folder / PATH, ASKED)
    result = score(folder)
    assert result.passed, result.evidence
    assert result.score == 1


def _slower(path: Path) -> None:
    zoo.write_edf(path, np.asarray(resample(ASKED, 200.0, 128.0)), sfreq=128.0)


def _reordered(path: Path) -> None:
    zoo.write_edf(path, ASKED[[1, 0, 2, 3]], names=("F3", "Fp1", "O1", "O2"))


def _misnamed(path: Path) -> None:
    zoo.write_edf(path, ASKED, names=("F3", "Fp1", "O1", "O2"))


def _unreferenced(path: Path) -> None:
    zoo.write_edf(path, zoo.filtered(RAW, 1.0, 40.0))


def _header_only(path: Path) -> None:
    zoo.write_edf(path, zoo.average(RAW), prefilter="HP:1Hz LP:40Hz")


def _half(path: Path) -> None:
    zoo.write_edf(path, ASKED[:, : ASKED.shape[1] // 2])


def _another(path: Path) -> None:
    other = zoo.average(zoo.filtered(1.4 * zoo.eeg(seed=9), 1.0, 40.0))
    zoo.write_edf(path, other)


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (_slower, {"sfreq"}),
        (_reordered, {"channels", "rms"}),
        (_misnamed, {"channels"}),
        (_unreferenced, {"reference", "rms"}),
        (_header_only, {"passband", "rms"}),
        (_half, {"duration"}),
        (_another, {"rms"}),
    ],
)
def test_a_wrong_field_costs_its_weight(folder: Path, make: Make, wrong: set[str]) -> None:
    make(folder / PATH)
    result = score(folder)
    assert fields_failed(result) >= wrong, result.evidence
    assert not result.passed
    assert result.score == pytest.approx(1 - len(fields_failed(result)) / len(SIGNAL))
    assert fields_failed(result) <= wrong | {"rms"}, result.evidence


def test_another_signal_of_the_same_sort_scores_nothing(folder: Path) -> None:
    half = ASKED.shape[1] // 2
    first, second = ASKED[:, :half], ASKED[:, half:]
    course = {"is": rms_course(first, 200.0, 0.5).tolist(), "seconds": 0.5}
    asked = {**CHECK, "signal": {"channels": SIGNAL["channels"], "course": course}}
    scores = {}
    for name, part in (("it", first), ("weaker", 0.7 * first), ("cut", first[:, :3000]),
                       ("another", second), ("short", first[:, :600])):  # fmt: skip
        zoo.write_edf(folder / PATH, part)
        scores[name] = score(folder, asked).score
    assert scores == {"it": 1, "weaker": 1, "cut": 1, "another": 0, "short": 0}


def _truncated(path: Path) -> None:
    zoo.write_edf(path, ASKED)
    path.write_bytes(path.read_bytes()[:-1000])


def _only_header(path: Path) -> None:
    zoo.write_edf(path, ASKED)
    path.write_bytes(path.read_bytes()[: 256 * 5])


def _text(path: Path) -> None:
    path.write_text("Fp1,F3,O1,O2\n1,2,3,4\n")


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _link(path: Path) -> None:
    real = zoo.write_edf(path.parents[2] / "elsewhere" / "clean.edf", ASKED)
    path.symlink_to(real)


def _hard_link(path: Path) -> None:
    os.link(zoo.write_edf(path.parents[2] / "elsewhere" / "clean.edf", ASKED), path)


def _linked_folder(path: Path) -> None:
    zoo.write_edf(path.parents[2] / "elsewhere" / "clean.edf", ASKED)
    path.parent.rmdir()
    path.parent.symlink_to(path.parents[2] / "elsewhere")


def _flat(path: Path) -> None:
    zoo.write_edf(path, np.zeros_like(ASKED) + 1e-9)


def _folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    "make",
    [_truncated, _only_header, _text, _empty, _link, _hard_link, _linked_folder, _folder],
)
def test_what_is_no_such_file_scores_nothing(folder: Path, make: Make) -> None:
    make(folder / PATH)
    result = score(folder)
    assert (result.passed, result.score) == (False, 0.0), result.evidence


def test_another_trials_file_is_out_of_reach(folder: Path) -> None:
    zoo.write_edf(folder.parent / "other" / "clean.edf", ASKED)
    outside = {**CHECK, "path": "../other/clean.edf"}
    assert (score(folder, outside).passed, score(folder, outside).score) == (False, 0.0)


def test_a_flat_line_is_not_what_was_asked_for(folder: Path) -> None:
    _flat(folder / PATH)
    assert {"rms", "passband"} <= fields_failed(score(folder))


def test_volts_are_as_good_as_microvolts(folder: Path) -> None:
    zoo.write_edf(folder / PATH, ASKED, dimension="V")
    assert score(folder).passed


def test_a_wrong_unit_is_seen_in_the_amplitude(folder: Path) -> None:
    zoo.write_edf(folder / PATH, ASKED / 1e3)
    assert fields_failed(score(folder)) == {"rms"}


@pytest.mark.parametrize("kind", ["fif", "npy", "csv"])
def test_other_formats(folder: Path, kind: str) -> None:
    path = folder / f"file_check/clean.{kind}"
    fields = {name: field for name, field in SIGNAL.items()}
    if kind == "fif":
        info = mne.create_info(list(zoo.NAMES), 200.0, "eeg")
        mne.io.RawArray(ASKED * 1e-6, info, verbose="error").save(
            folder / "file_check" / "clean_raw.fif", verbose="error"
        )
        (folder / "file_check" / "clean_raw.fif").rename(path)
    elif kind == "npy":
        np.save(path, ASKED)
        del fields["channels"], fields["sfreq"]
        fields |= {"shape": {"is": list(ASKED.shape)}, "rate": {"is": 200.0}}
    else:
        times = np.arange(ASKED.shape[1]) / 200.0
        header = ",".join(["time", *zoo.NAMES])
        np.savetxt(path, np.vstack([times, ASKED]).T, delimiter=",", header=header, comments="")
    check = {"kind": "artifact", "path": path.relative_to(folder).as_posix(), "signal": fields}
    result = score(folder, check)
    assert result.passed, result.evidence


@pytest.mark.parametrize("suffix", ["edf", "fif", "npy", "csv", "png", "xyz"])
@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 3000, b"0       ", os.urandom(5000), b"PK\x03\x04"]
)
def test_rubbish_is_no_fault_of_the_harness(folder: Path, suffix: str, content: bytes) -> None:
    (folder / f"a.{suffix}").write_bytes(content)
    what = {"image": {"shows": {"is": "grid"}}} if suffix == "png" else {"signal": SIGNAL}
    result = score(folder, {"kind": "artifact", "path": f"a.{suffix}", **what})
    assert (result.passed, result.score) == (False, 0.0)
    assert "fault of the harness" not in result.evidence
