"""Entries as values: what a JSON file says after everything in it has been checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: Entities of a recording and the keys of BIDS file names, in the order in which BIDS joins them.
ENTITIES = {
    "bids_subject": "sub",
    "bids_session": "ses",
    "bids_task": "task",
    "bids_acquisition": "acq",
    "bids_run": "run",
}

#: What the scripted user says to a question that the task does not foresee.
OTHERWISE = "I don't know."


def recording_id(entities: Mapping[str, str]) -> str | None:
    """Return the BIDS entities joined, for example ``sub-02_task-rest``.

    Returns
    -------
    str or None
        None unless subject and task are given: less than that is no recording.
    """
    if "bids_subject" not in entities or "bids_task" not in entities:
        return None
    return "_".join(f"{key}-{entities[name]}" for name, key in ENTITIES.items() if name in entities)


def merge_user(script: Mapping[str, Any], override: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scripted user with parts replaced.

    Parameters
    ----------
    script, override : mapping
        ``decisions``, ``answers``, ``otherwise``. Decisions replace all decisions of the kinds
        that they name, answers replace those with the same ``about``; what is not named stays.
    """
    merged = dict(script)
    for part, key in (("decisions", "kind"), ("answers", "about")):
        if part in override:
            named = {each[key] for each in override[part]}
            kept = [each for each in script.get(part, ()) if each[key] not in named]
            merged[part] = kept + list(override[part])
    if "otherwise" in override:
        merged["otherwise"] = override["otherwise"]
    return merged


@dataclass(frozen=True)
class Entry:
    """One file of the registry.

    Parameters
    ----------
    kind : str
        Kind of document: ``task``, ``suite``, ``recipe``, ``dataset`` or ``release``.
    id : str
        Identifier in kebab-case.
    version : str
        Semantic version; empty for a release, whose id is its version.
    file : Path
        Where it was read from.
    doc : mapping
        The document itself; not to be changed.
    """

    kind: str
    id: str
    version: str
    file: Path
    doc: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def ref(self) -> str:
        """``id@version``."""
        return f"{self.id}@{self.version}"

    @property
    def title(self) -> str:
        """One line for people."""
        return str(self.doc.get("title", ""))


@dataclass(frozen=True)
class Recipe(Entry):
    """A synthetic dataset: what is recorded, what is planted, what is drawn."""


@dataclass(frozen=True)
class PublicDataset(Entry):
    """A dataset of others: pinned files and how they become BIDS."""


@dataclass(frozen=True)
class Release(Entry):
    """A frozen list of versions and digests."""

    @property
    def active(self) -> bool:
        """Whether the lock is in force and must not be edited."""
        return bool(self.doc["status"] == "active")


