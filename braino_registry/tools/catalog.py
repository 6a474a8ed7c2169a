"""Toolsets: which tools, at which version, and what they are told to be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from braino_registry.errors import UsageError, close_matches
from braino_registry.tools.decorator import TOOLS, Tool, ToolGroup, ToolSpec
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState

# numbers that are pure by nature, beside those whose names say so
PURE = frozenset(
    "t df cohen_d value values a b mean_a mean_b mean_difference items alpha threshold z_threshold "
    "correlation min_correlation r ocular_r cardiac_r neighbour_r expected_r agreement coherence "
    "f eta_squared means hedges_g detectable_d achieved_power r_squared exponent offset slope "
    "muscle_slope t_sum ci_low ci_high x y covariate covariate_a covariate_b groups "
    "adjusted_difference unadjusted_difference covariate_difference adjusted_mean_a "
    "mean quality degree group_means "
    "adjusted_mean_b r_unadjusted blinks_per_minute area_uv_s skewness kurtosis hjorth_mobility "
    "hjorth_complexity amplitude_asymmetry band_power_asymmetry total_power_asymmetry "
    "amplitude_to_rms_ratio_mean amplitude_to_rms_ratio_max age_years".split()
)
# an interval or a table by name may tell its unit in its description
UNIT_WORDS = re.compile(r"\b(?:Hz|[Ss]econds|µV)\b")


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


def lint(tools: Sequence[Tool] | None = None) -> list[str]:
    """Return what is wrong with the tools; an empty list if nothing is.

    Parameters
    ----------
    tools : sequence of Tool | None
        Tools to look at, by default all.
    """
    chosen = [tool for _, tool in TOOLS] if tools is None else tools
    return [f"{tool.key}: {problem}" for tool in chosen for problem in _problems(tool)]


def _problems(tool: Tool) -> Iterator[str]:
    spec = tool.spec
    if not tool.summary:
        yield "has no description"
    for side, schema in (("arguments", spec.arguments), ("result", spec.result)):
        for key in ("$ref", "$defs", "oneOf"):
            if _holds(schema, key):
                yield f"the schema of its {side} holds {key}"
    if spec.arguments.get("additionalProperties") is not False:
        yield "its arguments allow other properties"
    for name, sub in spec.arguments.get("properties", {}).items():
        if not sub.get("description"):
            yield f"its argument {name} has no description"
    numbers = sorted(set(_measured(spec.result, "")))
    if numbers and not tool.definition:
        yield f"reports {', '.join(numbers)} without a Definition paragraph"
    for side, schema in (("argument", spec.arguments), ("result", spec.result)):
        for name in sorted(set(_measured(schema, ""))):
            described = str(schema.get("properties", {}).get(name, {}).get("description", ""))
            if not _has_unit(name) and not UNIT_WORDS.search(described):
                yield f"the {side} {name} does not tell its unit"


def _has_unit(name: str) -> bool:
    from braino_registry.numbers import unit_of

    return name in PURE or name.endswith("_z") or unit_of(name) is not None


def _holds(node: Any, key: str) -> bool:
    if isinstance(node, Mapping):
        return key in node or any(_holds(sub, key) for sub in node.values())
    return isinstance(node, list) and any(_holds(sub, key) for sub in node)


def _measured(node: Any, name: str) -> Iterator[str]:
    """Yield the names of fields that hold numbers which are not counts."""
    kinds = node.get("type")
    if kinds == "number" or (isinstance(kinds, list) and "number" in kinds):
        yield name
    for sub_name, sub in node.get("properties", {}).items():
        yield from _measured(sub, sub_name)
    inner = [node.get("items"), node.get("additionalProperties")]
    for sub in [*inner, *node.get("anyOf", []), *(node.get("prefixItems") or [])]:
        if isinstance(sub, Mapping):
            yield from _measured(sub, name)
