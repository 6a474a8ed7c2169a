"""Planted responses to events are measured within their error, under any salt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mne
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tests.synthesis.small import Made, made

Array = NDArray[np.float64]
MANY = tuple(b"salt %d" % number for number in range(20))


def epochs(
    one: Made,
    row: Array,
    event: str,
    window: Sequence[float],
    baseline: Sequence[float],
    low: float | None = 0.1,
) -> Array:
    """Return the trials of an event in a window, filtered, their baseline taken off."""
    x = mne.filter.filter_data(row, one.sfreq, low, 30.0, verbose="error")
    (a, b), (c, d) = (
        [round(limit * one.sfreq) for limit in limits] for limits in (baseline, window)
    )
    trials = [x[s + c : s + d + 1] - x[s + a : s + b + 1].mean() for s in one.onsets(event)]
    return np.array(trials)


def mean_and_sme(trials: Array) -> tuple[float, float]:
    """Return the mean amplitude and its standardized measurement error."""
    means = trials.mean(axis=1)
    return float(means.mean()), float(means.std(ddof=1) / np.sqrt(len(means)))


def _n170(salt: bytes) -> dict[str, float]:
    errors, gaps, delays, sides = [], [], [], []
    for one in made("n170-faces", salt):
        assert (len(one.onsets("face")), len(one.onsets("car"))) == (60, 60)
        found = {}
        for name in ("P7", "P8", "PO7", "PO8"):
            truth = one.truth["measured"]
            kinds = {}
            for event in ("face", "car"):
                trials = epochs(one, one.row(name), event, (0.13, 0.21), (-0.2, 0))
                kinds[event] = trials
                mean, sme = mean_and_sme(trials)
                errors.append((mean - truth[f"{event}_{name.lower()}"]["mean_amplitude_uv"]) / sme)
            wave = kinds["face"].mean(axis=0)
            latency = 0.13 + np.argmin(wave) / one.sfreq
            delays.append(latency - truth[f"face_{name.lower()}"]["peak_latency_s"])
            gaps.append(
                float(
                    stats.ttest_ind(kinds["face"].mean(axis=1), kinds["car"].mean(axis=1)).statistic
                )
            )
            found[name] = float((kinds["face"].mean(axis=0) - kinds["car"].mean(axis=0)).mean())
        strong, weak = ("8", "7") if one.truth["stronger_side"] == "right" else ("7", "8")
        sides.append(found[f"PO{weak}"] - found[f"PO{strong}"])
        sides.append(found[f"P{weak}"] - found[f"P{strong}"])
    assert np.mean(np.abs(errors) < 2) >= 0.7
    assert np.abs(errors).max() < 4.5
    assert max(gaps) < -2.5
    assert np.abs(delays).max() < 0.02
    assert min(sides) > 0
    return {
        "worst error in SME": np.abs(errors).max(),
        "worst t": max(gaps),
        "latency error": np.abs(delays).max(),
        "side": min(sides),
    }


def _difference(
    name: str, salt: bytes, key: str, limits: Mapping[str, Any], least_t: float
) -> dict[str, float]:
    errors, t, peaks = [], [], []
    for one in made(name, salt):
        truth = one.truth["measured"][key]
        parts = [
            epochs(one, one.row(truth["channel"]), truth[side], limits["window"], limits["base"])
            for side in ("event", "minus")
        ]
        assert [len(part) for part in parts] == [truth["n_trials"], truth["n_trials_minus"]]
        (a, sa), (b, sb) = (mean_and_sme(part) for part in parts)
        sme = float(np.hypot(sa, sb))
        errors.append((a - b - truth["mean_amplitude_uv"]) / sme)
        t.append((a - b) / sme)
        wave = parts[0].mean(axis=0) - parts[1].mean(axis=0)
        peak = limits["window"][0] + np.argmin(wave) / one.sfreq
        peaks.append(peak - truth["peak_latency_s"])
    assert np.abs(errors).max() < 3.2
    assert max(t) < -least_t
    return {
        "worst error in SME": np.abs(errors).max(),
        "worst t": max(t),
        "latency error": np.abs(peaks).max(),
    }


def _mmn(salt: bytes) -> dict[str, float]:
    return _difference("mmn", salt, "mmn", {"window": (0.12, 0.22), "base": (-0.1, 0)}, 3)


def _ern(salt: bytes) -> dict[str, float]:
    for one in made("flanker-ern", salt):
        assert one.truth["events"]["error"] == one.truth["n_errors"] == len(one.onsets("error"))
        assert 14 <= one.truth["n_errors"] <= 22
        assert one.truth["events"]["correct"] > 80
    limits = {"window": (0.0, 0.1), "base": (-0.2, -0.05)}
    return _difference("flanker-ern", salt, "ern_difference", limits, 2.5)


def _n2pc(salt: bytes) -> dict[str, float]:
    errors, t, naive = [], [], []
    for one in made("n2pc", salt):
        left, right = one.row("PO7"), one.row("PO8")
        after_left = epochs(one, right - left, "left-target", (0.2, 0.3), (-0.2, 0))
        after_right = epochs(one, left - right, "right-target", (0.2, 0.3), (-0.2, 0))
        (a, sa), (b, sb) = mean_and_sme(after_left), mean_and_sme(after_right)
        sme = float(np.hypot(sa, sb)) / 2
        truth = one.truth["measured"]["n2pc"]["mean_amplitude_uv"]
        errors.append(((a + b) / 2 - truth) / sme)
        t.append((a + b) / 2 / sme)
        # Right minus left over all trials holds what is always there and nothing of the N2pc.
        naive.append(abs((a - b) / 2 - truth) / sme)
    assert np.abs(errors).max() < 3.2
    assert max(t) < -4
    return {"worst error in SME": np.abs(errors).max(), "worst t": max(t), "naive off": min(naive)}


def _slow(salt: bytes) -> dict[str, float]:
    errors, kept, lost = [], [], []
    for one in made("slow-wave", salt):
        truth = one.truth["measured"]["cnv"]["mean_amplitude_uv"]
        limits = {"event": "warning", "window": (1, 1.9), "baseline": (-0.2, 0)}
        gentle, sme = mean_and_sme(epochs(one, one.row("Cz"), **limits, low=0.1))
        raw, _ = mean_and_sme(epochs(one, one.row("Cz"), **limits, low=None))
        steep, _ = mean_and_sme(epochs(one, one.row("Cz"), **limits, low=1.0))
        errors.append((raw - truth) / sme)
        kept.append(gentle / truth)
        lost.append(steep / truth)
    assert np.abs(errors).max() < 3.2
    assert min(kept) > 0.6
    assert max(lost) < 0.5
    return {
        "worst error in SME": np.abs(errors).max(),
        "least kept at 0.1 Hz": min(kept),
        "most kept at 1 Hz": max(lost),
    }


def _mastoids(salt: bytes) -> dict[str, float]:
    errors, wrong, recorded = [], [], []
    for one in made("oddball-mastoids", salt):
        assert "FCz" not in one.names
        limits = {"event": "target", "window": (0.3, 0.6), "baseline": (-0.2, 0)}
        pz = one.row("Pz")
        both = (one.row("TP9") + one.row("TP10")) / 2
        mean, sme = mean_and_sme(epochs(one, pz - both, **limits))
        truth = one.truth["measured"]
        errors.append((mean - truth["p3_mastoids"]["mean_amplitude_uv"]) / sme)
        average, _ = mean_and_sme(epochs(one, pz - one.x.mean(axis=0), **limits))
        asis, _ = mean_and_sme(epochs(one, pz, **limits))
        wrong.append(abs(average - mean))
        recorded.append(abs(asis - mean))
        level = np.log(mne.filter.filter_data(one.x, 250.0, 1.0, 40.0, verbose="error").std(axis=1))
        assert [one.names[int(np.argmax(level))]] == one.truth["noisy_channels"]
    assert np.abs(errors).max() < 3.2
    assert min(wrong) > 1.5
    assert min(recorded) > 1.5
    return {
        "worst error in SME": np.abs(errors).max(),
        "average reference off": min(wrong),
        "recorded reference off": min(recorded),
    }


def _imagery(salt: bytes) -> dict[str, float]:
    falls, others = [], []
    for one in made("cue-mu", salt):
        mu = one.truth["rhythms"]["mu"]["frequency_hz"]
        for event, opposite, same in (("left-cue", "C4", "C3"), ("right-cue", "C3", "C4")):
            change = {}
            for name in (opposite, same, "Oz"):
                x = mne.filter.filter_data(
                    one.row(name), 250.0, mu - 1.5, mu + 1.5, verbose="error"
                )
                onsets = np.array(one.onsets(event))
                during = np.mean([(x[s + 200 : s + 525] ** 2).mean() for s in onsets])
                before = np.mean([(x[s - 250 : s] ** 2).mean() for s in onsets])
                change[name] = during / before - 1
            falls.append(change[opposite])
            others.append(change[same] - change[opposite])
            assert one.truth["desynchronisation"][event][opposite] <= -0.55
    assert max(falls) < -0.35
    assert min(others) > 0.15
    return {"weakest fall": max(falls), "least difference of sides": min(others)}


CHECKS: dict[str, Callable[[bytes], dict[str, float]]] = {
    "n170-faces": _n170,
    "mmn": _mmn,
    "flanker-ern": _ern,
    "n2pc": _n2pc,
    "slow-wave": _slow,
    "oddball-mastoids": _mastoids,
    "cue-mu": _imagery,
}


@pytest.mark.parametrize("name", CHECKS)
def test_what_events_evoke_is_measured(name: str) -> None:
    CHECKS[name](b"salt 3")


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_what_events_evoke_is_measured_under_many_salts(name: str) -> None:
    for salt in MANY:
        CHECKS[name](salt)
