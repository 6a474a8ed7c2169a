"""What the shipped recipes plant can be found by ordinary means, under any salt."""

from __future__ import annotations

import json
from collections.abc import Iterator

import mne
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.signal import welch

from braino_registry.synthesis import plan
from tests.synthesis.small import ALL, painted, shipped

Array = NDArray[np.float64]
BANDS = {"theta": (4, 8), "alpha": (8, 13), "beta": (13, 30)}
QUICK = (b"", b"salt 2")
MANY = tuple(b"salt %d" % number for number in range(20))


def _robust_z(x: Array) -> Array:
    level = np.log(x.std(axis=1) + 1e-3)
    middle = np.median(level)
    z: Array = (level - middle) / (1.4826 * np.median(np.abs(level - middle)))
    return z


def _each(name: str, salt: bytes) -> Iterator[tuple[Array, dict, float]]:
    doc = shipped(name)
    for number, recording in enumerate(plan(doc, salt).recordings):
        x, truth = painted(doc, salt, number)
        yield x, truth, recording.sfreq


def _check_bad_channels(salt: bytes) -> None:
    for x, truth, sfreq in _each("two-subject-rest", salt):
        names = truth["ch_names"]
        (noisy,), (decoy,) = truth["noisy_channels"], truth["decoy_channels"]
        assert noisy != decoy
        for high in (None, 40.0):
            z = _robust_z(mne.filter.filter_data(x, sfreq, 1.0, high, verbose="error"))
            by_name = dict(zip(names, z, strict=True))
            assert by_name[noisy] > 10
            assert 5 < by_name[decoy] < 0.75 * by_name[noisy]
            good = [abs(value) for name, value in by_name.items() if name not in (noisy, decoy)]
            assert max(good) < 2.5
        raw = dict(zip(names, _robust_z(x), strict=True))
        assert abs(raw[noisy]) < 3.5
        assert abs(raw[decoy]) < 3.5


def _check_faulty(salt: bytes) -> None:
    for x, truth, sfreq in _each("faulty-channels", salt):
        high = _robust_z(mne.filter.filter_data(x, sfreq, 1.0, None, verbose="error"))
        slow = mne.filter.filter_data(x, sfreq, None, 1.0, verbose="error")
        mostly_slow = slow.std(axis=1) > 0.7 * x.std(axis=1)
        kinds = {
            "noisy": high > 5,
            "flat": high < -10,
            "drifting": (_robust_z(slow) > 9) & mostly_slow,
        }
        for kind, found in kinds.items():
            names = {truth["ch_names"][index] for index in np.flatnonzero(found)}
            assert names == set(truth[f"{kind}_channels"])
        assert truth["n_blinks"] > 0
        assert truth["n_muscle_bursts"] > 0


def _check_mains(salt: bytes) -> None:
    for x, truth, sfreq in _each("mains-hum", salt):
        f, p = welch(x, sfreq, nperseg=int(4 * sfreq))
        power = np.median(p, axis=0)
        near = {mains: power[np.abs(f - mains) < 0.5].max() for mains in (50, 60)}
        floor = np.median(power[(f > 52) & (f < 58)])
        there = truth["line_frequency"]
        assert near[int(there)] > 100 * floor
        assert near[110 - int(there)] < 3 * floor
        assert truth["sidecar_line_frequency"] in ("n/a", 110 - there)


def _relative(x: Array, sfreq: float, names: list[str], sites: str, band: str) -> float:
    f, p = welch(x, sfreq, nperseg=int(4 * sfreq))
    low, high = BANDS[band]
    rows = p[[names.index(site) for site in sites.split()]]
    inside = rows[:, (f >= low) & (f < high)].sum(axis=1)
    return float((inside / rows[:, (f >= 1) & (f <= 40)].sum(axis=1)).mean())


def _check_groups(salt: bytes) -> None:
    values: dict[str, dict[str, list[float]]] = {band: {} for band in BANDS}
    for x, truth, sfreq in _each("alpha-groups", salt):
        group = truth["participant"]["group"]
        for band in BANDS:
            share = _relative(x, sfreq, truth["ch_names"], "P3 Pz P4 O1 O2", band)
            values[band].setdefault(group, []).append(share)
    tests = {
        band: stats.ttest_ind(groups["patient"], groups["control"])
        for band, groups in values.items()
    }
    found, left = [], len(BANDS)
    for band in sorted(tests, key=lambda name: tests[name].pvalue):
        if tests[band].pvalue > 0.05 / left:
            break
        found.append(band)
        left -= 1
    effect = plan(shipped("alpha-groups"), salt).truth["effect_band"]
    assert found == [effect]
    assert tests[effect].statistic > 2 * 2.3  # t = d * sqrt(8 / 2)


