"""What is true of a dataset as a whole, counted from its participants and recordings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from braino_registry.synthesis.planning import Plan

UNKNOWN = "n/a"


def of_participants(planned: Plan) -> dict[str, Any]:
    """Return what the table of participants holds.

    Parameters
    ----------
    planned : Plan

    Returns
    -------
    dict
        ``n_subjects``; ``participants`` (label to columns); ``groups`` (column with levels to
        level to labels); ``group_means`` (the same to the mean of each column of numbers, over
        those of whom it is known); ``missing_values`` (column to labels).
    """
    columns = planned.recipe["participants"].get("columns", {})
    people = planned.participants
    groups = {
        name: {
            level: [label for label, row in people.items() if row[name] == level]
            for level in column["levels"]
        }
        for name, column in columns.items()
        if "levels" in column
    }
    means = {
        name: {level: _means(people, labels) for level, labels in levels.items()}
        for name, levels in groups.items()
    }
    missing = {
        name: [label for label, row in people.items() if row[name] == UNKNOWN] for name in columns
    }
    return {
        "n_subjects": len(people),
        "participants": {label: dict(row) for label, row in people.items()},
        "groups": groups,
        "group_means": means,
        "missing_values": {name: labels for name, labels in missing.items() if labels},
    }


def _means(people: Mapping[str, Mapping[str, Any]], labels: list[str]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for label in labels:
        for name, value in people[label].items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                values.setdefault(name, []).append(float(value))
    return {name: math.fsum(known) / len(known) for name, known in values.items()}


def of_recordings(recordings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the recordings have in common and what sets some of them apart.

    Parameters
    ----------
    recordings : mapping
        Recording id to its truth.

    Returns
    -------
    dict
        ``n_recordings``; ``recordings`` (id to ``sfreq`` in Hz, ``duration`` in s and
        ``n_channels``); ``sampling_frequencies`` (rate to ids); ``recordings_at_another_rate``
        (ids whose rate is not the most frequent one); ``recordings_with`` (key of the
        recordings' truth that is a list to the ids in which it is not empty).
    """
    facts = ("sfreq", "duration", "n_channels")
    rates: dict[str, list[str]] = {}
    planted: dict[str, list[str]] = {}
    for name, truth in recordings.items():
        rates.setdefault(f"{truth['sfreq']:g}", []).append(name)
        for key, value in truth.items():
            if isinstance(value, list) and key != "ch_names":
                planted.setdefault(key, []).extend([name] if value else [])
    usual = max(rates, key=lambda rate: len(rates[rate]))
    return {
        "n_recordings": len(recordings),
        "recordings": {
            name: {fact: truth[fact] for fact in facts} for name, truth in recordings.items()
        },
        "sampling_frequencies": rates,
        "recordings_at_another_rate": [
            name for rate, names in rates.items() if rate != usual for name in names
        ],
        "recordings_with": planted,
    }
