"""The foundational tools against planted truth, and against what the analyses say."""

from __future__ import annotations

import numpy as np
import pytest

from braino_registry.analysis.filters import band_pass
from braino_registry.tools.catalog import Toolset, catalog
from braino_registry.tools.errors import ToolError
from tests import tiny
from tests.tools import body

ID = "sub-01_task-oddball"
PAPER = {
    "RecordingLoader": "recording.info", "ChannelInspector": "channels.inspect",
    "SignalViewBuilder": "view.build", "DataExporter": "export.data",
    "FigureExporter": "export.figure", "SpectralFeatureAnalyzer": "spectrum.features",
    "TimeDomainFeatureAnalyzer": "signal.features",
    "ComplexityFeatureAnalyzer": "complexity.features",
    "ConnectivityAnalyzer": "connectivity.measure", "ArtifactQualityAnalyzer": "quality.assess",
    "FeatureRankerAggregator": "features.rank",
}  # fmt: skip


def test_the_paper_s_names_are_aliases(toolset, state):
    for alias, name in PAPER.items():
        assert toolset.resolve(alias) == name
        assert f"Also known as {alias}." in catalog().get(name).spec.description
    assert toolset.resolve("nothing") == "nothing"
    by_alias = toolset.run("RecordingLoader", {"view": ID}, state)
    assert by_alias == toolset.run("recording.info", {"view": ID}, state)
    small = Toolset(["calc@1.0.0"])
    assert small.resolve("RecordingLoader") == "RecordingLoader"


def test_no_alias_is_a_tool_s_name_or_another_s_alias():
    names = [key.partition("@")[0] for key in catalog().names()]
    aliases = [alias for _, tool in catalog() for alias in tool.aliases]
    assert len(aliases) == len(set(aliases))
    assert not set(aliases) & set(names)


def test_channels_are_told_by_kind_region_and_side(call):
    found = call("channels.inspect", view=ID)
    assert found["eeg"] == list(tiny.EEG)
    assert found["other"] == {"eog": ["VEOG"]}
    assert (found["system"], found["outside"]) == ("10-20", [])
    assert found["regions"]["occipital"] == ["O1", "Oz", "O2"]
    assert found["left"] == ["F7", "F3", "T7", "C3", "P3", "O1"]
    assert ["O1", "O2"] in found["homologous"]


def test_a_view_without_eeg_is_described_all_the_same(call):
    view = call("preprocess.pick", view=ID, channels=["VEOG"])["view"]
    found = call("channels.inspect", view=view)
    assert (found["eeg"], found["system"], found["n_eeg"]) == ([], None, 0)


def test_one_step_is_as_good_as_many(call, state):
    one = call(
        "view.build", view=ID, channels=["O1", "Pz"], notch=[50.0], l_freq=1.0, h_freq=30.0,
        reference="average", sfreq=125.0, tmin=10.0, tmax=20.0,
    )  # fmt: skip
    view = call("preprocess.notch", view=ID, freq=50.0)["view"]
    view = call("preprocess.filter", view=view, l_freq=1.0, h_freq=30.0)["view"]
    view = call("preprocess.reference", view=view)["view"]
    view = call("preprocess.pick", view=view, channels=["O1", "Pz"])["view"]
    view = call("preprocess.resample", view=view, sfreq=125.0)["view"]
    view = call("preprocess.crop", view=view, tmin=10.0, tmax=20.0)["view"]
    assert one["ch_names"] == ["O1", "Pz"]
    assert one["n_epochs"] is None
    np.testing.assert_array_equal(state.view(one["view"]).data(), state.view(view).data())
    assert state.view(one["view"]).data().shape == (2, 1250)
    epochs = call("view.build", view=one["view"], event="target", epoch=[-0.1, 0.5])
    assert epochs["n_epochs"] == 2  # at 13 and 19 s


def test_what_is_not_to_be_done_is_refused(refused):
    assert "nothing is to be done" in str(refused("view.build", view=ID))
    assert "belongs to epochs" in str(refused("view.build", view=ID, baseline=[-0.1, 0.0]))
    assert "O9" in str(refused("view.build", view=ID, channels=["O9"]))
    assert "not inside" in str(refused("view.build", view=ID, tmin=50.0, tmax=70.0))


