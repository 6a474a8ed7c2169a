"""`braino tools`: what agents can call."""

from __future__ import annotations

import click

from braino_registry.cli import options


@click.group()
def group() -> None:
    """Show what agents can call."""


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
        printer.table(title, ("name", "type", "description"), _properties(schema))


def _specs() -> list:  # type: ignore[type-arg]
    from braino_registry.tools.catalog import catalog

    return [tool.spec for _, tool in catalog()]


def _document(spec) -> dict[str, object]:  # type: ignore[no-untyped-def]
    return {
        "name": spec.name,
        "version": spec.version,
        "description": spec.description,
        "arguments": spec.arguments,
        "result": spec.result,
    }


def _properties(schema: dict) -> list[tuple[str, str, str]]:  # type: ignore[type-arg]
    required = set(schema.get("required", ()))
    rows = []
    for name, sub in schema.get("properties", {}).items():
        kind = sub.get("type") or " or ".join(
            str(option.get("type", option)) for option in sub.get("anyOf", [sub])
        )
        shown = name if name in required else f"[{name}]"
        rows.append((shown, str(kind), str(sub.get("description", ""))))
    return rows
