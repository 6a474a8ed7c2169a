"""From a file to an entry: schema, parameters of what it uses, rules between its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from braino_registry.errors import EntryError
from braino_registry.registry import jsonfile, schemas
from braino_registry.registry.entries import Entry, PublicDataset, Recipe, Release, Suite, Task
from braino_registry.registry.files import Candidate
from braino_registry.registry.instances import dataset_refs, expand
from braino_registry.registry.jsonpath import Steps
from braino_registry.registry.kinds import (
    Groups,
    check_problems,
    dataset_problems,
    recipe_problems,
    tool_problems,
)
from braino_registry.registry.problems import Problem, choice, useful_first
from braino_registry.registry.recordings import recording_problems
from braino_registry.registry.rules import task_problems

#: Finds another entry: its key to the entry, or to the reason why there is none.
Find = Callable[[str], Entry | str]
#: Lists the names that could have been meant, by the kind of key.
Names = Callable[[str], list[str]]


class Loader:
    """Makes entries of candidates.

    Parameters
    ----------
    find : callable
        Key, for example ``suite:braino``, to the entry or to the reason why it cannot be used.
    names : callable
        Kind of key to the names there are.
    groups : Groups
        Where checks, layers and conversions are registered.
    """

    def __init__(self, find: Find, names: Names, groups: Groups) -> None:
        self._find = find
        self._names = names
        self._groups = groups

    def load(self, candidate: Candidate) -> tuple[Entry | None, list[EntryError]]:
        """Return the entry in a file, or None and everything that is wrong with it.

        A file that the index knows is not checked again.
        """
        doc, unreadable = self._read(candidate)
        if unreadable:
            return None, unreadable
        entry, problems = self._entry(candidate, doc)
        if problems or entry is None:
            return None, [problem.error(candidate.file) for problem in useful_first(problems)]
        return entry, []

    def _read(self, candidate: Candidate) -> tuple[Any, list[EntryError]]:
        try:
            return jsonfile.read(candidate.file), []
        except EntryError as error:
            return None, [error]

    def _entry(
        self, candidate: Candidate, doc: Mapping[str, Any]
    ) -> tuple[Entry | None, list[Problem]]:
        if not candidate.indexed:
            # The other rules rely on the schema, so its problems come alone.
            problems = schemas.check(doc, str(doc["schema"]).replace("/", "-"))
            if problems:
                return None, problems
        make = {
            "task": self._task,
            "suite": self._suite,
            "recipe": self._recipe,
            "dataset": self._dataset,
            "release": self._release,
        }
        return make[candidate.kind](candidate, doc)

    def _suite(self, candidate: Candidate, doc: Mapping[str, Any]) -> tuple[Entry, list[Problem]]:
        suite = Suite("suite", doc["id"], doc["version"], candidate.file, doc)
        problems = []
        for name, tools in suite.toolsets.items():
            bare = [tool.partition("@")[0] for tool in tools]
            for i, tool in enumerate(bare):
                if tool in bare[:i]:
                    place: Steps = ("toolsets", name, i)
                    message = f"the tool {tool!r} stands here in two versions"
                    problems.append(choice(place, message, None, ()))
        return suite, problems

    def _recipe(self, candidate: Candidate, doc: Mapping[str, Any]) -> tuple[Entry, list[Problem]]:
        recipe = Recipe("recipe", doc["id"], doc["version"], candidate.file, doc)
        return recipe, [] if candidate.indexed else recipe_problems(doc, self._groups)

    def _dataset(self, candidate: Candidate, doc: Mapping[str, Any]) -> tuple[Entry, list[Problem]]:
        dataset = PublicDataset("dataset", doc["id"], doc["version"], candidate.file, doc)
        return dataset, [] if candidate.indexed else dataset_problems(doc, self._groups)

    def _release(self, candidate: Candidate, doc: Mapping[str, Any]) -> tuple[Entry, list[Problem]]:
        return Release("release", doc["id"], "", candidate.file, doc), []

    def _task(
        self, candidate: Candidate, doc: Mapping[str, Any]
    ) -> tuple[Entry | None, list[Problem]]:
        problems: list[Problem] = []
        suite = self._referred(f"suite:{doc['suite']}", ("suite",), problems)
        datasets: dict[str, Recipe | PublicDataset] = {}
        for ref, place in dataset_refs(doc).items():
            found = self._referred(f"dataset:{ref}", place, problems)
            if isinstance(found, Recipe | PublicDataset):
                datasets[ref] = found
        public = {ref for ref, entry in datasets.items() if isinstance(entry, PublicDataset)}
        instances, more = expand(doc, public.__contains__)
        problems += more
        if not candidate.indexed:
            problems += check_problems(doc, self._groups)
            problems += recording_problems(instances, datasets)
        if not isinstance(suite, Suite):
            return None, problems
        if doc["toolset"] not in suite.toolsets:
            message = f"the suite {suite.id!r} has no toolset {doc['toolset']!r}"
            problems.append(choice(("toolset",), message, doc["toolset"], sorted(suite.toolsets)))
            return None, problems
        task = Task(
            "task", doc["id"], doc["version"], candidate.file, doc, suite, instances, datasets
        )
        if not candidate.indexed:
            problems += task_problems(task)
            problems += tool_problems(doc, task.toolset, task.tools, self._groups)
        return task, problems

    def _referred(self, key: str, place: Steps, problems: list[Problem]) -> Entry | None:
        """Return the entry that a task refers to; if there is none, add why."""
        found = self._find(key)
        if isinstance(found, Entry):
            return found
        kind, _, name = key.partition(":")
        problems.append(choice(place, found, name, self._names(kind)))
        return None
