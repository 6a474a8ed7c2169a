"""Latencies, precision, tables, spectra and statistics on what tools reported."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from braino_registry.recordings.operations import operations
from tests import tiny

ONE, TWO = "sub-01_task-oddball", "sub-02_task-oddball"
BACK = ["O1", "Oz", "O2"]


@pytest.fixture
def epochs(call) -> str:
    view = call("preprocess.filter", view=ONE, l_freq=0.5, h_freq=20.0)["view"]
    return str(call("epochs.make", view=view, event="target")["view"])


def test_latency_of_the_planted_response(call, refused, epochs):
    erp = call("erp.average", view=epochs)["erp"]
    window = {"erp": erp, "channel": "Pz", "tmin": 0.2, "tmax": 0.6}
    half = call("erp.latency", **window)
    assert half["latency"] == pytest.approx(tiny.P3_LATENCY, abs=0.03)
    assert half["area_uv_s"] > 1
    onset = call("erp.latency", **window, kind="fractional_peak_onset")
    assert 0.2 < onset["latency"] < half["latency"]
    assert onset["amplitude_uv"] == pytest.approx(tiny.P3_UV, abs=5)
    assert "percent" in refused("erp.latency", **window, percent=33).instead


def test_precision_agrees_with_the_measurement(call, refused, dataset, epochs):
    window = {"channel": "Pz", "tmin": 0.3, "tmax": 0.5}
    found = call("erp.precision", view=epochs, **window)
    mean = call("erp.measure", erp=call("erp.average", view=epochs)["erp"], **window)
    assert found["amplitude_uv"] == pytest.approx(mean["amplitude_uv"], abs=1e-3)
    assert found["ci_low_uv"] < tiny.P3_UV * 0.8 < found["ci_high_uv"]
    assert found["sme_uv"] == pytest.approx(found["sd_uv"] / np.sqrt(10), rel=1e-3)
    when = call(
        "erp.precision", view=epochs, channel="Pz", tmin=0.2, tmax=0.6, kind="fractional_area"
    )
    assert when["ci_low_s"] < when["latency"] < when["ci_high_s"]
    assert "amplitude_uv" not in when
    assert "epochs.make" in refused("erp.precision", view=ONE, **window).instead
    ops = operations(dataset.root)
    clean = ops["recordings.filter"](view=ops["recordings.open"](recording=ONE), l_freq=0.5,
                                     h_freq=20.0)  # fmt: skip
    cut = ops["recordings.epochs"](
        view=clean, event="target", tmin=-0.2, tmax=0.8, baseline=[-0.2, 0.0]
    )
    expected = ops["erp.precision"](view=cut, **window)
    assert found["sme_uv"] == pytest.approx(expected["sme_uv"], rel=1e-5)
    left = ops["recordings.drop"](view=cut, epochs=[0, 1])
    assert ops["epochs.rejection"](view=left, peak_to_peak_uv=1e4)["n_epochs"] == 8


def test_one_table_equals_many_calls(call, refused):
    table = call(
        "spectrum.by_recording", views=[ONE, TWO], measure="relative_power", band="alpha",
        channels=BACK,
    )  # fmt: skip
    single = call("spectrum.band_power", view=TWO, channels=BACK, band="alpha")
    assert table["rows"][1] == {
        "recording": TWO, "bids_subject": "02", "relative": single["relative"],
    }  # fmt: skip
    absolute = call(
        "spectrum.by_recording", views=[TWO], measure="absolute_power", fmin=8.0, fmax=13.0,
        channels=BACK,
    )  # fmt: skip
    assert absolute["rows"][0]["absolute_uv2"] == single["absolute_uv2"]
    peaks = call(
        "spectrum.by_recording", views=[ONE, TWO], measure="peak_frequency", fmin=7, fmax=14,
        channels=BACK,
    )  # fmt: skip
    assert [row["frequency_hz"] for row in peaks["rows"]] == pytest.approx(
        [tiny.ALPHA_HZ] * 2, abs=0.05
    )
    slopes = call(
        "spectrum.by_recording", views=[ONE], measure="aperiodic_exponent", channels=["Fz"]
    )
    one = call("spectrum.aperiodic", view=ONE, channels=["Fz"])
    assert slopes["rows"][0]["exponent"] == one["exponent"]
    assert one["exponent"] == pytest.approx(1.6, abs=0.3)
    views = {"views": [ONE, TWO], "measure": "peak_frequency"}
    assert "both edges" in refused("spectrum.by_recording", **views).instead
    twice = refused("spectrum.by_recording", views=[ONE, ONE], measure="aperiodic_exponent")
    assert "twice" in twice.problem


def test_all_rows_of_a_table_are_shown_and_grounded(call, state):
    views = [
        call("preprocess.crop", view=one, tmin=float(k), tmax=float(k) + 20.0)["view"]
        for one in (ONE, TWO)
        for k in range(0, 30, 2)
    ]
    rows = call(
        "spectrum.by_recording", views=views, measure="relative_power", band="beta", channels=["Fz"]
    )["rows"]
    assert [row["view"] for row in rows] == views
    values = [row["relative"] for row in rows]
    assert len(set(values)) == 30
    assert all(state.ledger.grounds_value(value) for value in values)


def test_averages_of_many_recordings(call, refused):
    table = call(
        "erp.by_recording", views=[ONE, TWO], events=["target", "standard"], channel="Pz",
        tmin=0.3, tmax=0.5,
    )  # fmt: skip
    assert [(row["recording"], row["event"]) for row in table["rows"]] == [
        (ONE, "target"), (ONE, "standard"), (TWO, "target"), (TWO, "standard"),
    ]  # fmt: skip
    assert [row["n_epochs"] for row in table["rows"]] == [10, 19, 10, 19]
    erp = call("erp.average", view=call("epochs.make", view=ONE, event="target")["view"])["erp"]
    window = {"erp": erp, "channel": "Pz", "tmin": 0.3, "tmax": 0.5}
    mean = call("erp.measure", **window)
    assert table["rows"][0]["amplitude_uv"] == pytest.approx(mean["amplitude_uv"], abs=1e-4)
    peaks = call(
        "erp.by_recording", views=[ONE], events=["target"], channel="Pz", tmin=0.3, tmax=0.5,
        kind="peak", reject_uv=500.0,
    )  # fmt: skip
    peak = call("erp.measure", **window, kind="peak")
    assert peaks["rows"][0]["latency"] == peak["latency"]
    error = refused(
        "erp.by_recording", views=[ONE], events=["targets"], channel="Pz", tmin=0.3, tmax=0.5
    )
    assert "'target'" in error.instead


def test_many_names_are_one_condition_and_screens_are_late(call, refused):
    kinds = {"events": [["target", "2"], "target"], "channel": "Pz", "tmin": 0.3, "tmax": 0.5}
    table = call("erp.by_recording", views=[ONE], **kinds, delay=0.03)
    assert [row["event"] for row in table["rows"]] == [["target", "2"], "target"]
    assert [row["n_epochs"] for row in table["rows"]] == [29, 10]
    for row in table["rows"]:
        view = call("epochs.make", view=ONE, event=row["event"], delay=0.03)["view"]
        erp = call("erp.average", view=view)["erp"]
        mean = call("erp.measure", erp=erp, channel="Pz", tmin=0.3, tmax=0.5)
        assert row["amplitude_uv"] == pytest.approx(mean["amplitude_uv"], abs=1e-4)
        assert mean["n_epochs"] == row["n_epochs"]
    early = call("erp.by_recording", views=[ONE], **kinds)["rows"]
    assert early[1]["amplitude_uv"] != pytest.approx(table["rows"][1]["amplitude_uv"], abs=0.1)
    named = call("epochs.make", view=ONE, event=["target", "2"], delay=0.03)
    assert "event=['target', '2'] delay=0.03" in named["description"]
    assert named["n_events"] == 29
    assert "0.026 for 26 ms" in refused("epochs.make", view=ONE, event="target", delay=30).instead
    assert "Did you mean" in refused("epochs.make", view=ONE, event=["1", "targte"]).instead


def test_change_of_power_after_an_event(call, refused):
    epochs = call("epochs.make", view=ONE, event="target", tmin=-1.0, tmax=1.5, baseline=None)[
        "view"
    ]
    window = {"tmin": 0.2, "tmax": 0.6, "baseline": (-0.6, -0.2)}
    slow = call("tfr.power", view=epochs, fmin=3, fmax=5, **window, cycles=3, channels=["Pz"])
    steady = call("tfr.power", view=epochs, fmin=9, fmax=11, **window, channels=["Oz"])
    assert slow["change_db"] > 2  # the response itself
    assert steady["change_db"] == pytest.approx(0, abs=0.5)
    assert (slow["n_epochs"], slow["n_channels"]) == (10, 1)
    short = call("epochs.make", view=ONE, event="target", baseline=None)["view"]
    error = refused("tfr.power", view=short, fmin=9, fmax=11, **window)
    assert "Make epochs from" in error.instead
    assert "epochs.make" in refused("tfr.power", view=ONE, fmin=9, fmax=11, **window).instead


def test_coherence_and_hum(call, refused):
    near = call("spectrum.coherence", view=ONE, channel_a="O1", channel_b="Oz", fmin=9, fmax=12)
    far = call("spectrum.coherence", view=ONE, channel_a="O1", channel_b="F8", fmin=20, fmax=30)
    assert near["coherence"] > 0.8 > far["coherence"]
    assert near["peak_hz"] == pytest.approx(tiny.ALPHA_HZ, abs=0.3)
    edges = {"fmin": 8, "fmax": 12}
    refused("spectrum.coherence", view=ONE, channel_a="O1", channel_b="O1", **edges)
    hum = call("spectrum.hum_by_channel", view=ONE)
    assert hum["frequency_hz"] == tiny.LINE_HZ
    assert hum["median_uv"] == pytest.approx(1.5 / np.sqrt(2), rel=0.05)
    assert hum["channels"] == []


@pytest.fixture
def values(call) -> list[float]:
    names = list(tiny.EEG)
    views = [call("preprocess.pick", view=ONE, channels=[name])["view"] for name in names]
    rows = call("spectrum.by_recording", views=views, measure="relative_power", band="beta")["rows"]
    return [row["relative"] for row in rows]


def test_statistics_equal_scipy_on_reported_values(call, values):
    a, b, c = values[:5], values[5:10], values[10:15]
    f = call("stats.anova", groups={"a": a, "b": b, "c": c})
    assert f["p_value"] == pytest.approx(stats.f_oneway(a, b, c).pvalue, abs=1e-4)
    assert f["means"]["a"] == pytest.approx(np.mean(a), abs=1e-4)
    r = call("stats.correlation", x=a, y=b)
    assert r["r"] == pytest.approx(stats.pearsonr(a, b).statistic, abs=1e-4)
    rho = call("stats.correlation", x=a, y=b, method="spearman")
    assert rho["r"] == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-4)
    assert call("stats.partial_correlation", x=a, y=b, covariate=c)["df"] == 2
    assert call("stats.ancova", a=a, b=b, covariate_a=c, covariate_b=values[:5])["df"] == 7
    effect = call("stats.effect_size", a=a, b=b)
    test = call("stats.ttest", a=a, b=b)
    assert effect["cohen_d"] == test["cohen_d"]
    power = call("stats.power", cohen_d=test["cohen_d"], n_a=5, n_b=5)
    assert 0 < power["achieved_power"] <= 1
    assert power["detectable_d"] == pytest.approx(2.024, abs=0.01)


def test_ages_from_participants_count_as_reported(call, values):
    people = call("dataset.participants")["participants"]
    ages = [float(row["age"]) for row in people]
    assert ages == [20.0, 21.0]
    call("stats.correlation", x=values[:4], y=[*ages, *values[4:6]])


INVENTED = [0.31731, 0.41423, 0.51931, 0.62347, 0.71117]


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("stats.anova", {"groups": {"a": INVENTED, "b": INVENTED}}),
        ("stats.correlation", {"x": INVENTED, "y": INVENTED}),
        ("stats.partial_correlation", {"x": INVENTED, "y": INVENTED, "covariate": INVENTED}),
        ("stats.ancova", {"a": INVENTED, "b": INVENTED, "covariate_a": INVENTED,
                          "covariate_b": INVENTED}),
        ("stats.effect_size", {"a": INVENTED, "b": INVENTED}),
        ("stats.power", {"cohen_d": 0.8317, "n_a": 8}),
    ],
)  # fmt: skip
def test_invented_values_are_refused(refused, tool, args):
    assert "not reported by any tool" in refused(tool, **args).problem


def test_how_many_people_may_not_be_invented(call, refused, values):
    d = call("stats.ttest", a=values[:5], b=values[5:10])["cohen_d"]
    call("stats.power", cohen_d=d, n_a=8)
    assert "n_a = 137" in refused("stats.power", cohen_d=d, n_a=137).problem
    assert "1|5|10" in refused("stats.power", cohen_d=d, n_a=8, alpha_percent=3).instead


def test_clusters_of_trials_and_of_people(call, refused):
    view = call("preprocess.filter", view=ONE, l_freq=0.5, h_freq=20.0)["view"]
    made = {name: call("epochs.make", view=view, event=name)["view"] for name in
            ("target", "standard")}  # fmt: skip
    window = {"channel": "Pz", "tmin": 0.0, "tmax": 0.7}
    found = call("stats.cluster_permutation", a=[made["target"]], b=[made["standard"]], **window)
    assert (found["n_a"], found["n_b"]) == (10, 19)
    best = min(found["clusters"], key=lambda row: row["p_value"])
    assert best["onset"] < tiny.P3_LATENCY < best["offset"]
    assert best["p_value"] < 0.05
    erps = {}
    for name in made:
        parts = [call("epochs.drop", view=made[name], epochs=[k])["view"] for k in range(4)]
        erps[name] = [call("erp.average", view=part)["erp"] for part in parts]
    people = call("stats.cluster_permutation", a=erps["target"], b=erps["standard"], **window,
                  paired=True)  # fmt: skip
    assert people["n_a"] == 4
    test = "stats.cluster_permutation"
    one = [made["target"]]
    assert "pairs" in refused(test, a=one, b=[made["standard"]], **window, paired=True).problem
    assert "twice" in refused(test, a=erps["target"][:1] * 2, b=erps["standard"], **window).problem
    short = call("epochs.make", view=view, event="standard", tmax=0.5)["view"]
    assert "different times" in refused(test, a=one, b=[short], **window).problem
    assert "epochs.make" in refused(test, a=[ONE], b=[short], **window).instead
    assert "'Pz'" in refused(test, a=erps["target"], b=erps["standard"], channel="PZ", tmin=0.0,
                             tmax=0.5).instead  # fmt: skip


def test_chosen_numbers_never_come_out_as_reported(call, state):
    epochs = call("epochs.make", view=ONE, event="target", tmin=-1.137, tmax=1.489, baseline=None)
    view, window = epochs["view"], {"tmin": 0.2137, "tmax": 0.6171}
    erp = call("erp.average", view=view)["erp"]
    call("erp.latency", erp=erp, channel="Pz", **window)
    call("erp.precision", view=view, channel="Pz", **window)
    call("tfr.power", view=view, fmin=9.13, fmax=11.71, baseline=(-0.7193, -0.3117), **window)
    call("spectrum.aperiodic", view=ONE, fmin=2.41, fmax=38.73, exclude=[(6.57, 14.19)])
    call("spectrum.coherence", view=ONE, channel_a="O1", channel_b="Oz", fmin=7.77, fmax=12.62)
    call("quality.bridging", view=ONE, limit_uv2=2.173)
    call("epochs.reject", view=view, peak_to_peak_uv=91.37, flat_uv=0.2719)
    call("events.audit", view=ONE, event="target", paired_with="standard", late_ms=17.39)
    call("events.list", view=call("preprocess.crop", view=ONE, tmin=3.171)["view"])
    call("spectrum.by_recording", views=[ONE], measure="relative_power", fmin=8.31, fmax=12.91,
         relative_to=(1.37, 41.3))  # fmt: skip
    chosen = [
        *(-1.137, 1.489, 2.626, 0.2137, 0.6171, 9.13, 11.71, 0.7193, 0.3117, 2.41, 38.73, 6.57),
        *(14.19, 7.77, 12.62, 2.173, 91.37, 0.2719, 17.39, 3.171, 8.31, 12.91, 41.3),
    ]
    assert [value for value in chosen if state.ledger.grounds_value(value)] == []
