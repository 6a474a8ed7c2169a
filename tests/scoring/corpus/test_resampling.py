"""Intervals and comparisons: what is drawn, how often they hold, and that they can be repeated."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

from braino_registry.scoring import corpus
from braino_registry.scoring.corpus.resampling import Floats
from tests.scoring.corpus.cases import whole


def mean_of(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / sums[..., 1])


def measure_of(values: np.ndarray, groups: np.ndarray) -> corpus.Measure:
    names = sorted(set(groups.tolist()))
    sums = np.array([[values[groups == g].sum(), (groups == g).sum()] for g in names])
    return corpus.Measure("mean", tuple(map(str, names)), sums, mean_of)


@pytest.mark.parametrize("task", corpus.TASKS)
def test_an_interval_holds_its_value_and_can_be_repeated(task: str) -> None:
    for name, measure in corpus.measures(task, whole(task, 60)).items():
        first = corpus.interval(measure, n_draws=400, seed=3)
        assert first == corpus.interval(measure, n_draws=400, seed=3), name
        assert first.low is not None
        assert first.value is not None
        assert first.high is not None
        assert first.low <= first.value <= first.high, name
        assert first.low < first.high, name
        assert first.n_clusters == 15


def test_measures_are_the_corpus_metrics() -> None:
    items = whole("T5", 40)
    records = [(i.cluster, corpus.score_seizures(i.truth, i.prediction["seizure_events"], 3600.0))
               for i in items]  # fmt: skip
    found = corpus.score_seizure_corpus(records)
    values = {name: m.value for name, m in corpus.measures("T5", items).items()}
    assert values == pytest.approx(
        {
            "event_f1": found.event_f1,
            **{rate: found.mean(rate) for rate in ("sensitivity", "precision", "fp_per_24h")},
            "dice_s": found.dice_s,
            "miss_rate": found.miss_rate,
            "over_alarm_rate": found.over_alarm_rate,
        }
    )
    nights = whole("T6", 40)
    scores = [corpus.score_staging(i.truth, i.prediction) for i in nights]
    means = corpus.score_staging_corpus(scores)
    staged = corpus.measures("T6", nights)
    assert staged["macro_f1"].value == pytest.approx(means.macro_f1)
    assert staged["cohen_kappa"].value == pytest.approx(means.kappa)
    labels = whole("T2", 40)
    table = corpus.score_labels("T2", [corpus.LabelItem(i.truth, i.prediction) for i in labels])
    assert corpus.measures("T2", labels)["macro_f1"].value == pytest.approx(table.macro_f1)


def test_clusters_are_drawn_whole() -> None:
    """With equal values in a cluster, ten times as many of them tell nothing more."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=20)
    widths = []
    for times in (1, 10):
        groups = np.repeat(np.arange(20), times)
        found = corpus.interval(measure_of(np.repeat(values, times), groups), seed=5)
        assert found.low is not None
        assert found.high is not None
        widths.append(found.high - found.low)
    assert widths[0] == pytest.approx(widths[1])
    alone = corpus.interval(measure_of(np.repeat(values, 10), np.arange(200)), seed=5)
    assert alone.high is not None
    assert alone.low is not None
    assert alone.high - alone.low < 0.5 * widths[0]


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(200):
        groups = np.repeat(np.arange(40), 3)
        values = np.repeat(rng.normal(size=40), 3) + 0.3 * rng.normal(size=120)
        found = corpus.interval(measure_of(values, groups), n_draws=500)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0 <= found.high
    assert 178 <= held <= 199


def test_exchanging_gives_the_p_value_of_all_exchanges() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=8) + 0.6, rng.normal(size=8)
    a, b = (measure_of(values, np.arange(8)) for values in (first, second))
    found = corpus.compare(a, b, n_draws=20000)
    apart = first - second
    means = [abs(np.mean(apart * s)) for s in itertools.product((1, -1), repeat=8)]
    exact = np.mean([mean >= abs(apart.mean()) - 1e-12 for mean in means])
    assert found.p_value == pytest.approx(exact, abs=0.015)
    assert found.interval.value == pytest.approx(apart.mean())


def test_pairing_tells_more_than_two_intervals() -> None:
    hard = np.random.default_rng(4).normal(size=50)
    a, b = (measure_of(values, np.arange(50)) for values in (hard + 0.1, hard))
    paired = corpus.compare(a, b)
    assert paired.interval.low == pytest.approx(0.1)
    assert paired.p_value is not None
    assert paired.p_value < 0.01
    lone = corpus.interval(a)
    assert lone.low is not None
    assert lone.value is not None
    assert lone.value - lone.low > 0.1


def test_the_same_answers_do_not_differ() -> None:
    a = corpus.measures("T4", whole("T4", 30))["macro_f1"]
    same = corpus.compare(a, a, n_draws=200)
    assert (same.interval.value, same.interval.low, same.interval.high) == (0.0, 0.0, 0.0)
    assert same.p_value == 1.0


def test_overall_is_the_mean_of_the_headlines() -> None:
    by_task = {task: corpus.measures(task, whole(task, 24)) for task in corpus.TASKS}
    group = corpus.headlines(by_task)
    found = corpus.interval(group, n_draws=300)
    primary = {t: by_task[t][corpus.PRIMARY[t]].value for t in corpus.TASKS}
    assert found.value == pytest.approx(corpus.overall(primary))
    alone = [corpus.interval(m, n_draws=300) for m in group]
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low < max(i.high - i.low for i in alone if i.high and i.low)
    del by_task["T3"]
    with pytest.raises(corpus.ScoreError, match="T3"):
        corpus.headlines(by_task)


def test_one_cluster_or_nothing_defined_has_no_interval() -> None:
    one = measure_of(np.array([1.0, 2.0]), np.array([0, 0]))
    assert corpus.interval(one).low is None
    quiet = [dataclasses.replace(i, truth=[]) for i in whole("T5", 8)]
    dice = corpus.measures("T5", quiet)["dice_s"]
    assert (dice.value, corpus.interval(dice).low) == (None, None)
    assert corpus.compare(dice, dice).p_value is None


def test_what_cannot_be_compared_or_drawn() -> None:
    a = measure_of(np.arange(4.0), np.arange(4))
    b = measure_of(np.arange(5.0), np.arange(5))
    with pytest.raises(corpus.ScoreError, match="paired"):
        corpus.compare(a, b)
    for draws, level in ((0, 0.95), (10, 1.0)):
        with pytest.raises(corpus.ScoreError):
            corpus.interval(a, n_draws=draws, level=level)
    with pytest.raises(corpus.ScoreError):
        corpus.interval([])
    with pytest.raises(corpus.ScoreError):
        corpus.Measure("x", ("a", "a"), np.zeros((2, 1)), mean_of)
    with pytest.raises(corpus.ScoreError):
        corpus.Measure("x", ("a",), np.zeros((2, 1)), mean_of)
    with pytest.raises(corpus.ScoreError):
        corpus.measures("T3", [])


def test_a_subject_lies_in_one_cluster() -> None:
    items = [dataclasses.replace(i, subject="s") for i in whole("T5", 8)]
    with pytest.raises(corpus.ScoreError, match="more than one cluster"):
        corpus.measures("T5", items)


def test_two_subjects_can_be_one_patient() -> None:
    items = whole("T5", 16)
    merged = [
        dataclasses.replace(i, subject=i.cluster, cluster=i.cluster.replace("g001", "g000"))
        for i in items
    ]
    apart, together = (corpus.measures("T5", some)["event_f1"] for some in (items, merged))
    assert apart.value == pytest.approx(together.value)
    assert len(together.clusters) == len(apart.clusters) - 1
