"""The real Bonn segments, from a folder of the unpacked files to a BIDS tree."""

from __future__ import annotations

import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from braino_registry.datasets import Realised, Store
from braino_registry.registry.entries import PublicDataset
from braino_registry.synthesis import validation
from tests.datasets.test_real import _entry
from tests.shared import shared

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def entry() -> PublicDataset:
    return _entry("bonn")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    mirror = tmp_path_factory.mktemp("mirror")
    with zipfile.ZipFile(shared("realdata", "bonn", "bonn.zip")) as archive:
        archive.extractall(mirror)
    root = tmp_path_factory.mktemp("cache")
    return Store(root, environ={"BRAINO_MIRRORS": str(mirror), "BRAINO_OFFLINE": "1"})


@pytest.fixture(scope="module")
def bonn(store: Store, entry: PublicDataset) -> Realised:
    """Built without the five archives: members that are at hand are enough."""
    return store.build_or_find(entry)


def _values(bonn: Realised, label: str) -> np.ndarray[Any, Any]:
    paths = sorted((bonn.bids / f"sub-{label}").rglob("*.eeg"))
    return np.stack([np.fromfile(path, "<i2") for path in paths]).astype(float)


def test_it_is_the_recorded_tree_of_500_recordings(bonn: Realised, entry: PublicDataset) -> None:
    assert bonn.verified
    found = Counter(
        (path.parts[-3], path.name.rsplit("_", 1)[1]) for path in bonn.bids.rglob("*.vhdr")
    )
    assert found == {
        ("sub-A", "eeg.vhdr"): 100, ("sub-B", "eeg.vhdr"): 100, ("sub-C", "ieeg.vhdr"): 100,
        ("sub-D", "ieeg.vhdr"): 100, ("sub-E", "ieeg.vhdr"): 100,
    }  # fmt: skip
    assert validation.issues(bonn.bids) == validation.expected(entry.doc)


def test_deep_verification_passes_and_finds_one_flipped_byte(
    bonn: Realised, store: Store, entry: PublicDataset
) -> None:
    assert store.verify(entry, deep=True).ok
    (path,) = bonn.bids.rglob("sub-D_*_run-017_ieeg.eeg")
    raw = bytearray(path.read_bytes())
    stat = path.stat()
    raw[4000] ^= 1
    path.chmod(0o644)
    path.write_bytes(raw)
    found = store.verify(entry, deep=True)
    assert not found.ok
    assert any("sub-D_task-interictal_run-017_ieeg.eeg" in text for text in found.problems)
    raw[4000] ^= 1
    path.write_bytes(raw)
    path.chmod(stat.st_mode)
    assert store.verify(entry, deep=True).ok


def test_closed_eyes_have_more_alpha_than_open_ones(bonn: Realised) -> None:
    """8 to 13 Hz over 0.5 to 40 Hz, Welch with 4 s windows, mean over segments."""
    from scipy.signal import welch

    shares = {}
    for label in "AB":
        freqs, psd = welch(_values(bonn, label), 173.61, nperseg=int(4 * 173.61))
        alpha = (freqs >= 8) & (freqs < 13)
        wide = (freqs >= 0.5) & (freqs < 40)
        shares[label] = float((psd[:, alpha].sum(1) / psd[:, wide].sum(1)).mean())
    assert shares["A"] == pytest.approx(0.24, abs=0.03)
    assert shares["B"] == pytest.approx(0.44, abs=0.03)


def test_seizures_stand_out_by_their_size(bonn: Realised) -> None:
    """Area under the ROC curve of the logarithm of the standard deviation, E against the rest."""
    spread = {label: np.log(_values(bonn, label).std(axis=1)) for label in "ABCDE"}
    rest = np.concatenate([spread[label] for label in "ABCD"])
    wins = (spread["E"][:, None] > rest[None, :]).mean()
    assert wins == pytest.approx(0.992, abs=0.002)


def test_the_values_are_those_of_the_files(bonn: Realised) -> None:
    with zipfile.ZipFile(shared("realdata", "bonn", "bonn.zip")) as archive:
        text = archive.read("C_N/N042.TXT").decode("ascii")
    np.testing.assert_array_equal(_values(bonn, "C")[41], [int(word) for word in text.split()])
    assert Path(bonn.bids / "sub-C" / "sub-C_scans.tsv").is_file()
