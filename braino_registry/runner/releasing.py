"""A run that is held to a release, and whether a report of it is what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from braino_registry.registry.releases import Difference
from braino_registry.runner.plan import Plan
from braino_registry.runner.selecting import release_of
from braino_registry.runner.settings import RunSettings

if TYPE_CHECKING:
    from braino_registry.datasets import Store
    from braino_registry.registry import Registry, Salt
    from braino_registry.runner.sources import Sources

Lock = Mapping[str, Any]


def standing(settings: RunSettings, planned: Plan, sources: Sources) -> dict[str, Any] | None:
    """Return how a run stands to the release that it is held to; None if it is held to none.

    Returns
    -------
    dict
        ``id``, ``status`` and ``seal`` of the lock; ``whole``, whether all of its tasks in this
        suite were asked for; ``verified``, whether nothing is other than locked; and the
        ``differences``.
    """
    lock = release_of(settings, sources.registry)
    if lock is None:
        return None
    from braino_registry.registry import released

    suite = planned.suite.id
    found = released.differences_in(lock, sources.registry, suite)
    found += _of_salt(lock, sources.salt.hash)
    return {
        "id": lock["id"],
        "status": lock["status"],
        "seal": lock["seal"],
        "whole": not settings.tasks and settings.subset is None and settings.data == "all",
        "verified": not found,
        "differences": [_row(each) for each in found],
    }


def check_report(
    lock: Lock, report: Mapping[str, Any], registry: Registry, store: Store, salt: Salt
) -> list[Difference]:
    """Return in what a report is not one of a release; empty if in nothing.

    With the salt, once it is revealed, every synthetic dataset is built again and has to come out
    as in the report: then the truth was not known before, and is what it was drawn to be.

    Parameters
    ----------
    lock : mapping
        A ``release/1`` document.
    report : mapping
        A ``report/1`` document whose own seal has been found right.
    registry, store : Registry, Store
        The entries and where datasets are built.
    salt : Salt
        The revealed salt, or none.
    """
    from braino_registry.registry import released

    locked = {row["id"]: row for row in lock["tasks"] if row["suite"] == report["suite"]}
    found = [*released.of_the_lock(lock), *_of_claim(lock, report)]
    for task, digests in report["digests"]["tasks"].items():
        row = locked.get(task)
        if row is None:
            found.append(Difference(f"task {task}", "", "is not in the release"))
        elif {name: digests[name] for name in ("work", "scoring")} != row["digests"]:
            problem = f"was run as {digests['version']}, which is not the {row['version']} locked"
            found.append(Difference(f"task {task}", "", problem, "Other digests, other work."))
    found += _of_salt(lock, report["settings"]["salt"])
    return [*found, *_of_data(report, registry, store, salt)]


def covered(lock: Lock, report: Mapping[str, Any]) -> dict[str, Any]:
    """Return how much of what a release has of a suite a report covers.

    Returns
    -------
    dict
        ``run`` and ``released``, numbers of tasks; ``whole``, whether all of them were asked for
        with all their instances, as the leaderboard requires.
    """
    locked = {row["id"] for row in lock["tasks"] if row["suite"] == report["suite"]}
    run = locked & set(report["digests"]["tasks"])
    told = report["release"]
    return {
        "run": len(run),
        "released": len(locked),
        "whole": told is not None and told["whole"] and run == locked,
    }


def _of_claim(lock: Lock, report: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield in what the report itself says that it is not of the release."""
    told = report["release"]
    if told is None or told["seal"] != lock["seal"]:
        which = "none" if told is None else f"{told['id']} with the seal {told['seal']}"
        yield Difference("report", "release", f"was held to {which}",
                         "Run it with --release.")  # fmt: skip
        return
    for row in told["differences"]:
        yield Difference(row["what"], row["field"], f"when it was run: {row['problem']}")
    for name, row in report["digests"]["datasets"].items():
        if not row["verified"]:
            yield Difference(f"dataset {name}", "realised", "came out other than recorded")


def _of_salt(lock: Lock, used: str | None) -> list[Difference]:
    """Return what is wrong with the salt of a run: only one that was committed to is any good."""
    if used is None and lock["salts"]:
        return [Difference("salt", "", "none was used, and the release commits to one",
                           "Run it with --salt.")]  # fmt: skip
    if used is not None and used not in lock["salts"]:
        return [Difference("salt", "", f"{used} is none that the release commits to",
                           "Its hash must be in the lock before the first run.")]  # fmt: skip
    return []


def _of_data(
    report: Mapping[str, Any], registry: Registry, store: Store, salt: Salt
) -> Iterator[Difference]:
    """Yield which synthetic datasets do not come out with a salt as the report says."""
    used = report["settings"]["salt"]
    if not salt.material:
        return
    if salt.hash != used:
        yield Difference("salt", "", f"the revealed one has the hash {salt.hash}, "
                         f"the report {used or 'none'}")  # fmt: skip
        return
    from braino_registry.registry.entries import Recipe

    for name, row in report["digests"]["datasets"].items():
        entry = registry.dataset(name)
        if not isinstance(entry, Recipe):
            continue
        built = store.build_or_find(entry, salt)
        if built.digest != row["realised"]:
            problem = f"comes out as {built.digest}, the report has {row['realised']}"
            yield Difference(f"dataset {name}", "realised", problem)


def _row(each: Difference) -> dict[str, str]:
    return {"what": each.what, "field": each.field, "problem": each.problem, "hint": each.hint}
