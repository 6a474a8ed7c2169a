"""What groups, people and spectra differ in is found by ordinary means, under any salt."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import mne
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.signal import welch

from braino_registry.synthesis import build, plan
from tests.synthesis.small import Made, made, shipped

Array = NDArray[np.float64]
BANDS = {"theta": (4, 8), "alpha": (8, 13), "beta": (13, 30)}
BACK = ("P3", "Pz", "P4", "O1", "O2")
MANY = tuple(b"salt %d" % number for number in range(20))


def spectrum(one: Made, names: tuple[str, ...] = BACK) -> tuple[Array, Array]:
    """Return frequencies and the mean spectrum of some channels, Welch windows of 4 s."""
    rows = np.array([one.row(name) for name in names])
    f, p = welch(rows, one.sfreq, nperseg=int(4 * one.sfreq))
    return f, p.mean(axis=0)


def powers(one: Made) -> dict[str, tuple[float, float]]:
    """Return the logarithm of absolute power, and relative power, by band."""
    f, p = spectrum(one)
    total = p[(f >= 1) & (f <= 40)].sum()
    found = {}
    for band, (low, high) in BANDS.items():
        inside = p[(f >= low) & (f < high)].sum()
        found[band] = (float(np.log(inside)), float(inside / total))
    return found


def _holm(p_values: dict[str, float]) -> list[str]:
    found, left = [], len(p_values)
    for band in sorted(p_values, key=lambda name: p_values[name]):
        if p_values[band] > 0.05 / left:
            break
        found.append(band)
        left -= 1
    return found


def _paired(salt: bytes) -> dict[str, float]:
    truth = plan(shipped("paired-conditions"), salt).truth
    values = {task: [] for task in ("rest", "arithmetic")}
    for one in made("paired-conditions", salt):
        values[one.id.partition("task-")[2]].append(powers(one))
    margins: dict[str, float] = {}
    for kind, name in enumerate(("log", "relative")):
        tests, apart = {}, {}
        for band in BANDS:
            a, b = (
                np.array([row[band][kind] for row in values[task]])
                for task in ("arithmetic", "rest")
            )
            tests[band] = stats.ttest_rel(a, b)
            apart[band] = float(stats.ttest_ind(a, b).pvalue)
        band = truth["effect_band"]
        assert _holm({key: float(test.pvalue) for key, test in tests.items()}) == [band]
        assert (tests[band].statistic > 0) == (truth["stronger_task"] == "arithmetic")
        assert apart[band] > 0.05
        margins[f"{name} |t|"] = abs(float(tests[band].statistic))
        margins[f"{name} p of next"] = min(float(tests[b].pvalue) for b in BANDS if b != band)
        margins[f"{name} unpaired p"] = apart[band]
    return margins


def _underpowered(salt: bytes) -> dict[str, float]:
    truth = plan(shipped("underpowered"), salt).truth
    values: dict[str, list[dict[str, tuple[float, float]]]] = {"patient": [], "control": []}
    for one in made("underpowered", salt):
        values[one.truth["participant"]["group"]].append(powers(one))
    other = "control" if truth["stronger_group"] == "patient" else "patient"
    margins = {}
    for kind, name in enumerate(("log", "relative")):
        a, b = (
            [row["alpha"][kind] for row in values[group]]
            for group in (truth["stronger_group"], other)
        )
        test = stats.ttest_ind(a, b)
        pooled = np.sqrt((np.var(a, ddof=1) + np.var(b, ddof=1)) / 2)
        d = float((np.mean(a) - np.mean(b)) / pooled)
        assert test.pvalue > 0.15
        assert 0.1 < d < 0.9
        margins |= {f"{name} p": float(test.pvalue), f"{name} d": d}
    # Of six against six, an effect of half a standard deviation is found once in nine times.
    shift = 0.5 * np.sqrt(3)
    limit = stats.t.ppf(0.975, 10)
    power = 1 - stats.nct.cdf(limit, 10, shift) + stats.nct.cdf(-limit, 10, shift)
    assert power < 0.15
    return margins


def _twenty(salt: bytes) -> dict[str, float]:
    truth = plan(shipped("groups-of-twenty"), salt).truth
    values: dict[str, list[dict[str, tuple[float, float]]]] = {"patient": [], "control": []}
    for one in made("groups-of-twenty", salt):
        values[one.truth["participant"]["group"]].append(powers(one))
    assert {group: len(rows) for group, rows in values.items()} == {"patient": 20, "control": 20}
    tests = {
        band: stats.ttest_ind(*([row[band][0] for row in rows] for rows in values.values()))
        for band in BANDS
    }
    p = {band: float(test.pvalue) for band, test in tests.items()}
    band = truth["effect_band"]
    assert _holm(p) == [band]
    assert (tests[band].statistic > 0) == (truth["stronger_group"] == "patient")
    return {"p": p[band], "p of next": min(p[other] for other in BANDS if other != band)}


def _ols(y: Array, *columns: Array) -> tuple[Array, Array]:
    """Return t and p of each column in a linear model with a constant."""
    design = np.column_stack([np.ones_like(y), *columns])
    inverse = np.linalg.inv(design.T @ design)
    beta = inverse @ design.T @ y
    left = len(y) - design.shape[1]
    residual = float(((y - design @ beta) ** 2).sum()) / left
    t = beta / np.sqrt(residual * np.diag(inverse))
    return t[1:], 2 * stats.t.sf(np.abs(t[1:]), left)


def _confounded(salt: bytes) -> dict[str, float]:
    truth = plan(shipped("confounded-by-age"), salt).truth
    rows = [(one.truth["participant"], powers(one)) for one in made("confounded-by-age", salt)]
    patient = np.array([float(person["group"] == "patient") for person, _ in rows])
    age = np.array([float(person["age"]) for person, _ in rows])
    older = age[patient == 1].mean() > age[patient == 0].mean()
    assert older == (truth["older_group"] == "patient")
    plain = {}
    for band in BANDS:
        y = np.array([found[band][0] for _, found in rows])
        plain[band] = float(stats.ttest_ind(y[patient == 1], y[patient == 0]).pvalue)
        if band == truth["effect_band"]:
            _, p = _ols(y, patient, age)
    assert _holm(plain) == [truth["effect_band"]]
    assert p[0] > 0.1
    assert p[1] < 0.01
    return {
        "p of groups": plain[truth["effect_band"]],
        "p of groups given age": float(p[0]),
        "p of age given groups": float(p[1]),
    }


def _age(salt: bytes) -> dict[str, float]:
    age, peak, power = [], [], []
    for one in made("age-and-alpha", salt):
        f, p = spectrum(one)
        inside = (f >= 7) & (f <= 13)
        flat = np.log(p[inside]) + 1.6 * np.log(f[inside])
        peak.append(float(f[inside][np.argmax(flat)]))
        age.append(float(one.truth["participant"]["age"]))
        power.append(powers(one)["alpha"][0])
        assert peak[-1] == pytest.approx(one.truth["rhythms"]["alpha"]["frequency_hz"], abs=0.9)
    r = stats.pearsonr(age, peak)
    other = stats.pearsonr(age, power)
    assert r.statistic < -0.7
    assert r.pvalue < 1e-3
    assert other.pvalue > 0.1
    return {"r": float(r.statistic), "p of power": float(other.pvalue)}


def _peak(salt: bytes) -> dict[str, float]:
    errors, lows = [], []
    for one in made("alpha-peak", salt):
        f, p = spectrum(one, ("O1", "Oz", "O2", "PO3", "PO4", "Pz"))
        inside = (f >= 7) & (f <= 13)
        flat = np.log(p[inside]) + 1.8 * np.log(f[inside])
        errors.append(f[inside][np.argmax(flat)] - one.truth["rhythms"]["alpha"]["frequency_hz"])
        frontal = spectrum(one, ("F3", "Fz", "F4"))[1]
        lows.append(float(f[np.argmax(np.where(f >= 1, frontal, 0))]))
    assert np.abs(errors).max() < 0.6
    assert max(lows) < 4
    return {"largest error (Hz)": np.abs(errors).max(), "largest of frontal spectrum": max(lows)}


def _slope(salt: bytes) -> dict[str, float]:
    errors, naive = [], []
    for one in made("aperiodic", salt):
        f, p = spectrum(one, tuple(one.names))
        use = (f >= 2) & (f <= 40) & ((f < 6.5) | (f > 14.5))
        slope = np.polyfit(np.log(f[use]), np.log(p[use]), 1)[0]
        errors.append(-slope - one.truth["aperiodic_exponent"])
        with_alpha = (f >= 6) & (f <= 40)
        careless = -np.polyfit(np.log(f[with_alpha]), np.log(p[with_alpha]), 1)[0]
        naive.append(careless - one.truth["aperiodic_exponent"])
    assert np.abs(errors).max() < 0.15
    assert np.abs(naive).min() > 0.3
    return {"largest error": np.abs(errors).max(), "least error with alpha": min(np.abs(naive))}


def _rest(salt: bytes) -> dict[str, float]:
    share: dict[str, list[float]] = {"eyesopen": [], "eyesclosed": []}
    ids = []
    for one in made("rest-runs", salt):
        ids.append(one.id)
        assert one.x.shape[1] / one.sfreq == 120
        share[one.id.partition("task-")[2]].append(powers(one)["alpha"][1])
    assert "sub-03_task-eyesclosed" not in ids
    assert len(ids) == 5
    assert min(share["eyesclosed"]) > 1.3 * max(share["eyesopen"])
    return {"closed over open": min(share["eyesclosed"]) / max(share["eyesopen"])}


def _cohort(salt: bytes) -> dict[str, float]:
    people = plan(shipped("clinic-cohort"), salt).participants
    groups = [row["group"] for row in people.values()]
    ages = [row["age"] for row in people.values()]
    assert 5 <= groups.count("patient") <= 9
    assert groups.count("patient") != 7
    assert ages.count("n/a") == 1
    return {"patients": groups.count("patient")}


def _rates(salt: bytes) -> dict[str, float]:
    planned = plan(shipped("mixed-rates"), salt)
    odd = [recording.id for recording in planned.recordings if recording.sfreq != 250]
    assert [name.replace("_task-rest_run-", "-run-") for name in odd] == [planned.truth["odd_run"]]
    return {"odd": len(odd)}


def _sidecars(salt: bytes) -> dict[str, float]:
    with TemporaryDirectory() as folder:
        made_ = build(shipped("messy-sidecars"), salt, Path(folder) / "out")
        found = {}
        for file in sorted((Path(folder) / "out" / "bids").rglob("*_eeg.vhdr")):
            name = file.name.removesuffix("_eeg.vhdr")
            raw = mne.io.read_raw_brainvision(file, verbose="error")
            said = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
            with file.with_name(f"{name}_channels.tsv").open(encoding="utf-8") as stream:
                rows = list(csv.DictReader(stream, delimiter="\t"))
            unit = file.read_text(encoding="utf-8").partition("Ch1=")[2].splitlines()[0][-2:]
            wrong = {
                "sampling_frequency": said["SamplingFrequency"] != raw.info["sfreq"],
                "channel_count": said["EEGChannelCount"] != len(raw.ch_names),
                "channel_names": [row["name"] for row in rows] != raw.ch_names,
                "units": any(row["units"] != unit for row in rows),
            }
            found[name] = sorted(key for key, holds in wrong.items() if holds)
            assert found[name] == made_.truth["recordings"][name]["contradictions"]
    assert sorted(map(len, found.values())) == [0, 0, 1, 1, 1, 1]
    listed = made_.truth["dataset"]["recordings_with"]["contradictions"]
    assert listed == [name for name, wrong_ in found.items() if wrong_]
    return {"contradicting": len(listed)}


CHECKS: dict[str, Callable[[bytes], dict[str, float]]] = {
    "paired-conditions": _paired,
    "underpowered": _underpowered,
    "groups-of-twenty": _twenty,
    "confounded-by-age": _confounded,
    "age-and-alpha": _age,
    "alpha-peak": _peak,
    "aperiodic": _slope,
    "rest-runs": _rest,
    "clinic-cohort": _cohort,
    "mixed-rates": _rates,
    "messy-sidecars": _sidecars,
}
LONG = ("paired-conditions", "groups-of-twenty", "confounded-by-age", "age-and-alpha")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in CHECKS]
)
def test_what_differs_is_found(name: str) -> None:
    CHECKS[name](b"salt 3")


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_what_differs_is_found_under_many_salts(name: str) -> None:
    for salt in MANY:
        CHECKS[name](salt)
