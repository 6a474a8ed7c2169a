"""From a task's checks to checks whose expected values are plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.errors import EntryError
from braino_registry.expected.computing import Bench
from braino_registry.expected.plain import finite
from braino_registry.expected.scopes import look_up, scope
from braino_registry.registry.kinds import is_expected
from braino_registry.registry.templates import fill

if TYPE_CHECKING:
    from braino_registry.registry.entries import Instance, Task


@dataclass(frozen=True)
class Expected:
    """What the checks of one instance compare with.

    Parameters
    ----------
    checks : tuple of dict
        The task's checks, every expected value filled in.
    values : mapping
        The filled-in values by check id and place, for people and for ``expected.json``.
    """

    checks: tuple[dict[str, Any], ...]
    values: Mapping[str, Mapping[str, Any]]


@dataclass
class _Sources:
    """What expected values of one instance may come from."""

    instance: Instance
    truth: Mapping[str, Any]
    labels: Mapping[str, Any]
    bench: Bench
    values: dict[str, dict[str, Any]] = field(default_factory=dict)


def resolve(
    task: Task,
    instance: Instance,
    *,
    tree: Path | None,
    truth: Mapping[str, Any] | None = None,
    labels: Mapping[str, Any] | None = None,
    cache: Path | None = None,
    dataset_digest: str | None = None,
) -> Expected:
    """Return the checks of an instance with their expected values.

    Parameters
    ----------
    task : Task
        The task.
    instance : Instance
        One of its instances.
    tree : Path | None
        BIDS root of the pristine data; None for a question without data.
    truth, labels : mapping | None
        ``{"recordings": {id: …}, "dataset": …}``. Where nothing was planted, labels stand for
        the truth.
    cache : Path | None
        Folder that keeps computed values.
    dataset_digest : str | None
        Digest of the bytes in ``tree``; without it nothing is kept or taken from the cache.

    Raises
    ------
    EntryError
        If a path leads nowhere, a computation fails, or a value is not finite.
    """
    planted = truth if truth and (truth.get("recordings") or truth.get("dataset")) else labels
    sources = _Sources(
        instance=instance,
        truth=scope(planted, instance.recording_id),
        labels=scope(labels, instance.recording_id),
        bench=Bench(tree, instance.context(), cache, dataset_digest),
    )
    checks = []
    for check in task.doc["checks"]:
        where = f"{task.file}: check {check['id']!r}, instance {instance.id!r}"
        values: dict[str, Any] = {}
        checks.append(_plain(dict(check), sources, where, "", values))
        sources.values[str(check["id"])] = values
    return Expected(tuple(checks), sources.values)


def _plain(doc: Any, sources: _Sources, where: str, place: str, values: dict[str, Any]) -> Any:
    """Return a part of a check without expected-value documents; note each value by its place."""
    if is_expected(doc) or (isinstance(doc, dict) and set(doc) == {"$"}):
        value = finite(_value(doc, sources, where), where)
        values[place] = value
        return value
    if isinstance(doc, Mapping):
        if "when" in doc:
            # what does not apply is not computed: its window may lie outside the recording
            applies = _plain(doc["when"], sources, where, f"{place}.when".lstrip("."), values)
            if applies is False:
                return {key: item for key, item in doc.items() if _is_plain(item)} | {"when": False}
        return {
            key: _plain(item, sources, where, f"{place}.{key}".lstrip("."), values)
            for key, item in doc.items()
        }
    if isinstance(doc, list | tuple):
        return [_plain(item, sources, where, f"{place}[{i}]", values) for i, item in enumerate(doc)]
    return doc


def _is_plain(doc: Any) -> bool:
    """Tell whether there is no expected-value document in a part of a check."""
    if isinstance(doc, Mapping):
        named = is_expected(doc) or set(doc) == {"$"}
        return not named and all(_is_plain(item) for item in doc.values())
    return not isinstance(doc, list | tuple) or all(_is_plain(item) for item in doc)


def _value(doc: Mapping[str, Any], sources: _Sources, where: str) -> Any:
    instance = sources.instance
    if "literal" in doc:
        return doc["literal"]
    if "truth" in doc:
        return look_up(doc["truth"], sources.truth, what="truth", where=where)
    if "label" in doc:
        return look_up(doc["label"], sources.labels, what="labels", where=where)
    if "$" in doc:
        return fill(doc, instance.context())
    if "instance" in doc:
        named = instance.expected.get(doc["instance"])
        if named is None or (isinstance(named, Mapping) and "instance" in named):
            known = ", ".join(sorted(instance.expected)) or "none"
            raise EntryError(
                f"the instance has no expected value {doc['instance']!r}",
                where=where,
                hint=f"Its expected values: {known}.",
            )
        return _value(named, sources, where) if is_expected(named) else named
    if "pipeline" in doc:
        return sources.bench.pipeline(doc["pipeline"], where)
    return sources.bench.workflow(doc["workflow"], doc.get("args", {}), where)
