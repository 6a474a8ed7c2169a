"""Which recordings a dataset will hold, told by its entry alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pkgutil import resolve_name
from typing import Any

from braino_registry.errors import BrainoError
from braino_registry.registry.entries import (
    ENTITIES,
    Instance,
    PublicDataset,
    Recipe,
    recording_id,
)
from braino_registry.registry.problems import Problem, choice

#: ``module:function`` that tells the recordings of a public dataset that does not list them.
DERIVED = "braino_registry.datasets.entries:recordings_of"


def recordings_of(dataset: Recipe | PublicDataset) -> list[Mapping[str, str]]:
    """Return the BIDS entities of every recording that an entry describes.

    Raises
    ------
    BrainoError
        If they follow from the pins of a public dataset, and these are broken.
    """
    if isinstance(dataset, PublicDataset) and "recordings" not in dataset.doc:
        return [row.entities for row in resolve_name(DERIVED)(dataset)]
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
    problems: list[Problem] = []
    known: dict[str, list[Mapping[str, str]]] = {}
    for ref, entry in datasets.items():
        try:
            known[ref] = recordings_of(entry)
        except BrainoError as error:
            message = f"the dataset {ref!r} is broken: {error.problem} ({error.where})"
            problems.append(Problem("$.instances", message))
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
        problems += _not_selectable(instance, there)
    return problems


def _not_selectable(instance: Instance, there: Sequence[Mapping[str, str]]) -> Iterator[Problem]:
    """Yield the labels that an instance selects and its dataset does not have."""
    for entity, labels in instance.select.items():
        have = sorted({entities[entity] for entities in there if entity in entities})
        for label in labels:
            if label not in have:
                message = f"the dataset {instance.dataset!r} has no {entity} {label!r}"
                yield choice(("instances", instance.id, "select", entity), message, label, have)


def _named(entities: Mapping[str, Any]) -> str:
    return "_".join(f"{key}-{entities[name]}" for name, key in ENTITIES.items() if name in entities)
