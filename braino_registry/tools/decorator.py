"""How a typed function becomes a tool."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType

from braino_registry.errors import close_matches
from braino_registry.registry.plugins import PluginGroup
from braino_registry.tools.errors import ToolError
from braino_registry.tools.presenting import bounded, rounded
from braino_registry.tools.schema import schema_of
from braino_registry.tools.state import ToolState

MAX_TEXT = 1000
MAX_ITEMS = 10_000
MAX_INTEGER = 2**53
HALF = "a text holds half a letter (a lone surrogate)"
_HALF = re.compile("[\ud800-\udfff]")

Function = TypeVar("Function", bound=Callable[..., Any])


class Result(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all results: what may stand in each."""

    definition: Annotated[
        str | UnsetType, msgspec.Meta(description="How the numbers are defined.")
    ] = UNSET
    result: Annotated[
        str | UnsetType, msgspec.Meta(description="Id of the whole result, for results.page.")
    ] = UNSET
    truncated: Annotated[
        dict[str, int] | UnsetType,
        msgspec.Meta(description="How many items are not shown, by path; see results.page."),
    ] = UNSET


class Shared(msgspec.Struct, frozen=True, kw_only=True):
    """Base of arguments that several tools take: an agent gives them one by one, as any other.

    A parameter of such a type stands for the fields of the type, and no argument has its name.
    """


