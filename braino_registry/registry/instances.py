"""From the field ``instances`` of a task to its instances: rows, products of rows, questions."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from braino_registry.registry.entries import ENTITIES, Instance, recording_id
from braino_registry.registry.jsonpath import Steps, path_text
from braino_registry.registry.problems import Problem
from braino_registry.registry.questions import bank_problems, rows_of
from braino_registry.registry.templates import TemplateProblem, render

#: Axes of a product in the order in which they vary, the last one fastest. The order is fixed,
#: so that instances do not change places when somebody sorts the properties of a file.
AXES = ("dataset", *ENTITIES, "window", "params")

#: Most instances of one task: six short lists may multiply to more than anybody can list.
MANY = 10_000

#: Names that parameters may not take, because templates know them already.
TAKEN = frozenset(
    {*ENTITIES, "recording", "record_id", "window", "truth", "labels", "expected", "dataset_id"}
)

_ID = re.compile(r"[A-Za-z0-9]+([._-][A-Za-z0-9]+)*")


def rows(doc: Mapping[str, Any]) -> list[tuple[Steps, Mapping[str, Any]]]:
    """Return every row, every product and every question of a task with its place."""
    listed = doc["instances"]
    places: list[tuple[Steps, Mapping[str, Any]]] = (
        [(("instances", i), row) for i, row in enumerate(listed)]
        if isinstance(listed, list)
        else [(("instances",), listed)]
    )
    return [
        each
        for steps, row in places
        for each in (rows_of(row, steps) if "questions" in row else [(steps, row)])
    ]


def dataset_refs(doc: Mapping[str, Any]) -> dict[str, Steps]:
    """Return every dataset that a task names, with the first place where it does."""
    refs: dict[str, Steps] = {}
    for steps, row in rows(doc):
        if "over" in row:
            places: list[tuple[Steps, Any]] = [
                (("over", "dataset", i), ref) for i, ref in enumerate(row["over"]["dataset"])
            ]
        else:
            places = [(("dataset",), row["dataset"])]
        for place, ref in places:
            if ref is not None:
                refs.setdefault(ref, (*steps, *place))
    return refs


def expand(
    doc: Mapping[str, Any], is_public: Callable[[str], bool]
) -> tuple[tuple[Instance, ...], list[Problem]]:
    """Return the instances of a task, in a stable order, and what is wrong with them.

    Parameters
    ----------
    doc : mapping
        A task that is valid by its schema.
    is_public : callable
        Tells whether ``id@version`` is a public dataset.
    """
    made: list[Instance] = []
    problems: list[Problem] = []
    seen: set[str] = set()
    for steps, row in rows(doc):
        size = math.prod(len(values) for values in row.get("over", {}).values())
        if len(made) + size > MANY:
            message = f"these are more than {MANY} instances"
            problems.append(Problem(path_text((*steps, "over")), message))
            break
        try:
            expanded = list(_product(row)) if "over" in row else [row]
        except TemplateProblem as error:
            place = path_text((*steps, "id"))
            problems.append(Problem(place, f"{error.problem} ({error.where})"))
            continue
        for single in expanded:
            instance = _instance(doc, single, is_public)
            public = instance.dataset is not None and is_public(instance.dataset)
            problems += _problems(instance, public, steps, seen)
            made.append(instance)
    return tuple(made), problems


def _product(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a product."""
    over = row["over"]
    axes = [axis for axis in AXES if axis in over]
    for values in itertools.product(*(over[axis] for axis in axes)):
        point = dict(zip(axes, values, strict=True))
        entities = {name: point[name] for name in ENTITIES if name in point}
        single = {key: value for key, value in row.items() if key not in ("over", "id")}
        single["dataset"] = point["dataset"]
        single["recording"] = {**row.get("recording", {}), **entities}
        single["params"] = {**row.get("params", {}), **point.get("params", {})}
        if "window" in point:
            single["window"] = point["window"]
        names = {
            **single["recording"],
            **single["params"],
            "window": single.get("window"),
            "recording": recording_id(single["recording"]),
            "dataset_id": str(point["dataset"]).partition("@")[0],
        }
        single["id"] = render(row["id"], names)
        yield single


def _instance(
    doc: Mapping[str, Any], row: Mapping[str, Any], is_public: Callable[[str], bool]
) -> Instance:
    recording = row.get("recording", {})
    window = row.get("window")
    dataset = row["dataset"]
    public = dataset is not None and is_public(dataset)
    needs = {*row.get("needs", ()), *([f"dataset:{dataset}"] if public else [])}
    return Instance(
        task_id=doc["id"],
        id=row["id"],
        dataset=dataset,
        recording=dict(recording),
        recording_id=recording_id(recording),
        window=None if window is None else (window[0], window[1]),
        params=dict(row.get("params", {})),
        expected=dict(row.get("expected", {})),
        data=row.get("data", "public" if public else None),
        large=bool(row.get("large", False)),
        chance=float(row.get("chance", doc.get("chance", 0.0))),
        user=row.get("user"),
        needs=tuple(sorted(needs)),
        select={entity: tuple(labels) for entity, labels in row.get("select", {}).items()},
        shuffled=bool(row.get("shuffled", False)),
    )


def _problems(instance: Instance, public: bool, steps: Steps, seen: set[str]) -> Iterator[Problem]:
    at = path_text((*steps, "id"))
    if not _ID.fullmatch(instance.id) or len(instance.id) > 120:
        yield Problem(at, f"{instance.id!r} cannot be the id of an instance: it names a folder")
    # Some file systems cannot tell two folders apart by upper and lower case.
    if instance.id.casefold() in seen:
        yield Problem(at, f"two instances are called {instance.id!r}")
    seen.add(instance.id.casefold())
    if instance.dataset is None and instance.recording:
        yield Problem(path_text(steps), "there can be no recording without a dataset")
    if instance.select and not public:
        message = "only a public dataset is fetched in parts; this one is built as a whole"
        yield Problem(path_text((*steps, "select")), message)
    for entity, labels in instance.select.items():
        asked = instance.recording.get(entity, labels[0])
        if asked not in labels:
            message = f"the recording's {entity} {asked!r} is not selected"
            yield Problem(path_text((*steps, "select", entity)), message)
    if instance.window is not None and instance.window[0] >= instance.window[1]:
        yield Problem(path_text((*steps, "window")), "the window stops before it starts")
    for name in sorted(TAKEN & set(instance.params)):
        yield Problem(path_text((*steps, "params", name)), f"a parameter cannot be called {name!r}")
    yield from bank_problems(instance, steps)