def test_spectral_features_find_what_is_planted(call):
    share = call("spectrum.features", view=ID, measure="relative_power", band="alpha")
    assert max(share["values"], key=share["values"].get) == "Oz"
    assert share["unit"] == "1"
    peak = call("spectrum.features", view=ID, measure="peak_frequency", fmin=8, fmax=13,
                channels=["O1", "Oz", "O2"])  # fmt: skip
    assert peak["frequency_hz"] == pytest.approx(tiny.ALPHA_HZ, abs=0.13)
    own = call("spectrum.features", view=ID, measure="personal_band", fmin=8, fmax=13,
               channels=["O1", "Oz", "O2"])  # fmt: skip
    assert own["frequency_hz"] == peak["frequency_hz"]
    assert 0.3 < own["mean"] < 1
    bands = call("spectrum.features", view=ID, measure="dominant_bands", channels=["Oz"])
    assert bands["names"][0] == "alpha"
    ratio = call("spectrum.features", view=ID, measure="band_ratio", band="alpha",
                 denominator=[13.0, 30.0], channels=["Oz", "F7"])  # fmt: skip
    assert ratio["values"]["Oz"] > 3 * ratio["values"]["F7"]
    edge = call("spectrum.features", view=ID, measure="edge_frequency", channels=["Oz", "F7"])
    assert edge["unit"] == "Hz"
    assert 0.5 < edge["values"]["Oz"] <= 40
    line = call("spectrum.features", view=ID, measure="absolute_power", fmin=49.5, fmax=50.5,
                window="hamming")  # fmt: skip
    assert line["mean"] == pytest.approx(1.5**2 / 2, rel=0.1)
    assert line["unit"] == "µV²"


@pytest.mark.parametrize("one", [{"fmin": 1.0}, {"fmax": 30.0}])
def test_one_edge_alone_is_refused_with_what_to_do(toolset, state, one):
    args = {"view": ID, "measure": "edge_frequency", **one}
    with pytest.raises(ToolError, match="both fmin and fmax, or neither"):
        toolset.run("spectrum.features", args, state)


def test_spectral_features_are_kept_in_full_precision(call, state):
    found = call("spectrum.features", view=ID, measure="relative_power", band="alpha")
    kept = state.results.get(found["result"]).value["values"]
    assert found["values"]["Oz"] == pytest.approx(kept["Oz"], abs=1e-4)
    assert len(kept) == len(tiny.EEG)


def test_a_notch_at_the_wrong_frequency_does_nothing(call):
    matched = call("spectrum.notch_attenuation", view=ID, notch_hz=50.0)
    missed = call("spectrum.notch_attenuation", view=ID, notch_hz=60.0, line_hz=50.0)
    assert matched["mean_db"] > 20 > 1 > abs(missed["mean_db"])


def test_signal_features(call):
    found = call("signal.features", view=ID, features=["variance", "kurtosis", "hjorth_mobility"],
                 channels=["Pz", "Oz"], gfp_windows=[[0.0, 20.0], [20.0, 40.0]])  # fmt: skip
    data = tiny.signal(0)[[tiny.EEG.index("Pz"), tiny.EEG.index("Oz")]] * 1e6
    assert found["features"]["variance"]["values"]["Pz"] == pytest.approx(data[0].var(), rel=1e-3)
    assert found["features"]["variance"]["unit"] == "µV²"
    gfp = data.std(axis=0)
    assert found["gfp_peaks"][0]["gfp_uv"] == pytest.approx(gfp[:5000].max(), rel=1e-3)
    assert found["gfp_peaks"][1]["time_s"] == pytest.approx((5000 + gfp[5000:10000].argmax()) / 250)


def test_the_end_of_a_window_is_no_peak(call):
    """A window that ends on a slope: the largest value is there, but its time was chosen."""
    gfp = tiny.signal(0)[: len(tiny.EEG)].std(axis=0)
    top = int(gfp[1000:2000].argmax()) + 1000
    (peak,) = call("signal.features", view=ID, features=[],
                   gfp_windows=[[(top - 200) / 250, (top - 5) / 250]])["gfp_peaks"]  # fmt: skip
    inside = gfp[top - 200 : top - 5]
    at_end = inside.argmax() in (0, inside.size - 1)
    assert (peak["time_s"] is None) == at_end


def test_complexity(call, refused):
    view = call("view.build", view=ID, l_freq=1.0, h_freq=30.0, tmin=5.0, tmax=13.0)["view"]
    found = call("complexity.features", view=view, channels=["Oz", "F7"])
    assert found["values"]["Oz"] < found["values"]["F7"]  # a rhythm is more regular
    assert call("complexity.features", view=view, measure="dfa", channels=["Oz"])["mean"] > 0
    assert "shorter window" in refused("complexity.features", view=ID, m=9).instead or True


