"""Faults of contacts, stretches, triggers, sidecars and amplifiers: planted, true, refusable."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import mne
import numpy as np
import pytest
from scipy.signal import find_peaks, welch

from braino_registry.synthesis import build, plan
from braino_registry.synthesis.brainvision import LSB_UV, quantise
from braino_registry.synthesis.build import paint
from braino_registry.synthesis.canvas import Canvas
from tests.synthesis.small import (
    KEY,
    LETTERS,
    MU,
    NOISE,
    SHOWN,
    TIMING,
    TROUBLE,
    WAVE,
    WINDOWS,
    digest_in_process,
    layer,
    recipe,
    this_python,
)

SALT = b"salt of sixteen b"


def _made(layers: list[dict[str, Any]], **more: Any) -> tuple[Canvas, dict[str, Any]]:
    planned = plan(recipe(layers, **more), SALT)
    return paint(planned, planned.recordings[0])


def test_slips_are_responses_under_another_name() -> None:
    slips = {"name": "error", "count": 4, **KEY, "code": 10}
    responses = [{"name": "right", "to": "letter", "missed": 3, "slips": slips, **TIMING, **KEY}]
    shown = {**LETTERS["with"], "responses": responses}
    canvas, truth = _made([{"layer": "trials", "with": shown}, *NOISE], duration=40)
    assert truth["events"] == {"letter": 20, "right": 13, "error": 4}
    assert truth["n_response"] == 17
    names = [event.trial_type for event in canvas.events if event.role == "response"]
    assert (names.count("right"), names.count("error")) == (13, 4)
    assert {"right", "error"} <= set(canvas.notes)


def test_bridged_channels_hold_one_signal() -> None:
    fault = layer("bridged_channels", pairs=[["Pz", "P3"], ["F3", "Fz"]], noise_uv=0.1)
    canvas, truth = _made([*NOISE, fault])
    assert truth["bridged_pairs"] == [["F3", "Fz"], ["P3", "Pz"]]
    assert truth["bridged_channels"] == ["F3", "Fz", "P3", "Pz"]
    for a, b in truth["bridged_pairs"]:
        apart = canvas.channel(a) - canvas.channel(b)
        assert apart.std() == pytest.approx(0.1 * np.sqrt(2), rel=0.05)
    assert (canvas.channel("Fz") - canvas.channel("P3")).std() > 3


def test_clipped_channels_stay_within_the_limit_from_the_onset_on() -> None:
    fault = layer("clipped_channels", channels=["C4"], onset=8, limit_uv=300)
    canvas, truth = _made([*NOISE, fault])
    row = quantise(canvas.channel("C4")[None])[0] * LSB_UV
    before, after = np.abs(row[: 8 * 128]), np.abs(row[8 * 128 :])
    assert before.max() < 100
    assert after.max() == pytest.approx(300)
    assert (after >= 299.95).mean() == pytest.approx(truth["clipping"]["C4"]["fraction"], abs=0.003)
    assert truth["clipping"]["C4"]["onset"] == 8
    assert truth["clipping"]["C4"]["fraction"] > 0.2


def test_swapped_channels_hold_what_belongs_to_the_other() -> None:
    plain, _ = _made([LETTERS, *NOISE, WAVE], duration=40)
    swap = layer("swapped_channels", channels=["Fz", "O1"])
    canvas, truth = _made([LETTERS, *NOISE, WAVE, swap], duration=40)
    np.testing.assert_array_equal(canvas.channel("Fz"), plain.channel("O1"))
    np.testing.assert_array_equal(canvas.channel("O1"), plain.channel("Fz"))
    assert canvas.evoked_uv is not None
    assert plain.evoked_uv is not None
    np.testing.assert_array_equal(canvas.evoked_uv[4], plain.evoked_uv[17])
    assert truth["swapped_channels"] == ["Fz", "O1"]


def test_hum_and_tones_have_their_frequency_and_size() -> None:
    layers = [
        *NOISE,
        layer("humming_channels", channels=["T8"], amplitude_uv=20),
        layer("tone", name="tone", frequency_hz=41.5, amplitude_uv=9),
    ]
    canvas, truth = _made(layers, sfreq=256)
    f, p = welch(canvas.signal_uv, 256, nperseg=1024, window="flattop", scaling="spectrum")
    size = {hz: np.sqrt(2 * p[:, np.argmin(np.abs(f - hz))]) for hz in (50.0, 41.5)}
    t8 = canvas.ch_names.index("T8")
    assert size[50.0][t8] == pytest.approx(20, rel=0.03)
    assert np.delete(size[50.0], t8).max() < 1
    np.testing.assert_allclose(size[41.5], 9, rtol=0.1)
    assert truth["tones"]["tone"]["frequency_hz"] == 41.5


def test_pops_and_sweat_are_where_the_truth_says() -> None:
    layers = [*NOISE, layer("pops", channels=["P4"], count=3, amplitude_uv=500, tau=0.1)]
    canvas, truth = _made(layers)
    jumps = np.abs(np.diff(canvas.channel("P4")))
    for pop in truth["pops"]:
        assert pop["channel"] == "P4"
        assert jumps[round(pop["onset"] * 128) - 1] > 150
    assert len(truth["pops"]) == 3
    canvas, truth = _made([*NOISE, layer("sweat", sites=["Fpz"], rms_uv=80)], duration=60)
    slow = canvas.signal_uv.reshape(19, 60, 128).mean(axis=2).std(axis=1)
    assert slow[0] > 5 * slow[17]
    assert truth["sweat_sites"] == ["Fpz"]


def test_stretches_are_loud_and_gaps_are_zero_in_all_channels() -> None:
    layers = [
        layer("eog_channels", noise_uv=5, vertical="VEOG"),
        *NOISE,
        layer("muscle_stretch", onset=4, duration=5, rms_uv=40),
        layer("gap", onset=12, duration=3),
    ]
    canvas, truth = _made(layers)
    assert truth["muscle_stretches"] == [{"onset": 4, "duration": 5}]
    assert truth["gaps"] == [{"onset": 12, "duration": 3}]
    zero = (canvas.recorded_uv == 0).all(axis=0)
    assert (np.flatnonzero(zero)[[0, -1]] / 128).tolist() == [12, 15 - 1 / 128]
    t7 = np.diff(canvas.channel("T7"))
    assert t7[5 * 128 : 8 * 128].std() > 8 * t7[10 * 128 : 12 * 128].std()


def test_spoilt_trials_are_those_of_the_truth() -> None:
    fault = layer(
        "artefact_trials",
        event="letter",
        count=6,
        window=[0, 0.2],
        amplitude_uv=400,
        kinds=["pop", "movement", "muscle"],
    )
    canvas, truth = _made([LETTERS, *NOISE, fault], duration=40)
    onsets = [event.sample for event in canvas.events]
    sizes = [np.ptp(canvas.signal_uv[:, s : s + 128], axis=1).max() for s in onsets]
    assert truth["artefact_epochs"] == [i for i, size in enumerate(sizes) if size > 150]
    assert truth["n_artefact_epochs"] == len(truth["artefact_trials"]) == 6
    assert {row["kind"] for row in truth["artefact_trials"]} == {"pop", "movement", "muscle"}
    for row in truth["artefact_trials"]:
        assert row["onset"] == onsets[row["index"]] / 128


def test_channels_beside_the_scalp_record_eyes_heart_and_screen(tmp_path: Path) -> None:
    layers = [
        LETTERS,
        layer("photodiode", channel="Photo"),
        layer("eog_channels", noise_uv=4, vertical="VEOG", horizontal="HEOG"),
        *NOISE,
        layer("blinks", per_minute=15, amplitude_uv=200, spread=0.05),
        layer("heartbeat", per_minute=66, scalp_uv=1, channel="ECG"),
        layer("gap", onset=38, duration=1),
    ]
    doc = recipe(layers, duration=40, sfreq=250)
    canvas, truth = _made(layers, duration=40, sfreq=250)
    kinds = {"Photo": "MISC", "VEOG": "EOG", "HEOG": "EOG", "ECG": "ECG"}
    assert dict(list(truth["ch_types"].items())[19:]) == kinds
    assert truth["n_channels"] == 23
    blinks, _ = find_peaks(canvas.body["VEOG"].signal_uv, height=120, distance=60)
    assert len(blinks) == truth["n_blinks"]
    assert truth["blink_gains"]["Fp1"] > 5 * truth["blink_gains"]["O1"]
    beats, _ = find_peaks(canvas.body["ECG"].signal_uv[:9500], height=600, distance=60)
    times = np.array(truth["heartbeats"])
    np.testing.assert_allclose(beats / 250, times[times < 38][: len(beats)], atol=0.005)
    assert truth["heart_rate_bpm"] == pytest.approx(60 / np.diff(times).mean(), abs=1e-6)
    light = canvas.body["Photo"].signal_uv > 500
    assert np.flatnonzero(np.diff(light.astype(int)) == 1)[0] + 1 == canvas.events[0].sample

    build(doc, SALT, tmp_path / "out")
    folder = tmp_path / "out" / "bids" / "sub-01" / "eeg"
    said = json.loads((folder / "sub-01_task-rest_eeg.json").read_text(encoding="utf-8"))
    counts = [said[f"{kind}ChannelCount"] for kind in ("EEG", "EOG", "ECG", "MISC")]
    assert counts == [19, 2, 1, 1]
    with (folder / "sub-01_task-rest_channels.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert {row["name"]: row["type"] for row in rows[19:]} == kinds
    raw = mne.io.read_raw_brainvision(folder / "sub-01_task-rest_eeg.vhdr", verbose="error")
    assert raw.ch_names[19:] == list(kinds)


def test_triggers_are_written_twice_late_or_not_at_all() -> None:
    layers = [LETTERS, *NOISE, WAVE]
    plain, _ = _made(layers, duration=40, sfreq=250)
    trouble = layer("trigger_trouble", duplicated=3, missed=2, late=4, **TROUBLE)
    canvas, truth = _made([*layers, trouble], duration=40, sfreq=250)
    np.testing.assert_array_equal(canvas.signal_uv, plain.signal_uv)
    true = {event.sample / 250 for event in plain.events}
    written = [event.sample / 250 for event in canvas.events]
    assert written == sorted(written)
    again = {row["onset"] for row in truth["duplicated_triggers"]}
    late = {row["onset"]: row for row in truth["late_triggers"]}
    missed = {row["onset"] for row in truth["missed_triggers"]}
    assert [len(again), len(missed), len(late)] == [3, 2, 4]
    moved = {row["true_onset"] for row in late.values()}
    assert set(written) == (true - missed - moved) | again | set(late)
    for row in late.values():
        assert row["onset"] - row["true_onset"] == pytest.approx(row["late_by"])
        assert 0.048 <= row["late_by"] <= 0.082
    assert truth["n_presented"] == 20
    assert truth["events"] == {"letter": 21} == {"letter": len(written)}


def test_contradicting_sidecars_leave_the_data_file_alone(tmp_path: Path) -> None:
    named = {"channel": "C3", "called": "C5"}
    wrong = {"sampling_frequency": 100, "units": "mV", "channel_count": 21, "channel_name": named}
    doc = recipe([*NOISE, layer("sidecar_contradicts", **wrong)])
    made = build(doc, SALT, tmp_path / "a")
    build(recipe(NOISE), SALT, tmp_path / "b")
    a, b = (tmp_path / name / "bids" / "sub-01" / "eeg" for name in "ab")
    for kind in ("eeg.eeg", "eeg.vhdr", "eeg.vmrk"):
        name = f"sub-01_task-rest_{kind}"
        assert (a / name).read_bytes() == (b / name).read_bytes()
    said = json.loads((a / "sub-01_task-rest_eeg.json").read_text(encoding="utf-8"))
    assert (said["SamplingFrequency"], said["EEGChannelCount"]) == (100, 21)
    table = (a / "sub-01_task-rest_channels.tsv").read_text(encoding="utf-8")
    assert "\nC5\tEEG\tmV\t" in table
    assert "\nC3\t" not in table
    truth = made.truth["recordings"]["sub-01_task-rest"]
    everything = ["channel_count", "channel_names", "sampling_frequency", "units"]
    assert truth["contradictions"] == everything
    assert made.truth["dataset"]["recordings_with"]["contradictions"] == ["sub-01_task-rest"]


def test_an_acquisition_filter_removes_what_is_fast_and_says_so(tmp_path: Path) -> None:
    fast = layer("tone", name="tone", frequency_hz=80, amplitude_uv=10)
    doc = recipe([*NOISE, fast, layer("acquisition_filter", low_pass_hz=30)], sfreq=250)
    made = build(doc, SALT, tmp_path / "out")
    folder = tmp_path / "out" / "bids" / "sub-01" / "eeg"
    raw = mne.io.read_raw_brainvision(folder / "sub-01_task-rest_eeg.vhdr", verbose="error")
    f, p = welch(raw.get_data() * 1e6, 250, nperseg=500)
    assert p[:, (f > 70) & (f < 90)].max() < 0.01
    said = json.loads((folder / "sub-01_task-rest_eeg.json").read_text(encoding="utf-8"))
    assert said["SoftwareFilters"]["Low-pass"]["Cutoff (Hz)"] == 30
    assert "\t30\tn/a\tgood" in (folder / "sub-01_task-rest_channels.tsv").read_text("utf-8")
    assert made.truth["recordings"]["sub-01_task-rest"]["acquisition_low_pass_hz"] == 30


def test_a_reference_is_taken_off_and_not_stored() -> None:
    plain, _ = _made([LETTERS, *NOISE, WAVE], duration=40)
    measure = layer("evoked_truth", name="w", event="letter", channel="Pz", **WINDOWS)
    layers = [LETTERS, *NOISE, WAVE, measure, layer("recorded_against", channel="Cz")]
    again = layer("evoked_truth", name="r", event="letter", channel="Pz", **WINDOWS)
    canvas, truth = _made([*layers, again], duration=40)
    assert "Cz" not in truth["ch_names"]
    assert truth["n_channels"] == 18
    np.testing.assert_allclose(canvas.channel("Pz"), plain.channel("Pz") - plain.channel("Cz"))
    assert truth["measured"]["r"]["peak_amplitude_uv"] < truth["measured"]["w"]["peak_amplitude_uv"]


def test_measures_against_other_references_and_of_differences() -> None:
    left = {**SHOWN, "code": 2}
    trials = layer(
        "trials", start=1, interval=1.5, tail=2, stimuli={"letter": SHOWN, "other": left}
    )
    right = {**WAVE["with"], "amplitude_uv": {"other": 3}, "sites": ["P3"], "name": "second"}
    sides = {"left": "letter", "right": "other", "left_channel": "P3", "right_channel": "P4"}
    pz = {"event": "letter", "channel": "Pz", **WINDOWS}
    layers = [
        trials,
        *NOISE,
        WAVE,
        layer("evoked", **right),
        layer("evoked_truth", name="a", **pz),
        layer("evoked_truth", name="m", reference=["T7", "T8"], **pz),
        layer("evoked_truth", name="g", reference="average", **pz),
        layer("difference_truth", name="d", minus="other", **pz),
        layer("lateralised_truth", name="l", **sides, **WINDOWS),
    ]
    canvas, truth = _made(layers, duration=80)
    assert canvas.evoked_uv is not None
    evoked = dict(zip(canvas.ch_names, canvas.evoked_uv, strict=True))

    def mean(row: Any, event: str) -> float:
        onsets = [one.sample for one in canvas.events if one.trial_type == event]
        pieces = [row[s + 26 : s + 78].mean() - row[s - 26 : s + 1].mean() for s in onsets]
        return float(np.mean(pieces))

    found = {name: facts["mean_amplitude_uv"] for name, facts in truth["measured"].items()}
    assert found["a"] == pytest.approx(mean(evoked["Pz"], "letter"), abs=1e-5)
    both = (evoked["T7"] + evoked["T8"]) / 2
    assert found["m"] == pytest.approx(mean(evoked["Pz"] - both, "letter"), abs=1e-5)
    average = canvas.evoked_uv.mean(axis=0)
    assert found["g"] == pytest.approx(mean(evoked["Pz"] - average, "letter"), abs=1e-5)
    difference = mean(evoked["Pz"], "letter") - mean(evoked["Pz"], "other")
    assert found["d"] == pytest.approx(difference, abs=1e-5)
    contra = mean(evoked["P4"] - evoked["P3"], "letter") + mean(
        evoked["P3"] - evoked["P4"], "other"
    )
    assert found["l"] == pytest.approx(contra / 2, abs=1e-5)
    assert truth["measured"]["a"]["half_area_latency_s"] == pytest.approx(0.4, abs=0.003)


def test_a_reactive_rhythm_falls_where_it_says() -> None:
    canvas, truth = _made([LETTERS, NOISE[1], layer("reactive_rhythm", **MU)], duration=40)
    power = {}
    for name in ("C3", "C4"):
        row = canvas.channel(name)
        pieces = [
            (
                float((row[event.sample + 30 : event.sample + 90] ** 2).mean()),
                float((row[event.sample - 60 : event.sample] ** 2).mean()),
            )
            for event in canvas.events
        ]
        during, before = np.sum(pieces, axis=0)
        power[name] = during / before
    assert power["C3"] < 0.2
    assert power["C4"] > 0.6
    assert truth["desynchronisation"] == {"letter": {"C3": -0.8, "C4": 0}}
    assert truth["rhythms"]["mu"]["frequency_hz"] == 11


def test_dense_and_wearable_caps_can_be_recorded(tmp_path: Path) -> None:
    for cap, n in (("high-density-128", 128), ("wearable-8", 8)):
        doc = recipe(NOISE, duration=2)
        doc["recordings"][0]["montage"] = cap
        build(doc, SALT, tmp_path / cap)
        table = next((tmp_path / cap).rglob("*_electrodes.tsv")).read_text(encoding="utf-8")
        assert len(table.splitlines()) == n + 1


def test_the_new_layers_make_the_same_bytes_in_a_fresh_process(tmp_path: Path) -> None:
    layers = [
        LETTERS,
        layer("photodiode", channel="Photo"),
        layer("eog_channels", noise_uv=5, vertical="VEOG", horizontal="HEOG"),
        *NOISE,
        WAVE,
        layer("blinks", per_minute=15, amplitude_uv=200),
        layer("saccades", per_minute=6, amplitude_uv=60),
        layer("heartbeat", per_minute=66, scalp_uv=3, channel="ECG"),
        layer("reactive_rhythm", **MU),
        layer("pops", channels=["P4"], count=3, amplitude_uv=300),
        layer("sweat", sites=["Fpz"], rms_uv=40),
        layer("tone", name="tone", frequency_hz=41.5, amplitude_uv=3, spread=0.3),
        layer("bridged_channels", pairs=[["F3", "Fz"]]),
        layer("clipped_channels", channels=["C4"], onset=8, limit_uv=300),
        layer("humming_channels", channels=["T8"], amplitude_uv=20),
        layer("swapped_channels", channels=["O1", "F4"]),
        layer("muscle_stretch", onset=4, duration=5, rms_uv=40),
        layer("gap", onset=12, duration=3),
        layer("recorded_against", channel="Cz"),
        layer("acquisition_filter", low_pass_hz=40),
        layer("trigger_trouble", duplicated=2, missed=2, late=2, **TROUBLE),
    ]
    doc = recipe(layers, duration=40)
    made = build(doc, SALT, tmp_path / "out").digest
    assert digest_in_process(doc, tmp_path / "a", this_python(), "7") == made
    assert build(doc, SALT + b".", tmp_path / "b").digest != made


def test_the_truth_of_the_dataset_counts_people_and_recordings(tmp_path: Path) -> None:
    group = {"description": "Group.", "levels": {"a": "A.", "b": "B."}}
    age = {"description": "Age.", "units": "year"}
    doc: dict[str, Any] = recipe(NOISE, duration=2)
    doc["participants"] = {
        "labels": ["01", "02", "03", "04"],
        "columns": {
            "group": {**group, "value": {"draw": {"deal": ["a", "a", "b", "b"]}}},
            "age": {**age, "value": {"draw": {"deal": [20, 30, 40, "n/a"]}}},
        },
    }
    doc["recordings"][0]["sfreq"] = {
        "case": {"of": {"entity": "bids_subject"}, "when": {"02": 200}, "otherwise": 128}
    }
    truth: Mapping[str, Any] = build(doc, SALT, tmp_path / "out").truth["dataset"]
    people = truth["participants"]
    for level, labels in truth["groups"]["group"].items():
        assert labels == [label for label, row in people.items() if row["group"] == level]
        ages = [people[label]["age"] for label in labels if people[label]["age"] != "n/a"]
        assert truth["group_means"]["group"][level]["age"] == pytest.approx(np.mean(ages))
    assert truth["missing_values"] == {
        "age": [label for label, row in people.items() if row["age"] == "n/a"]
    }
    assert truth["recordings_at_another_rate"] == ["sub-02_task-rest"]
    assert truth["sampling_frequencies"]["200"] == ["sub-02_task-rest"]
    assert truth["recordings"]["sub-02_task-rest"] == {
        "sfreq": 200,
        "duration": 2,
        "n_channels": 19,
    }
    assert truth["n_subjects"] == truth["n_recordings"] == 4
    assert all(a <= b for a, b in pairwise(sorted(truth["recordings"])))
