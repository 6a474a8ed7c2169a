"""Mending a dataset on disk: what is damaged is replaced, what is right is left alone."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from braino_registry.datasets import layout
from braino_registry.datasets.building import Portion
from braino_registry.datasets.clones import clone
from braino_registry.datasets.content import NEUTRAL_NS, hash_file
from braino_registry.datasets.hosts import host_errors
from braino_registry.datasets.layout import source_path
from braino_registry.datasets.marker import Marker, read_marker, read_through
from braino_registry.datasets.selection import ALL, Selection
from braino_registry.datasets.values import SaltLike, Verification
from braino_registry.errors import BrainoError

if TYPE_CHECKING:
    from braino_registry.datasets.fetching import Progress
    from braino_registry.datasets.store import Store
    from braino_registry.registry.entries import Entry


def verify_and_repair(
    store: Store,
    entry: Entry,
    salt: SaltLike | None = None,
    *,
    selection: Selection = ALL,
    progress: Progress | None = None,
) -> Verification:
    """Read every file of a dataset and replace those that are damaged.

    A damaged fetched file is moved aside and fetched again. A damaged file of the BIDS tree is
    replaced by the fetched file that it is, else the tree is built anew.

    Parameters
    ----------
    store : Store
        The cache.
    entry : Recipe or PublicDataset
        The dataset.
    salt : Salt | None
        As for the build.
    selection : Selection
        As for the build.
    progress : callable, optional
        As for `Store.fetch`.

    Returns
    -------
    Verification
        What is wrong still, and what was and has been mended.

    Raises
    ------
    HostError
        If it is not built.
    """
    before = store.verify(entry, salt, deep=True, selection=selection)
    if before.ok:
        return before
    portion = Portion.of(entry, selection)
    failures: list[str] = []
    with host_errors(f"repairing {entry.ref}", store.root):
        for path, file, reason in store.damaged(portion):
            if file.is_relative_to(store.root):
                store.keep.set_aside(file, {"path": path, "reason": reason})
        _mend_tree(store, entry, salt, portion.selection)
        try:
            store.fetch(entry, progress, selection=portion.selection)
            store.build_or_find(entry, salt, portion.selection)
        except BrainoError as error:
            failures.append(error.problem)
    if store.built(entry, salt, portion.selection) is None:
        return replace(before, problems=(*before.problems, *failures))
    after = store.verify(entry, salt, deep=True, selection=selection)
    mended = tuple(text for text in before.problems if text not in after.problems)
    problems = (*after.problems, *failures)
    return replace(after, ok=not problems, problems=problems, repaired=mended)


def _mend_tree(store: Store, entry: Entry, salt: SaltLike | None, selection: Selection) -> None:
    """Replace the wrong files of a tree one by one, or drop it, so that it is built anew."""
    folder = store.location(entry, salt, selection)
    marker = read_marker(folder)
    if marker is None:
        return
    wrong = read_through(folder / "bids", marker)
    if wrong and not _replaced(store, folder / "bids", marker, wrong):
        store.drop(folder)


def _replaced(store: Store, tree: Path, marker: Marker, wrong: Iterable[str]) -> bool:
    """Put the right bytes in place of wrong ones; False if they are not in the content store."""
    records = {file.path: file for file in marker.files}
    with layout.work_folder(store.root) as work:
        for number, name in enumerate(wrong):
            target = tree / name
            if name not in records:
                os.replace(target, work / f"foreign-{number}")
                continue
            source = source_path(store.root, records[name].sha256)
            fresh = work / str(number)
            if not source.is_file():
                return False
            clone(source, fresh)
            if hash_file(fresh)["sha256"] != records[name].sha256:
                return False
            fresh.chmod(0o444)
            os.utime(fresh, ns=(NEUTRAL_NS, NEUTRAL_NS))
            layout.sync_file(fresh)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(fresh, target)
    return True