@dataclass(frozen=True)
class Suite(Entry):
    """A set of tasks with one rule from scores to a headline."""

    @property
    def rule(self) -> str:
        """Name of the rule: ``braino``, ``brainbench`` or ``eegagentbench``."""
        return str(self.doc["rule"])

    @property
    def toolsets(self) -> Mapping[str, tuple[str, ...]]:
        """``tool@version`` by name of the toolset."""
        return {name: tuple(tools) for name, tools in self.doc["toolsets"].items()}

    @property
    def subsets(self) -> Mapping[str, Mapping[str, Any]]:
        """What is said of each subset, by its name."""
        return dict(self.doc.get("subsets", {}))

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories that its tasks may have; empty if any."""
        return tuple(self.doc.get("categories", ()))

    @property
    def limits(self) -> Mapping[str, float]:
        """Limits of a trial: seconds, tool calls, questions, bytes of output and so on."""
        return dict(self.doc["limits"])

    @property
    def tell_fields(self) -> bool:
        """Whether agents are told the fields of the answer."""
        return bool(self.doc["tell_fields"])

    @property
    def inputs(self) -> str:
        """``dataset`` where agents get a copy of it; ``none`` where only tools see the data."""
        return str(self.doc.get("inputs", "dataset"))

    @property
    def paradigms(self) -> tuple[str, ...]:
        """What agents may do: ``tools``, ``code`` or both; the first is the default."""
        return tuple(self.doc["paradigms"])


@dataclass(frozen=True)
class Instance:
    """A task bound to a dataset, a recording, a window and parameters.

    Parameters
    ----------
    task_id, id : str
        Identifiers of the task and of the instance within it.
    dataset : str | None
        ``id@version``; None where a question needs no data.
    recording : mapping
        BIDS entities with their prefix, for example ``{"bids_subject": "02"}``; may be empty.
    recording_id : str | None
        The recording's name in BIDS; None if the instance is about the dataset as a whole.
    window : tuple of float | None
        Start and stop in seconds.
    params : mapping
        What else the request and the reference refer to.
    expected : mapping
        Expected values of this instance by name, as documents.
    data : str | None
        ``twin``, ``public`` or None.
    large : bool
        Whether it is planned only on request.
    chance : float
        Probability in 0–1 that a guess passes.
    user : mapping | None
        Replaces the decisions or answers of the task's scripted user.
    needs : tuple of str
        What has to be there first, for example ``dataset:eegmmi@1.0.0`` or ``extra:sleep``.
    select : mapping
        Which part of the dataset is fetched and copied: labels by BIDS entity, for example
        ``{"bids_subject": ["015"]}``; empty for all of it.
    shuffled : bool
        Whether it is a question whose options stand in another order in every trial.
    record_id : str | None
        What an agent calls the recording; by default its name in BIDS.
    """

    task_id: str
    id: str
    dataset: str | None
    recording: Mapping[str, str] = field(default_factory=dict)
    recording_id: str | None = None
    window: tuple[float, float] | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    expected: Mapping[str, Any] = field(default_factory=dict)
    data: str | None = None
    large: bool = False
    chance: float = 0.0
    user: Mapping[str, Any] | None = None
    needs: tuple[str, ...] = ()
    select: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    shuffled: bool = False
    record_id: str | None = None

    def context(self) -> dict[str, Any]:
        """Return the names that templates and expressions of the task may use."""
        window = {} if self.window is None else {"window": list(self.window)}
        names = {"recording": self.recording_id, "record_id": self.record_id or self.recording_id}
        return {**self.recording, **self.params, **window, **names}


@dataclass(frozen=True)
class Task(Entry):
    """What an agent is asked, bound to its suite and to the datasets of its instances."""

    home: Suite = field(repr=False, compare=False)
    instances: tuple[Instance, ...] = field(repr=False, compare=False)
    datasets: Mapping[str, Recipe | PublicDataset] = field(repr=False, compare=False)

    @property
    def suite(self) -> str:
        """Identifier of the suite."""
        return self.home.id

    @property
    def subset(self) -> str | None:
        """Name of the suite's subset, if any."""
        name: str | None = self.doc.get("subset")
        return name

    @property
    def category(self) -> str:
        """What kind of work it is."""
        return str(self.doc["category"])

    @property
    def difficulty(self) -> str:
        """``easy``, ``medium`` or ``hard``."""
        return str(self.doc["difficulty"])

    @property
    def request(self) -> str:
        """Template of what the agent is asked; see `request_for`."""
        return str(self.doc["request"])

    def request_for(self, instance: Instance) -> str:
        """Return what the agent is asked in an instance."""
        from braino_registry.registry.templates import render

        return render(self.request, instance.context())

    @property
    def toolset(self) -> str:
        """Name of the toolset."""
        return str(self.doc["toolset"])

    @property
    def tools(self) -> tuple[str, ...]:
        """``tool@version`` of everything the agent may call."""
        return self.home.toolsets[self.toolset]

    @property
    def limits(self) -> Mapping[str, float]:
        """Limits of a trial: the suite's, replaced by the task's own."""
        return {**self.home.limits, **self.doc.get("limits", {})}

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of the answer by name, as the entry has them; see `fields_for`."""
        return dict(self.doc.get("answer", {}).get("fields", {}))

    def fields_for(self, instance: Instance) -> dict[str, Any]:
        """Return the fields of the answer, with the phrases that name them in an instance."""
        from braino_registry.registry.templates import render

        found: dict[str, Any] = {}
        for name, spec in self.fields.items():
            phrases = [render(text, instance.context()).strip() for text in spec.get("said_as", ())]
            said_as = {"said_as": list(dict.fromkeys(phrases))} if phrases else {}
            found[name] = {**spec, **said_as}
        return found

    @property
    def reference(self) -> Mapping[str, Any]:
        """How the task is done rightly."""
        return dict(self.doc["reference"])

    @property
    def checks(self) -> tuple[Mapping[str, Any], ...]:
        """The checks; what they compare with is still a document."""
        return tuple({"required": "weight" in check, **check} for check in self.doc["checks"])

    @property
    def counterexamples(self) -> tuple[Mapping[str, Any], ...]:
        """How the task is done wrongly, and which checks then fail."""
        return tuple(self.doc["counterexamples"])

    def expected_values(self) -> list[dict[str, Any]]:
        """Return the documents of all expected values, those of the instances included."""
        from braino_registry.registry.kinds import expected_values

        parts = [*self.checks, *(instance.expected for instance in self.instances)]
        return [value for part in parts for _, value in expected_values(dict(part))]

    @property
    def saltable(self) -> bool:
        """Whether a salt changes what is right; a task without it is never ranked."""
        return bool(self.doc.get("saltable", True))

    def user_for(self, instance: Instance) -> dict[str, Any]:
        """Return the scripted user of an instance: decisions, answers, and what is said else."""
        default = {"decisions": [], "answers": [], "otherwise": OTHERWISE}
        return merge_user({**default, **self.doc.get("user", {})}, instance.user or {})

    def instance(self, instance_id: str) -> Instance:
        """Return the instance called ``instance_id``.

        Raises
        ------
        UsageError
            If there is none.
        """
        from braino_registry.errors import UsageError, close_matches

        for instance in self.instances:
            if instance.id == instance_id:
                return instance
        names = [instance.id for instance in self.instances]
        raise UsageError(
            f"the task {self.id!r} has no instance {instance_id!r}",
            where=str(self.file),
            hint=close_matches(instance_id, names),
        )