@dataclass(frozen=True)
class ToolSpec:
    """What an agent is told of a tool.

    Parameters
    ----------
    name, version : str
        For example ``quality.bad_channels`` and ``1.0.0``.
    description : str
        What it does and how its numbers are defined.
    arguments, result : dict
        JSON Schemas.
    """

    name: str
    version: str
    description: str
    arguments: dict[str, Any]
    result: dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """A registered tool.

    Parameters
    ----------
    name, version : str
        Its identity; a change of what it computes is a new version.
    function : callable
        Takes the state and keyword arguments, returns a :class:`Result`.
    arguments, returns : type
        Structs of arguments and result.
    summary, definition, example : str
        The docstring's first part, and its paragraphs ``Definition:`` and ``Example:`` (may be
        empty). The example is the JSON of one call's arguments.
    preview : bool
        Whether long lists of its result are cut and kept for results.page.
    aliases : tuple of str
        What other systems call it; a call of one of them is a call of the tool.
    shared : mapping
        The parameters of the function that stand for several arguments, and their types.
    """

    name: str
    version: str
    function: Callable[..., Any]
    arguments: type[msgspec.Struct]
    returns: type[msgspec.Struct]
    summary: str
    definition: str
    example: str = ""
    preview: bool = True
    aliases: tuple[str, ...] = ()
    shared: Mapping[str, type[Shared]] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Name and version as toolsets write them."""
        return f"{self.name}@{self.version}"

    @cached_property
    def spec(self) -> ToolSpec:
        """What an agent is told."""
        also = f"Also known as {', '.join(self.aliases)}." if self.aliases else ""
        paragraphs = {"Definition": self.definition, "Example": self.example}
        marked = (text and f"{mark}: {text}" for mark, text in paragraphs.items())
        parts = (self.summary, *marked, also)
        text = "\n\n".join(part for part in parts if part)
        return ToolSpec(
            self.name, self.version, text, schema_of(self.arguments), schema_of(self.returns)
        )

    def run(self, args: Mapping[str, Any], state: ToolState) -> dict[str, Any]:
        """Return the result of a call as JSON.

        Raises
        ------
        ToolError
            For anything that the agent can mend. Whatever else is raised is a fault of the tool.
        """
        from braino_registry.analysis.errors import SignalError
        from braino_registry.recordings.errors import RecordingError

        given = self.convert(args)
        values = {name: getattr(given, name) for name in self.arguments.__struct_fields__}
        for parameter, kind in self.shared.items():
            values[parameter] = kind(**{name: values.pop(name) for name in kind.__struct_fields__})
        try:
            found = self.function(state, **values)
        except (SignalError, RecordingError) as error:
            where = f" ({error.where})" if error.where else ""
            raise ToolError(
                error.problem + where, error.hint or "Choose another view or other values."
            ) from error
        whole = rounded(msgspec.to_builtins(found))
        shown, truncated = bounded(whole) if self.preview else (whole, {})
        if truncated:
            shown["result"] = shown.get("result") or state.results.put(self.name, whole)
            shown["truncated"] = truncated
        if self.definition:
            shown.setdefault("definition", self.definition)
        return dict(shown)

    def convert(self, args: Mapping[str, Any]) -> msgspec.Struct:
        """Return arguments as the function takes them.

        Raises
        ------
        ToolError
            If one is missing, unknown, or of a wrong kind; it says what to pass instead.
        """
        unknown = [name for name in args if name not in self.arguments.__struct_fields__]
        if unknown:
            raise ToolError(
                f"{self.name} has no argument {str(unknown[0])[:100]!r}",
                close_matches(str(unknown[0])[:100], list(self.arguments.__struct_fields__)),
            )
        try:
            given = msgspec.convert(dict(args), self.arguments)
        except msgspec.ValidationError as error:
            raise ToolError(
                f"{self.name}: {str(error)[:1].lower()}{str(error)[1:300]}", self._signature()
            ) from None
        except UnicodeError:  # where a list, a number or one of several words is expected
            raise ToolError(f"{self.name}: {HALF}", self._signature()) from None
        problem = _unfit(args)
        if problem:
            raise ToolError(f"{self.name}: {problem}", self._signature())
        return given

    def _signature(self) -> str:
        schema = self.spec.arguments
        required = set(schema.get("required", ()))
        parts = []
        for name, sub in schema.get("properties", {}).items():
            kind = _kind(sub)
            parts.append(f"{name}: {kind}" if name in required else f"[{name}: {kind}]")
        return f"Pass {', '.join(parts) or 'no arguments'}."


def _kind(schema: Mapping[str, Any]) -> str:
    """Return what a schema allows, in a few words."""
    if "enum" in schema:
        return "|".join("null" if value is None else str(value) for value in schema["enum"])
    if "anyOf" in schema:
        return "|".join(_kind(option) for option in schema["anyOf"])
    kinds = schema.get("type", "any")
    if kinds == "array" and isinstance(schema.get("items"), Mapping):
        return f"list of {_kind(schema['items'])}"
    return "|".join(kinds) if isinstance(kinds, list) else str(kinds)


def _unfit(value: Any) -> str:
    """Return what is wrong with an argument of the right type, or an empty string."""
    if isinstance(value, float) and not math.isfinite(value):
        return "a number is not finite"
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        return "a number is too large"
    if isinstance(value, str) and len(value) > MAX_TEXT:
        return f"a text is longer than {MAX_TEXT} characters"
    if isinstance(value, str) and _HALF.search(value):
        return HALF
    if isinstance(value, Mapping | list | tuple):
        if len(value) > MAX_ITEMS:
            return f"a list is longer than {MAX_ITEMS}"
        items = [*value, *value.values()] if isinstance(value, Mapping) else value
        return next((problem for item in items if (problem := _unfit(item))), "")
    return ""


class ToolGroup(PluginGroup[Tool]):
    """Tools by ``name@version``; a bare name stands for the newest version."""

    def get(self, name: str) -> Tool:
        """Return a tool.

        Raises
        ------
        UsageError
            If there is none of this name or version.
        """
        if "@" not in name:
            versions = [key for key in self.names() if key.rpartition("@")[0] == name]
            if versions:
                return super().get(max(versions, key=_version))
        return super().get(name)


def _version(key: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", key.rpartition("@")[2]))


TOOLS = ToolGroup("braino_registry.tools", "tool", "braino.tools")


def tool(
    name: str, *, version: str, preview: bool = True, aliases: tuple[str, ...] = ()
) -> Callable[[Function], Function]:
    """Register a function as a tool.

    Its first parameter is the state; the others are keyword-only, annotated, described by
    ``Annotated[..., Meta(description=...)]``, or a type of :class:`Shared` that stands for several
    arguments. The docstring is the description; a paragraph that
    begins with ``Definition:`` says how the numbers are defined, one that begins with ``Example:``
    gives the arguments of a call as JSON.

    Parameters
    ----------
    name : str
        ``family.verb``.
    version : str
        Semantic version.
    preview : bool
        False for a tool whose result is bounded by its arguments.
    aliases : tuple of str
        What other systems call it.
    """

    def keep(function: Function) -> Function:
        hints = get_type_hints(function, include_extras=True)
        fields: list[Any] = []
        shared: dict[str, type[Shared]] = {}
        for parameter in list(inspect.signature(function).parameters.values())[1:]:
            kind = hints[parameter.name]
            if isinstance(kind, type) and issubclass(kind, Shared):
                shared[parameter.name] = kind
                fields += _fields_of(kind)
            elif parameter.default is inspect.Parameter.empty:
                fields.append((parameter.name, kind))
            else:
                fields.append((parameter.name, kind, parameter.default))
        arguments = msgspec.defstruct(
            name.replace(".", "_"), fields, kw_only=True, forbid_unknown_fields=True
        )
        made = Tool(
            name, version, function, arguments, hints["return"], *_prose(function),
            preview=preview, aliases=aliases, shared=shared,
        )  # fmt: skip
        TOOLS.add(made.key, made, function.__module__)
        return function

    return keep


def _fields_of(kind: type[Shared]) -> list[Any]:
    """Return name, type and default of what a type stands for, as another type takes them."""
    defaults = ("default", "default_factory")  # one of them is set, or none
    return [
        (each.name, each.type, msgspec.field(**{name: getattr(each, name) for name in defaults}))
        for each in msgspec.structs.fields(kind)
    ]


def _prose(function: Callable[..., Any]) -> tuple[str, str, str]:
    """Return the description, the definition and the example in a docstring."""
    text = inspect.cleandoc(function.__doc__ or "")
    text = re.split(r"\n(?:Parameters|Returns|Raises|Notes)\n-+\n", text)[0].strip()
    marked: dict[str, list[str]] = {"Definition:": [], "Example:": []}
    summary = []
    for paragraph in re.split(r"\n\s*\n", text):
        joined = " ".join(paragraph.split())
        mark = next((mark for mark in marked if joined.startswith(mark)), None)
        if mark is None:
            summary.append(joined)
        else:
            marked[mark].append(joined.removeprefix(mark).strip())
    definitions, examples = marked.values()
    return "\n\n".join(summary), " ".join(definitions), " ".join(examples)
