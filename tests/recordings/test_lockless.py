"""No lock file is left in a tree by opening a recording, whether or not ``filelock`` is there."""

from __future__ import annotations

import sys
from pathlib import Path

import mne_bids
import pytest

from braino_registry.recordings.lockless import without_lock_files
from tests import tiny

pytest.importorskip("filelock", reason="without it mne-bids leaves no lock files")


def _read(root: Path) -> None:
    path = next(root.rglob("*_eeg.vhdr"))
    bids = mne_bids.get_bids_path_from_fname(path, check=False)
    bids.update(root=root)
    mne_bids.read_raw_bids(bids, verbose="error")


def test_mne_bids_leaves_no_file(own: tiny.Tiny) -> None:
    before = sorted(own.root.rglob("*"))
    with without_lock_files():
        _read(own.root)
    assert sorted(own.root.rglob("*")) == before


def test_filelock_is_there_again_afterwards() -> None:
    import filelock

    with without_lock_files(), without_lock_files():
        with pytest.raises(ImportError):
            import filelock as hidden  # noqa: F401
    assert sys.modules["filelock"] is filelock
