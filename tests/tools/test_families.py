"""What each tool reports, against planted truth and independent calculations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal, stats

from braino_registry.recordings.tree import BidsTree
from tests import tiny

ONE, TWO = "sub-01_task-oddball", "sub-02_task-oddball"


def test_inspection(call):
    found = call("dataset.inspect")
    assert (found["n_subjects"], found["n_recordings"]) == (2, 2)
    assert found["subjects"] == ["01", "02"]
    assert found["tasks"] == ["oddball"]
    assert found["sessions"] == []
    assert found["missing"] == []
    assert found["participants_columns"] == ["participant_id", "age", "group"]
    assert found["recordings"][1] == {
        "recording": TWO, "bids_subject": "02", "bids_task": "oddball",
        "n_channels": 17, "sfreq": 250.0, "duration": 60.0,
    }  # fmt: skip


def test_inspection_of_an_incomplete_dataset(tmp_path, toolset):
    from braino_registry.numbers import Ledger
    from braino_registry.tools.state import ToolState

    root = tmp_path / "bids"
    tiny.write(root)
    (root / "participants.tsv").unlink()
    (root / "sub-01" / "eeg" / f"{ONE}_channels.tsv").unlink()
    (root / "sub-02" / "eeg" / f"{TWO}_eeg.eeg").write_bytes(b"")
    (root / "sub-02" / "eeg" / f"{TWO}_eeg.vhdr").write_bytes(b"")
    (root / "sub-03").mkdir()
    found = toolset.run("dataset.inspect", {}, ToolState.open(root, tmp_path, Ledger()))
    assert found["subjects"] == ["01", "02", "03"]
    assert found["missing"] == [
        "participants.tsv",
        f"{ONE}_channels.tsv",
        f"{TWO}: the data file is empty",
    ]
    assert found["recordings"][1]["sfreq"] is None


def test_query(call):
    found = call("dataset.query", bids_subject="02", suffix="eeg", extension=".vhdr")
    assert found["files"] == [f"sub-02/eeg/{TWO}_eeg.vhdr"]
    assert found["recordings"] == [TWO]
    events = call("dataset.query", bids_subject=["01", "02"], suffix="events")
    assert (events["n_found"], events["recordings"]) == (2, [])
    everything = call("dataset.query")
    assert everything["n_found"] == len(everything["files"]) == 14
    assert everything["recordings"] == [ONE, TWO]


def test_participants(call):
    found = call("dataset.participants", columns=["group"])
    assert found["participants"] == [
        {"bids_subject": "01", "group": "A"},
        {"bids_subject": "02", "group": "B"},
    ]


def test_info(call):
    found = call("recording.info", view=ONE)
    assert found["ch_names"] == list(tiny.CHANNELS)
    assert found["ch_types"] == {"eeg": 16, "eog": 1}
    assert (found["n_channels"], found["sfreq"], found["duration"]) == (17, 250.0, 60.0)
    assert found["events"] == {"target": 10, "standard": 19}
    assert found["event_values"] == {"1": 10, "2": 19}
    assert (found["n_events"], found["line_freq"]) == (29, 60.0)
    assert found["reference"] == "linked ears"
    assert found["sidecars_missing"] == found["bads"] == found["notes"] == []
    assert found["description"] == "as recorded; 60 s of signal at 250 Hz"


def test_info_of_a_view(call):
    view = call("preprocess.crop", view=ONE, tmin=10.0, tmax=20.0)["view"]
    view = call("preprocess.filter", view=view, l_freq=1.0)["view"]
    found = call("recording.info", view=view)
    assert (found["sfreq"], found["duration"]) == (250.0, 60.0)  # the recording's
    assert found["n_events"] == 5
    steps = "window tmin=10.0 tmax=20.0; filter l_freq=1.0"
    assert found["description"] == f"{steps}; 10 s of signal at 250 Hz"
    assert found["recording"] == ONE


def test_info_lists_slower_channels(tmp_path, toolset, state):
    from braino_registry.tools.state import ToolState

    tiny.write_mixed_edf(tmp_path / "bids")
    mixed = ToolState.open(tmp_path / "bids", tmp_path, state.ledger)
    found = toolset.run("recording.info", {"view": "sub-01_task-sleep"}, mixed)
    assert found["slower_channels_hz"] == {"SpO2": 1.0}
    picked = toolset.run(
        "preprocess.pick", {"view": "sub-01_task-sleep", "channels": ["SpO2"]}, mixed
    )
    assert picked["description"] == "channels SpO2; now 40 s at 1 Hz"


def test_preprocessing_makes_views(call):
    view = call("preprocess.filter", view=ONE, l_freq=1.0, h_freq=40.0)
    assert view["description"] == "band-pass 1 to 40 Hz, zero-phase FIR; now 60 s at 250 Hz"
    view = call("preprocess.notch", view=view["view"], freq=50.0, harmonics=True)
    assert "50 Hz and 100 Hz" in view["description"]
    view = call("preprocess.resample", view=view["view"], sfreq=128.0)
    assert view["description"].endswith("now 60 s at 128 Hz")
    view = call("preprocess.reference", view=view["view"], reference=["T7", "T8"])
    assert view["view"] == "view-4"
    picked = call("preprocess.pick", view=view["view"], channels=["Pz"])
    assert picked["n_channels"] == 1


def test_bad_channels(call, state):
    found = call("quality.bad_channels", view=TWO)
    assert found["drifting_channels"] == ["F8"]
    view = call("preprocess.filter", view=TWO, l_freq=1.0)["view"]
    found = call("quality.bad_channels", view=view)
    assert found["channels"] == ["F7", "T8"]
    assert (found["n_bad"], found["n_examined"]) == (2, 16)
    assert found["noisy_channels"] == ["T8"]
    assert [row["channel"] for row in found["measures"]] == ["F7", "T8"]
    page = call("results.page", result=found["result"], path="measures", limit=50)
    assert len(page["items"]) == 16
    assert state.tree.open(TWO).bads == ()  # nothing was marked


def test_bad_channels_needs_a_continuous_view(call, refused):
    epochs = call("epochs.make", view=ONE, event="target")["view"]
    assert "not on epochs" in refused("quality.bad_channels", view=epochs).problem


def test_erp_of_the_planted_response(call, dataset):
    view = call("preprocess.filter", view=ONE, l_freq=0.5, h_freq=30.0)["view"]
    target = call("epochs.make", view=view, event="target")
    assert (target["n_epochs"], target["n_events"]) == (10, 10)
    assert target["description"].endswith("1 s per epoch at 250 Hz")
    standard = call("epochs.make", view=view, event="standard")
    erp = call("erp.average", view=target["view"])
    assert (erp["n_epochs"], erp["n_channels"]) == (10, 17)
    other = call("erp.average", view=standard["view"])
    difference = call("erp.difference", minuend=erp["erp"], subtrahend=other["erp"])
    assert difference["n_epochs"] == 10
    peak = call("erp.measure", erp=difference["erp"], channel="Pz", tmin=0.2, tmax=0.6, kind="peak")
    assert peak["latency"] == pytest.approx(tiny.P3_LATENCY, abs=0.03)
    assert peak["amplitude_uv"] == pytest.approx(tiny.P3_UV, abs=4)
    assert peak["local"] is True
    mean = call("erp.measure", erp=difference["erp"], channel="Pz", tmin=0.3, tmax=0.5)
    assert mean["latency"] is None
    wave = _by_hand(dataset.data[ONE])
    window = slice(50 + 75, 50 + 125 + 1)  # 0.3 to 0.5 s, both included
    assert mean["amplitude_uv"] == pytest.approx(wave[window].mean(), abs=1e-3)
    low = call(
        "erp.measure", erp=erp["erp"], channel=["Pz", "Cz"], tmin=0.0, tmax=0.7, kind="peak",
        polarity="negative",
    )  # fmt: skip
    assert low["amplitude_uv"] < peak["amplitude_uv"]
    assert low["kind"] == "negative peak"


def _by_hand(data: np.ndarray) -> np.ndarray:
    """Return target minus standard at Pz in µV, by MNE's filter and plain indexing."""
    from mne.filter import filter_data

    pz = filter_data(data[[tiny.CHANNELS.index("Pz")]], 250.0, 0.5, 30.0, verbose="error")[0]
    means = {}
    for kind in ("target", "standard"):
        onsets = [o for o, n in zip(tiny.ONSETS, tiny.NAMES, strict=True) if n == kind]
        cuts = np.array([pz[round(250 * o) - 50 : round(250 * o) + 200] for o in onsets])
        cuts -= cuts[:, :50].mean(axis=1, keepdims=True)
        means[kind] = cuts.mean(axis=0) * 1e6
    return means["target"] - means["standard"]


