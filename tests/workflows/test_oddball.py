"""The difference between rare and frequent events, against MNE's own classes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from braino_registry.analysis.errors import SignalError
from braino_registry.errors import UsageError
from braino_registry.recordings.tree import BidsTree
from braino_registry.recordings.tsv import read_tsv
from braino_registry.registry.roots import builtin
from braino_registry.workflows import workflows

#: As the published values of single participants were made.
MINIMAL: dict[str, Any] = {
    "rare": [2], "frequent": [1], "channels": ["Fz", "Cz", "Pz"], "window": [0.3, 0.5],
    "epoch": [-0.2, 0.8], "baseline": [-0.2, 0], "l_freq": 0.1, "h_freq": 30, "sfreq": 125,
    "reference": "average",
}  # fmt: skip

difference = workflows.get("oddball.difference@1.0.0").function
group_difference = workflows.get("oddball.group_difference@1.0.0").function


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from braino_registry.synthesis import build

    recipe = json.loads((builtin() / "generators" / "oddball-p3.json").read_text(encoding="utf-8"))
    out = tmp_path_factory.mktemp("oddball")
    build(recipe, b"", out)
    return out / "bids"


def _by_mne(tree: Path, label: str, *, delay: float = 0.0, pair: bool = False) -> float:
    """Do the same with Raw, Epochs and Evoked."""
    import mne

    stem = tree / f"sub-{label}" / "eeg" / f"sub-{label}_task-oddball"
    raw = mne.io.read_raw_brainvision(f"{stem}_eeg.vhdr", preload=True, verbose="error")
    raw.pick("eeg").filter(0.1, 30, verbose="error").resample(125, verbose="error")
    raw.set_eeg_reference(["P3", "P4"] if pair else "average", verbose="error")
    rows = read_tsv(Path(f"{stem}_events.tsv")).rows
    evoked = {}
    for code in ("1", "2"):
        samples = [
            round((float(str(row["onset"])) + delay) * 125) for row in rows if row["value"] == code
        ]
        events = np.column_stack([samples, np.zeros(len(samples), int), np.ones(len(samples), int)])
        evoked[code] = mne.Epochs(
            raw, events, tmin=-0.2, tmax=0.8, baseline=(-0.2, 0), preload=True, verbose="error"
        ).average()
    wave = (evoked["2"].data - evoked["1"].data)[
        [evoked["1"].ch_names.index(name) for name in ("Fz", "Cz", "Pz")]
    ].mean(axis=0)
    times = evoked["1"].times
    return float(wave[(times >= 0.3 - 1e-9) & (times <= 0.5 + 1e-9)].mean() * 1e6)


@pytest.mark.parametrize("label", ["01", "02"])
def test_it_is_what_mne_measures(tree: Path, label: str) -> None:
    found = difference(tree, recording=f"sub-{label}_task-oddball", **MINIMAL)
    assert found["n_rare"] == 40
    assert found["difference_uv"] == pytest.approx(_by_mne(tree, label), abs=1e-6)
    assert found["difference_uv"] == pytest.approx(found["rare_uv"] - found["frequent_uv"])
    assert found["difference_uv"] > 0.5


def test_a_delay_and_another_reference_are_what_mne_makes_of_them(tree: Path) -> None:
    args = MINIMAL | {"delay": 0.026, "reference": ["P3", "P4"]}
    found = difference(tree, recording="sub-01_task-oddball", **args)
    expected = _by_mne(tree, "01", delay=0.026, pair=True)
    assert found["difference_uv"] == pytest.approx(expected, abs=1e-6)
    assert found["difference_uv"] != pytest.approx(_by_mne(tree, "01", pair=True), abs=1e-3)


def test_codes_may_be_many_and_order_does_not_matter(tree: Path) -> None:
    plain = difference(tree, recording="sub-01_task-oddball", **MINIMAL)
    many = MINIMAL | {"rare": ["99", "2"], "frequent": ["1", 98]}
    assert difference(tree, recording="sub-01_task-oddball", **many) == plain
    named = MINIMAL | {"rare": ["target"], "frequent": ["standard"], "column": "trial_type"}
    assert difference(tree, recording="sub-01_task-oddball", **named) == plain


def test_a_group_is_the_mean_over_participants(tree: Path) -> None:
    each = [
        difference(tree, recording=f"sub-{label}_task-oddball", **MINIMAL) for label in ("01", "02")
    ]
    found = group_difference(tree, recording=None, recordings="*_task-oddball", **MINIMAL)
    assert found["n"] == 2
    for key in ("rare_uv", "frequent_uv", "difference_uv"):
        assert found[key] == pytest.approx(np.mean([one[key] for one in each]))
    values = [one["difference_uv"] for one in each]
    assert found["difference_sd_uv"] == pytest.approx(np.std(values, ddof=1))
    assert [*found["differences_uv"].values()] == pytest.approx(values)


def _as_eeglab(tree: Path, out: Path, name: str) -> None:
    """Write a recording as ERP CORE does: .set with .fdt, samples from 1, codes under value."""
    from scipy.io import savemat

    source = BidsTree(tree).open(name)
    data = source.read() * 1e6
    folder = out / "sub-01" / "eeg"
    folder.mkdir(parents=True)
    (out / "dataset_description.json").write_text('{"Name": "x", "BIDSVersion": "1.8.0"}')
    data.T.astype("<f4").tofile(folder / f"{name}_eeg.fdt")
    none = np.array([])
    eeg = {
        "setname": name, "nbchan": len(data), "trials": 1, "pnts": data.shape[1],
        "srate": source.sfreq, "xmin": 0.0, "xmax": (data.shape[1] - 1) / source.sfreq,
        "data": f"{name}_eeg.fdt", "icawinv": none, "icasphere": none, "icaweights": none,
        "chanlocs": np.array([(each,) for each in source.ch_names], [("labels", object)]),
        "event": none, "epoch": none, "ref": "common", "comments": "",
    }  # fmt: skip
    savemat(folder / f"{name}_eeg.set", {"EEG": eeg}, appendmat=False)
    rows = ["onset\tduration\tsample\ttrial_type\tvalue"]
    for event in source.events:
        sample = round(float(event["onset"]) * source.sfreq) + 1
        rows.append(f"{event['onset']:.4f}\t0.2\t{sample}\tstimulus\t{event['value']}")
    (folder / f"{name}_events.tsv").write_text("\n".join(rows) + "\n")
    kinds = zip(source.ch_names, source.ch_types, strict=True)
    table = [f"{each}\t{kind.upper()}\tmicroV" for each, kind in kinds]
    (folder / f"{name}_channels.tsv").write_text("\n".join(["name\ttype\tunits", *table]) + "\n")
    (folder / f"{name}_eeg.json").write_text(
        json.dumps({"TaskName": "oddball", "SamplingFrequency": source.sfreq,
                    "PowerLineFrequency": 60, "EEGReference": "CMS", "SoftwareFilters": "n/a"})
    )  # fmt: skip


def test_files_in_the_form_of_the_public_data_give_the_same(tree: Path, tmp_path: Path) -> None:
    """Sets of codes are found, eye channels stay out of the average, samples are not read."""
    name = "sub-01_task-oddball"
    _as_eeglab(tree, tmp_path, name)
    found, other = (difference(root, recording=name, **MINIMAL) for root in (tmp_path, tree))
    assert (found["n_rare"], found["n_frequent"]) == (other["n_rare"], other["n_frequent"])
    for key in ("rare_uv", "frequent_uv", "difference_uv"):
        assert found[key] == pytest.approx(other[key], abs=1e-3)


@pytest.mark.parametrize(
    ("change", "error", "problem"),
    [
        ({"rare": [77]}, SignalError, "no complete epoch of a rare event"),
        ({"channels": ["Qz"]}, SignalError, "no channel 'Qz'"),
        ({"reference": ["Qz"]}, UsageError, "no EEG channel 'Qz'"),
        ({"window": [0.9, 1.0]}, SignalError, "holds no sample"),
        ({"epoch": [-400, 400]}, SignalError, "no complete epoch"),
    ],
)
def test_what_cannot_be_measured_is_said(
    tree: Path, change: dict[str, Any], error: type[Exception], problem: str
) -> None:
    with pytest.raises(error, match=problem):
        difference(tree, recording="sub-01_task-oddball", **(MINIMAL | change))


def test_one_number_may_be_asked_for(tree: Path) -> None:
    one = {"recording": "sub-01_task-oddball", **MINIMAL}
    found = difference(tree, **one)
    assert difference(tree, **one, report="n_rare") == 40
    group = group_difference(tree, recording=None, recordings="sub-01*", **MINIMAL, report="n")
    assert group == 1
    args = {"recording": None, "recordings": "sub-01*", **MINIMAL}
    assert group_difference(tree, **args, report="rare_uv") == found["rare_uv"]
    for measure, given in ((difference, one), (group_difference, args)):
        with pytest.raises(UsageError, match="'diference_uv'") as error:
            measure(tree, **given, report="diference_uv")
        assert "difference_uv" in error.value.hint


def test_a_group_needs_recordings_of_different_people(tree: Path) -> None:
    with pytest.raises(UsageError, match="no recording matches"):
        group_difference(tree, recording=None, recordings="*_task-P3", **MINIMAL)
    with pytest.raises(UsageError, match="Name a recording"):
        difference(tree, recording=None, **MINIMAL)
