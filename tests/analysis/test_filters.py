from __future__ import annotations

import mne
import numpy as np
import pytest

from braino_registry.analysis import filters
from braino_registry.analysis.errors import SignalError
from tests.analysis.golden_signals import CH_NAMES, SFREQ


def test_band_pass_is_the_default_of_mne(eeg_uv):
    info = mne.create_info(CH_NAMES, SFREQ, "eeg")
    raw = mne.io.RawArray(eeg_uv.copy(), info, verbose="error").filter(1, 40, verbose="error")
    np.testing.assert_allclose(filters.band_pass(eeg_uv, SFREQ, 1, 40), raw.get_data(), atol=1e-9)


def test_input_is_left_alone(eeg_uv):
    before = eeg_uv.copy()
    filters.band_pass(eeg_uv, SFREQ, 1, None)
    filters.notch(eeg_uv, SFREQ, [50.0])
    np.testing.assert_array_equal(eeg_uv, before)


def test_zero_phase():
    x = np.zeros(5000)
    x[2500] = 1.0
    y = filters.band_pass(x, 250.0, 1.0, 40.0)
    assert int(np.argmax(y)) == 2500
    np.testing.assert_allclose(y[2500 - 300 : 2500], y[2501 : 2501 + 300][::-1], atol=1e-12)


def test_notch_removes_the_line_and_little_else():
    t = np.arange(15000) / 250
    line, alpha = np.sin(2 * np.pi * 50 * t), np.sin(2 * np.pi * 10 * t)
    y = filters.notch((line + alpha)[None], 250.0, [50.0])[0, 2500:-2500]
    assert np.std(y - alpha[2500:-2500]) < 0.01


def test_golden_ranking_after_filter_and_resampling(golden, eeg_uv):
    slow = filters.band_pass(eeg_uv, SFREQ, 0.5, 4.0)
    variance = filters.resample(slow, SFREQ, 100.0).var(axis=1)
    order = [CH_NAMES[i] for i in np.argsort(-variance, kind="stable")[:3]]
    assert order == golden["resample_filter_variance"]["value"]


def test_golden_field_power_peaks(golden, filtered_uv):
    centred = filtered_uv - filtered_uv.mean(axis=0)
    gfp = centred.std(axis=0)
    for k, (time, value) in enumerate(golden["gfp_peaks"]["value"]):
        piece = gfp[k * 5000 : (k + 1) * 5000]
        assert k * 20 + np.argmax(piece) / SFREQ == pytest.approx(time)
        assert piece.max() == pytest.approx(value, abs=1e-6)


def test_resampling_keeps_a_slow_sinusoid_and_the_duration():
    x = np.sin(2 * np.pi * 5 * np.arange(2500) / 250)
    y = filters.resample(x, 250.0, 128.0)
    assert y.size == 1280
    expected = np.sin(2 * np.pi * 5 * np.arange(1280) / 128)
    assert np.abs(y - expected)[128:-128].max() < 0.05  # a fifth of a sample


@pytest.mark.parametrize(
    ("l_freq", "h_freq", "message"),
    [
        (None, None, "needs l_freq"),
        (0.0, None, "outside the range"),
        (125.0, None, "outside the range"),
        (None, 130.0, "below 125 Hz"),
        (30.0, 10.0, "band-stop"),
        (0.01, None, "filter is 330 s long, the signal 60 s"),
    ],
)
def test_impossible_filters_say_what_to_pass(eeg_uv, l_freq, h_freq, message):
    with pytest.raises(SignalError, match=message) as error:
        filters.band_pass(eeg_uv, SFREQ, l_freq, h_freq)
    assert "Pass" in error.value.hint


@pytest.mark.parametrize("freq", [1.0, 124.5, 300.0])
def test_impossible_notches(eeg_uv, freq):
    with pytest.raises(SignalError, match="cannot be notched"):
        filters.notch(eeg_uv, SFREQ, [freq])


@pytest.mark.parametrize("sfreq", [100.0, 125.0, 128.0, 250.0])
def test_every_notch_that_is_allowed_works(sfreq):
    top = sfreq / 2
    highest = np.floor((top - 1 - top / 400) * 10) / 10
    x = np.random.default_rng(0).standard_normal((1, round(10 * sfreq)))
    for freq in (2.0, highest):
        filters.notch(x, sfreq, [freq])


def test_notch_needs_a_signal_as_long_as_itself():
    with pytest.raises(SignalError, match=r"6\.6 s long"):
        filters.notch(np.zeros((1, 1000)), 250.0, [50.0])


@pytest.mark.parametrize("sfreq", [100.0, 250.0, 256.0, 512.0, 1000.0 / 3])
def test_the_length_is_that_of_the_filter_that_mne_designs(sfreq):
    for l_freq, h_freq in [(0.05, None), (0.1, 40.0), (0.3, 30.3), (1, 40), (1.7, None), (7, 13),
                           (30.1, None), (None, 12.5), (None, 49.1), (2, 49.7)]:  # fmt: skip
        made = mne.filter.create_filter(
            None, sfreq, l_freq, h_freq, fir_design="firwin", verbose="error"
        )
        assert filters.filter_length(sfreq, l_freq, h_freq) == len(made)


@pytest.mark.parametrize("l_freq", [1e-9, 1e-300, 5e-324, 0.01])
def test_a_filter_longer_than_the_signal_is_not_designed(monkeypatch, l_freq):
    def design(*args, **kwargs):
        raise AssertionError("designed")

    monkeypatch.setattr(mne.filter, "create_filter", design)
    monkeypatch.setattr(mne.filter, "filter_data", design)
    x = np.zeros((2, 15000))
    with pytest.raises(SignalError, match="signal 60 s") as error:
        filters.band_pass(x, 250.0, l_freq, None)
    assert "l_freq of 0.055 Hz or more" in (error.value.hint or "")


@pytest.mark.parametrize("n_times", [2000, 14999, 15000, 30001])
def test_the_lowest_edge_that_is_named_works(n_times):
    x = np.random.default_rng(0).standard_normal((1, n_times))
    with pytest.raises(SignalError) as error:
        filters.band_pass(x, 250.0, 1e-3, None)
    lowest = float((error.value.hint or "").split("l_freq of ")[1].split(" Hz")[0])
    # the number of coefficients is odd, so the very edge may be one sample too long
    assert filters.band_pass(x, 250.0, lowest * 1.001, None).shape == x.shape


@pytest.mark.parametrize("new", [0.0, -5.0, 0.5, 1000.1, 1e5, 1e300])
def test_rates_beyond_four_times_the_recording_s_are_refused(new):
    with pytest.raises(SignalError, match="no useful rate") as error:
        filters.check_rate(250.0, 250.0, new, 15000)
    assert "between 1 and 1000 Hz" in (error.value.hint or "")


def test_rates_that_fill_the_memory_are_refused_and_lower_ones_never():
    hours = 12 * 3600 * 512
    with pytest.raises(SignalError) as error:
        filters.check_rate(512.0, 512.0, 1024.0, hours)
    assert "between 1 and 512 Hz" in (error.value.hint or "")
    filters.check_rate(512.0, 512.0, 100.0, hours)
    filters.check_rate(512.0, 512.0, 512.0, hours)
    filters.check_rate(250.0, 250.0, 1000.0, 15000)
    with pytest.raises(SignalError, match="no sample"):
        filters.check_rate(250.0, 250.0, 1.0, 100)
