"""Agents that come with the registry, and how an agent is named on the command line."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from pathlib import Path

from braino_registry.errors import UsageError, close_matches

ENTRY_POINTS = "braino.agents"
#: Factories that an error suggests.
_MOST_FACTORIES = 3


@dataclass(frozen=True)
class AgentSpec:
    """An agent that was asked for.

    Parameters
    ----------
    factory : str
        ``module:factory``.
    reference : bool
        Whether it is to be given the reference solution.
    name_hint : str
        What it was called when asked for.
    local : bool
        Whether the current directory is to be importable: only for ``module:factory``.
    about : str
        What it does, for lists.
    baseline : bool
        Whether it works on the task honestly, so that it may pass; the others must not.
    """

    factory: str
    reference: bool
    name_hint: str
    local: bool = False
    about: str = ""
    baseline: bool = False


def builtin() -> tuple[AgentSpec, ...]:
    """Return the agents that come with the registry, in the order of their table."""
    rows = json.loads(Path(__file__).with_name("builtin.json").read_text(encoding="utf-8"))
    return tuple(
        AgentSpec(
            row["factory"],
            row.get("reference", False),
            row["name"],
            about=row["about"],
            baseline=row.get("baseline", False),
        )
        for row in rows
    )


def resolve(spec: str) -> AgentSpec:
    """Return the agent that a name or ``module:factory`` stands for.

    Parameters
    ----------
    spec : str
        A built-in agent, one that another package announces in the entry-point group
        ``braino.agents``, or ``module:factory``.

    Raises
    ------
    UsageError
        If it is none of these, or two packages announce the same name.
    """
    table = {agent.name_hint: agent for agent in builtin()}
    if spec in table:
        return table[spec]
    if ":" in spec:
        return AgentSpec(spec, False, spec, local=True)
    from importlib.metadata import entry_points

    announced = entry_points(group=ENTRY_POINTS)
    found = sorted({point.value for point in announced if point.name == spec})
    if len(found) > 1:
        raise UsageError(
            f"two installed packages announce an agent called {spec!r}",
            where=" and ".join(found),
            hint="Name the factory itself, module:factory.",
        )
    if found:
        return AgentSpec(found[0], False, spec)
    file = Path(*spec.split(".")).with_suffix(".py")
    if spec and file.is_file():
        raise UsageError(
            f"{spec!r} is a module of yours, not yet an agent: its factory has to be named too",
            where="--agent",
            hint=f"Write {' or '.join(f'{spec}:{name}' for name in _factories(file))}.",
        )
    known = [*table, *sorted({point.name for point in announced})]
    raise UsageError(
        f"there is no agent called {spec!r}",
        where="--agent",
        hint=f"{close_matches(spec, known)} Or name your own as module:factory.",
    )


def _factories(file: Path) -> list[str]:
    """Return the public classes and functions of a module, which is only read; else ``make``."""
    try:
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        body = []  # what is wrong with the module is told when it is imported
    kinds = (ast.ClassDef, ast.FunctionDef)
    names = [node.name for node in body if isinstance(node, kinds) and node.name[0] != "_"]
    return names[:_MOST_FACTORIES] or ["make"]
