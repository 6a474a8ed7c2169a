from __future__ import annotations

import os
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from braino_registry.datasets import discard_copy, fresh_copy
from braino_registry.datasets.content import NEUTRAL_NS, tree_records
from braino_registry.errors import HostError, UsageError
from tests.datasets.conftest import Tiny
from tests.growth import seconds, within


class Tree(NamedTuple):
    bids: Path


def test_a_copy_is_equal_and_not_a_link(tiny_dataset: Tiny, tmp_path: Path) -> None:
    realised = tiny_dataset.store.build_or_find(tiny_dataset.entry)
    dest = tmp_path / "trial" / "inputs"
    fresh_copy(realised, dest)
    assert tree_records(dest) == tree_records(realised.bids)
    for path in dest.rglob("*"):
        stat = path.lstat()
        assert not path.is_symlink()
        assert path.is_dir() or stat.st_nlink == 1
        assert stat.st_mtime_ns == NEUTRAL_NS
        assert stat.st_mode & 0o777 == (0o555 if path.is_dir() else 0o444)
    assert dest.stat().st_mode & 0o777 == 0o555


def test_writing_into_a_writable_copy_leaves_the_cache_alone(
    tiny_dataset: Tiny, tmp_path: Path
) -> None:
    realised = tiny_dataset.store.build_or_find(tiny_dataset.entry)
    before = tree_records(realised.bids)
    fresh_copy(realised, tmp_path / "copy", writable=True)
    for path in (tmp_path / "copy").rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644)
        if path.is_file():
            path.write_bytes(b"changed")
    (tmp_path / "copy" / "new").write_bytes(b"x")
    assert tree_records(realised.bids) == before


def test_a_used_folder_is_refused(tiny_dataset: Tiny, tmp_path: Path) -> None:
    realised = tiny_dataset.store.build_or_find(tiny_dataset.entry)
    (tmp_path / "other").write_bytes(b"")
    with pytest.raises(UsageError, match="not empty"):
        fresh_copy(realised, tmp_path)


def test_an_impossible_folder_is_a_host_error(tiny_dataset: Tiny, tmp_path: Path) -> None:
    realised = tiny_dataset.store.build_or_find(tiny_dataset.entry)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(HostError, match="copying a dataset"):
        fresh_copy(realised, tmp_path / "file" / "copy")


def test_a_read_only_copy_can_be_discarded(tiny_dataset: Tiny, tmp_path: Path) -> None:
    realised = tiny_dataset.store.build_or_find(tiny_dataset.entry)
    fresh_copy(realised, tmp_path / "copy")
    (tmp_path / "outside").mkdir(mode=0o555)
    discard_copy(tmp_path / "copy")
    discard_copy(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    assert (tmp_path / "outside").stat().st_mode & 0o777 == 0o555


def test_copying_costs_little_more_than_the_bytes(tmp_path: Path) -> None:
    """Ten megabytes in forty files, in processor time, beside the standard library's copy."""
    import shutil

    source = tmp_path / "source"
    source.mkdir()
    data = os.urandom(256 * 1024)
    for index in range(40):
        (source / f"file-{index}").write_bytes(data)

    places = (tmp_path / str(number) for number in count())
    assert within(
        lambda: fresh_copy(Tree(source), next(places)),
        lambda: 3 * seconds(lambda: shutil.copytree(source, next(places))),
    )


def test_lock_files_of_other_programs_are_neither_damage_nor_copied(
    tiny_dataset: Tiny, tmp_path: Path
) -> None:
    realised = tiny_dataset.store.build_or_find(tiny_dataset.entry)
    inode = realised.bids.stat().st_ino
    (realised.bids / "participants.json.lock").write_bytes(b"")
    again = tiny_dataset.store.build_or_find(tiny_dataset.entry)
    assert again.bids.stat().st_ino == inode, "the build was dropped under its readers"
    assert tiny_dataset.store.verify(tiny_dataset.entry, deep=True).ok
    fresh_copy(again, tmp_path / "copy")
    assert not list((tmp_path / "copy").rglob("*.lock"))


def test_a_copy_of_one_recording_holds_nothing_of_another(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in (
        "dataset_description.json", "participants.tsv", "task-rest_eeg.json",
        "sub-01/sub-01_scans.tsv", "sub-01/eeg/sub-01_task-rest_run-1_eeg.edf",
        "sub-01/eeg/sub-01_task-rest_run-1_channels.tsv", "sub-01/eeg/sub-01_coordsystem.json",
        "sub-01/eeg/sub-01_task-rest_run-2_eeg.edf", "sub-01/eeg/sub-01_task-count_eeg.edf",
        "sub-02/eeg/sub-02_task-rest_run-1_eeg.edf", "task-count_eeg.json",
    ):  # fmt: skip
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")

    class Realised:
        bids = tree

    only = {"bids_subject": "01", "bids_task": "rest", "bids_run": "1"}
    fresh_copy(Realised(), tmp_path / "copy", only=only)
    found = {
        path.relative_to(tmp_path / "copy").as_posix()
        for path in (tmp_path / "copy").rglob("*")
        if path.is_file()
    }
    assert found == {
        "dataset_description.json", "participants.tsv", "task-rest_eeg.json",
        "sub-01/sub-01_scans.tsv", "sub-01/eeg/sub-01_task-rest_run-1_eeg.edf",
        "sub-01/eeg/sub-01_task-rest_run-1_channels.tsv", "sub-01/eeg/sub-01_coordsystem.json",
    }  # fmt: skip
