"""Toolsets: which tools, at which version, and what they are told to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.errors import UsageError, close_matches
from braino_registry.tools.decorator import TOOLS, Tool, ToolGroup, ToolSpec
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState


def catalog() -> ToolGroup:
    """Return all tools; a bare name gives the newest version."""
    return TOOLS


class Toolset:
    """The tools that a session offers.

    Parameters
    ----------
    names : sequence of str
        ``tool@version``, as a suite lists them.

    Raises
    ------
    UsageError
        If a tool or version does not exist, a name has no version, or a tool stands twice.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._tools: dict[str, Tool] = {}
        for name in names:
            tool = _exact(name)
            if tool.name in self._tools:
                raise UsageError(
                    f"the toolset names {tool.name} twice", hint="Keep one version of each tool."
                )
            self._tools[tool.name] = tool
        self._aliases = {
            alias: tool.name for tool in self._tools.values() for alias in tool.aliases
        }

    def names(self) -> list[str]:
        """Return names without versions, in the order given."""
        return list(self._tools)

    def specs(self) -> list[ToolSpec]:
        """Return what an agent is told of each tool."""
        return [tool.spec for tool in self._tools.values()]

    def resolve(self, name: str) -> str:
        """Return the name of the tool that an agent means: another system's name, or its own."""
        return self._aliases.get(name, name)

    def version(self, name: str) -> str | None:
        """Return the version of a tool, or None if the toolset has none of this name."""
        tool = self._tools.get(name)
        return None if tool is None else tool.version

    def run(self, name: str, args: Mapping[str, Any], state: ToolState) -> dict[str, Any]:
        """Return the result of a call.

        Parameters
        ----------
        name : str
            Name of a tool without its version, or an alias.
        args : mapping
            Its arguments.
        state : ToolState
            The session's.

        Raises
        ------
        ToolError
            If the agent can mend the call.
        """
        tool = self._tools.get(self.resolve(name))
        if tool is None:
            raise ToolError(f"there is no tool {name!r}", close_matches(name, self.names()))
        return tool.run(args, state)


def _exact(name: str) -> Tool:
    plain, at, version = name.partition("@")
    known = [key for key in TOOLS.names() if key.partition("@")[0] == plain]
    if not known:
        raise UsageError(
            f"there is no tool called {plain!r}",
            hint=close_matches(plain, sorted({key.partition("@")[0] for key in TOOLS.names()})),
        )
    if not at or name not in known:
        problem = f"has no version {version!r}" if at else "is named without a version"
        raise UsageError(f"the tool {plain} {problem}", hint=f"Allowed: {', '.join(known)}.")
    return TOOLS.get(name)