def test_waveforms_can_be_paged_in_microvolts(call):
    epochs = call("epochs.make", view=ONE, event="target", baseline=None)["view"]
    erp = call("erp.average", view=epochs)
    page = call("results.page", result=erp["erp"], path="uv.Pz", offset=240, limit=50)
    assert (page["more"], len(page["items"]), page["unit"]) == (False, 10, "µV")
    assert "-0.2 + k * 0.004 s" in page["description"]
    assert call("results.page", result=erp["erp"], path="uv.Pz", limit=50)["more"] is True


def test_averages_that_do_not_match(call, refused):
    one = call("erp.average", view=call("epochs.make", view=ONE, event="target")["view"])
    short = call("epochs.make", view=ONE, event="target", tmax=0.5)["view"]
    two = call("erp.average", view=short)
    error = refused("erp.difference", minuend=one["erp"], subtrahend=two["erp"])
    assert "same view" in error.instead


def test_band_power_equals_scipy(call, dataset):
    found = call("spectrum.band_power", view=ONE, channels=["O1", "Oz", "O2"], band="alpha")
    index = [tiny.CHANNELS.index(name) for name in ("O1", "Oz", "O2")]
    freqs, psd = signal.welch(
        dataset.data[ONE][index] * 1e6, 250.0, nperseg=1000, noverlap=500, detrend="constant"
    )

    def power(low, high):
        mask = (freqs >= low) & (freqs <= high)
        return np.trapezoid(psd[:, mask], freqs[mask], axis=1)

    assert found["absolute_uv2"] == pytest.approx(power(8, 13).mean(), rel=1e-4)
    assert found["relative"] == pytest.approx((power(8, 13) / power(1, 40)).mean(), rel=1e-4)
    assert (found["fmin"], found["fmax"], found["n_channels"]) == (8.0, 13.0, 3)
    own = call(
        "spectrum.band_power", view=ONE, channels=["Oz"], fmin=8, fmax=13, relative_to=[4, 30]
    )
    share = power(8, 13)[1] / power(4, 30)[1]
    assert own["relative"] == pytest.approx(share, rel=1e-4)


