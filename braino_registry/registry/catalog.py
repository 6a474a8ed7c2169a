"""The registry: all entries of all folders, each a value or an error, found by name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from braino_registry.errors import EntryError, UsageError
from braino_registry.registry import indexfile, roots
from braino_registry.registry.entries import (
    Entry,
    PublicDataset,
    Recipe,
    Release,
    Suite,
    Task,
)
from braino_registry.registry.files import Candidate, Unreadable, examine, scan
from braino_registry.registry.kinds import Groups
from braino_registry.registry.listing import digests, row
from braino_registry.registry.problems import choice, together

Kind = TypeVar("Kind", bound=Entry)


@dataclass(frozen=True)
class Survey:
    """The rows of a listing, and the errors of everything that could not be listed.

    Parameters
    ----------
    rows : tuple of dict
        One per task, ordered by suite and id.
    problems : tuple of EntryError
        Broken entries of all kinds, in the order of their files.
    """

    rows: tuple[dict[str, Any], ...]
    problems: tuple[EntryError, ...]


class Registry:
    """Entries of the built-in folder and of others. Make one with `Registry.open`.

    Nothing is read before it is asked for, and everything is read once.

    Parameters
    ----------
    folders : sequence of Path
        Folders of entries, each with ``tasks/``, ``generators/`` and so on.
    problems : sequence of EntryError
        What was wrong before any entry was read.
    files : sequence of Path
        Single files beside those of the folders, for example one that is being written.
    groups : Groups
        Where checks, layers and conversions are registered.
    use_index : bool
        Whether files that an index knows may be taken as checked.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        problems: Sequence[EntryError] = (),
        *,
        files: Sequence[Path] = (),
        groups: Groups | None = None,
        use_index: bool = True,
    ) -> None:
        self.folders = tuple(dict.fromkeys(folders))
        self.files = tuple(files)
        self.groups = groups if groups is not None else Groups()
        self._use_index = use_index
        self._opening_problems = tuple(problems)
        self._loaded: dict[str, tuple[Entry | None, list[EntryError]]] = {}

    @classmethod
    def open(
        cls,
        folders: Sequence[Path] = (),
        *,
        files: Sequence[Path] = (),
        environ: Mapping[str, str] | None = None,
        use_index: bool = True,
    ) -> Registry:
        """Return the registry of the built-in entries, of further folders and single files.

        Parameters
        ----------
        folders : sequence of Path
            Further folders, as given by ``--registry``.
        files : sequence of Path
            Further files; one that lies in a folder counts once.
        environ : mapping | None
            Environment whose ``BRAINO_REGISTRY`` lists further folders; by default that of the
            process.
        use_index : bool
            False checks every entry, whatever the index says.

        Raises
        ------
        UsageError
            If a folder is not there.
        """
        variables = os.environ if environ is None else environ
        others, problems = roots.external(folders, variables)
        return cls([roots.builtin(), *others], problems, files=files, use_index=use_index)

    @property
    def problems(self) -> tuple[EntryError, ...]:
        """The errors of all broken entries, in the order of their files."""
        return self._problems_of(self.candidates())

    def tasks(self, suite: str | None = None) -> tuple[Task, ...]:
        """Return the tasks that can be used, ordered by suite and id.

        Parameters
        ----------
        suite : str | None
            Only those of this suite.
        """
        if suite is not None:
            self.suite(suite)
        tasks = [task for task in self._all("task", Task) if suite in (None, task.suite)]
        return tuple(sorted(tasks, key=lambda task: (task.suite, task.id)))

    def suites(self) -> tuple[Suite, ...]:
        """Return the suites that can be used, ordered by id."""
        return self._all("suite", Suite)

    def datasets(self) -> tuple[Recipe | PublicDataset, ...]:
        """Return the datasets that can be used, synthetic and public, ordered by name."""
        return tuple(
            entry
            for entry in self._all("dataset", Entry)
            if isinstance(entry, Recipe | PublicDataset)
        )

    def releases(self) -> tuple[Release, ...]:
        """Return the release locks that can be used, ordered by id."""
        return self._all("release", Release)

    def task(self, task_id: str) -> Task:
        """Return a task.

        Raises
        ------
        EntryError
            If it is broken.
        UsageError
            If there is none; the message names the likely intent.
        """
        return self._one("task", task_id, Task)

    def task_in(self, file: Path) -> Task:
        """Return the task in one of the registry's files.

        Raises
        ------
        EntryError
            If the file holds none, or a broken one; it tells several problems at once.
        """
        wanted = os.path.realpath(file)
        for item in self._scanned:
            if os.path.realpath(item.file) != wanted:
                continue
            if isinstance(item, Unreadable):
                raise together(item.errors, file)
            entry, problems = self._load(item.key)
            if isinstance(entry, Task):
                return entry
            here = [each for each in problems if each.where.startswith(str(item.file))]
            what = f"this is a {item.kind}, not a task"
            raise together(here or [EntryError(what, where=str(file))], file)
        raise UsageError("the registry does not hold this file", where=str(file))

    def suite(self, suite_id: str) -> Suite:
        """Return a suite; raises like `task`."""
        return self._one("suite", suite_id, Suite)

    def release(self, release_id: str) -> Release:
        """Return a release lock; raises like `task`."""
        return self._one("release", release_id, Release)

    def dataset(self, ref: str) -> Recipe | PublicDataset:
        """Return a dataset by ``id@version``, or the highest version of an ``id``.

        Raises
        ------
        EntryError, UsageError
            As for `task`.
        """
        entry = self._one("dataset", self._complete(ref), Entry)
        if isinstance(entry, Recipe | PublicDataset):
            return entry
        raise TypeError(f"{entry.kind} {entry.id} is not a dataset")

    def recipe(self, ref: str) -> Recipe:
        """Return a synthetic dataset; raises like `dataset`, also for a public one."""
        entry = self.dataset(ref)
        if isinstance(entry, Recipe):
            return entry
        raise UsageError(
            f"the dataset {entry.ref} is public, it has no recipe",
            where=str(entry.file),
            hint="Fetch it with `braino data fetch`.",
        )

    def digests(self, task: Task) -> dict[str, str]:
        """Return the digests of a task: ``{"work": ..., "scoring": ...}``."""
        return digests(task, self.groups)

    def listing(self, suite: str | None = None) -> list[dict[str, Any]]:
        """Return one row per task that can be used; see `survey`."""
        return list(self.survey(suite).rows)

    def survey(self, suite: str | None = None) -> Survey:
        """Return the listing and the errors of what could not be listed.

        Files that the index knows are not opened; the others are loaded and checked.

        Parameters
        ----------
        suite : str | None
            Only tasks of this suite.
        """
        if suite is not None:
            self.suite(suite)
        rows = [self._row(name) for name in self._names("task")]
        kept = [each for each in rows if each is not None and suite in (None, each["suite"])]
        changed = [c for c in self.candidates() if not self._trusted(c)]
        ordered = sorted(kept, key=lambda each: (each["suite"], each["id"]))
        return Survey(tuple(ordered), self._problems_of(changed))

    def row(self, task: Task) -> dict[str, Any]:
        """Return the row of a task in a listing, computed from the task itself."""
        return row(task, self.groups)

    def candidates(self) -> tuple[Candidate, ...]:
        """Return every file that says it is an entry, usable or not, ordered by name."""
        return tuple(c for key in sorted(self._by_key) for c in self._by_key[key])

    # How entries are found -------------------------------------------------------------------

    @cached_property
    def _indexes(self) -> dict[Path, indexfile.Index]:
        # An index of somebody else could claim digests that its entries do not have.
        own = roots.builtin()
        return {own: indexfile.read(own)} if self._use_index and own in self.folders else {}

    @cached_property
    def _scanned(self) -> tuple[Candidate | Unreadable, ...]:
        found: list[Candidate | Unreadable] = []
        for root in self.folders:
            index = self._indexes.get(root)
            found += scan(root, index.files if index else {})
        if self.files:
            # Unlike Path.resolve, this takes a link to itself as it is.
            there = {os.path.realpath(item.file) for item in found}
            more = [file for file in self.files if os.path.realpath(file) not in there]
            found += [examine(file.parent, file.name, None) for file in more]
        return tuple(found)

    @cached_property
    def _by_key(self) -> dict[str, list[Candidate]]:
        found: dict[str, list[Candidate]] = {}
        for item in self._scanned:
            if isinstance(item, Candidate):
                found.setdefault(item.key, []).append(item)
        return found

    def _names(self, space: str) -> list[str]:
        """Return the names of all entries of a kind, usable or not."""
        prefix = f"{space}:"
        return sorted(key.removeprefix(prefix) for key in self._by_key if key.startswith(prefix))

    def _complete(self, ref: str) -> str:
        """Return a dataset's name with its version: the highest, if none is given."""
        if "@" in ref:
            return ref
        from braino_registry.registry.versions import sort_key

        known = [name for name in self._names("dataset") if name.partition("@")[0] == ref]
        return max(known, key=lambda name: sort_key(name.partition("@")[2]), default=ref)

    def _find(self, key: str) -> Entry | str:
        """Return an entry, or in words why there is none."""
        kind, _, name = key.partition(":")
        if key not in self._by_key:
            return f"there is no {kind} {name!r}"
        entry, _ = self._load(key)
        return entry if entry is not None else f"the {kind} {name!r} is broken, see its own errors"

    def _one(self, space: str, name: str, kind: type[Kind]) -> Kind:
        key = f"{space}:{name}"
        if key not in self._by_key:
            self._refuse_unreadable(name.partition("@")[0])
            raise UsageError(
                f"there is no {space} called {name!r}", hint=self._instead(space, name)
            )
        entry, problems = self._load(key)
        if not isinstance(entry, kind):
            first, more = problems[0], len(problems) - 1
            hint = f"{first.hint} {more} more in this entry." if more else first.hint
            raise EntryError(first.problem, where=first.where, hint=hint.strip())
        return entry

    def _refuse_unreadable(self, name: str) -> None:
        """Raise the errors of a file that cannot be used and seems to be the entry asked for."""
        for item in self._scanned:
            if isinstance(item, Unreadable) and name in item.names:
                raise together(item.errors, item.file)

    def _instead(self, space: str, name: str) -> str:
        """Return what could have been meant, and which file could not be looked into."""
        hints = [choice((), "", name, self._names(space)).hint]
        for item in self._scanned:
            if isinstance(item, Unreadable):
                hints.append(f"{item.file} cannot be used: {item.errors[0].problem}.")
                break
        return " ".join(hints)

    def _all(self, space: str, kind: type[Kind]) -> tuple[Kind, ...]:
        loaded = [self._load(f"{space}:{name}")[0] for name in self._names(space)]
        return tuple(entry for entry in loaded if isinstance(entry, kind))

    def _load(self, key: str) -> tuple[Entry | None, list[EntryError]]:
        if key not in self._loaded:
            self._loaded[key] = self._load_now(key)
        return self._loaded[key]

    def _load_now(self, key: str) -> tuple[Entry | None, list[EntryError]]:
        from dataclasses import replace

        from braino_registry.registry.loading import Loader

        candidates = self._by_key[key]
        if len(candidates) > 1:
            return None, _duplicates(candidates)
        checked = replace(candidates[0], indexed=self._trusted(candidates[0]))
        return Loader(self._find, self._names, self.groups).load(checked)

    def _problems_of(self, candidates: Sequence[Candidate]) -> tuple[EntryError, ...]:
        found = [
            each for item in self._scanned if isinstance(item, Unreadable) for each in item.errors
        ]
        for key in sorted({candidate.key for candidate in candidates}):
            found += self._load(key)[1]
        # Within a file the most useful one stays first.
        ordered = sorted(found, key=lambda error: error.where.partition(": $")[0])
        return (*self._opening_problems, *ordered)

    # What the index is good for --------------------------------------------------------------

    def _trusted(self, candidate: Candidate) -> bool:
        """Tell whether the index speaks for a file: it and what it refers to are unchanged."""
        if not candidate.indexed or len(self._by_key[candidate.key]) > 1:
            return False
        if candidate.kind != "task":
            return True
        needs = self._indexes[candidate.root].tasks[candidate.name]["needs"]
        found = [self._by_key.get(key, []) for key in needs]
        return all(
            len(many) == 1 and many[0].indexed and many[0].root == candidate.root for many in found
        )

    def _row(self, name: str) -> dict[str, Any] | None:
        """Return the row of a task, or None if the task is broken."""
        candidate = self._by_key[f"task:{name}"][0]
        if self._trusted(candidate):
            stored: dict[str, Any] = self._indexes[candidate.root].tasks[candidate.name]["row"]
            return stored
        task, _ = self._load(candidate.key)
        return row(task, self.groups) if isinstance(task, Task) else None


def _duplicates(candidates: Sequence[Candidate]) -> list[EntryError]:
    """Return the errors of files that declare the same name, one each."""
    errors = []
    for candidate in candidates:
        others = ", ".join(str(c.file) for c in candidates if c is not candidate)
        name = candidate.key.partition(":")[2]
        errors.append(
            EntryError(
                f"two entries are called {name!r}",
                where=f"{candidate.file}: $.id",
                hint=f"The other one: {others}. Rename one of them, or raise its version.",
            )
        )
    return errors
