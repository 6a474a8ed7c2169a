"""Faults that the recipes plant are found by ordinary means, under any salt, and no others."""

from __future__ import annotations

from collections.abc import Callable

import mne
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import find_peaks, resample_poly, welch

from braino_registry.synthesis.montage import POSITIONS
from tests.synthesis.small import Made, made

Array = NDArray[np.float64]
MANY = tuple(b"salt %d" % number for number in range(20))


def _log_z(x: Array) -> Array:
    level = np.log(x.std(axis=1) + 1e-3)
    middle = np.median(level)
    z: Array = (level - middle) / (1.4826 * np.median(np.abs(level - middle)))
    return z


def _high(one: Made, low: float = 1.0, high: float | None = None) -> Array:
    found: Array = mne.filter.filter_data(one.scalp(), one.sfreq, low, high, verbose="error")
    return found


def _bridged(salt: bytes) -> dict[str, float]:
    bridged, others = [], []
    for one in made("bridged", salt):
        x = _high(one, 0.5, 30.0)
        distance = {
            (a, b): np.median((x[i] - x[j])[: x.shape[1] // 500 * 500].reshape(-1, 500).var(axis=1))
            for i, a in enumerate(one.names)
            for j, b in enumerate(one.names)
            if i < j
        }
        planted = {tuple(pair) for pair in one.truth["bridged_pairs"]}
        assert len(planted) == 2
        assert len(set(one.truth["bridged_channels"])) == 4
        bridged += [value for pair, value in distance.items() if pair in planted]
        others += [value for pair, value in distance.items() if pair not in planted]
        info = mne.create_info(one.names, one.sfreq, "eeg")
        raw = mne.io.RawArray(one.x * 1e-6, info, verbose="error")
        found, _ = mne.preprocessing.compute_bridged_electrodes(raw, verbose="error")
        assert {(one.names[i], one.names[j]) for i, j in found} == planted
    assert max(bridged) < 0.2
    assert min(others) > 3
    return {"largest bridged": max(bridged), "smallest other": min(others)}


def _clipped(salt: bytes) -> dict[str, float]:
    clipped, others = [], []
    for one in made("clipped", salt):
        share = {}
        for name in one.names:
            row = np.abs(one.row(name))
            share[name] = float((row >= row.max() - 0.05).mean())
        planted = set(one.truth["clipped_channels"])
        assert len(planted) == 2
        for name in planted:
            facts = one.truth["clipping"][name]
            first = int(facts["onset"] * one.sfreq)
            row = np.abs(one.row(name))
            assert row.max() == pytest.approx(facts["limit_uv"])
            assert row[: first - 1].max() < facts["limit_uv"]
            fraction = (row[first:] >= facts["limit_uv"] - 0.05).mean()
            assert fraction == pytest.approx(facts["fraction"], abs=0.002)
        clipped += [share[name] for name in planted]
        others += [value for name, value in share.items() if name not in planted]
        (drifting,) = one.truth["drifting_channels"]
        assert one.row(drifting).std() > 200
    assert min(clipped) > 0.08
    assert max(others) < 0.001
    return {"least clipped": min(clipped), "most of others": max(others)}


def _stretch(salt: bytes) -> dict[str, float]:
    margins = []
    for one in made("muscle-stretch", salt):
        (planted,), (gap,) = one.truth["muscle_stretches"], one.truth["gaps"]
        x = _high(one, 30.0, 48.0)
        pieces = x.reshape(x.shape[0], 6, -1).std(axis=-1).mean(axis=0)
        best = int(np.argmax(pieces))
        assert best * 30 == planted["onset"]
        margins.append(pieces[best] / np.sort(pieces)[-2])
        zero = np.flatnonzero((one.x == 0).all(axis=0)) / one.sfreq
        assert zero[0] == gap["onset"]
        assert len(zero) == gap["duration"] * one.sfreq
    assert min(margins) > 2.5
    return {"muscle over next": min(margins)}


def _swapped(salt: bytes) -> dict[str, float]:
    margins = []
    for one in made("swapped", salt):
        x = _high(one, 1.0, 30.0)
        x = x - x.mean(axis=0)
        r = np.corrcoef(x)
        places = np.array([POSITIONS[name] for name in one.names])
        arcs = np.degrees(np.arccos(np.clip(places @ places.T, -1, 1)))
        n = len(one.names)
        near = np.array([r[i][np.argsort(arcs[i])[1:4]].mean() for i in range(n)])
        order = np.argsort(near)
        planted = set(one.truth["swapped_channels"])
        assert {one.names[i] for i in order[:2]} == planted
        margins.append(near[order[2]] - near[order[1]])
        a, b = order[:2]
        back = np.arange(n)
        back[[a, b]] = b, a
        mended = r[np.ix_(back, back)]
        for i in (a, b):
            assert mended[i][np.argsort(arcs[i])[1:4]].mean() > 0.4
        assert np.abs(_log_z(x)).max() < 4.5
    assert min(margins) > 0.15
    return {"gap in correlation with neighbours": min(margins)}


def _humming(salt: bytes) -> dict[str, float]:
    margins = []
    for one in made("mains-hum-channels", salt):
        f, p = welch(one.x, one.sfreq, nperseg=int(4 * one.sfreq))
        hum = p[:, np.abs(f - one.truth["line_frequency"]) < 0.6].sum(axis=1)
        (planted,) = one.truth["humming_channels"]
        assert one.names[int(np.argmax(hum))] == planted
        margins.append(np.sqrt(np.sort(hum)[-1] / np.sort(hum)[-2]))
        assert np.sqrt(hum.max() / np.median(hum)) > 5
        # Nothing of it is left below 40 Hz, so a look at the amplitude there finds no fault.
        assert np.abs(_log_z(_high(one, 1.0, 40.0))).max() < 3
    assert min(margins) > 2.4
    return {"hum over next channel": min(margins)}


def _clean(salt: bytes) -> dict[str, float]:
    worst, closest = 0.0, 1.0
    for one in made("clean-rest", salt):
        x = _high(one)
        worst = max(worst, float(np.abs(_log_z(x)).max()))
        r = np.abs(np.corrcoef(x)) - np.eye(len(x))
        closest = min(closest, float(r.max(axis=1).min()))
        for key in ("noisy", "flat", "drifting", "decoy", "clipped", "bridged", "swapped"):
            assert one.truth[f"{key}_channels"] == []
    assert worst < 3
    assert closest > 0.7
    return {"worst |z|": worst, "least best correlation": closest}


def _tone(salt: bytes) -> dict[str, float]:
    careless, careful = [], []
    for one in made("fast-tone", salt):
        alias = one.truth["alias_hz"]
        assert alias == 100 - one.truth["tones"]["tone"]["frequency_hz"]
        samples = np.arange(0, one.x.shape[1], 2.5)
        low = np.floor(samples).astype(int)
        # 250 to 100 Hz by interpolating and taking every 2.5th sample, without a low-pass.
        picked = one.x[:, low] + (samples - low) * (
            one.x[:, np.minimum(low + 1, one.x.shape[1] - 1)] - one.x[:, low]
        )
        for data, into in ((picked, careless), (resample_poly(one.x, 2, 5, axis=1), careful)):
            f, p = welch(data, 100, nperseg=400)
            p = np.median(p, axis=0)
            at = p[np.abs(f - alias) < 0.3].max()
            around = np.median(p[(np.abs(f - alias) > 1) & (np.abs(f - alias) < 4)])
            into.append(at / around)
    assert min(careless) > 8
    assert max(careful) < 2.5
    return {"alias over floor": min(careless), "after low-pass": max(careful)}


def _triggers(salt: bytes) -> dict[str, float]:
    lateness = []
    for one in made("trigger-trouble", salt):
        light = one.row("Photo") > 500
        true = np.flatnonzero(np.diff(light.astype(int)) == 1) + 1
        assert len(true) == one.truth["n_presented"] == 60
        written = one.onsets("flash")
        assert len(written) == one.truth["events"]["flash"]
        first = [s for i, s in enumerate(written) if i == 0 or s - written[i - 1] > 0.03 * 250]
        again = [s / 250 for i, s in enumerate(written) if i and s - written[i - 1] <= 0.03 * 250]
        assert again == [row["onset"] for row in one.truth["duplicated_triggers"]]
        delay = {t: min((s - t for s in first if -5 < s - t < 50), default=None) for t in true}
        missed = [t / 250 for t, by in delay.items() if by is None]
        assert missed == [row["onset"] for row in one.truth["missed_triggers"]]
        late = [by / 250 for by in delay.values() if by is not None and by > 1]
        assert late == [row["late_by"] for row in one.truth["late_triggers"]]
        assert len(late) == one.truth["n_late"] >= 3
        lateness += late
    assert min(lateness) >= 0.04
    return {"least delay": min(lateness)}


def _trials(salt: bytes) -> dict[str, float]:
    clean, spoilt = [], []
    for one in made("epochs-with-artefacts", salt):
        bad = set(one.truth["artefact_epochs"])
        assert len(bad) == one.truth["n_artefact_epochs"] >= 7
        for index, onset in enumerate(one.onsets("picture")):
            size = float(np.ptp(one.x[:, onset - 50 : onset + 251], axis=1).max())
            (spoilt if index in bad else clean).append(size)
    assert max(clean) < 125
    assert min(spoilt) > 175
    return {"largest clean": max(clean), "smallest spoilt": min(spoilt)}


def _amplifiers(salt: bytes) -> dict[str, float]:
    fast = {}
    for one in made("two-amplifiers", salt):
        f, p = welch(one.x[one.names.index("Oz")], one.sfreq, nperseg=int(2 * one.sfreq))
        fast[one.truth["acquisition_low_pass_hz"]] = float(p[(f > 65) & (f < 85)].sum())
        if one.truth["acquisition_low_pass_hz"] is None:
            peak = f[np.argmax(p * ((f > 60) & (f < 90)))]
            assert peak == pytest.approx(one.truth["rhythms"]["gamma"]["frequency_hz"], abs=2)
    assert fast[None] > 100 * fast[30]
    return {"gamma with over without": fast[None] / fast[30]}


def _body(salt: bytes) -> dict[str, float]:
    first, second = made("body-channels", salt)
    eog = mne.filter.filter_data(first.row("VEOG"), 250.0, 0.5, 10.0, verbose="error")
    blinks, _ = find_peaks(eog, height=90, distance=75)
    assert len(blinks) == first.truth["n_blinks"]
    ecg = mne.filter.filter_data(first.row("ECG"), 250.0, 5.0, 40.0, verbose="error")
    beats, _ = find_peaks(ecg, height=350, distance=75)
    assert abs(len(beats) - first.truth["n_heartbeats"]) <= 1
    rate = 60 * 250 / np.diff(beats).mean()
    assert rate == pytest.approx(first.truth["heart_rate_bpm"], abs=0.3)
    assert set(second.truth["ch_types"].values()) == {"EEG"}
    gain = max(second.truth["blink_gains"].values())
    noise = float(np.median(_high(second, 0.5, 10.0).std(axis=1)))
    assert gain * 200 < 5 * noise
    return {"rate error": abs(rate - first.truth["heart_rate_bpm"]), "faint": gain * 200 / noise}


def blink_component(salt: bytes) -> dict[str, float]:
    """Return how well MNE's ICA recovers the planted blinks of the first recording."""
    one = next(made("blinks-ica", salt))
    eog = mne.filter.filter_data(one.row("VEOG"), 250.0, 0.5, 10.0, verbose="error")
    blinks, _ = find_peaks(eog, height=110, distance=75)
    assert len(blinks) == one.truth["n_blinks"]
    info = mne.create_info(one.names[:32], 250.0, "eeg")
    raw = mne.io.RawArray(one.scalp() * 1e-6, info, verbose="error")
    raw.filter(1.0, 40.0, verbose="error")
    ica = mne.preprocessing.ICA(
        15, method="infomax", fit_params={"extended": True}, random_state=1, max_iter=300
    )
    ica.fit(raw, decim=2, verbose="error")
    sources = ica.get_sources(raw).get_data()
    eog = mne.filter.filter_data(one.row("VEOG"), 250.0, 1.0, 40.0, verbose="error")
    r = np.abs([np.corrcoef(source, eog)[0, 1] for source in sources])
    best = int(np.argmax(r))
    gains = np.array([one.truth["blink_gains"][name] for name in one.names[:32]])
    topography = abs(np.corrcoef(ica.get_components()[:, best], gains)[0, 1])
    assert r[best] > 0.9
    assert np.sort(r)[-2] < 0.35
    assert topography > 0.97
    return {"r": float(r[best]), "next r": float(np.sort(r)[-2]), "map r": float(topography)}


CHECKS: dict[str, Callable[[bytes], dict[str, float]]] = {
    "bridged": _bridged,
    "clipped": _clipped,
    "muscle-stretch": _stretch,
    "swapped": _swapped,
    "mains-hum-channels": _humming,
    "clean-rest": _clean,
    "fast-tone": _tone,
    "trigger-trouble": _triggers,
    "epochs-with-artefacts": _trials,
    "two-amplifiers": _amplifiers,
    "body-channels": _body,
}


@pytest.mark.parametrize("name", CHECKS)
def test_what_is_planted_is_found(name: str) -> None:
    CHECKS[name](b"salt 3")


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_what_is_planted_is_found_under_many_salts(name: str) -> None:
    for salt in MANY:
        CHECKS[name](salt)


@pytest.mark.slow
def test_a_component_holds_the_blinks() -> None:
    for salt in MANY[:4]:
        blink_component(salt)
