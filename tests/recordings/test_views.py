from __future__ import annotations

import mne
import numpy as np
import pytest

from braino_registry.analysis.errors import SignalError
from braino_registry.analysis.filters import band_pass, notch, resample
from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.tree import BidsTree
from braino_registry.recordings.view_store import ViewStore
from tests import tiny

ID = "sub-01_task-oddball"
EEG = list(tiny.EEG)


@pytest.fixture
def store(tree):
    return ViewStore(tree)


@pytest.fixture
def raw(store):
    return store.get(ID)


def test_a_recording_is_a_view(raw, dataset):
    assert raw.id == ID
    assert raw.ch_names == tiny.CHANNELS
    assert raw.history == ()
    np.testing.assert_allclose(raw.data(), dataset.data[ID], atol=1e-10)
    assert raw.times[[0, -1]].tolist() == [0.0, 59.996]


def test_ids_are_stable_and_equal_steps_give_the_same_view(store, raw):
    one = store.derive(raw, "filter", {"l_freq": 1.0, "h_freq": None})
    two = store.derive(raw, "filter", {"l_freq": 2.0, "h_freq": None})
    again = store.derive(raw, "filter", {"l_freq": 1.0, "h_freq": None})
    assert (one.id, two.id, again.id) == ("view-1", "view-2", "view-1")
    assert store.get("view-2") is two
    assert one.history == ({"op": "filter", "l_freq": 1.0, "h_freq": None},)


def test_unknown_view_lists_those_there_are(store, raw):
    store.derive(raw, "pick", {"channels": ["Pz"]})
    with pytest.raises(RecordingError) as error:
        store.get("view-2")
    assert "view-1" in error.value.hint
    assert ID in error.value.hint
    with pytest.raises(RecordingError, match="no step"):
        store.derive(raw, "filters", {})


def test_filter_equals_mne_and_is_lazy(store, raw, dataset):
    view = store.derive(raw, "filter", {"l_freq": 1.0, "h_freq": 40.0})
    assert store.rows.bytes == 0
    np.testing.assert_allclose(
        view.data(["Pz", "F7"]),
        band_pass(raw.data(["Pz", "F7"]), 250.0, 1.0, 40.0),
        atol=1e-12,
    )
    assert store.rows.bytes == 2 * 15000 * 8
    info = mne.create_info(list(tiny.CHANNELS), 250.0, "eeg")
    other = mne.io.RawArray(dataset.data[ID].copy(), info, verbose="error")
    other.filter(1.0, 40.0, verbose="error")
    np.testing.assert_allclose(view.data(), other.get_data(), atol=1e-9)


def test_window_is_half_open_and_applied_after_the_filter(store, raw):
    crop = store.derive(raw, "window", {"tmin": 0.29, "tmax": 10.29})
    filtered_after = store.derive(crop, "filter", {"l_freq": 1.0, "h_freq": None})
    assert crop.data().shape == (17, 2500)
    assert crop.times[0] == pytest.approx(73 / 250)
    whole = band_pass(raw.data(), 250.0, 1.0, None)
    np.testing.assert_allclose(filtered_after.data(), whole[:, 73:2573], atol=1e-12)
    before = store.derive(raw, "filter", {"l_freq": 1.0, "h_freq": None})
    cropped_after = store.derive(before, "window", {"tmin": 0.29, "tmax": 10.29})
    np.testing.assert_array_equal(cropped_after.data(), filtered_after.data())


def test_windows_narrow_and_never_widen(store, raw):
    outer = store.derive(raw, "window", {"tmin": 10.0, "tmax": 20.0})
    inner = store.derive(outer, "window", {"tmin": 12.0, "tmax": None})
    assert inner.window == (12.0, 20.0)
    np.testing.assert_array_equal(inner.data(), raw.data()[:, 3000:5000])
    for tmin, tmax in ((9.0, 12.0), (12.0, 21.0)):
        with pytest.raises(RecordingError, match="not inside") as error:
            store.derive(outer, "window", {"tmin": tmin, "tmax": tmax})
        assert "10 and 20 s" in error.value.hint
    with pytest.raises(SignalError, match="holds no sample"):
        store.derive(outer, "window", {"tmin": 12.0, "tmax": 12.0})


