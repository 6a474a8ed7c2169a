"""What a sweep consists of: one cell for each agent, model and suite."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from braino_registry.errors import EntryError, UsageError
from braino_registry.registry import documents, jsonfile, schemas
from braino_registry.runner.settings import RunSettings

_ODD = re.compile(r"[^A-Za-z0-9.]+")
_MOST_NAME = 40


@dataclass(frozen=True)
class Cell:
    """One run of a sweep.

    Parameters
    ----------
    suite : mapping
        ``suite``, and perhaps ``subset`` and ``tasks``.
    agent : mapping
        ``agent``, and perhaps ``options``, ``endpoints``, ``pass_env`` and ``paradigm``.
    model : str | None
        What the agent's factory is given.
    settings : mapping
        Further settings, by the names of `RunSettings`.
    """

    suite: Mapping[str, Any]
    agent: Mapping[str, Any]
    model: str | None
    settings: Mapping[str, Any]

    @property
    def group(self) -> str:
        """What is compared with each other: the suite, or the part of it."""
        subset = filter(None, [self.suite.get("subset")])
        return ", ".join([self.suite["suite"], *subset, *self.suite.get("tasks", ())])

    @property
    def name(self) -> str:
        """The agent and its model."""
        paradigm = self.agent.get("paradigm", "tools")
        parts = [self.agent["agent"], self.model, None if paradigm == "tools" else paradigm]
        return " ".join(part for part in parts if part)

    @property
    def folder(self) -> str:
        """Name of its run's folder: readable, and another one for whatever is another run."""
        whole = [dict(self.suite), dict(self.agent), self.model, dict(self.settings)]
        text = json.dumps(whole, sort_keys=True).encode()
        readable = _ODD.sub("-", f"{self.suite['suite']}-{self.name}").strip("-.")[:_MOST_NAME]
        return f"{readable}-{hashlib.sha256(text).hexdigest()[:10]}"

    def run_settings(self, **where: Any) -> RunSettings:
        """Return the settings of its run; ``where`` adds what is no matter of the cell."""
        options = self.agent.get("options", {})
        return RunSettings(
            agent=self.agent["agent"],
            model=self.model,
            suite=self.suite["suite"],
            subset=self.suite.get("subset"),
            tasks=tuple(self.suite.get("tasks", ())),
            agent_options=tuple(f"{key}={json.dumps(value)}" for key, value in options.items()),
            endpoints=tuple(self.agent.get("endpoints", ())),
            passed=tuple(self.agent.get("pass_env", ())),
            paradigm=self.agent.get("paradigm", "tools"),
            **self.settings,
            **where,
        )


@dataclass(frozen=True)
class Sweep:
    """A sweep as its file has it.

    Parameters
    ----------
    id : str
        Its name.
    cells : tuple of Cell
        Suite by suite, in the order of the file.
    budget : mapping
        ``cost``, ``tokens``, ``seconds``, ``trials``; what is left out has no bound.
    """

    id: str
    cells: tuple[Cell, ...]
    budget: Mapping[str, float] = field(default_factory=dict)


def read_sweep(file: Path) -> Sweep:
    """Return a sweep.

    Raises
    ------
    UsageError
        If the file cannot be read.
    EntryError
        If it is no ``sweep/1``, or has the same run twice.
    """
    try:
        raw = documents.read_bytes(file)
    except OSError as error:
        raise UsageError(
            f"the sweep cannot be read: {error.strerror}",
            where=str(file),
            hint="Name a file of the form sweep/1, see docs/bridges.md.",
        ) from error
    document, problems = jsonfile.parse(raw)
    problems = problems or schemas.check(document, "sweep-1")
    if problems:
        raise EntryError(
            problems[0].message,
            where=f"{file}: {problems[0].path}",
            hint=problems[0].hint or "See schemas/sweep-1.json.",
        )
    settings = document.get("settings", {})
    cells = tuple(
        Cell(suite, {k: v for k, v in agent.items() if k != "models"}, model, settings)
        for suite in document["suites"]
        for agent in document["agents"]
        for model in agent.get("models", [None])
    )
    folders = [cell.folder for cell in cells]
    for cell in cells:
        if folders.count(cell.folder) > 1:
            raise EntryError(
                f"the run of {cell.name} on {cell.group} is there twice",
                where=str(file),
                hint="Take one away; more sessions of each instance are settings.repeats.",
            )
    return Sweep(document["id"], cells, document.get("budget", {}))
