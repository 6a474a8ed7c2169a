"""The converted real recordings: anchors, exact values, the BIDS validator."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from braino_registry.datasets import Realised, Store, fresh_copy
from braino_registry.registry.entries import PublicDataset
from braino_registry.registry.roots import builtin
from tests.shared import shared


def _entry(name: str) -> PublicDataset:
    file = builtin() / "datasets" / f"{name}.json"
    doc = json.loads(file.read_text(encoding="utf-8"))
    return PublicDataset("dataset", doc["id"], doc["version"], file, doc)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Realised]:
    root = tmp_path_factory.mktemp("cache")
    store = Store(root, environ={"BRAINO_MIRRORS": str(shared("realdata"))})
    return {name: store.build_or_find(_entry(name)) for name in ("eeglab-tutorial", "eegmmi")}


def _raw(realised: Realised, **entities: str) -> Any:
    import mne_bids

    where = mne_bids.BIDSPath(
        root=realised.bids, datatype="eeg", suffix="eeg", extension=".vhdr", **entities
    )
    return mne_bids.read_raw_bids(where, verbose="error")


def _relative_alpha(raw: Any) -> float:
    """Mean over O1, Oz, O2 of the power in [8, 13) Hz over the power in [1, 40) Hz.

    Welch: 2 s periodic Hann windows, half overlapping, each without its mean; trapezoid rule.
    """
    from scipy.signal import welch

    sfreq = raw.info["sfreq"]
    freqs, psd = welch(
        raw.get_data(picks=["O1", "Oz", "O2"]), sfreq, window="hann", nperseg=int(2 * sfreq)
    )

    def power(low: float, high: float) -> Any:
        inside = (freqs >= low) & (freqs < high)
        return np.trapezoid(psd[:, inside], freqs[inside], axis=1)

    return float((power(8, 13) / power(1, 40)).mean())


def test_the_builds_are_the_recorded_ones(built: dict[str, Realised]) -> None:
    assert {name: one.verified for name, one in built.items()} == {
        "eeglab-tutorial": True, "eegmmi": True,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["eeglab-tutorial", "eegmmi"])
def test_the_validator_finds_what_the_entry_lists(
    built: dict[str, Realised], tmp_path: Path, name: str
) -> None:
    from braino_registry.synthesis.validation import issues

    fresh_copy(built[name], tmp_path / "copy")
    listed = _entry(name).doc["expects"]["validator"]
    assert {(i.code, i.sub_code, i.severity) for i in issues(tmp_path / "copy")} == {
        (row["code"], row.get("subCode"), row["severity"]) for row in listed
    }


def test_eeglab_has_80_squares_and_74_responses(built: dict[str, Realised]) -> None:
    raw = _raw(built["eeglab-tutorial"], subject="01", task="attention")
    assert Counter(raw.annotations.description) == {"square": 80, "rt": 74}
    assert raw.info["sfreq"] == 128
    assert raw.info["line_freq"] is None
    types = dict(zip(raw.ch_names, raw.get_channel_types(), strict=True))
    assert Counter(types.values()) == {"eeg": 30, "eog": 2}
    assert types["EOG1"] == types["EOG2"] == "eog"
    assert raw.annotations.onset[0] == pytest.approx(128.00875 / 128, abs=1e-6)


def test_eeglab_samples_are_those_of_the_source(built: dict[str, Realised]) -> None:
    eeg = built["eeglab-tutorial"].bids / "sub-01" / "eeg" / "sub-01_task-attention_eeg.eeg"
    assert eeg.read_bytes() == shared("realdata", "eeglab", "eeglab_data.fdt").read_bytes()


def test_eeglab_pz_peaks_at_430_ms_after_a_square(built: dict[str, Realised]) -> None:
    """Source reference, no filter, epochs -0.2 to 1 s, baseline -0.2 to 0 s, mean of all 80."""
    import mne

    raw = _raw(built["eeglab-tutorial"], subject="01", task="attention")
    events, names = mne.events_from_annotations(raw, verbose="error")
    epochs = mne.Epochs(
        raw, events, {"square": names["square"]}, -0.2, 1.0, baseline=(-0.2, 0),
        picks=["Pz"], preload=True, verbose="error",
    )  # fmt: skip
    assert len(epochs) == 80
    mean = epochs.average()
    _, latency, amplitude = mean.get_peak(tmin=0.2, tmax=0.7, mode="pos", return_amplitude=True)
    assert latency == pytest.approx(0.430, abs=0.004)
    assert amplitude * 1e6 == pytest.approx(31.08, abs=0.05)


def test_eegmmi_alpha_rises_when_the_eyes_close(built: dict[str, Realised]) -> None:
    opened = _relative_alpha(_raw(built["eegmmi"], subject="001", task="eyesopen"))
    closed = _relative_alpha(_raw(built["eegmmi"], subject="001", task="eyesclosed"))
    assert opened == pytest.approx(0.137, abs=0.001)
    assert closed == pytest.approx(0.649, abs=0.001)


def test_eegmmi_runs_are_complete(built: dict[str, Realised]) -> None:
    raw = _raw(built["eegmmi"], subject="001", task="fistimagery", run="1")
    assert Counter(raw.annotations.description) == {"T0": 15, "T1": 8, "T2": 7}
    assert (raw.info["sfreq"], raw.info["line_freq"], raw.n_times) == (160, 60, 20000)
    ten_ten = re.compile(r"(Fp|AF|F|FT|FC|T|C|TP|CP|P|PO|O|I)(z|[1-9]|10)")
    assert len(set(raw.ch_names)) == 64
    assert all(ten_ten.fullmatch(name) for name in raw.ch_names)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("S001R01", "sub-001_task-eyesopen"),
        ("S001R03", "sub-001_task-fistmovement_run-1"),
        ("S004R01", "sub-004_task-eyesopen"),
    ],
)
def test_eegmmi_samples_are_those_of_the_source(
    built: dict[str, Realised], source: str, target: str
) -> None:
    from edfio import read_edf

    edf = read_edf(shared("realdata", "eegmmi-pyprep", "test_data", f"{source}.edf"))
    file = built["eegmmi"].bids / target[:7] / "eeg" / f"{target}_eeg.eeg"
    stored = np.fromfile(file, "<i2").reshape(-1, 64).T
    np.testing.assert_array_equal(stored, [signal.digital for signal in edf.signals])


@pytest.mark.parametrize("name", ["eeglab-tutorial", "eegmmi"])
def test_labels_agree_with_the_tree(built: dict[str, Realised], name: str) -> None:
    for recording, labels in built[name].labels["recordings"].items():
        folder = built[name].bids / recording.split("_")[0] / "eeg"
        sidecar = json.loads((folder / f"{recording}_eeg.json").read_text(encoding="utf-8"))
        assert labels["sfreq"] == sidecar["SamplingFrequency"]
        lines = (folder / f"{recording}_events.tsv").read_text(encoding="utf-8").splitlines()[1:]
        counts = Counter(line.split("\t")[2] for line in lines)
        given = {key[2:]: value for key, value in labels.items() if key[2:] in counts}
        assert given == counts
        channels = (folder / f"{recording}_channels.tsv").read_text(encoding="utf-8")
        assert labels["n_channels"] == len(channels.splitlines()) - 1


def test_nothing_in_the_trees_tells_when_or_where_they_were_made(
    built: dict[str, Realised],
) -> None:
    for one in built.values():
        for path in one.bids.rglob("*"):
            if path.is_file() and path.suffix != ".eeg":
                text = path.read_text(encoding="utf-8")
                assert str(one.bids.parents[2]) not in text
                assert "/home/" not in text
                assert "realdata" not in text


def test_the_readers_of_other_tools_need_no_warning(built: dict[str, Realised]) -> None:
    """The suite turns warnings into errors, so reading as a user does is the test."""
    import mne_bids

    for one in built.values():
        for path in mne_bids.find_matching_paths(one.bids, suffixes="eeg", extensions=".vhdr"):
            mne_bids.read_raw_bids(path, verbose="warning")
