"""From answers and truth of one task to its metrics, each with what its clusters contribute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from braino_registry.scoring.corpus import classes
from braino_registry.scoring.corpus.model import (
    CLASSES,
    PRIMARY,
    TASKS,
    ScoreError,
    known_task,
)
from braino_registry.scoring.corpus.outcomes import Item, Outcome, outcome_of
from braino_registry.scoring.corpus.resampling import Floats, Measure
from braino_registry.scoring.corpus.szcore import RATES, EventCounts, sum_by_subject
from braino_registry.scoring.units.canonical import Profile


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
    return measures_of(task, [outcome_of(task, item, profile) for item in items])


def measures_of(task: str, outcomes: Sequence[Outcome]) -> dict[str, Measure]:
    """Return the metrics of one task by name, from what its answers contribute.

    Raises
    ------
    ScoreError
        If there are none.
    """
    if not outcomes:
        raise ScoreError(f"There are no answers to {known_task(task)} to score.")
    makers = {"T5": _seizures, "T6": _stages}
    maker = makers.get(known_task(task), partial(_labels, task))
    return {measure.name: measure for measure in maker(outcomes)}


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


def _labels(task: str, outcomes: Sequence[Outcome]) -> list[Measure]:
    names = CLASSES[task]
    shape = (len(names), len(names) + 1)
    tables = [classes.confuse([one.truth], [one.label], names).table.ravel() for one in outcomes]
    clusters, sums = _by_cluster([one.cluster for one in outcomes], tables)
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


def _stages(outcomes: Sequence[Outcome]) -> list[Measure]:
    clusters = [one.cluster for one in outcomes]
    return [
        _mean_measure("macro_f1", clusters, [one.macro_f1 for one in outcomes]),
        _mean_measure("cohen_kappa", clusters, [one.kappa for one in outcomes]),
    ]


def _seizures(outcomes: Sequence[Outcome]) -> list[Measure]:
    clusters = [one.cluster for one in outcomes]
    return [
        *_over_subjects(outcomes),
        _mean_measure("dice_s", clusters, [one.dice for one in outcomes]),
        _mean_measure("miss_rate", clusters, [one.missed for one in outcomes]),
        _mean_measure("over_alarm_rate", clusters, [one.over_alarm for one in outcomes]),
    ]


def _over_subjects(outcomes: Sequence[Outcome]) -> list[Measure]:
    home = {one.who: one.cluster for one in outcomes}
    astray = [one.who for one in outcomes if home[one.who] != one.cluster]
    if astray:
        raise ScoreError(f"Subject {astray[0]!r} lies in more than one cluster.")
    subjects = sum_by_subject((one.who, one.counts or EventCounts()) for one in outcomes)
    return [
        _mean_measure(
            "event_f1" if rate == "f1" else rate,
            [home[subject] for subject in subjects],
            [getattr(counts, rate) for counts in subjects.values()],
            # Without an event anywhere, Event-F1 is printed as 0.
            empty=0.0 if rate == "f1" else np.nan,
        )
        for rate in RATES
    ]


def _mean_measure(
    name: str, clusters: Sequence[str], values: Sequence[float | None], empty: float = np.nan
) -> Measure:
    """Return the mean over the items in which a value is defined."""
    pairs = [(0.0, 0.0) if value is None else (float(value), 1.0) for value in values]
    names, sums = _by_cluster(clusters, [np.array(pair) for pair in pairs])
    return Measure(name, names, sums, partial(_ratio, empty=empty))


def _ratio(sums: Floats, empty: float) -> Floats:
    whole = sums[..., 1]
    return np.asarray(
        np.divide(sums[..., 0], whole, out=np.full(whole.shape, empty), where=whole > 0)
    )


def _by_cluster(
    clusters: Sequence[str], parts: Sequence[NDArray[np.float64]]
) -> tuple[tuple[str, ...], Floats]:
    names = sorted(set(clusters))
    places = {name: place for place, name in enumerate(names)}
    sums = np.zeros((len(names), len(parts[0])))
    np.add.at(sums, [places[cluster] for cluster in clusters], np.stack(parts))
    return tuple(names), sums
