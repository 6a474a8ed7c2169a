"""The BIDS recording that comes with MNE-BIDS is laid out byte by byte as upstream has it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from braino_registry.datasets import Realised, Store, fresh_copy
from braino_registry.recordings.tree import BidsTree
from braino_registry.registry import Registry
from braino_registry.registry.entries import PublicDataset
from tests.shared import shared

RECORDING = "sub-01_ses-eeg_task-rest"


def entry() -> PublicDataset:
    found = Registry.open(environ={}).dataset("mne-bids-tiny@1.0.0")
    assert isinstance(found, PublicDataset)
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Realised:
    mirrors = {"BRAINO_MIRRORS": str(shared("realdata"))}
    return Store(tmp_path_factory.mktemp("cache"), environ=mirrors).build_or_find(entry())


def test_every_file_is_upstreams(built: Realised) -> None:
    assert built.verified
    source = shared("realdata", "mne-bids-tiny", "tiny_bids")
    listed = {p.relative_to(source): p.read_bytes() for p in source.rglob("*") if p.is_file()}
    found = {
        p.relative_to(built.bids): p.read_bytes() for p in built.bids.rglob("*") if p.is_file()
    }
    assert found == listed
    assert len(found) == 18


def test_the_validator_finds_what_the_entry_lists(built: Realised, tmp_path: Path) -> None:
    from braino_registry.synthesis.validation import issues

    fresh_copy(built, tmp_path / "copy")
    listed = {(row["code"], row["subCode"]) for row in entry().doc["expects"]["validator"]}
    found = issues(tmp_path / "copy")
    assert {(issue.code, issue.sub_code) for issue in found} == listed
    assert {issue.severity for issue in found} == {"warning"}


def test_the_recording_is_what_the_labels_say(built: Realised) -> None:
    recording = BidsTree(built.bids).open(RECORDING)
    labels = built.labels["recordings"][RECORDING]
    types = list(recording.ch_types)
    assert recording.sfreq == labels["sfreq"]
    assert recording.duration == labels["duration"]
    assert len(types) == labels["n_channels"]
    assert types.count("eeg") == labels["n_eeg"]
    beside = {{"temperature": "TEMP"}.get(kind, kind.upper()) for kind in types} - {"EEG"}
    assert beside == set(labels["beside"])


def test_the_defects_that_the_entry_names_are_there(built: Realised) -> None:
    import json

    import mne

    folder = built.bids / "sub-01" / "ses-eeg" / "eeg"
    sidecar = json.loads((folder / f"{RECORDING}_eeg.json").read_text(encoding="utf-8"))
    assert sidecar["RecordingDuration"] == 0.9998
    assert (folder / f"{RECORDING}_events.tsv").read_bytes().startswith(b"\xef\xbb\xbf")
    raw = mne.io.read_raw_brainvision(folder / f"{RECORDING}_eeg.vhdr", verbose="error")
    x = raw.get_data(picks=raw.ch_names[:64])
    assert raw.n_times == 10_000
    levels = x.std(axis=1) * 1e3
    assert levels == pytest.approx(np.full(64, 1.77), abs=0.02)
    neighbours = np.corrcoef(x)[np.triu_indices(64, 1)]
    assert np.abs(neighbours).max() < 0.06
