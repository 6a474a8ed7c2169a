"""Which tools belong to which specialist; a domain without tools of its own is not offered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

from braino_registry.agents.llm.offer import Offered


@dataclass(frozen=True)
class Domain:
    """A specialist's field.

    Parameters
    ----------
    name, about : str
        Its name, and what it is about.
    tools : tuple of Offered
        Its own tools and those that all share.
    own : tuple of str
        Names of its own tools.
    """

    name: str
    about: str
    tools: tuple[Offered, ...]
    own: tuple[str, ...]


@cache
def table() -> dict[str, Any]:
    """Return the table of domains and branches of the state."""
    text = files(__package__).joinpath("domains.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def domains(offered: Sequence[Offered]) -> list[Domain]:
    """Return the domains that the tools on offer make up.

    What belongs to no domain is shared by all. Where no domain has a tool of its own, one takes
    what there is; where there are no tools, there is no domain.

    Parameters
    ----------
    offered : sequence of Offered
        The session's tools.
    """
    rows = table()["domains"]
    owned = {
        row["name"]: tuple(each.name for each in offered if matches(each.name, row["tools"]))
        for row in rows
    }
    claimed = {name for names in owned.values() for name in names}
    shared = [each.name for each in offered if each.name not in claimed]

    def made(row: dict[str, Any], own: tuple[str, ...]) -> Domain:
        names = {*own, *shared}
        tools = tuple(each for each in offered if each.name in names)
        return Domain(row["name"], row["about"], tools, own)

    found = [made(row, owned[row["name"]]) for row in rows if owned[row["name"]]]
    if found or not offered:
        return found
    return [made(table()["otherwise"], tuple(shared))]


def branch(tool: str) -> str:
    """Return the branch of the state to which a tool's results belong."""
    for row in table()["branches"]:
        if matches(tool, row["tools"]):
            return str(row["name"])
    return "results"


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Tell whether a name is one of some patterns with ``*``."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)
