"""Which recordings a dataset will hold, told by its entry alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from braino_registry.registry.entries import (
    ENTITIES,
    Instance,
    PublicDataset,
    Recipe,
    recording_id,
)
from braino_registry.registry.problems import Problem, choice


def recordings_of(dataset: Recipe | PublicDataset) -> list[Mapping[str, str]]:
    """Return the BIDS entities of every recording that an entry describes."""
    blocks = dataset.doc.get("recordings", ())
    if isinstance(dataset, PublicDataset):
        return [block["bids"] for block in blocks]
    return [
        each
        for block in blocks
        for each in _product(
            {"bids_subject": dataset.doc["participants"]["labels"], **block["over"]}
        )
    ]


def _product(over: Mapping[str, Iterable[str]]) -> list[Mapping[str, str]]:
    return [dict(zip(over, values, strict=True)) for values in itertools.product(*over.values())]


def recording_problems(
    instances: Iterable[Instance], datasets: Mapping[str, Recipe | PublicDataset]
) -> list[Problem]:
    """Return the instances about recordings that their datasets do not have.

    Parameters
    ----------
    instances : iterable of Instance
        The instances of a task.
    datasets : mapping
        Those of their datasets that can be used, by ``id@version``.
    """
    known = {ref: recordings_of(entry) for ref, entry in datasets.items()}
    problems = []
    for instance in instances:
        there = known.get(str(instance.dataset), [])
        asked = instance.recording
        if not there:
            continue
        names = [str(recording_id(entities)) for entities in there]
        fitting = [
            name
            for name, entities in zip(names, there, strict=True)
            if asked.items() <= entities.items()
        ]
        place = ("instances", instance.id, "recording")
        if not fitting:
            message = f"the dataset {instance.dataset!r} has no recording {_named(asked)!r}"
            problems.append(choice(place, message, _named(asked), names))
        elif instance.recording_id is not None and instance.recording_id not in fitting:
            # It looks like a whole name, and nothing is called like that.
            message = f"{_named(asked)!r} leaves out which recording of {instance.dataset!r} it is"
            problems.append(choice(place, message, None, fitting))
    return problems


def _named(entities: Mapping[str, Any]) -> str:
    return "_".join(f"{key}-{entities[name]}" for name, key in ENTITIES.items() if name in entities)