def test_only_the_window_of_an_unfiltered_view_is_read(store, raw, monkeypatch):
    read = []
    recording = raw.recording
    original = type(recording).read

    def spy(self, channels=None, start=0, stop=None):
        read.append((start, stop))
        return original(self, channels, start, stop)

    monkeypatch.setattr(type(recording), "read", spy)
    crop = store.derive(raw, "window", {"tmin": 10.0, "tmax": 11.0})
    referenced = store.derive(crop, "reference", {"reference": "average"})
    crop.data()
    referenced.data()
    assert set(read) == {(2500, 2750)}


def test_notch_and_resampling(store, raw):
    view = store.derive(raw, "notch", {"freqs": [50.0]})
    pz = raw.data(["Pz"])
    np.testing.assert_allclose(view.data(["Pz"]), notch(pz, 250.0, [50.0]), atol=1e-12)
    slow = store.derive(view, "resample", {"sfreq": 125.0})
    assert (slow.sfreq, slow.n_times) == (125.0, 7500)
    expected = resample(notch(pz, 250.0, [50.0]), 250.0, 125.0)
    np.testing.assert_allclose(slow.data(["Pz"]), expected, atol=1e-12)
    crop = store.derive(slow, "window", {"tmin": 1.0, "tmax": 2.0})
    np.testing.assert_array_equal(crop.data(["Pz"]), slow.data(["Pz"])[:, 125:250])


def test_average_reference_leaves_bad_channels_and_other_types_out(own):
    tiny.mark_bad(own.root, ID, "T8")
    store = ViewStore(BidsTree(own.root))
    raw = store.get(ID)
    view = store.derive(raw, "reference", {"reference": "average"})
    data, before = view.data(), raw.data()
    good = [i for i, name in enumerate(EEG) if name != "T8"]
    mean = before[good].mean(axis=0)
    np.testing.assert_allclose(data[:16], before[:16] - mean, atol=1e-15)
    np.testing.assert_array_equal(data[16], before[16])
    np.testing.assert_allclose(data[good].sum(axis=0), 0, atol=1e-16)
    tiny.mark_bad(own.root, ID, "F7")
    again = store.derive(raw, "reference", {"reference": "average"})
    assert again.id != view.id
    assert "F7" not in again.history[0]["channels"]


def test_reference_to_channels(store, raw):
    view = store.derive(raw, "reference", {"reference": ["T7", "T8"]})
    data, before = view.data(), raw.data()
    mean = before[[EEG.index("T7"), EEG.index("T8")]].mean(axis=0)
    np.testing.assert_allclose(data[:16], before[:16] - mean, atol=1e-15)
    single = store.derive(raw, "reference", {"reference": "Cz"})
    np.testing.assert_array_equal(single.data(["Cz"]), 0)
    with pytest.raises(RecordingError, match="M1"):
        store.derive(raw, "reference", {"reference": ["M1"]})


def test_filter_after_reference_equals_reference_after_filter(store, raw):
    one = store.derive(raw, "reference", {"reference": "average"})
    one = store.derive(one, "filter", {"l_freq": 1.0, "h_freq": None})
    two = store.derive(raw, "filter", {"l_freq": 1.0, "h_freq": None})
    two = store.derive(two, "reference", {"reference": "average"})
    np.testing.assert_allclose(one.data(), two.data(), atol=1e-14)


def test_picks_keep_the_order_asked_for(store, raw):
    view = store.derive(raw, "pick", {"channels": ["O2", "VEOG", "Pz"]})
    assert view.ch_names == ("O2", "VEOG", "Pz")
    assert view.ch_types == ("eeg", "eog", "eeg")
    assert view.pick() == ("O2", "Pz")
    np.testing.assert_array_equal(view.data(["Pz", "O2"]), raw.data(["Pz", "O2"]))
    average = store.derive(raw, "reference", {"reference": "average"})
    later = store.derive(average, "pick", {"channels": ["Pz"]})
    np.testing.assert_array_equal(later.data(), average.data(["Pz"]))
    with pytest.raises(RecordingError, match="'F7'"):
        view.data(["F7"])
    eog = store.derive(raw, "pick", {"channels": ["VEOG"]})
    with pytest.raises(RecordingError, match="no EEG channel"):
        eog.pick()
    for channels in ([], ["Pz", "Pz"]):
        with pytest.raises(RecordingError, match="once each"):
            store.derive(raw, "pick", {"channels": channels})


EPOCHS = {"event": "target", "tmin": -0.2, "tmax": 0.8, "baseline": [-0.2, 0.0]}