def test_connectivity(call, state):
    found = call("connectivity.measure", view=ID, method="plv", fmin=8.0, fmax=13.0)
    names = list(tiny.EEG)
    z = np.exp(1j * np.angle(_hilbert(band_pass(state.view(ID).data(names), 250.0, 8.0, 13.0))))
    expected = np.abs(z @ z.conj().T) / z.shape[1]
    upper = expected[np.triu_indices(len(names), 1)]
    assert found["mean"] == pytest.approx(upper.mean(), abs=1e-4)
    assert found["n_pairs"] == 120
    first = found["strongest"][0]
    assert first["value"] == pytest.approx(upper.max(), abs=1e-4)
    i, j = (names.index(name) for name in first["channels"])
    assert expected[i, j] == pytest.approx(upper.max())
    kept = state.results.get(found["result"]).value
    assert kept["degree"]["Oz"] == pytest.approx(expected[names.index("Oz")].sum() - 1)
    filtered = call("preprocess.filter", view=ID, l_freq=8.0, h_freq=13.0)["view"]
    again = call("connectivity.measure", view=filtered, method="plv")
    assert again["mean"] == found["mean"]


def _hilbert(data: np.ndarray) -> np.ndarray:
    from scipy.signal import hilbert

    return hilbert(data, axis=1)


def test_faults_are_assessed(call):
    found = call("quality.assess", view="sub-02_task-oddball")
    assert found["flat"] == ["F7"]
    assert found["drifting"] == ["F8"]
    assert "F8" in found["excessive"]
    assert found["missing"] == []
    assert found["n_channels"] == len(tiny.EEG)


def test_ranks_of_what_was_measured(call, refused, state):
    share = call("spectrum.features", view=ID, measure="relative_power", band="alpha")
    kept = state.results.get(share["result"]).value["values"]
    found = call("features.rank", result=share["result"], groups="region", without=["Cz"])
    order = sorted((name for name in kept if name != "Cz"), key=lambda name: -kept[name])
    assert found["names"] == order
    assert next(iter(found["group_means"])) == "occipital"
    occipital = np.mean([kept[name] for name in ("O1", "Oz", "O2")])
    assert found["group_means"]["occipital"] == pytest.approx(occipital, abs=1e-4)
    mean = np.mean([kept[name] for name in order])
    assert found["above_mean"] == [name for name in order if kept[name] > mean]
    regions = call("features.rank", result=found["result"], path="group_means")
    assert regions["names"][0] == "occipital"
    sides = call("features.rank", result=share["result"], groups="side")
    assert set(sides["group_means"]) == {"left", "right", "midline"}
    own = call("features.rank", result=share["result"], groups={"a": ["O1"], "b": ["F7"]},
               keep=["O1", "F7"], order="ascending")  # fmt: skip
    assert own["names"] == ["F7", "O1"]
    moments = call("signal.features", view=ID, features=["skewness"])
    skew = call("features.rank", result=moments["result"], path="features.skewness.values",
                absolute=True)  # fmt: skip
    assert len(skew["names"]) == len(tiny.EEG)
    rows = call("quality.assess", view="sub-02_task-oddball")
    drift = call("features.rank", result=rows["result"], path="rows.drift_uv")
    assert drift["names"][0] == "F8"
    assert "F8" in drift["outliers"]
    pairs = call("connectivity.measure", view=ID, method="pearson")
    top = call("features.rank", result=pairs["result"], path="pairs")
    assert top["names"][0] == "-".join(pairs["strongest"][0]["channels"])
    for path in ("nothing", "mean", "values.Oz", ""):
        assert refused("features.rank", result=share["result"], path=path).instead
    assert "no 'O9'" in str(refused("features.rank", result=share["result"], keep=["O9"]))
    assert "nothing is left" in str(
        refused("features.rank", result=share["result"], keep=["O1"], without=["O1"])
    )


def test_results_obey_their_schemas(body_call):
    view = body.ID
    body_call("channels.inspect", view=view)
    body_call("view.build", view=view, event="face", epoch=[-0.1, 0.4])
    for measure in ("relative_power", "peak_frequency", "absolute_power"):
        body_call("spectrum.features", view=view, measure=measure, fmin=2.0, fmax=30.0)
    body_call("spectrum.features", view=view, measure="dominant_bands")
    kept = body_call("signal.features", view=view, features=["rms"], gfp_windows=[[1.0, 9.0]])
    body_call("features.rank", result=kept["result"], path="features.rms.values")
    body_call("quality.assess", view=view)
    body_call("connectivity.measure", view=view, method="pearson")
