"""The tree on disk: exact samples, complete sidecars, and nothing that gives the truth away."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import mne
import numpy as np
import pytest

from braino_registry.errors import HostError
from braino_registry.synthesis import BuildResult, build, tree_digest
from braino_registry.synthesis.brainvision import LIMIT, LSB_UV, MARGIN, quantise, write
from braino_registry.synthesis.validation import Issue, issues
from tests.synthesis.small import NOISE, recipe
from tests.synthesis.test_layers import EVOKED, MEASURE

SALT = b"a-secret-of-at-least-16-bytes"
TOKENS = (
    "kryptonite-recipe",
    "Nothing should repeat this title",
    "nor this description",
    "918273645",
    "hush_draw",
    "evil_part",
    SALT.decode(),
    SALT.hex(),
    "noisy_channels",
    "decoy",
    "planted",
    "truth",
    "excess_sd",
    "group_secret",
    "P3 latency",
)


def _telling() -> dict[str, Any]:
    """Return a recipe in which every name that must stay inside is easy to search for."""
    doc = recipe(
        [
            *EVOKED,
            MEASURE,
            {**NOISE[0], "as": "evil_part"},
            {
                "layer": "noisy_channels",
                "with": {"channels": {"drawn": "hush_draw"}, "excess_sd": 15},
            },
        ],
        duration=92,
        id="kryptonite-recipe",
        title="Nothing should repeat this title",
        about="nor this description",
        seed=918273645,
        draws={
            "hush_draw": {
                "per": "recording",
                "draw": {"sample": {"from": ["T8", "C3"], "count": 1}},
            }
        },
        truth={"group_secret": "P3 latency"},
    )
    doc["participants"] = {
        "labels": ["01", "02"],
        "columns": {
            "age": {
                "description": "Age.",
                "units": "year",
                "value": {"draw": {"integer": [20, 30]}},
            }
        },
    }
    return doc


def leaks(tree: Path, tokens: Iterable[str]) -> list[tuple[str, str]]:
    """Return the tokens found in names and bytes of a tree, and where."""
    found = []
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree).as_posix()
        data = path.read_bytes().lower() if path.is_file() else b""
        for token in tokens:
            low = token.lower()
            if low in name.lower() or low.encode() in data or low.encode("utf-16-le") in data:
                found.append((token, name))
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BuildResult]:
    """Return the folder of a built telling recipe and the result."""
    out = tmp_path_factory.mktemp("made") / "out"
    return out, build(_telling(), SALT, out)


@pytest.mark.parametrize("amount", [1, 3000])
def test_the_grid_survives_the_file_exactly(amount: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    grid = rng.integers(-LIMIT // amount, LIMIT // amount + 1, (4, 70_000)).astype(np.int16)
    grid[0, :5] = [0, 1, -1, LIMIT // amount, -LIMIT // amount]
    write(grid, 250.0, ["Cz", "Pz", "O1", "O2"], [], tmp_path, "x")
    raw = mne.io.read_raw_brainvision(tmp_path / "x.vhdr", verbose="error")
    np.testing.assert_array_equal(np.rint(raw.get_data() * 1e6 / LSB_UV), grid)
    assert raw.info["sfreq"] == 250
    assert raw.info["meas_date"] is None


def test_samples_near_a_tie_are_moved_away_from_it() -> None:
    clean = np.array([[3.0, 4.2, -7.7]]) * LSB_UV
    np.testing.assert_array_equal(quantise(clean), [[3, 4, -8]])
    for error in (-1e-12, 0.0, 1e-12):
        tied = np.array([[3.0, 12.5 + error, -7.5 + error]]) * LSB_UV
        np.testing.assert_array_equal(quantise(tied), [[3, 13, -7]])
    assert MARGIN > 100 * 1e-12


def test_the_grid_is_clipped_as_an_amplifier_clips() -> None:
    loud = np.array([[1e6, -1e6, 0.0]])
    np.testing.assert_array_equal(quantise(loud), [[LIMIT, -LIMIT, 0]])


def test_the_validator_finds_nothing(made: tuple[Path, BuildResult]) -> None:
    assert issues(made[0] / "bids") == frozenset()


def test_the_validator_would_find_something(made: tuple[Path, BuildResult], tmp_path: Path) -> None:
    shutil.copytree(made[0] / "bids", tmp_path / "bids")
    (tmp_path / "bids" / "sub-02" / "eeg" / "sub-02_task-rest_events.tsv").unlink()
    (tmp_path / "bids" / "sub-02" / "eeg" / "sub-02_space-CapTrak_coordsystem.json").unlink()
    assert Issue("REQUIRED_COORDSYSTEM", None, "error") in issues(tmp_path / "bids")


def test_nothing_in_the_tree_gives_the_truth_away(made: tuple[Path, BuildResult]) -> None:
    assert leaks(made[0] / "bids", TOKENS) == []
    assert not list((made[0] / "bids").rglob("*truth*"))


@pytest.mark.parametrize("token", TOKENS)
def test_the_search_would_find_each_token(
    token: str, made: tuple[Path, BuildResult], tmp_path: Path
) -> None:
    tree = tmp_path / "bids"
    shutil.copytree(made[0] / "bids", tree)
    header = tree / "sub-01" / "eeg" / "sub-01_task-rest_eeg.vhdr"
    header.write_text(header.read_text(encoding="utf-8") + f"; {token}\n", encoding="utf-8")
    assert (token, "sub-01/eeg/sub-01_task-rest_eeg.vhdr") in leaks(tree, TOKENS)


def test_all_files_have_the_same_old_time(made: tuple[Path, BuildResult]) -> None:
    times = {path.stat().st_mtime for path in [made[0], *made[0].rglob("*")]}
    assert times == {946684800}


def test_the_words_say_that_it_is_synthetic(made: tuple[Path, BuildResult]) -> None:
    tree = made[0] / "bids"
    assert (tree / "README").read_text(encoding="utf-8").startswith("SYNTHETIC")
    about = json.loads((tree / "dataset_description.json").read_text(encoding="utf-8"))
    assert about["GeneratedBy"][0]["Name"] == "braino-registry"
    assert "synthetic" in about["Keywords"]


def test_sidecars_are_complete_and_agree_with_the_recording(
    made: tuple[Path, BuildResult],
) -> None:
    folder = made[0] / "bids" / "sub-01" / "eeg"
    sidecar = json.loads((folder / "sub-01_task-rest_eeg.json").read_text(encoding="utf-8"))
    assert sidecar["EEGReference"] == "linked earlobes"
    assert sidecar["PowerLineFrequency"] == 50
    assert sidecar["SamplingFrequency"] == 128
    assert sidecar["RecordingDuration"] == 92
    assert sidecar["EEGChannelCount"] == 19
    assert sidecar["ECGChannelCount"] == 0
    lines = (folder / "sub-01_task-rest_events.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t") == ["onset", "duration", "sample", "trial_type", "value"]
    for line in lines[1:]:
        onset, _, sample, _, _ = line.split("\t")
        assert float(onset) * 128 == int(sample)


def test_mne_bids_reads_signals_positions_and_events(made: tuple[Path, BuildResult]) -> None:
    from mne_bids import BIDSPath, read_raw_bids

    out, result = made
    place = BIDSPath(root=out / "bids", subject="02", task="rest", datatype="eeg", suffix="eeg")
    raw = read_raw_bids(place, verbose="error")
    truth = result.truth["recordings"]["sub-02_task-rest"]
    assert raw.ch_names == truth["ch_names"]
    assert raw.info["line_freq"] == 50
    assert raw.info["bads"] == []
    names = list(raw.annotations.description)
    assert {name: names.count(name) for name in set(names)} == truth["events"]
    positions = raw.get_montage().get_positions()["ch_pos"]
    assert positions["Cz"][2] == pytest.approx(0.0946, abs=1e-3)


def test_truth_lies_beside_the_tree(made: tuple[Path, BuildResult]) -> None:
    out, result = made
    assert sorted(path.name for path in out.iterdir()) == ["bids", "truth.json"]
    assert json.loads((out / "truth.json").read_text(encoding="utf-8")) == result.truth
    assert result.truth["dataset"]["group_secret"] == "P3 latency"
    noisy = {truth["noisy_channels"][0] for truth in result.truth["recordings"].values()}
    assert noisy <= {"T8", "C3"}


def test_the_digest_covers_names_and_bytes(made: tuple[Path, BuildResult], tmp_path: Path) -> None:
    out, result = made
    assert tree_digest(out / "bids") == result.digest
    tree = tmp_path / "bids"
    shutil.copytree(out / "bids", tree)
    (tree / "README").touch()
    assert tree_digest(tree) == result.digest
    signal = tree / "sub-01" / "eeg" / "sub-01_task-rest_eeg.eeg"
    data = bytearray(signal.read_bytes())
    data[1000] ^= 1
    signal.write_bytes(data)
    assert tree_digest(tree) != result.digest
    data[1000] ^= 1
    signal.write_bytes(data)
    (tree / "README").rename(tree / "CHANGES")
    assert tree_digest(tree) != result.digest


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("x")
    with pytest.raises(HostError, match="not empty"):
        build(recipe(NOISE), b"", tmp_path / "out")
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "mine"]


def test_a_build_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from braino_registry.synthesis import bids

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bids, "write_dataset", full)
    with pytest.raises(HostError, match="No space left"):
        build(recipe(NOISE), b"", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