def _check_eyes(salt: bytes) -> None:
    shares: dict[bool, list[float]] = {True: [], False: []}
    for x, truth, sfreq in _each("eyes-open-closed", salt):
        closed = "eyes-closed" in truth["events"]
        shares[closed].append(_relative(x, sfreq, truth["ch_names"], "O1 Oz O2", "alpha"))
        if closed:
            f, p = welch(x[truth["ch_names"].index("Oz")], sfreq, nperseg=int(4 * sfreq))
            peak = f[np.argmax(p * ((f > 6) & (f < 14)))]
            assert peak == pytest.approx(truth["rhythms"]["alpha"]["frequency_hz"], abs=0.8)
    assert min(shares[True]) > 0.55
    assert max(shares[False]) < 0.5


def _p3(salt: bytes) -> list[tuple[float, float, float]]:
    """Return error of the mean, its standardized measurement error, and latency error."""
    from braino_registry.synthesis.build import paint

    found = []
    planned = plan(shipped("oddball-p3"), salt)
    for recording in planned.recordings:
        canvas, truth = paint(planned, recording)
        pz = canvas.signal_uv[truth["ch_names"].index("Pz")]
        pz = mne.filter.filter_data(pz, 250.0, 0.1, 20.0, verbose="error")
        onsets = [event.sample for event in canvas.events if event.trial_type == "target"]
        trials = np.array([pz[onset - 50 : onset + 201] for onset in onsets])
        trials -= trials[:, :51].mean(axis=1, keepdims=True)
        means = trials[:, 125:201].mean(axis=1)
        measured = truth["measured"]["p3"]
        latency = (75 + np.argmax(trials.mean(axis=0)[125:201])) / 250
        found.append(
            (
                float(means.mean() - measured["mean_amplitude_uv"]),
                float(means.std(ddof=1) / np.sqrt(len(means))),
                float(latency - measured["peak_latency_s"]),
            )
        )
        assert truth["events"]["target"] == 40
        assert 32 <= truth["events"]["response"] == truth["n_response"] <= 39
        assert 192 <= truth["n_stimulus"] <= 208
    return found


CHECKS = {
    "two-subject-rest": _check_bad_channels,
    "faulty-channels": _check_faulty,
    "mains-hum": _check_mains,
    "alpha-groups": _check_groups,
    "eyes-open-closed": _check_eyes,
}


@pytest.mark.parametrize("salt", QUICK)
@pytest.mark.parametrize("name", CHECKS)
def test_what_is_planted_is_found(name: str, salt: bytes) -> None:
    CHECKS[name](salt)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_what_is_planted_is_found_under_many_salts(name: str) -> None:
    for salt in MANY:
        CHECKS[name](salt)


def test_p3_is_measured_within_its_error() -> None:
    for error, sme, latency in _p3(b""):
        assert 0.8 < sme < 2.2
        assert abs(error) < 2 * sme
        assert abs(latency) < 0.05


@pytest.mark.slow
def test_p3_errors_are_as_large_as_their_standardized_error_says() -> None:
    found = [row for salt in MANY[:10] for row in _p3(salt)]
    ratio = np.array([error / sme for error, sme, _ in found])
    assert np.mean(np.abs(ratio) < 2) >= 0.85
    assert 0.5 < ratio.std() < 1.5
    assert np.abs([latency for _, _, latency in found]).max() < 0.06


def test_without_a_salt_the_noisy_channel_of_the_second_subject_is_t8() -> None:
    second = plan(shipped("two-subject-rest")).recordings[1]
    noisy = [step.params for step in second.layers if step.kind == "noisy_channels"]
    assert second.id == "sub-02_task-rest"
    assert [params["channels"] for params in noisy] == [["T8"]]


def test_salts_change_what_is_planted() -> None:
    for name, key in (("two-subject-rest", "noisy_channels"), ("mains-hum", "line_noise")):
        drawn = {
            str(
                [
                    step.params
                    for step in plan(shipped(name), salt).recordings[0].layers
                    if step.kind == key
                ]
            )
            for salt in MANY
        }
        assert len(drawn) > 5
    bands = {plan(shipped("alpha-groups"), salt).truth["effect_band"] for salt in MANY}
    assert bands == set(BANDS)


@pytest.mark.parametrize("name", ALL)
def test_another_salt_makes_another_plan(name: str) -> None:
    if '"draw"' not in json.dumps(shipped(name)):
        pytest.skip("it draws while it builds only; its truth under salts is tested there")

    def drawn(salt: bytes) -> str:
        planned = plan(shipped(name), salt)
        params = [[step.params for step in one.layers] for one in planned.recordings]
        return str((params, planned.participants, planned.truth))

    assert len({drawn(salt) for salt in MANY[:3]}) == 3
