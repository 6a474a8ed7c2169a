"""`braino tools`: what agents can call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from braino_registry.cli import options
from braino_registry.cli.calling import call

if TYPE_CHECKING:
    from braino_registry.tools.decorator import ToolSpec


@click.group()
def group() -> None:
    """Show what agents can call, and call it."""


group.add_command(call)


@group.command("list")
@options.as_json
def list_(as_json: bool) -> None:
    """List the tools."""
    specs = _specs()
    if as_json:
        options.emit([_document(spec) for spec in specs])
        return
    options.printer().table(
        f"{len(specs)} tools",
        ("tool", "version", "what it does"),
        [(spec.name, spec.version, spec.description.splitlines()[0]) for spec in specs],
        drop=("version",),
    )


@group.command()
@click.argument("name")
@options.as_json
def show(name: str, as_json: bool) -> None:
    """Show one tool: description, arguments and result."""
    from braino_registry.tools.catalog import catalog

    spec = catalog().get(name).spec
    if as_json:
        options.emit(_document(spec))
        return
    printer = options.printer()
    printer.line(f"{spec.name}@{spec.version}")
    printer.line(spec.description)
    for title, schema in (("Arguments", spec.arguments), ("Result", spec.result)):
        rows = properties(schema)
        if any(default for _, _, default, _ in rows):
            printer.table(title, ("name", "type", "default", "description"), rows)
        else:
            bare = [(name, kind, text) for name, kind, _, text in rows]
            printer.table(title, ("name", "type", "description"), bare)


@group.command("lint")
@click.argument("names", metavar="[TOOL]...", nargs=-1)
@options.as_json
def lint_(names: tuple[str, ...], as_json: bool) -> int:
    """Check that every model can be offered the tools: names, descriptions, examples, schemas.

    Exit code 2 if something is wrong. Without TOOL all tools are checked.
    """
    from braino_registry.tools.catalog import catalog
    from braino_registry.tools.linting import lint, open_maps

    tools = [catalog().get(name) for name in names] or [tool for _, tool in catalog()]
    problems = {tool.key: lint([tool]) for tool in tools}
    maps = {tool.key: open_maps(tool.spec.arguments) for tool in tools}
    found = [text for each in problems.values() for text in each]
    if as_json:
        rows = [
            {"tool": key, "problems": problems[key], "not_for_strict_modes": maps[key]}
            for key in problems
        ]
        options.emit(rows)
        return 2 if found else 0
    printer = options.printer()
    for text in found:
        printer.line(text)
    for key, places in maps.items():
        if places:
            text = f"{key}: not for strict modes, {' and '.join(places)} takes any names"
            printer.line(text)
    printer.line(f"{len(tools)} tools, {len(found)} problems")
    return 2 if found else 0


def _specs() -> list[ToolSpec]:
    from braino_registry.tools.catalog import catalog

    return [tool.spec for _, tool in catalog()]


def _document(spec: ToolSpec) -> dict[str, object]:
    return {
        "name": spec.name,
        "version": spec.version,
        "description": spec.description,
        "arguments": spec.arguments,
        "result": spec.result,
    }


def properties(schema: dict[str, Any]) -> list[tuple[str, str, str | None, str]]:
    """Return name, type, default and description of every property of an object's schema.

    Names that need not be given stand in brackets.
    """
    required = set(schema.get("required", ()))
    named = schema.get("$defs", {})
    return [
        (
            name if name in required else f"[{name}]",
            readable(sub, named),
            json.dumps(sub["default"], ensure_ascii=False) if "default" in sub else None,
            str(sub.get("description", "")),
        )
        for name, sub in schema.get("properties", {}).items()
    ]


def readable(schema: dict[str, Any], named: dict[str, Any]) -> str:
    """Return the type that a JSON Schema describes in words, for example ``list of string``.

    Parameters
    ----------
    schema : dict
        The schema of a property.
    named : dict
        What its references are found in.
    """
    if "$ref" in schema:
        return readable(named.get(schema["$ref"].rpartition("/")[2], {}), named)
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    choices = schema.get("anyOf") or [schema[key] for key in ("else", "then") if key in schema]
    if choices:
        kinds_of = (readable(each, named) for each in choices if isinstance(each, dict))
        return " or ".join(dict.fromkeys(kinds_of))
    if "enum" in schema:
        return "one of: " + ", ".join(str(value) for value in schema["enum"])
    kinds = schema.get("type", "any value")
    if kinds == "object" and schema.get("properties"):
        return f"object with {', '.join(schema['properties'])}"
    if kinds == "array":
        parts = [readable(each, named) for each in schema.get("prefixItems", ())]
        if parts:
            return f"[{', '.join(parts)}]"
        items = schema.get("items")
        return f"list of {readable(items, named)}" if items else "list"
    return kinds if isinstance(kinds, str) else " or ".join(kinds)
