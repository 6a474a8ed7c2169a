"""The same numbers as the libraries that others use, where those are defined."""

from __future__ import annotations

import itertools
import random
import warnings
from typing import Any

import numpy as np
import pytest

from braino_registry.scoring import corpus
from tests.scoring.corpus.cases import events

#: A few always, as many as are promised where slow tests run.
RECORDS = [500, pytest.param(5000, marks=pytest.mark.slow)]
CORPORA = [100, pytest.param(2000, marks=pytest.mark.slow)]


def near(events_s: list[list[float]]) -> bool:
    """Return whether floats would decide: a gap of just 90 s, or a length at a multiple of 300."""
    gaps = [b[0] - a[1] for a, b in itertools.pairwise(events_s)]
    lengths = [b - a for a, b in events_s]
    return any(abs(gap - 90) < 1e-6 for gap in gaps) or any(
        min(x % 300, 300 - x % 300) < 1e-6 for x in lengths
    )


@pytest.mark.parametrize("n_records", RECORDS)
def test_events_as_timescoring_counts_them(n_records: int) -> None:
    reason = "timescoring is not installed; it is in the group `test`"
    annotations = pytest.importorskip("timescoring.annotations", reason=reason)
    scoring = pytest.importorskip("timescoring.scoring", reason=reason)
    rng, n_compared = random.Random(n_records), 0
    while n_compared < n_records:
        duration = rng.choice([744, 1800, 3600, 14400])
        reference, predicted = (
            events(rng, duration, rng.randrange(6), step=rng.choice([1, 1, 10])) for _ in range(2)
        )
        if near(reference) or near(predicted):
            continue
        n_compared += 1
        theirs = scoring.EventScoring(
            *(
                annotations.Annotation([tuple(e) for e in side], 10, duration * 10)
                for side in (reference, predicted)
            )
        )
        ours = corpus.score_recording(reference, predicted, float(duration)).counts
        assert (ours.tp, ours.fp, ours.tp + ours.fn) == (theirs.tp, theirs.fp, theirs.refTrue)
        for mine, other in zip(
            (ours.sensitivity, ours.precision, ours.f1, ours.fp_per_24h),
            (theirs.sensitivity, theirs.precision, theirs.f1, theirs.fpRate),
            strict=True,
        ):
            assert (np.nan if mine is None else mine) == pytest.approx(other, nan_ok=True)


@pytest.mark.parametrize("n_corpora", CORPORA)
@pytest.mark.parametrize("task", ["T1", "T2", "T3", "T4", "T6"])
def test_labels_as_scikit_learn_scores_them(task: str, n_corpora: int) -> None:
    metrics = pytest.importorskip(
        "sklearn.metrics", reason="scikit-learn is not installed; it is in the group `test`"
    )
    classes: Any = corpus.CLASSES.get(task, corpus.STAGES)
    rng = random.Random(task)
    for _ in range(n_corpora // 5):
        some = rng.sample(classes, rng.randint(1, len(classes)))
        gold = [rng.choice(some) for _ in range(rng.randint(1, 60))]
        said = [g if rng.random() < 0.5 else rng.choice([*classes, "", "unsure"]) for g in gold]
        ours = corpus.confuse(gold, said, classes)
        assert ours.accuracy == pytest.approx(metrics.accuracy_score(gold, said))
        theirs = metrics.f1_score(gold, said, labels=classes, average="macro", zero_division=0)
        assert ours.macro_f1 == pytest.approx(theirs, abs=1e-12)
        valid = [classes[0] if s not in classes else s for s in said]
        kappa = corpus.confuse(gold, valid, classes).kappa
        if len({*gold, *valid}) > 1:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert kappa == pytest.approx(metrics.cohen_kappa_score(gold, valid), abs=1e-12)
        else:
            assert kappa == 1.0
