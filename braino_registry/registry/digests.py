"""Digests by which entries are compared: sha256 over RFC 8785 canonical JSON.

*work* is what an agent sees and may do. *scoring* is how what it did is judged. Prose is in
neither: a better title makes no result incomparable.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from braino_registry.registry.jsonpath import walk

if TYPE_CHECKING:
    from braino_registry.registry.entries import Entry, PublicDataset, Recipe, Task

#: Properties that are for people only.
PROSE = frozenset({"schema", "canary", "title", "about", "keywords", "issues", "description"})
#: Where bytes may be fetched from, who to thank for them, and how they are proven, can change
#: without any effect on what an agent sees.
PROVENANCE = frozenset(
    {
        "access",
        "authors",
        "citation",
        "defects",
        "homepage",
        "invariants",
        "large",
        "licence",
        "local",
        "mirrors",
        "redistribution",
        "status",
        "twin",
        "upstream",
        "withheld",
    }
)


def canonical(obj: Any) -> bytes:
    """Return a JSON value as RFC 8785 canonical JSON.

    Raises
    ------
    rfc8785.CanonicalizationError
        If the value is not JSON: NaN, infinity, a whole number beyond 2**53, a key that is no text.
    """
    import rfc8785

    return rfc8785.dumps(obj)


def digest(obj: Any) -> str:
    """Return ``sha256:`` and the hexadecimal sha256 of the canonical form of a JSON value."""
    return f"sha256:{hashlib.sha256(canonical(obj)).hexdigest()}"


def work_digest(task: Task) -> str:
    """Return the digest of what an agent sees and may do in a task."""
    return digest(work_document(task))


def scoring_digest(
    task: Task, kind_versions: Mapping[str, str], operation_versions: Mapping[str, str]
) -> str:
    """Return the digest of how what an agent did in a task is judged; see `scoring_document`."""
    return digest(scoring_document(task, kind_versions, operation_versions))


def work_document(task: Task) -> dict[str, Any]:
    """Return what an agent sees and may do in a task: what its *work* digest is taken of."""
    instances = [
        {
            "id": instance.id,
            "dataset": instance.dataset,
            "recording": instance.recording,
            "window": instance.window,
            "params": instance.params,
            "user": task.user_for(instance),
            # left out where there is none, so that it is no change for the tasks before it
            **({"select": dict(_lists(instance.select))} if instance.select else {}),
        }
        for instance in task.instances
    ]
    return {
        "request": task.request,
        "instances": sorted(instances, key=lambda row: str(row["id"])),
        "datasets": {ref: dataset_identity(entry) for ref, entry in task.datasets.items()},
        "toolset": sorted(task.tools),
        "limits": task.limits,
        "paradigms": sorted(task.home.paradigms),
        "told": task.fields if task.home.tell_fields else None,
        **({"inputs": task.home.inputs} if task.home.inputs != "dataset" else {}),
    }


def scoring_document(
    task: Task, kind_versions: Mapping[str, str], operation_versions: Mapping[str, str]
) -> dict[str, Any]:
    """Return how what an agent did in a task is judged: what its *scoring* digest is taken of.

    Parameters
    ----------
    task : Task
        The task.
    kind_versions : mapping
        Version of each check kind by its name.
    operation_versions : mapping
        Version of each analysis operation by its name; may be empty if the task has no pipeline.
    """
    named = {
        text
        for value in task.expected_values()
        for _, text in walk(value.get("pipeline"))
        if isinstance(text, str)
    }
    labels = {
        ref: entry.doc["labels"] for ref, entry in task.datasets.items() if "labels" in entry.doc
    }
    return {
        "rule": task.home.rule,
        "checks": [{**check, "version": kind_versions[check["kind"]]} for check in task.checks],
        "fields": task.fields,
        "expected": {instance.id: instance.expected for instance in task.instances},
        "operations": {
            name: version for name, version in operation_versions.items() if name in named
        },
        "labels": labels,
    }


def recipe_digest(recipe: Recipe) -> str:
    """Return the digest of a recipe: what is recorded, what is planted, what is drawn.

    What its build is expected to give is left out, because a build may state this digest.
    """
    return digest(_without(recipe.doc, PROSE | {"expects"}))


def public_digest(dataset: PublicDataset) -> str:
    """Return the digest of a public dataset from its pins, without its bytes.

    It covers the pinned files and how they become BIDS. The labels are not seen by an agent;
    they belong to the scoring of the tasks that use them.
    """
    doc = _without(dataset.doc, PROSE | PROVENANCE | {"labels", "expects", "pins"})
    pins = dataset.doc.get("pins") or {}
    return digest({**doc, "pins": pins.get("content"), "build": _recorded(dataset)})


def dataset_identity(entry: Entry) -> str:
    """Return the digest by which a dataset is known, synthetic or public.

    For a synthetic one it covers the recipe and the recorded digest of its unsalted build, so
    that a changed generator is a changed dataset.
    """
    from braino_registry.registry.entries import PublicDataset, Recipe

    if isinstance(entry, Recipe):
        return digest({"recipe": recipe_digest(entry), "build": _recorded(entry)})
    if isinstance(entry, PublicDataset):
        return public_digest(entry)
    raise TypeError(f"{entry.kind} {entry.id} is not a dataset")


def _recorded(entry: Entry) -> str | None:
    """Return the digest that an entry records for its tree built without a salt."""
    recorded: str | None = entry.doc.get("expects", {}).get("digest")
    return recorded


def _lists(select: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, list[str]]]:
    """Yield labels in one order: which part of a dataset it is does not depend on theirs."""
    return ((entity, sorted(labels)) for entity, labels in select.items())


def _without(doc: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in doc.items() if key not in names}
