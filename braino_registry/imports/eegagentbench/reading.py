"""From the files of a release to scenarios with their truth; what cannot be used is listed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from braino_registry.errors import UsageError
from braino_registry.imports.eegagentbench.rows import Contradictory, read_rows
from braino_registry.scoring import corpus
from braino_registry.scoring.units.canonical import number

FOLDERS = ("scenarios", "answer_keys", "runtime")
#: The case that was recorded twice from one child.
SAME_CHILD = {"chb21": "chb01"}
_SLEEPER = re.compile(r"(SC4\d\d|ST7\d\d)\d")
_SUBJECT = re.compile(r"sub-([A-Za-z0-9]+)")


@dataclass(frozen=True)
class Scenario:
    """One instance of the release.

    Parameters
    ----------
    id, task : str
        Its name and its task.
    truth : str | list
        As `corpus.Item` takes it.
    cluster : str
        What is drawn together for intervals: child, sleeper, participant, or the scenario itself.
    subject : str | None
        Over whom Event-F1 is averaged, as the release does it.
    duration : float | None
        Seconds of a recording with events.
    options : mapping | None
        Text of each option of a question.
    paths : tuple of str
        Files that its records are in, relative to the root of the data.
    """

    id: str
    task: str
    truth: Any
    cluster: str
    subject: str | None = None
    duration: float | None = None
    options: Mapping[str, str] | None = None
    paths: tuple[str, ...] = ()

    def item(self, prediction: Any) -> corpus.Item:
        """Return the instance with an answer."""
        return corpus.Item(
            truth=self.truth,
            prediction=prediction,
            cluster=self.cluster,
            subject=self.subject,
            duration=self.duration,
            options=self.options,
        )


@dataclass
class Release:
    """What was found.

    Parameters
    ----------
    root : Path
        Where it was read from.
    scenarios : dict of str to list of Scenario
        By task.
    problems : list of str
        What could not be used, and why, a line each.
    unusable : dict of str to list of str
        By task, the scenarios and answer keys that could not be used, by name or by place.
    n_files, n_present : int
        Files that runtime maps name, and how many of them are here.
    """

    root: Path
    scenarios: dict[str, list[Scenario]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    unusable: dict[str, list[str]] = field(default_factory=dict)
    n_files: int = 0
    n_present: int = 0

    @property
    def by_id(self) -> dict[str, Scenario]:
        """Every scenario by its name."""
        return {one.id: one for scenarios in self.scenarios.values() for one in scenarios}

    def refuse(self, task: str, name: str, problem: str) -> None:
        """Note a scenario that cannot be used: metrics of its task would be of the others only."""
        self.problems.append(problem)
        self.unusable.setdefault(task, []).append(name)


def read_release(folder: Path) -> Release:
    """Read scenarios, answer keys and runtime maps.

    Parameters
    ----------
    folder : Path
        A checkout of the release, or its folder ``benchmark``.

    Raises
    ------
    UsageError
        If it holds no scenarios or no answer keys.
    """
    root = next((each for each in (folder / "benchmark", folder) if _is_release(each)), None)
    if root is None:
        raise UsageError(
            "there are no files of EEGAgentBench here",
            where=str(folder),
            hint="Give a folder that holds scenarios/T*.jsonl and answer_keys/T*.jsonl.",
        )
    release = Release(root)
    for task in corpus.TASKS:
        file = root / "scenarios" / f"{task}.jsonl"
        if not file.is_file():
            release.problems.append(f"{task}: there is no {file.name} among the scenarios")
            continue
        keys, unread = _by_name(root / "answer_keys" / f"{task}.jsonl", release)
        for problem in unread:
            release.refuse(task, problem.partition(" ")[0], problem)
        runtime, unread = _by_name(
            root / "runtime" / f"{task}.jsonl", release, required=task != "T1"
        )
        release.problems += unread
        release.scenarios[task] = list(_scenarios(task, file, keys, runtime, release))
        for name in keys.keys() - {one.id for one in release.scenarios[task]}:
            if name not in release.unusable.get(task, ()):
                release.refuse(task, name, f"{task}: {name} has an answer key and no scenario")
    return release


def _is_release(folder: Path) -> bool:
    return all((folder / name).is_dir() for name in FOLDERS[:2])


def _by_name(
    file: Path, release: Release, required: bool = True
) -> tuple[dict[str, Mapping[str, Any]], list[str]]:
    """Return the rows of a file by the scenario that they name, and what cannot be used of it."""
    if not file.is_file():
        if required:
            release.problems.append(f"there is no file {file.relative_to(release.root)}")
        return {}, []
    found: dict[str, Mapping[str, Any]] = {}
    rows, problems = read_rows(file)
    for row in rows:
        name = _name_of(row)
        if not name:
            problems.append(f"{file.name} holds a row without scenario_id")
        elif isinstance(row, Contradictory):
            continue  # told among the problems; what it says of its scenario is not used
        elif name not in found:
            found[name] = row
        elif found[name] != row:
            problems.append(f"{file.name} says two things of {name}")
        else:
            release.problems.append(f"{file.name}: {name} stands there twice, and alike")
    return found, problems


def _name_of(row: Mapping[str, Any]) -> str:
    """Return the name of a scenario, or an empty text where the row has none that is one."""
    name = row.get("scenario_id")
    return name if isinstance(name, str) else ""


def _scenarios(
    task: str,
    file: Path,
    keys: Mapping[str, Mapping[str, Any]],
    runtime: Mapping[str, Mapping[str, Any]],
    release: Release,
) -> Iterator[Scenario]:
    rows, problems = read_rows(file)
    for problem in problems:
        release.refuse(task, problem.partition(" ")[0], problem)
    seen: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        name = _name_of(row)
        where = f"{task}: {name or 'a row without scenario_id'}"
        if not name:
            release.refuse(task, "a row without scenario_id", f"{where} is unusable")
        elif name in seen and seen[name] == row:
            release.problems.append(f"{where} stands there twice, and alike")
        elif name in seen:
            release.refuse(task, name, f"{where} stands there twice, with two contents")
        elif not isinstance(row, Contradictory):
            made = _made(task, name, row, keys, _paths(runtime.get(name, {}), release))
            if isinstance(made, str):
                release.refuse(task, name, f"{where}: {made}")
            else:
                yield made
        if name:
            seen.setdefault(name, row)


def _made(
    task: str,
    name: str,
    row: Mapping[str, Any],
    keys: Mapping[str, Mapping[str, Any]],
    paths: tuple[str, ...],
) -> Scenario | str:
    """Return a scenario that can be scored, or why there is none."""
    gold = keys.get(name, {}).get("gold")
    if not isinstance(gold, Mapping):
        return "there is no answer key"
    made = _scenario(task, name, row, gold, paths)
    return made if isinstance(made, str) else _unfit(made) or made


def _scenario(
    task: str, name: str, row: Mapping[str, Any], gold: Mapping[str, Any], paths: tuple[str, ...]
) -> Scenario | str:
    """Return a scenario, or what is wrong with it."""
    where = " ".join([name, *paths])
    if task == "T1":
        return Scenario(name, task, gold.get("answer"), name, options=_options(row))
    if task in ("T2", "T3", "T4"):
        person = _SUBJECT.search(where) if task == "T4" else None
        return Scenario(name, task, gold.get("label"), person[0] if person else name, paths=paths)
    if task == "T6":
        sleeper = _SLEEPER.search(where)
        cluster = sleeper[1] if sleeper else name
        return Scenario(name, task, gold.get("epoch_labels_aasm"), cluster, paths=paths)
    try:
        subject = corpus.subject_of(name)
    except corpus.ScoreError as error:
        return str(error.problem)
    duration = _number_in(row, "duration_sec")
    if duration is None:
        return "the scenario states no duration_sec that is a finite number"
    cluster = SAME_CHILD.get(subject, subject)
    return Scenario(name, task, gold.get("seizure_events"), cluster, subject, duration, paths=paths)


def _unfit(scenario: Scenario) -> str:
    """Return what is wrong with the truth of a scenario: what its own metric says of it."""
    try:
        corpus.outcome_of(scenario.task, scenario.item(None))
    except (corpus.ScoreError, TypeError, ValueError) as error:
        return f"the answer key cannot be used: {error}".replace("\n", " ")
    if scenario.duration is not None:
        events = corpus.read_events(scenario.truth, scenario.duration).unclipped
        last = max((offset for _, offset in events), default=0.0)
        if last > scenario.duration:
            return (
                f"the answer key cannot be used: a seizure ends at {last:g} s, the recording at "
                f"{scenario.duration:g} s"
            )
    return ""


def _options(row: Mapping[str, Any]) -> dict[str, str] | None:
    given = row.get("input")
    options = given.get("options") if isinstance(given, Mapping) else None
    if isinstance(options, Mapping):
        return {str(letter).upper(): str(text) for letter, text in options.items()}
    if isinstance(options, list):
        return {chr(ord("A") + place): str(text) for place, text in enumerate(options[:26])}
    return None


def _number_in(row: Mapping[str, Any], name: str) -> float | None:
    """Return a number from the first record, or from the input, of a scenario."""
    records = row.get("records")
    places = [*(records if isinstance(records, list) else []), row.get("input"), row]
    for place in places:
        value = place.get(name) if isinstance(place, Mapping) else None
        # a whole number beyond the range of floats is no number of seconds either
        found = None if isinstance(value, str) else number(value)
        if found is not None:
            return found
    return None


def _paths(row: Mapping[str, Any], release: Release) -> tuple[str, ...]:
    records = row.get("records")
    found = []
    for record in records if isinstance(records, list) else []:
        path = record.get("data_path") if isinstance(record, Mapping) else None
        if not isinstance(path, str):
            continue
        parts = PurePosixPath(path)
        if parts.is_absolute() or ".." in parts.parts:
            release.problems.append(f"the path {path[:200]!r} leads outside and is not looked at")
            continue
        found.append(path)
        release.n_files += 1
        # os.path, for which a path that no system can hold leads to no file
        here = any(os.path.isfile(root / path) for root in (release.root, release.root.parent))
        release.n_present += here
    return tuple(found)