def test_epochs_equal_mne(store, raw, dataset):
    view = store.derive(raw, "epochs", EPOCHS)
    info = mne.create_info(list(tiny.CHANNELS), 250.0, "eeg")
    other = mne.io.RawArray(dataset.data[ID].copy(), info, verbose="error")
    onsets = [o for o, n in zip(tiny.ONSETS, tiny.NAMES, strict=True) if n == "target"]
    events = np.array([[round(250 * onset), 0, 1] for onset in onsets])
    epochs = mne.Epochs(
        other, events, tmin=-0.2, tmax=0.796, baseline=(-0.2, -0.004), preload=True,
        verbose="error",
    )  # fmt: skip
    np.testing.assert_allclose(view.data(), epochs.get_data(), atol=1e-9)
    np.testing.assert_allclose(view.times, epochs.times)
    assert (view.epochs.n_found, view.epochs.n_outside, view.epochs.n_rejected) == (10, 0, 0)
    names = [name for group, _ in view.batches(EEG) for name in group]
    assert names == EEG


def test_events_may_be_named_by_value(store, raw):
    by_value = store.derive(raw, "epochs", {**EPOCHS, "event": "1"})
    by_name = store.derive(raw, "epochs", EPOCHS)
    np.testing.assert_array_equal(by_value.data(), by_name.data())
    with pytest.raises(RecordingError, match="'targte'") as error:
        store.derive(raw, "epochs", {**EPOCHS, "event": "targte"})
    assert "Did you mean 'target'?" in error.value.hint


def test_several_names_make_one_kind_of_event(store, raw):
    both = store.derive(raw, "epochs", {**EPOCHS, "event": ["standard", "1"]})
    single = [store.derive(raw, "epochs", {**EPOCHS, "event": name}) for name in ("1", "standard")]
    samples = sorted(sample for view in single for sample in view.epochs.samples)
    assert list(both.epochs.samples) == samples
    assert both.epochs.n_found == sum(view.epochs.n_found for view in single)
    # by its name and by its value: each event once
    twice = store.derive(raw, "epochs", {**EPOCHS, "event": ["target", "1"]})
    np.testing.assert_array_equal(twice.data(), single[0].data())
    for names, said in ((["target", "targte"], "'targte'"), ([], "once each"),
                        (["1", "1"], "once each")):  # fmt: skip
        with pytest.raises(RecordingError, match=said):
            store.derive(raw, "epochs", {**EPOCHS, "event": names})


@pytest.mark.parametrize("delay", [0.026, -0.1, 0.0019, 0.0021])
def test_a_delay_moves_time_zero_to_the_nearest_sample(store, raw, delay):
    plain = store.derive(raw, "epochs", EPOCHS)
    late = store.derive(raw, "epochs", {**EPOCHS, "delay": delay})
    onsets = [o for o, n in zip(tiny.ONSETS, tiny.NAMES, strict=True) if n == "target"]
    assert late.epochs.samples == tuple(round((onset + delay) * 250.0) for onset in onsets)
    moved = [s + late.epochs.lag for s in plain.epochs.samples]
    assert list(late.epochs.samples) == moved
    np.testing.assert_allclose(late.times, plain.times)
    assert late.history[-1]["delay"] == delay
    assert plain.history[-1]["delay"] is None


@pytest.mark.parametrize("delay", [1.001, -2, 26, 1e308])
def test_milliseconds_for_seconds_are_refused(store, raw, delay):
    with pytest.raises(RecordingError, match="too long for a delay") as error:
        store.derive(raw, "epochs", {**EPOCHS, "delay": delay})
    assert "0.026 for 26 ms" in error.value.hint


def test_epochs_in_a_window_count_what_is_outside(store, raw):
    crop = store.derive(raw, "window", {"tmin": 0.9, "tmax": 13.5})
    view = store.derive(crop, "epochs", {**EPOCHS, "baseline": None})
    # targets at 1, 7 and 13 s: the first begins before the window, the last ends after it
    assert (view.epochs.n_found, view.epochs.n_outside) == (3, 2)
    np.testing.assert_array_equal(view.data()[0], raw.data()[:, 1700:1950])
    far = store.derive(raw, "window", {"tmin": 0.9, "tmax": 1.5})
    with pytest.raises(RecordingError, match="no epoch of 'target'"):
        store.derive(far, "epochs", EPOCHS)


