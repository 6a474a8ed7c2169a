"""Sleep architecture against YASA, and by hand where the definitions differ."""

from __future__ import annotations

import warnings
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.analysis import hypnogram
from braino_registry.analysis.errors import SignalError
from tests.analysis import golden_signals

STAGES = [hypnogram.stage_of(label) for label in golden_signals.hypnogram()]
ANY = st.lists(st.sampled_from([*hypnogram.STAGES, None]), min_size=1, max_size=60)


def test_times_are_those_of_yasa():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import yasa

        names = {"R": "REM", None: "UNS", "W": "WAKE"}
        theirs = yasa.Hypnogram(
            [names.get(stage, stage) for stage in STAGES], n_stages=5, freq="30s"
        ).sleep_statistics()
    ours = hypnogram.architecture(STAGES)
    for key, name in (
        ("tib_min", "TIB"), ("tst_min", "TST"), ("efficiency_percent", "SE"),
        ("onset_latency_min", "SOL"), ("waso_min", "WASO"),
    ):  # fmt: skip
        assert ours[key] == pytest.approx(theirs[name], abs=1e-3)
    # theirs counts from the recording's start
    assert ours["rem_latency_min"] == pytest.approx(theirs["Lat_REM"] - theirs["SOL"])
    for stage in ("N1", "N2", "N3"):
        assert ours["minutes"][stage] == pytest.approx(theirs[stage])
        assert ours["percent_of_tst"][stage] == pytest.approx(theirs[f"%{stage}"], abs=1e-3)


@pytest.mark.parametrize(
    ("label", "stage"),
    [
        ("W", "W"), ("wake", "W"), ("Sleep stage W", "W"), ("0", "W"), ("S0", "W"), ("N1", "N1"),
        ("Sleep stage 1", "N1"), ("Sleep stage 3", "N3"), ("Sleep stage 4", "N3"), ("S4", "N3"),
        ("Sleep stage R", "R"), ("REM", "R"), ("5", "R"), ("Sleep stage ?", None), ("M", None),
        ("Movement time", None), ("9", None), ("Sleep stage N2", "N2"), ("Stage 2", "N2"),
    ],
)  # fmt: skip
def test_labels(label, stage):
    assert hypnogram.stage_of(label) == stage


@pytest.mark.parametrize("label", ["N5", "arousal", "lights off", "7"])
def test_other_labels_are_no_stages(label):
    with pytest.raises(SignalError, match="no sleep stage"):
        hypnogram.stage_of(label)


def test_the_last_awakening_does_not_count():
    stages = ["W", "N1", "N2", "W", "N2", "W", "W"]
    found = hypnogram.continuity(stages)
    assert found["n_awakenings"] == 1
    assert hypnogram.architecture(stages)["waso_min"] == 0.5
    assert found["longest_wake_onset_min"] == 1.5
    assert found["episodes_min"] == [1.0, 0.5]


def test_what_is_not_scored_is_no_stage():
    stages = ["N2", None, "N2", "N3", None, "R"]
    found = hypnogram.continuity(stages)
    assert found["n_transitions"] == 2
    assert found["transitions"] == {"N2-N3": 1, "N3-R": 1}
    assert found["bouts"]["N2"] == {"n": 2, "mean_min": 0.5}
    assert found["episodes_min"] == [1.0, 0.5, 0.5]
    assert hypnogram.architecture(stages)["tib_min"] == 3.0
    assert hypnogram.architecture(stages)["tst_min"] == 2.0


def test_an_epoch_in_the_middle_counts_by_halves():
    found = hypnogram.architecture(["N3", "N3", "R"])
    assert found["n3_first_half_percent"] == 75.0
    assert found["rem_second_half_percent"] == 100.0
    assert found["rem_latency_min"] == 1.0
    without = hypnogram.architecture(["N1"])
    assert without["n3_first_half_percent"] is None
    assert without["rem_latency_min"] is None
    assert without["light_deep_ratio"] is None


@given(stages=ANY, epoch_s=st.sampled_from([20.0, 30.0]))
def test_any_hypnogram_adds_up(stages, epoch_s):
    if not set(stages) & set(hypnogram.SLEEP):
        with pytest.raises(SignalError, match="nobody sleeps"):
            hypnogram.architecture(stages, epoch_s=epoch_s)
        return
    found = hypnogram.architecture(stages, epoch_s=epoch_s)
    held = hypnogram.continuity(stages, epoch_s=epoch_s)
    assert found["tst_min"] == pytest.approx(sum(held["episodes_min"]))
    assert sum(found["percent_of_tst"].values()) == pytest.approx(100)
    assert found["onset_latency_min"] + found["tst_min"] + found["waso_min"] <= (
        found["tib_min"] + 1e-9
    )
    scored = [stage for stage in stages if stage is not None]
    assert held["n_transitions"] == sum(a != b for a, b in pairwise(scored))
    assert held["n_transitions"] == sum(held["transitions"].values())
    assert [run.length for run in hypnogram.runs(stages)]
    assert sum(run.length for run in hypnogram.runs(stages)) == len(stages)


def test_refusals():
    with pytest.raises(SignalError, match="'REM' is no stage"):
        hypnogram.architecture(["REM"])
    with pytest.raises(SignalError, match="no epoch"):
        hypnogram.continuity([])
