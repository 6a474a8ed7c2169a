"""From answers and truth of one task to its metrics, each with what its clusters contribute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.scoring.corpus import classes
from braino_registry.scoring.corpus.labels import read_label
from braino_registry.scoring.corpus.model import (
    CLASSES,
    PRIMARY,
    TASKS,
    ScoreError,
    answered,
    known_task,
)
from braino_registry.scoring.corpus.resampling import Floats, Measure
from braino_registry.scoring.corpus.seizures import SeizureScore, score_seizures
from braino_registry.scoring.corpus.staging import score_staging
from braino_registry.scoring.corpus.szcore import RATES, sum_by_subject
from braino_registry.scoring.units.canonical import Profile


@dataclass(frozen=True, kw_only=True)
class Item:
    """One instance with its answer.

    Parameters
    ----------
    truth : str | list
        The true label; true events, each with onset and offset in seconds; or the true stage of
        each epoch.
    prediction : JSON value
        The answer: an object with the task's field, or whatever came instead.
    cluster : str
        What is drawn together: a question, a recording, a subject, a sleeper.
    subject : str | None
        Over whom Event-F1 is averaged; by default the cluster. A subject lies in one cluster.
    duration : float | None
        Of a recording with events, in seconds.
    options : mapping of str to str | None
        Text of each option of a question.
    """

    truth: Any
    prediction: Any
    cluster: str
    subject: str | None = None
    duration: float | None = None
    options: Any = None


def measures(task: str, items: Sequence[Item], profile: Profile = "strict") -> dict[str, Measure]:
    """Return the metrics of one task by name.

    Parameters
    ----------
    task : str
        One of the six.
    items : sequence of Item
        All its instances; an answer that cannot be read stays among them and scores as such.
    profile : {"strict", "published"}
        How answers are read.

    Returns
    -------
    dict of str to Measure
        With `PRIMARY` of the task among them.

    Raises
    ------
    ScoreError
        If there are no items, or their truth is none.
    TypeError, OverflowError
        Under ``published``, where the released scorer raises them.
    """
    if not items:
        raise ScoreError(f"There are no answers to {known_task(task)} to score.")
    makers = {"T5": _seizures, "T6": _stages}
    maker = makers.get(known_task(task), partial(_labels, task))
    return {measure.name: measure for measure in maker(items, profile)}


def headlines(by_task: dict[str, dict[str, Measure]]) -> list[Measure]:
    """Return the six measures whose mean is Overall.

    Raises
    ------
    ScoreError
        If a task is missing.
    """
    missing = [task for task in TASKS if task not in by_task]
    if missing:
        raise ScoreError(f"Overall needs {', '.join(missing)} too.")
    return [by_task[task][PRIMARY[task]] for task in TASKS]


def _labels(task: str, items: Sequence[Item], profile: Profile) -> list[Measure]:
    names = CLASSES[task]
    shape = (len(names), len(names) + 1)
    tables = [
        classes.confuse(
            [read_label(task, item.truth, None, profile)],
            [read_label(task, answered(item.prediction, task), item.options, profile)],
            names,
        ).table.ravel()
        for item in items
    ]
    clusters, sums = _by_cluster(items, tables)
    formulas: dict[str, Callable[[Floats], Floats]] = {
        "accuracy": classes.accuracies,
        "macro_f1": classes.macro_f1s,
        "balanced_accuracy": classes.balanced_accuracies,
    }
    return [
        Measure(name, clusters, sums, partial(_of_tables, shape=shape, formula=formula))
        for name, formula in formulas.items()
    ]


def _of_tables(sums: Floats, shape: tuple[int, int], formula: Callable[[Floats], Floats]) -> Floats:
    return formula(sums.reshape(*sums.shape[:-1], *shape))


def _stages(items: Sequence[Item], profile: Profile) -> list[Measure]:
    scores = [score_staging(item.truth, item.prediction, profile) for item in items]
    return [
        _mean_measure("macro_f1", items, [score.macro_f1 for score in scores]),
        _mean_measure("cohen_kappa", items, [score.kappa for score in scores]),
    ]


def _seizures(items: Sequence[Item], profile: Profile) -> list[Measure]:
    scores = [
        score_seizures(item.truth, answered(item.prediction, "T5"), item.duration, profile)
        for item in items
    ]
    return [
        *_over_subjects(items, scores),
        _mean_measure("dice_s", items, [score.dice for score in scores]),
        _mean_measure("miss_rate", items, [score.missed for score in scores]),
        _mean_measure("over_alarm_rate", items, [score.over_alarm for score in scores]),
    ]


def _over_subjects(items: Sequence[Item], scores: Sequence[SeizureScore]) -> list[Measure]:
    names = [item.cluster if item.subject is None else item.subject for item in items]
    home = dict(zip(names, (item.cluster for item in items), strict=True))
    astray = [n for n, item in zip(names, items, strict=True) if home[n] != item.cluster]
    if astray:
        raise ScoreError(f"Subject {astray[0]!r} lies in more than one cluster.")
    subjects = sum_by_subject(
        (name, score.counts) for name, score in zip(names, scores, strict=True)
    )
    ones = [Item(truth=None, prediction=None, cluster=home[subject]) for subject in subjects]
    return [
        _mean_measure(
            "event_f1" if rate == "f1" else rate,
            ones,
            [getattr(counts, rate) for counts in subjects.values()],
            # Without an event anywhere, Event-F1 is printed as 0.
            empty=0.0 if rate == "f1" else np.nan,
        )
        for rate in RATES
    ]


def _mean_measure(
    name: str, items: Sequence[Item], values: Sequence[float | None], empty: float = np.nan
) -> Measure:
    """Return the mean over the items in which a value is defined."""
    pairs = [(0.0, 0.0) if value is None else (float(value), 1.0) for value in values]
    clusters, sums = _by_cluster(items, [np.array(pair) for pair in pairs])
    return Measure(name, clusters, sums, partial(_ratio, empty=empty))


def _ratio(sums: Floats, empty: float) -> Floats:
    whole = sums[..., 1]
    return np.asarray(
        np.divide(sums[..., 0], whole, out=np.full(whole.shape, empty), where=whole > 0)
    )


def _by_cluster(
    items: Sequence[Item], parts: Sequence[NDArray[np.float64]]
) -> tuple[tuple[str, ...], Floats]:
    clusters = sorted({item.cluster for item in items})
    places = {cluster: place for place, cluster in enumerate(clusters)}
    sums = np.zeros((len(clusters), len(parts[0])))
    np.add.at(sums, [places[item.cluster] for item in items], np.stack(parts))
    return tuple(clusters), sums