def test_rejection_counts_and_looks_at_good_eeg_channels(own):
    store = ViewStore(BidsTree(own.root))
    raw = store.get(ID)
    plain = store.derive(raw, "epochs", EPOCHS)
    spans = np.ptp(plain.data(EEG), axis=-1) * 1e6
    limit = float(np.median(spans.max(axis=1)))
    view = store.derive(raw, "epochs", {**EPOCHS, "reject_uv": limit})
    kept = spans.max(axis=1) <= limit
    assert view.epochs.n_rejected == int((~kept).sum()) > 0
    np.testing.assert_array_equal(view.data(), plain.data()[kept])
    worst = EEG[int(spans.max(axis=0).argmax())]
    tiny.mark_bad(own.root, ID, worst)
    store = ViewStore(BidsTree(own.root))
    lenient = store.derive(store.get(ID), "epochs", {**EPOCHS, "reject_uv": limit})
    assert len(lenient.epochs.samples) >= len(view.epochs.samples)
    with pytest.raises(RecordingError, match="every epoch exceeds 1 µV") as error:
        store.derive(store.get(ID), "epochs", {**EPOCHS, "reject_uv": 1.0})
    assert "quietest" in error.value.hint


@pytest.mark.parametrize(
    ("op", "params"),
    [
        ("filter", {"l_freq": 1.0}),
        ("notch", {"freqs": [50.0]}),
        ("resample", {"sfreq": 100.0}),
        ("reference", {"reference": "average"}),
        ("window", {"tmin": 0.0, "tmax": 0.1}),
        ("epochs", EPOCHS),
    ],
)
def test_epochs_are_the_last_step(store, raw, op, params):
    epochs = store.derive(raw, "epochs", EPOCHS)
    with pytest.raises(RecordingError, match="consists of epochs"):
        store.derive(epochs, op, params)


def test_epochs_of_a_resampled_view_use_its_grid(store, raw):
    slow = store.derive(raw, "resample", {"sfreq": 100.0})
    view = store.derive(slow, "epochs", {**EPOCHS, "baseline": None})
    assert view.times[0] == pytest.approx(-0.2)
    assert view.times.size == 100
    np.testing.assert_array_equal(view.data(["Pz"])[0, 0], slow.data(["Pz"])[0, 80:180])


@pytest.mark.parametrize(
    ("op", "params"),
    [
        ("filter", {"l_freq": 0.01}),
        ("filter", {"h_freq": 200.0}),
        ("notch", {"freqs": [125.0]}),
        ("epochs", {**EPOCHS, "baseline": [-0.5, 0.0]}),
    ],
)
def test_impossible_steps_fail_when_they_are_asked_for(store, raw, op, params):
    with pytest.raises(SignalError):
        store.derive(raw, op, params)
    assert store.ids()[0] == ID  # no view was made


def test_memory_is_bounded(tree):
    row = 15000 * 8
    store = ViewStore(tree, limit=8 * row)
    view = store.derive(store.get(ID), "filter", {"l_freq": 1.0, "h_freq": None})
    first = view.data()
    assert store.rows.bytes == 8 * row
    np.testing.assert_array_equal(view.data(), first)
    other = store.derive(store.get(ID), "notch", {"freqs": [50.0]})
    other.data(EEG[:4])
    assert store.rows.bytes == 8 * row


def test_changing_what_was_returned_changes_nothing(store, raw):
    view = store.derive(raw, "filter", {"l_freq": 1.0, "h_freq": None})
    first = view.data(["Pz"])
    copy = first.copy()
    first += 1.0
    np.testing.assert_array_equal(view.data(["Pz"]), copy)


def test_views_that_do_not_fit_into_memory_are_refused(store, raw, monkeypatch):
    monkeypatch.setattr("braino_registry.recordings.views.MAX_BYTES", 15000 * 8 * 10)
    monkeypatch.setattr("braino_registry.recordings.views.BATCH_BYTES", 15000 * 8 * 5)
    with pytest.raises(RecordingError, match="do not fit into memory") as error:
        raw.data()
    assert "preprocess.crop" in error.value.hint
    assert raw.data(EEG[:10]).shape == (10, 15000)
    assert sum(data.shape[0] for _, data in raw.batches(EEG)) == 16


def test_an_error_does_not_list_all_views_of_a_long_session(store, raw):
    for number in range(200):
        store.derive(raw, "pick", {"channels": EEG[: 1 + number % len(EEG)], "nth": number})
    with pytest.raises(RecordingError) as caught:
        store.get("view-2000")
    assert "Did you mean 'view-200'?" in str(caught.value)
    assert "and 1" in str(caught.value)
    assert len(str(caught.value)) < 1000