def test_batches_do_not_change_a_spectrum(call, monkeypatch):
    whole = call("spectrum.band_power", view=ONE, band="beta")
    monkeypatch.setattr("braino_registry.recordings.views.BATCH_BYTES", 15000 * 8 * 3)
    assert call("spectrum.band_power", view=ONE, band="beta")["relative"] == whole["relative"]


def test_spectral_peak_and_line(call):
    peak = call("spectrum.peak", view=ONE, channels=["O1", "Oz", "O2"], fmin=7, fmax=14)
    assert peak["frequency_hz"] == pytest.approx(tiny.ALPHA_HZ, abs=0.03)
    assert peak["at_edge"] is False
    line = call("spectrum.line_noise", view=ONE)
    assert line["frequency_hz"] == 50.0  # the sidecar says 60
    clean = call("preprocess.notch", view=ONE, freq=50.0)["view"]
    assert call("spectrum.line_noise", view=clean)["frequency_hz"] is None


def test_epochs_have_a_spectrum(call):
    view = call("epochs.make", view=ONE, event="standard", tmin=-1.0, tmax=1.0, baseline=None)
    found = call("spectrum.band_power", view=view["view"], band="alpha", segment_seconds=2.0)
    assert 0 < found["relative"] < 1


def test_statistics_on_reported_values(call):
    groups: dict[str, list[float]] = {"a": [], "b": []}
    for k, channels in enumerate((["O1"], ["Oz"], ["O2"], ["F3"], ["Fz"], ["F4"])):
        found = call("spectrum.band_power", view=ONE, channels=channels, band="alpha")
        groups["ab"[k // 3]].append(found["relative"])
    test = call("stats.ttest", **groups)
    expected = stats.ttest_ind(groups["a"], groups["b"])
    assert test["t"] == pytest.approx(expected.statistic, rel=1e-5)
    assert test["p_value"] == pytest.approx(expected.pvalue, rel=1e-5)
    assert test["df"] == 4
    again = call("stats.ttest", **groups, paired=True)
    corrected = call(
        "stats.correct", p_values=[test["p_value"], again["p_value"]], method="bonferroni"
    )
    assert corrected["p_adjusted"] == pytest.approx(
        [min(2 * test["p_value"], 1), min(2 * again["p_value"], 1)], rel=1e-4
    )


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("stats.ttest", {"a": [0.31731, 0.41423], "b": [0.51931, 0.62347]}),
        ("stats.correct", {"p_values": [0.012345], "method": "holm"}),
    ],
)
def test_statistics_on_invented_values_are_refused(refused, tool, args):
    assert "not reported by any tool" in refused(tool, **args).problem


def test_no_tool_writes_into_the_dataset(call, dataset):
    def snapshot():
        files = sorted(path for path in dataset.root.rglob("*") if path.is_file())
        return [(path, path.read_bytes(), path.stat().st_mtime_ns) for path in files]

    before = snapshot()
    view = call("preprocess.filter", view=TWO, l_freq=1.0)["view"]
    call("quality.bad_channels", view=view)
    call("dataset.query", suffix="eeg")
    call("erp.average", view=call("epochs.make", view=view, event="target")["view"])
    assert snapshot() == before
    assert BidsTree(dataset.root).recordings() == (ONE, TWO)


def test_numbers_that_were_only_passed_in_never_come_out_as_reported(call, state):
    """Rates, edges, windows and lengths belong to whoever chose them, however often they return."""
    view = call("preprocess.crop", view=ONE, tmin=3.172, tmax=41.836)["view"]
    view = call("preprocess.resample", view=view, sfreq=187.5)["view"]
    view = call("preprocess.filter", view=view, l_freq=0.738, h_freq=37.41)["view"]
    view = call("preprocess.notch", view=view, freq=47.13)["view"]
    picked = call("preprocess.pick", view=view, channels=["Pz", "Oz"])["view"]
    epochs = call(
        "epochs.make", view=view, event="standard", tmin=-0.312, tmax=0.688, baseline=None
    )["view"]
    erp = call("erp.average", view=epochs)["erp"]
    for name in (view, picked, epochs):
        call("recording.info", view=name)
    call("results.page", result=erp)
    call("results.page", result=erp, path="n_epochs", offset=43, limit=50)
    chosen = [3.172, 41.836, 38.664, 187.5, 0.738, 37.41, 47.13, -0.312, 0.688, 93, 12, 7249]
    assert [value for value in chosen if state.ledger.grounds_value(value)] == []
