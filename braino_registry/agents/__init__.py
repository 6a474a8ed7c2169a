"""Agents that come with the registry, and how an agent is named on the command line."""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
    options : mapping
        Named arguments of the factory that follow from what was asked for.
    path : tuple of str
        Folders that are importable for it, and files that it is shown, beside its own module.
    paradigm : str | None
        The only one under which it can work; None for any.
    """

    factory: str
    reference: bool
    name_hint: str
    local: bool = False
    about: str = ""
    baseline: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    paradigm: str | None = None


def builtin() -> tuple[AgentSpec, ...]:
    """Return the agents that need nothing but a session, in the order of their table."""
    return _listed("builtin")


def driven() -> tuple[AgentSpec, ...]:
    """Return the agents that a model drives, in the order of their table; they need ``--model``."""
    return _listed("driven")


def check_paradigm(name: str, paradigm: str) -> None:
    """Refuse an agent that cannot work under a paradigm, before any trial is begun.

    Parameters
    ----------
    name : str
        As the agent is asked for; of those that are not driven by a model nothing is known.
    paradigm : {"tools", "code"}
        How agents of the run work.

    Raises
    ------
    UsageError
        If it works under another one only.
    """
    for agent in driven():
        if agent.name_hint == name and agent.paradigm not in (None, paradigm):
            others = [each.name_hint for each in driven() if each.paradigm in (None, paradigm)]
            raise UsageError(
                f"{name} works under the paradigm {agent.paradigm!r} only, not under {paradigm!r}",
                where=f"--agent {name}",
                hint=f"Add --paradigm {agent.paradigm}, or take {' or '.join(others)}.",
            )


def _listed(table: str) -> tuple[AgentSpec, ...]:
    return tuple(
        AgentSpec(
            row["factory"],
            row.get("reference", False),
            row["name"],
            about=row["about"],
            baseline=row.get("baseline", False),
            paradigm=row.get("paradigm"),
        )
        for row in _rows(table)
    )


def schemes() -> dict[str, str]:
    """Return what may stand before a colon (or alone), and what it does, in their order."""
    return {row["name"]: row["about"] for row in _rows("schemes")}


def at_terminal(spec: str) -> bool:
    """Tell whether an agent speaks with a person at the terminal, which is then theirs alone."""
    scheme = spec.partition(":")[0]
    return any(row["name"] == scheme and row.get("terminal", False) for row in _rows("schemes"))


def _rows(table: str) -> list[dict[str, Any]]:
    text = Path(__file__).with_name(f"{table}.json").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text)
    return rows


def resolve(spec: str) -> AgentSpec:
    """Return the agent that a name or ``module:factory`` stands for.

    Parameters
    ----------
    spec : str
        A built-in agent, a scheme with what it needs to know (``cmd:python solve.py``), an agent
        that another package announces in the entry-point group ``braino.agents``, or
        ``module:factory``.

    Raises
    ------
    UsageError
        If it is none of these, lacks what its scheme needs, or two packages announce its name.
    """
    scheme, _, rest = spec.partition(":")
    row = next((row for row in _rows("schemes") if row["name"] == scheme), None)
    if row is not None:
        return _prepared(row, spec, rest)
    table = {agent.name_hint: agent for agent in (*builtin(), *driven())}
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
    known = [*table, *schemes(), *sorted({point.name for point in announced})]
    raise UsageError(
        f"there is no agent called {spec!r}",
        where="--agent",
        hint=f"{close_matches(spec, known)} Or name your own as module:factory.",
    )


def _prepared(row: Mapping[str, Any], spec: str, rest: str) -> AgentSpec:
    """Return the agent of a scheme, made ready by what the scheme itself brings for that."""
    module, _, name = row["prepare"].partition(":")
    options, path = getattr(importlib.import_module(module), name)(rest)
    return AgentSpec(row["factory"], False, spec, about=row["about"], options=options, path=path)


def _factories(file: Path) -> list[str]:
    """Return the public classes and functions of a module, which is only read; else ``make``."""
    try:
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        body = []  # what is wrong with the module is told when it is imported
    kinds = (ast.ClassDef, ast.FunctionDef)
    names = [node.name for node in body if isinstance(node, kinds) and node.name[0] != "_"]
    return names[:_MOST_FACTORIES] or ["make"]
