"""The corpus metrics of EEGAgentBench, and the scores of single answers that they rest on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.scoring.named import ANY, NUMBER, named
from braino_registry.scoring.units.canonical import Profile

_LABELS = {"type": "array", "minItems": 1, "items": {"type": "string"}}
_SECONDS = {"type": "number", "exclusiveMinimum": 0}
_INTERVALS = {
    "type": "array",
    "items": {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2},
}
#: Of thirty seconds each, a month.
_EPOCHS = {"type": "integer", "minimum": 1, "maximum": 100_000}
_TASK = {"enum": ["T1", "T2", "T3", "T4", "T5", "T6"]}
_RATES = ("tp", "fp", "fn", "sensitivity", "precision", "f1", "fp_per_24h")


@named(
    "corpus",
    required=("task", "items"),
    task=_TASK,
    items={
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "additionalProperties": False,
            "required": ["truth", "prediction"],
            "properties": {
                "truth": ANY,
                "prediction": ANY,
                "cluster": {"type": "string"},
                "subject": {"type": "string"},
                "duration": NUMBER,
                "options": {"type": "object"},
            },
        },
    },
)
def corpus(inputs: Mapping[str, Any], profile: Profile) -> dict[str, float | None]:
    """Return the metrics of a task over all its answers, by name."""
    from braino_registry.scoring.corpus import Item, interval, measures

    items = [Item(**{"cluster": str(number), **row}) for number, row in enumerate(inputs["items"])]
    found = measures(inputs["task"], items, profile)
    return {name: interval(measure, n_draws=2).value for name, measure in found.items()}


@named(
    "confusion",
    required=("truth", "predicted", "classes"),
    truth=_LABELS,
    predicted={"type": "array", "items": {"type": "string"}},
    classes={**_LABELS, "uniqueItems": True},
)
def confusion(inputs: Mapping[str, Any], profile: Profile) -> dict[str, float]:
    """Return accuracy, balanced accuracy, macro-F1 and Cohen's kappa of labels."""
    from braino_registry.scoring.corpus import confuse

    found = confuse(inputs["truth"], inputs["predicted"], inputs["classes"])
    return {
        name: getattr(found, name)
        for name in ("accuracy", "balanced_accuracy", "macro_f1", "kappa")
    }


@named(
    "events",
    required=("reference", "predicted", "duration"),
    reference=ANY,
    predicted=ANY,
    duration=_SECONDS,
)
def events(inputs: Mapping[str, Any], profile: Profile) -> dict[str, float | None]:
    """Return event scores of one recording by the rules of SzCORE, and the overlap in time."""
    from braino_registry.scoring.corpus import dice, score_recording

    found = score_recording(inputs["reference"], inputs["predicted"], inputs["duration"])
    rates = {name: getattr(found.counts, name) for name in _RATES}
    return {**rates, "dice": dice(found.reference.unclipped, found.predicted.unclipped)}


@named(
    "seizures",
    required=("truth", "predicted", "duration"),
    truth={"type": "array"},
    predicted=ANY,
    duration=_SECONDS,
)
def seizures(inputs: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    """Return the score of one recording of task T5, as EEGAgentBench reads an answer."""
    from braino_registry.scoring.corpus import score_seizures

    found = score_seizures(inputs["truth"], inputs["predicted"], inputs["duration"], profile)
    rates = {name: getattr(found.counts, name) for name in _RATES}
    more = ("dice", "missed", "over_alarm", "n_warnings")
    return {**rates, **{name: getattr(found, name) for name in more}}


@named(
    "staging",
    required=("truth", "prediction"),
    truth=_LABELS,
    prediction=ANY,
    n_epochs=_EPOCHS,
)
def staging(inputs: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    """Return the score of one night of task T6: macro-F1 over five stages, kappa, accuracy."""
    from braino_registry.scoring.corpus import score_staging

    found = score_staging(
        inputs["truth"], inputs["prediction"], profile, n_epochs=inputs.get("n_epochs")
    )
    return {
        "macro_f1": found.macro_f1,
        "kappa": found.kappa,
        "accuracy": found.confusion.accuracy,
        "empty": found.empty,
    }


@named(
    "dice",
    required=("reference", "predicted"),
    reference=_INTERVALS,
    predicted=_INTERVALS,
)
def overlap(inputs: Mapping[str, Any], profile: Profile) -> float | None:
    """Return the overlap in time of two sets of intervals.

    One that ends before it begins is turned round, as among the events of an answer.
    """
    from braino_registry.scoring.corpus import dice

    both = (inputs["reference"], inputs["predicted"])
    reference, predicted = ([sorted(pair) for pair in side] for side in both)
    return dice(reference, predicted)


@named(
    "corpus-overall",
    required=("primary",),
    primary={
        "type": "object",
        "additionalProperties": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
    },
)
def overall(inputs: Mapping[str, Any], profile: Profile) -> float:
    """Return the mean of the primary metrics of the six tasks, by task."""
    from braino_registry.scoring.corpus import overall as mean_of_tasks

    return mean_of_tasks(inputs["primary"])
