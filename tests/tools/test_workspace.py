"""What the foundational tools write into the workspace: exported samples and figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import edfio
import mne
import numpy as np
import pytest
from PIL import Image

from tests import tiny

ID = "sub-01_task-oddball"


@pytest.mark.parametrize("format", ["edf", "fif", "npy", "csv"])
def test_exported_samples_are_those_of_the_view(call, state, format):
    view = call("view.build", view=ID, channels=["O2", "Pz"], l_freq=1.0, h_freq=30.0,
                sfreq=125.0, tmin=10.0, tmax=20.0)["view"]  # fmt: skip
    found = call("export.data", file=f"out.{format}", format=format, view=view)
    assert found["ch_names"] == ["O2", "Pz"]
    expected = state.view(view).data()
    data, sfreq, names = read(state.workspace / found["file"])
    assert data.shape == expected.shape
    assert names in (None, ["O2", "Pz"])
    assert sfreq in (None, 125.0)
    np.testing.assert_allclose(data, expected, atol=2e-8 if format == "edf" else 1e-11)


def read(path: Path) -> tuple[np.ndarray, float | None, list[str] | None]:
    """Return V, rate and names by readers that are not ours."""
    if path.suffix == ".edf":
        edf = edfio.read_edf(path)
        assert {s.physical_dimension for s in edf.signals} == {"uV"}
        return (
            np.stack([s.data for s in edf.signals]) * 1e-6,
            edf.signals[0].sampling_frequency,
            [s.label for s in edf.signals],
        )
    if path.suffix == ".fif":
        raw = mne.io.read_raw_fif(path, verbose="error")
        return raw.get_data(), raw.info["sfreq"], raw.ch_names
    if path.suffix == ".npy":
        return np.load(path), None, None
    table = np.genfromtxt(path, delimiter=",", names=True)
    names = list(table.dtype.names)
    assert names[0] == "time"
    np.testing.assert_allclose(table["time"], 10 + np.arange(len(table)) / 125)
    return np.stack([table[name] for name in names[1:]]), None, names[1:]


@pytest.mark.parametrize("seconds", [10.5, 3.2, 0.104])
def test_an_edf_is_as_long_as_its_samples(call, state, seconds):
    view = call("view.build", view=ID, channels=["O2"], tmin=1.0, tmax=1.0 + seconds)["view"]
    call("export.data", file="cut.edf", format="edf", view=view)
    edf = edfio.read_edf(state.workspace / "cut.edf")
    assert edf.signals[0].data.size == round(seconds * 250)
    assert edf.duration == pytest.approx(seconds)
    raw = mne.io.read_raw_edf(state.workspace / "cut.edf", verbose="error")
    assert raw.n_times == round(seconds * 250)


def test_headers_tell_the_filters_and_other_types_keep_their_unit(call, state):
    view = call("view.build", view=ID, notch=[50.0], l_freq=1.0, h_freq=30.0, tmin=0, tmax=5)
    call("export.data", file="all.edf", format="edf", view=view["view"])
    signals = edfio.read_edf(state.workspace / "all.edf").signals
    assert len(signals) == len(tiny.CHANNELS)
    assert signals[0].prefiltering == "N:50Hz HP:1Hz LP:30Hz"


def test_flat_channels_can_be_exported(call, state):
    call("export.data", file="flat.edf", format="edf", view="sub-02_task-oddball",
         channels=["F7", "O1"])  # fmt: skip
    flat = edfio.read_edf(state.workspace / "flat.edf").signals[0].data
    assert np.abs(flat).max() < 1e-4


def test_results_and_epochs_can_be_exported(call, state):
    found = call("connectivity.measure", view=ID, method="pearson")
    made = call("export.data", file="r.csv", format="csv", result=found["result"], path="matrix")
    assert made["ch_names"] == list(tiny.EEG)
    lines = (state.workspace / "r.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == ",".join(tiny.EEG)
    np.testing.assert_allclose(
        np.loadtxt(lines[1:], delimiter=","), state.results.get(found["result"]).value["matrix"],
        atol=1e-9,
    )  # fmt: skip
    call("export.data", file="d.npy", format="npy", result=found["result"], path="degree")
    assert np.load(state.workspace / "d.npy").shape == (len(tiny.EEG),)
    epochs = call("epochs.make", view=ID, event="target")["view"]
    call("export.data", file="e.npy", format="npy", view=epochs, channels=["Pz"])
    expected = state.view(epochs).data(["Pz"])
    np.testing.assert_array_equal(np.load(state.workspace / "e.npy"), expected)


def test_exports_that_cannot_be(refused, call):
    for file in ("../x.edf", "a/b.edf", "/tmp/x.edf", ".x.edf", "", "x" * 120 + ".edf", "x\n.edf"):
        assert "no plain file name" in str(refused("export.data", file=file, format="edf", view=ID))
    assert "does not end in .edf" in str(
        refused("export.data", file="x.csv", format="edf", view=ID)
    )
    assert "either a view or a result" in str(refused("export.data", file="x.edf", format="edf"))
    epochs = call("epochs.make", view=ID, event="target")["view"]
    assert "as npy only" in str(refused("export.data", file="x.edf", format="edf", view=epochs))
    view = call("view.build", view=ID, tmin=0, tmax=7.001)["view"]
    call("export.data", file="odd.npy", format="npy", view=view)


def test_a_link_in_the_workspace_is_replaced_and_not_followed(call, state, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    (state.workspace / "out.npy").symlink_to(victim)
    call("export.data", file="out.npy", format="npy", view=ID, channels=["Pz"])
    assert victim.read_text(encoding="utf-8") == "mine"
    assert not (state.workspace / "out.npy").is_symlink()
    assert np.load(state.workspace / "out.npy").shape == (1, 15_000)
    (state.workspace / "folder.npy").mkdir()
    from braino_registry.tools.errors import ToolError

    with pytest.raises(ToolError, match="cannot be written"):
        call("export.data", file="folder.npy", format="npy", view=ID, channels=["Pz"])
    assert not list(state.workspace.glob(".writing-*"))


def test_a_workspace_that_the_agent_has_replaced_or_removed_is_refused(state, tmp_path):
    from braino_registry.tools import workspace
    from braino_registry.tools.errors import ToolError

    victim, own = tmp_path / "victim", tmp_path / "own"
    victim.mkdir()
    gone = replace(state, workspace=own)
    with pytest.raises(ToolError, match="cannot be written"):
        workspace.write(gone, "out.txt", Path.touch)
    own.symlink_to(victim)
    with pytest.raises(ToolError, match="cannot be written"):
        workspace.write(gone, "out.txt", Path.touch)
    assert list(victim.iterdir()) == []


def image(path: Path) -> np.ndarray:
    with Image.open(path) as opened:
        assert opened.format == "PNG"
        return np.asarray(opened.convert("RGB"), float)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("psd", {"view": ID, "channels": ["O1", "O2"], "fmin": 1.0, "fmax": 40.0}),
        ("psd", {"view": ID}),
        ("traces", {"view": ID, "channels": ["O1", "O2"]}),
        ("spectrogram", {"view": ID, "channels": ["O1"], "fmax": 40.0}),
    ],
)
def test_figures_show_something_and_the_same_each_time(call, state, kind, given):
    found = call("export.figure", kind=kind, file="a.png", **given)
    assert found["ch_names"] == given.get("channels", list(tiny.EEG))
    call("export.figure", kind=kind, file="b.png", **given)
    first = image(state.workspace / "a.png")
    assert first.std() > 5
    assert (state.workspace / "a.png").read_bytes() == (state.workspace / "b.png").read_bytes()
    other = {**given, "view": "sub-02_task-oddball"}
    call("export.figure", kind=kind, file="c.png", **other)
    assert np.abs(image(state.workspace / "c.png") - first).max() > 100


def test_a_heatmap_shows_a_matrix(call, state, refused):
    found = call("connectivity.measure", view=ID, method="pearson")
    drawn = call("export.figure", kind="heatmap", file="m.png", result=found["result"])
    assert drawn["ch_names"] == list(tiny.EEG)
    assert image(state.workspace / "m.png").std() > 5
    share = call("spectrum.features", view=ID, measure="relative_power", band="alpha")
    for given in ({"result": found["result"], "path": "pairs"}, {"result": share["result"]}):
        assert refused("export.figure", kind="heatmap", file="m.png", **given).instead
    assert "of a result" in str(refused("export.figure", kind="heatmap", file="m.png", view=ID))
    assert "of a view" in str(
        refused("export.figure", kind="psd", file="m.png", result=found["result"])
    )
    assert "no sleep stages" in str(
        refused("export.figure", kind="hypnogram", file="m.png", view=ID)
    )
    assert "one channel" in str(refused("export.figure", kind="spectrogram", file="m.png", view=ID))
    assert "no spectrum lies" in str(
        refused("export.figure", kind="psd", file="m.png", view=ID, fmin=200.0)
    )


def test_a_hypnogram_shows_the_stages_among_the_events(tmp_path, toolset):
    from braino_registry.numbers import Ledger
    from braino_registry.tools.state import ToolState

    root = tmp_path / "bids"
    tiny.write_mixed_edf(root)
    rows = ["onset\tduration\ttrial_type", "0\t20\tSleep stage W", "3\t1\tarousal"]
    rows += ["20\t10\tSleep stage 2", "30\t10\tSleep stage ?"]
    tiny._text(root / "sub-01" / "eeg" / "sub-01_task-sleep_events.tsv", "\n".join(rows) + "\n")
    workspace = tmp_path / "work"
    workspace.mkdir()
    state = ToolState.open(root, workspace, Ledger())
    args = {"kind": "hypnogram", "file": "h.png", "view": "sub-01_task-sleep"}
    toolset.run("export.figure", args, state)
    assert image(workspace / "h.png").std() > 2
    from braino_registry.recordings.staging import staged

    spans = staged(state.view("sub-01_task-sleep").events)
    assert [span["stage"] for span in spans] == ["W", "N2", None]
