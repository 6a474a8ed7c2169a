"""One trial, as the parent tells it to a worker."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from braino_registry.runner.folder import RunFolder
from braino_registry.runner.journal import Key

#: Steps of a trial in which nothing is done but what the agent's requests and its answer ask for.
AGENT_STEPS = {"session": "a request", "score": "reading the answer"}


@dataclass(frozen=True)
class TrialSpec:
    """Everything that distinguishes one trial from another.

    Parameters
    ----------
    task, version, instance : str
        Which work; the version is the one that was planned.
    repeat, attempt : int
        Which session of it, and how often it has been begun, both counted from 1.
    factory : str
        The agent as ``module:factory``.
    model : str | None
        What the factory is given.
    path : tuple of str
        Folders importable for the agent.
    reference : bool
        Whether the agent is given the reference solution.
    tier, isolation, paradigm, profile : str
        See `RunSettings`.
    allow_unsandboxed_code : bool
        See `RunSettings`.
    run_dir : str
        Folder of the run.
    seed : int
        For whatever the agent draws, see `seeds`.
    endpoints, passed : tuple of str
        See `RunSettings`.
    options : dict
        Named arguments of the factory, see `agent_options`.
    server : str | None
        Address of the agent's model; that it is reached is no flag. It opens no sandbox.
    counterexample : int | None
        Number of the task's counterexample by which reference and user are changed.
    """

    task: str
    version: str
    instance: str
    repeat: int
    factory: str
    run_dir: str
    model: str | None = None
    path: tuple[str, ...] = ()
    reference: bool = False
    tier: str = "minimum"
    isolation: str = "process"
    paradigm: str = "tools"
    profile: str = "strict"
    allow_unsandboxed_code: bool = False
    attempt: int = 1
    counterexample: int | None = None
    seed: int = 0
    endpoints: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    server: str | None = None

    @property
    def key(self) -> Key:
        """What identifies the trial within its run."""
        return (self.task, self.instance, self.repeat)

    @property
    def run(self) -> RunFolder:
        """The folder of the run."""
        return RunFolder(Path(self.run_dir))

    @property
    def folder(self) -> Path:
        """The folder of the trial."""
        return self.run.trial(*self.key)

    def retried(self, attempt: int) -> TrialSpec:
        """Return the same trial as its ``attempt``-th attempt."""
        return replace(self, attempt=attempt)

    def document(self) -> dict[str, Any]:
        """Return the trial as JSON values."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> TrialSpec:
        """Return the trial that `document` wrote."""
        lists = ("path", "endpoints", "passed")
        return cls(**{**document, **{name: tuple(document[name]) for name in lists}})
