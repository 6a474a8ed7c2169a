"""Epochs of two seconds: the ratio is what it says, and features tell less the higher it is."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import welch
from scipy.stats import kurtosis, skew
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from braino_registry.errors import EntryError
from braino_registry.synthesis.layers import short_epochs
from braino_registry.synthesis.planning import plan
from braino_registry.synthesis.streams import Stream
from tests.synthesis.small import layer, painted, recipe, shipped

Array = NDArray[np.float64]
SFREQ = 256
BANDS = ((1, 4), (4, 8), (8, 13), (13, 30), (30, 80))


def epoch_recipe(seed: int = 11, **params: Any) -> dict[str, Any]:
    doc = recipe([layer("short_epoch", **params)], sfreq=SFREQ, duration=2)
    doc["recordings"][0]["montage"] = {"channels": ["Cz"]}
    return doc | {"seed": seed}


def features(x: Array) -> list[float]:
    """Return nine features that anybody would try first."""
    f, p = welch(x, SFREQ, nperseg=SFREQ)
    total = p[(f >= 1) & (f < 80)].sum()
    bands = [float(np.log(p[(f >= low) & (f < high)].sum() / total)) for low, high in BANDS]
    rough = float(np.diff(x).std() / x.std())
    return [*bands, float(kurtosis(x)), float(skew(x)), rough, float(np.abs(x).max() / x.std())]


def drawn(kind: str, db: int | None, count: int) -> list[list[float]]:
    """Return the features of epochs, made without the files around them."""
    found = []
    for number in range(count):
        stream = Stream("test", number, b"", f"{kind} {db}")
        params = {"label": kind, "rms_uv": 30.0} | ({} if db is None else {"snr_db": db})
        canvas = _Canvas()
        short_epochs.short_epoch(canvas, params, stream)  # type: ignore[arg-type]
        found.append(features(canvas.signal_uv[0]))
    return found


class _Canvas:
    def __init__(self) -> None:
        self.n_times, self.sfreq = 2 * SFREQ, float(SFREQ)
        self.signal_uv = np.zeros((1, self.n_times))


def accuracy(db: int, count: int = 40) -> float:
    """Return the five-fold accuracy of logistic regression for three classes at one ratio."""
    x = [
        *drawn("clean", None, count),
        *drawn("ocular_contaminated", db, count),
        *drawn("muscle_contaminated", db, count),
    ]
    y = np.repeat([0, 1, 2], count)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    return float((cross_val_predict(model, np.array(x), y, cv=5) == y).mean())


@pytest.mark.parametrize("kind", ["ocular_contaminated", "muscle_contaminated"])
@pytest.mark.parametrize("db", [-7, -2, 2])
def test_the_ratio_is_that_of_the_rms(kind: str, db: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """EEG and artefact are found again in what is stored, by projection on each."""
    made: dict[str, Array] = {}
    for name in ("_brain", "_ocular", "_muscle"):
        make = getattr(short_epochs, name)

        def keep(n: int, sfreq: float, stream: Stream, make: Any = make, name: str = name) -> Array:
            made[name] = make(n, sfreq, stream)
            return made[name]

        monkeypatch.setattr(short_epochs, name, keep)
    x, truth = painted(epoch_recipe(label=kind, rms_uv=200, snr_db=db, difficulty=0))
    artefact = made["_ocular" if kind.startswith("ocular") else "_muscle"]
    basis = np.stack([made["_brain"], artefact], axis=1)
    (eeg, disturbance), *_ = np.linalg.lstsq(basis, x[0], rcond=None)
    parts = eeg * basis[:, 0], disturbance * basis[:, 1]
    ratio = float(np.sqrt(np.mean(parts[0] ** 2) / np.mean(parts[1] ** 2)))
    assert 10 * np.log10(ratio) == pytest.approx(db, abs=0.01)
    power = float(np.mean(parts[0] ** 2) / np.mean(parts[1] ** 2))
    assert 10 * np.log10(power) == pytest.approx(truth["snr_power_db"], abs=0.02)
    assert truth["label"] == kind
    assert truth["snr_db"] == db


def test_size_tells_nothing() -> None:
    for kind, more in (("clean", {}), ("ocular_contaminated", {"snr_db": -7})):
        x, _ = painted(epoch_recipe(label=kind, rms_uv=30, **more))
        assert np.sqrt(np.mean(x**2)) == pytest.approx(30, rel=0.01)


def test_strong_artefacts_are_plain_and_weak_ones_are_not() -> None:
    """A weak learner: at -7 dB nearly all is right, at 2 dB about half."""
    assert accuracy(-7, 20) > 0.9
    assert 0.35 < accuracy(2, 20) < 0.85


@pytest.mark.slow
def test_accuracy_falls_with_the_ratio() -> None:
    found = [accuracy(db, 120) for db in range(-7, 3)]
    assert found[0] > 0.96
    assert found[-1] < 0.72
    assert all(later < earlier + 0.03 for earlier, later in itertools.pairwise(found))


@pytest.mark.parametrize("name", ["short-epochs-a", "short-epochs-b", "short-epochs-c"])
def test_every_dataset_holds_every_kind(name: str) -> None:
    for salt in (b"", b"salt 2"):
        planned = plan(shipped(name), salt)
        given = [recording.layers[0].params for recording in planned.recordings]
        for kind in ("ocular_contaminated", "muscle_contaminated"):
            ratios = [one["snr_db"] for one in given if one["label"] == kind]
            assert sorted(ratios) == list(range(-7, 3))
        assert sum(one["label"] == "clean" for one in given) == 10
    assert given != [recording.layers[0].params for recording in plan(shipped(name)).recordings]


@pytest.mark.parametrize(
    ("params", "where"),
    [
        ({"label": "clean", "rms_uv": 30, "snr_db": 0}, "with.snr_db"),
        ({"label": "muscle_contaminated", "rms_uv": 30}, "with.snr_db"),
        ({"label": "noisy", "rms_uv": 30}, "with.label"),
    ],
)
def test_impossible_epochs_are_refused(params: dict[str, Any], where: str) -> None:
    with pytest.raises(EntryError) as refused:
        plan(epoch_recipe(**params))
    assert where in refused.value.where


def test_an_epoch_has_one_channel() -> None:
    with pytest.raises(EntryError, match="one channel"):
        plan(recipe([layer("short_epoch", label="clean", rms_uv=30)], sfreq=SFREQ, duration=2))
