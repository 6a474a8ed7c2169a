"""Segments as those of five well-known sets: seizures are told by simple measures, not by all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from braino_registry.synthesis import build
from braino_registry.synthesis.planning import plan
from braino_registry.synthesis.validation import issues
from tests.synthesis.small import layer, painted, recipe, shipped
from tests.synthesis.test_short_epochs import features

Array = NDArray[np.float64]
SFREQ = 173.61


def segment(kind: str, difficulty: float, seed: int) -> Array:
    doc: dict[str, Any] = recipe(
        [layer("recorded_segment", set=kind, difficulty=difficulty)],
        sfreq=SFREQ,
        duration=4097 / SFREQ,
    )
    doc["recordings"][0]["montage"] = {"channels": ["Cz"]}
    x, truth = painted(doc | {"seed": seed})
    assert truth["label"] == ("epileptic" if kind == "E" else "normal")
    assert x.shape == (1, 4097)
    return x[0]


def auc(difficulty: float, each: int) -> tuple[float, float]:
    """Return how well size alone, and ten features, tell seizures from segments of A and B."""
    kinds = ["A"] * each + ["B"] * each + ["E"] * 2 * each
    x = [segment(kind, difficulty, number) for number, kind in enumerate(kinds)]
    y = np.array([kind == "E" for kind in kinds])
    size = [float(np.log(row.std())) for row in x]
    rows = np.array([[s, *features(row)] for s, row in zip(size, x, strict=True)])
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    guess = cross_val_predict(model, rows, y, cv=5, method="predict_proba")[:, 1]
    return float(roc_auc_score(y, size)), float(roc_auc_score(y, guess))


def test_easy_seizures_are_large_as_real_ones() -> None:
    """Real seizures within the skull: an AUC of 0.99 by the logarithm of the size alone."""
    size, _ = auc(0.0, 8)
    assert size > 0.95


def test_usual_ones_are_told_by_more_than_their_size() -> None:
    size, all_of_it = auc(0.5, 20)
    assert 0.6 < size < 0.99
    assert 0.80 < all_of_it


@pytest.mark.slow
def test_the_difficulty_counts() -> None:
    found = [auc(difficulty, 40)[1] for difficulty in (0.0, 0.5, 1.0)]
    assert found[0] > 0.97
    assert found[0] > found[1] > found[2]


@pytest.mark.parametrize("name", ["segments-a", "segments-b"])
def test_half_of_the_segments_are_seizures(name: str) -> None:
    for salt in (b"", b"salt 2"):
        sets = [r.layers[0].params["set"] for r in plan(shipped(name), salt).recordings]
        assert sets.count("E") == 15
        assert {sets.count("A"), sets.count("B")} == {7, 8}
    assert all(r.n_times == 4097 for r in plan(shipped(name)).recordings)


def test_sets_within_the_skull_are_intracranial(tmp_path: Path) -> None:
    doc = shipped("five-sets")
    for block in doc["recordings"]:
        block["over"]["bids_run"] = block["over"]["bids_run"][:1]
    truth = build(doc, b"", tmp_path / "out").truth["recordings"]
    tree = tmp_path / "out" / "bids"
    assert issues(tree) == frozenset()
    for label in "ABCDE":
        within = label in "CDE"
        (file,) = tree.glob(f"sub-{label}/*/*.vhdr")
        assert file.parent.name == ("ieeg" if within else "eeg")
        assert file.stem.endswith("_ieeg" if within else "_eeg")
        facts = truth[f"sub-{label}_task-rest_run-01"]
        assert facts["ch_types"] == {"Cz": "SEEG" if within else "EEG"}
        assert facts["segment_set"] == label
