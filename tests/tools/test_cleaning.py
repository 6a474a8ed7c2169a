"""Epochs and components: proposed, dropped, taken out."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tools import body

ID = body.ID


@pytest.fixture
def epochs(body_call) -> str:
    view = body_call("preprocess.filter", view=ID, l_freq=0.5, h_freq=40.0)["view"]
    made = body_call("epochs.make", view=view, event="face", tmin=-0.2, tmax=0.8)
    assert made["n_epochs"] == 43  # one of them written twice
    return str(made["view"])


def test_every_epoch_has_a_fate(body_call, epochs):
    found = body_call("epochs.reject", view=epochs, peak_to_peak_uv=150.0, channels=["T7", "T8"])
    spoiled = [k + 1 for k in body.SPOILED]  # after the duplicate
    assert [row["epoch"] for row in found["fate"][: len(spoiled)]] == spoiled
    assert (found["n_epochs"], found["n_exceeding"], found["n_keep"]) == (43, 2, 41)
    assert found["by_channel"] == {"T8": 2}
    page = body_call("results.page", result=found["result"], path="fate", offset=40, limit=50)
    assert [row["epoch"] for row in page["items"]] == [40, 41, 42]
    first = found["proposal"]["epochs"][0]
    assert found["proposal"]["recording"] == ID
    assert first == {
        "onset": pytest.approx(body.ONSETS[5] - 0.2), "duration": 1.0, "epoch": spoiled[0],
        "reason": "peak to peak at T8",
    }  # fmt: skip


def test_the_proposal_is_what_the_decision_takes(body_call, epochs):
    import msgspec

    from braino_registry.session.decisions.exclude_components import ExcludeComponents
    from braino_registry.session.decisions.reject_epochs import RejectEpochs

    found = body_call("epochs.reject", view=epochs)
    assert found["n_exceeding"] == len(found["proposal"]["epochs"]) > 10
    assert msgspec.convert(found["proposal"], RejectEpochs).recording == ID
    scores = body_call("ica.scores", ica=body_call("ica.fit", view=ID)["ica"])
    assert msgspec.convert(scores["proposal"], ExcludeComponents).components


def test_numbers_of_a_proposal_are_not_reported(body_call, body_state):
    view = body_call("epochs.make", view=ID, event="face", tmin=-0.372, tmax=0.496, baseline=None)
    found = body_call("epochs.reject", view=view["view"], peak_to_peak_uv=73.21)
    chosen = [found["proposal"]["epochs"][0][key] for key in ("onset", "duration")]
    assert [v for v in (*chosen, 73.21) if body_state.ledger.grounds_value(v)] == []
    assert body_state.ledger.grounds_value(found["fate"][0]["peak_to_peak_uv"])


@pytest.mark.parametrize("delay", [0.0, 0.1372, -0.3731, 0.9])
def test_a_delay_does_not_move_the_events_of_the_fates(body_call, delay):
    """Else whoever chooses the delay chooses what time is reported."""
    view = body_call("epochs.make", view=ID, event="face", delay=delay, tmax=0.3)["view"]
    kept = body_call("epochs.reject", view=view, peak_to_peak_uv=1e4)["result"]
    page = body_call("results.page", result=kept, path="fate", limit=50)
    onsets = {row["epoch"]: row["onset"] for row in page["items"]}
    for epoch in range(2, 15):  # the first event was written twice
        assert onsets[epoch] == pytest.approx(body.ONSETS[epoch - 1], abs=1 / body.SFREQ)


def test_dropped_epochs_are_gone(body_call, body_refused, body_state, epochs):
    found = body_call("epochs.drop", view=epochs, epochs=[6, 18, 6])
    assert set(found) == {"view", "recording", "description"}
    all_of_them = body_state.views.get(epochs).data(["Cz"])
    left = body_state.views.get(found["view"]).data(["Cz"])
    assert np.array_equal(left, np.delete(all_of_them, [6, 18], axis=0))
    erp = body_call("erp.average", view=found["view"])
    assert erp["n_epochs"] == 41
    same = body_call("epochs.drop", view=epochs, epochs=[])["view"]
    assert np.array_equal(body_state.views.get(same).data(["Cz"]), all_of_them)
    assert "0 to 42" in body_refused("epochs.drop", view=epochs, epochs=[43]).instead
    assert (
        "no epoch would be left"
        in body_refused("epochs.drop", view=epochs, epochs=list(range(43))).problem
    )
    for tool, more in (("epochs.drop", {"epochs": [1]}), ("epochs.reject", {})):
        assert "epochs.make" in body_refused(tool, view=ID, **more).instead


def test_counts_cannot_be_chosen_by_dropping(body_call, body_state, epochs):
    body_call("epochs.drop", view=epochs, epochs=list(range(20)))
    assert not body_state.ledger.grounds_value(23)
    assert not body_state.ledger.grounds_value(20)


def test_blinks_and_heartbeat_are_found_and_taken_out(body_call, body_data, body_state):
    view = body_call("preprocess.filter", view=ID, l_freq=1.0, h_freq=40.0)["view"]
    fit = body_call("ica.fit", view=view)
    assert fit["converged"]
    assert (fit["n_components"], fit["n_channels"]) == (19, 19)
    scores = body_call("ica.scores", ica=fit["ica"])
    assert (scores["ocular_channel"], scores["cardiac_channel"]) == ("VEOG", "ECG")
    assert (len(scores["ocular"]), len(scores["cardiac"])) == (1, 1)
    rows = {row["component"]: row for row in scores["components"]}
    eye, heart = rows[scores["ocular"][0]], rows[scores["cardiac"][0]]
    assert eye["ocular_r"] > 0.95
    assert eye["peak_channel"] in ("Fp1", "Fp2")
    assert heart["cardiac_r"] > 0.8
    proposal = scores["proposal"]
    assert proposal["components"] == sorted([*scores["ocular"], *scores["cardiac"]])
    assert proposal["decomposition"] == fit["ica"]
    clean = body_call("ica.apply", view=view, ica=fit["ica"], exclude=proposal["components"])
    from braino_registry.analysis.filters import band_pass

    truth = band_pass(body_data[1]["clean"], 250.0, 1.0, 40.0)
    before = body_state.views.get(view).data(list(body.NAMES))
    after = body_state.views.get(clean["view"]).data(list(body.NAMES))
    fp1 = body.NAMES.index("Fp1")
    assert np.corrcoef(before[fp1], truth[fp1])[0, 1] < 0.7
    assert np.corrcoef(after[fp1], truth[fp1])[0, 1] > 0.8
    assert abs(np.corrcoef(after[fp1], body_data[1]["all"][-2])[0, 1]) < 0.05
    veog = body_state.views.get(clean["view"]).data(["VEOG"])
    assert np.array_equal(veog, body_state.views.get(view).data(["VEOG"]))


def test_taking_out_is_the_same_in_pieces(body_call, body_state, monkeypatch):
    fit = body_call("ica.fit", view=ID, n_components=8)["ica"]
    view = body_call("ica.apply", view=ID, ica=fit, exclude=[0, 3])["view"]
    whole = body_state.views.get(view).data(["Fp1", "Pz"])
    cropped = body_call("preprocess.crop", view=view, tmin=10.0, tmax=20.0)["view"]
    assert body_state.views.get(cropped).data(["Fp1", "Pz"]) == pytest.approx(whole[:, 2500:5000])
    later = body_call("preprocess.filter", view=view, l_freq=1.0)["view"]
    assert body_state.views.get(later).data(["Pz"]).shape == whole[1:].shape
    nothing = body_call("ica.apply", view=ID, ica=fit, exclude=[])["view"]
    assert np.array_equal(
        body_state.views.get(nothing).data(["Fp1"]), body_state.views.get(ID).data(["Fp1"])
    )
    monkeypatch.setattr("braino_registry.recordings.signal.BATCH_BYTES", 22500 * 8 * 3)
    again = body_call("preprocess.crop", view=view, tmin=0.0, tmax=90.0)["view"]
    assert body_state.views.get(again).data(["Fp1", "Pz"]) == pytest.approx(whole, abs=1e-15)


def test_a_fit_is_the_same_each_time(body_call):
    first, second = (body_call("ica.fit", view=ID) for _ in range(2))
    assert first["components"] == second["components"]
    assert first["ica"] != second["ica"]


def test_components_fit_their_view_only(body_call, body_refused):
    fit = body_call("ica.fit", view=ID, n_components=4)["ica"]
    other = body_call("preprocess.reference", view=ID, reference="average")["view"]
    few = body_call("preprocess.pick", view=ID, channels=["Fp1", "Pz", "Oz"[:1] + "1"])["view"]
    apply = {"ica": fit, "exclude": [0]}
    assert "another reference" in body_refused("ica.apply", view=other, **apply).problem
    assert "lacks" in body_refused("ica.apply", view=few, **apply).problem
    assert "sub-01" in body_refused("ica.apply", view="sub-02_task-look", **apply).problem
    error = body_refused("ica.apply", view=ID, ica=fit, exclude=[4])
    assert "0 to 3" in error.instead
    assert (
        "epochs"
        in body_refused(
            "ica.apply", view=body_call("epochs.make", view=ID, event="face")["view"], **apply
        ).problem
    )
    assert "up to 19" in body_refused("ica.fit", view=ID, n_components=30).instead
    erp = body_call("erp.average", view=body_call("epochs.make", view=ID, event="face")["view"])
    assert "not ica" in body_refused("ica.scores", ica=erp["erp"]).problem


def test_without_eog_the_front_stands_in(body_call):
    names = list(body.NAMES)
    view = body_call("preprocess.pick", view=ID, channels=names)["view"]
    scores = body_call("ica.scores", ica=body_call("ica.fit", view=view)["ica"])
    assert scores["ocular_channel"] == "frontal channels"
    assert scores["cardiac_channel"] is None
    assert len(scores["ocular"]) >= 1
    assert all(row["cardiac_r"] is None for row in scores["components"])
