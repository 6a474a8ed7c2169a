"""Sidecars, events and faults: the tools that look for what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from braino_registry.recordings.operations import operations
from tests.tools import body

ID, WRONG, ODD = "sub-01_task-look", "sub-02_task-look", "sub-03_task-look"


def test_contradictions_are_found_where_they_are(body_call, body_data):
    found = body_call("dataset.audit")
    assert found["n_recordings"] == 3
    assert found["recordings"] == [WRONG, ODD]
    assert found["kinds"] == {
        "sampling_frequency": [WRONG],
        "channel_count": [WRONG],
        "channel_names": [WRONG],
        "units": [WRONG],
        "missing_file": [ODD],
        "scale": [ODD],
        "other_rate": [ODD],
    }
    rows = {row["kind"]: row for row in found["problems"] if row["recording"] == WRONG}
    assert (rows["sampling_frequency"]["header"], rows["sampling_frequency"]["stated"]) == (
        "250 Hz", "500 Hz",
    )  # fmt: skip
    assert (rows["channel_count"]["header"], rows["channel_count"]["stated"]) == ("19", "32")
    assert rows["channel_names"]["stated"] == "only there: Oz"
    assert (rows["units"]["header"], rows["units"]["stated"]) == ("µV", "mV")
    assert body_call("dataset.audit", recordings=[ID])["problems"] == []
    same = operations(body_data[0])
    same["recordings.open"](recording=ID)
    assert same["recordings.audit"]()["kinds"] == found["kinds"]


def test_a_file_that_cannot_be_read_is_told(tmp_path, toolset, body_state):
    from braino_registry.tools.state import ToolState
    from tests import tiny

    tiny.write(tmp_path / "bids")
    (tmp_path / "bids/sub-02/eeg/sub-02_task-oddball_eeg.eeg").write_bytes(b"")
    (tmp_path / "bids/sub-02/eeg/sub-02_task-oddball_eeg.vhdr").write_bytes(b"")
    state = ToolState.open(tmp_path / "bids", tmp_path, body_state.ledger)
    found = toolset.run("dataset.audit", {}, state)
    assert found["kinds"] == {"unreadable": ["sub-02_task-oddball"]}


def test_what_the_sidecar_states(body_call):
    found = body_call("recording.sidecar", view=WRONG)
    assert "30" in found["software_filters"]
    assert found["power_line_hz"] == 50.0
    assert found["fields"]["SamplingFrequency"] == "500"
    assert "EEGReference" not in found["fields"]
    assert body_call("recording.sidecar", view=ID)["software_filters"] is None


def test_events_row_by_row(body_call, body_refused):
    found = body_call("events.list", view=ID, event="press")
    assert found["n_events"] == 22
    assert found["columns"] == ["onset", "duration", "trial_type"]
    assert found["events"][0] == {"onset": 2.4, "duration": 0.0, "trial_type": "press"}
    page = body_call("results.page", result=found["result"], path="events", offset=20)
    assert [row["onset"] for row in page["items"]] == [82.4, 95.0]
    assert "'press'" in body_refused("events.list", view=ID, event="pres").instead


def test_trouble_with_triggers(body_call, body_refused):
    found = body_call("events.audit", view=ID, event="face", paired_with="press")
    assert found["counts"] == {"face": 43, "press": 22}
    assert found["duplicates"] == [{"trial_type": "face", "onset": 4.003}]
    assert found["outside"] == [{"trial_type": "press", "onset": 95.0}]
    assert found["n_gaps"] == 0
    assert (found["n_paired"], found["n_unpaired"]) == (21, 21)
    assert found["median_latency_ms"] == pytest.approx(400)
    refusal = body_refused("events.audit", view=ID, event="face", paired_channel="Pz")
    assert "does not switch" in refusal.problem
    both = {"paired_with": "press", "paired_channel": "VEOG"}
    assert "one kind" in body_refused("events.audit", view=ID, event="face", **both).problem
    error = body_refused("events.audit", view=ID, event="face", paired_with="face")
    assert "partner" in error.problem
    assert "no events" in body_refused("events.audit", view=ODD).problem


def test_faults_of_a_clean_recording(body_call):
    assert body_call("quality.clipping", view=ID)["channels"] == []
    assert body_call("quality.bridging", view=ID)["pairs"] == []
    found = body_call("quality.segments", view=ID, window_s=10)
    assert (found["n_windows"], found["stretches"]) == (9, [])
    page = body_call("results.page", result=found["result"], path="windows", limit=50)
    assert [row["onset"] for row in page["items"]] == [10.0 * k for k in range(9)]
    hum = body_call("spectrum.hum_by_channel", view=ID)
    assert (hum["frequency_hz"], hum["channels"]) == (None, [])


def test_windows_do_not_begin_where_a_crop_does(body_call, body_state):
    view = body_call("preprocess.crop", view=ID, tmin=3.172)["view"]
    found = body_call("quality.segments", view=view, window_s=5)
    assert found["noisiest"]["onset"] % 5 == 0
    body_call("results.page", result=found["result"], path="windows", limit=50)
    assert not body_state.ledger.grounds_value(8.172)


def test_neighbours_use_electrodes_where_they_are_complete(body_call, tmp_path, toolset):
    assert body_call("quality.neighbours", view=ID)["positions"] == "standard"
    folder = tmp_path / "bids"
    body.write(folder)
    from braino_registry.analysis.neighbours import placed
    from braino_registry.numbers import Ledger
    from braino_registry.tools.state import ToolState

    sites = placed(body.NAMES, None)
    rows = [f"{name}\t{x}\t{y}\t{z}" for name, (x, y, z) in sites.items()]
    path = folder / "sub-01/eeg/sub-01_space-CapTrak_electrodes.tsv"
    path.write_text("\n".join(["name\tx\ty\tz", *rows]) + "\n", encoding="utf-8")
    state = ToolState.open(folder, tmp_path, Ledger())
    found = toolset.run("quality.neighbours", {"view": ID}, state)
    assert (found["positions"], found["n_examined"]) == ("electrodes.tsv", 19)
    assert len(found["rows"]) <= 8


def test_epochs_are_no_recording(body_call, body_refused):
    epochs = body_call("epochs.make", view=ID, event="face", baseline=None)["view"]
    for name in ("quality.clipping", "quality.bridging", "quality.segments", "quality.neighbours",
                 "ica.fit", "physio.heart_rate", "physio.blink_rate"):  # fmt: skip
        assert "epochs" in body_refused(name, view=epochs).problem


def test_heartbeats_and_blinks(body_call, body_refused):
    heart = body_call("physio.heart_rate", view=ID)
    assert (heart["channel"], heart["n_beats"]) == ("ECG", len(body.BEATS))
    assert heart["mean_bpm"] == pytest.approx(75.0, abs=0.05)
    blinks = body_call("physio.blink_rate", view=ID)
    assert (blinks["channel"], blinks["n_blinks"]) == ("VEOG", len(body.BLINKS))
    assert blinks["blinks_per_minute"] == pytest.approx(14.0)
    error = body_refused("physio.heart_rate", view=ID, channel="VEOG")
    assert "ECG" in error.instead
    assert "vertical EOG" in body_refused("physio.blink_rate", view=ID, channel="HEOG").problem


def test_what_was_not_recorded_is_not_measured(refused, call):
    assert "has no ECG channel" in refused("physio.heart_rate", view="sub-01_task-oddball").problem
    view = call("preprocess.pick", view="sub-01_task-oddball", channels=["Fz", "Cz", "Pz"])["view"]
    assert "has no vertical EOG channel" in refused("physio.blink_rate", view=view).problem


def test_nothing_is_written(body_call, body_data):
    before = body.snapshot(body_data[0])
    body_call("dataset.audit")
    body_call("quality.segments", view=ID)
    made = body_call("epochs.make", view=ID, event="face")["view"]
    body_call("epochs.drop", view=made, epochs=[0])
    ica = body_call("ica.fit", view=ID)["ica"]
    body_call("ica.apply", view=ID, ica=ica, exclude=[0])
    assert body.snapshot(body_data[0]) == before
    assert np.isfinite(body_data[1]["all"]).all()
