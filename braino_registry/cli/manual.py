"""`braino task kinds` and `operations`: what a task may be made of."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any

import click

from braino_registry.cli import options
from braino_registry.cli.tools import properties

if TYPE_CHECKING:
    from braino_registry.scoring.kinds import CheckKind


@click.command()
@click.argument("name", metavar="[NAME]", required=False)
@options.as_json
def kinds(name: str | None, as_json: bool) -> None:
    """List the kinds of checks, or say what the kind NAME takes and requires."""
    from braino_registry.scoring.kinds import check_kinds

    if name is None:
        _list("kinds of checks", "kind", [_kind(each) for _, each in check_kinds], as_json)
        return
    document = _kind(check_kinds.get(name))
    if as_json:
        options.emit(document)
        return
    printer = options.printer()
    printer.line(f"{document['name']}@{document['version']}")
    printer.line(document["description"])
    schema = document["schema"]
    columns = ("name", "type", "default", "what")
    printer.table("What a check of this kind takes", columns, properties(schema))
    printer.line()
    printer.line("All of it, as JSON Schema: add --json.")


def _kind(kind: CheckKind) -> dict[str, Any]:
    return {
        "name": kind.name,
        "version": kind.version,
        "unit": kind.unit,
        "description": inspect.getdoc(kind.run) or "",
        "schema": kind.schema,
    }


@click.command()
@click.argument("name", metavar="[NAME]", required=False)
@options.as_json
def operations(name: str | None, as_json: bool) -> None:
    """List the operations of pipelines, or give the definition and arguments of NAME."""
    from braino_registry.recordings import manual

    if name is None:
        _list("operations of pipelines", "operation", manual.pages(), as_json)
        return
    document = manual.page(name)
    if as_json:
        options.emit(document)
        return
    printer = options.printer()
    printer.line(f"{document['name']}@{document['version']}")
    printer.line(document["description"])
    rows = [
        (
            row["name"] if row["required"] else f"[{row['name']}]",
            row["type"],
            json.dumps(row["default"], ensure_ascii=False) if "default" in row else None,
        )
        for row in document["arguments"]
    ]
    printer.table("Arguments", ("name", "type", "default"), rows)


def _list(what: str, title: str, documents: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        options.emit(documents)
        return
    options.printer().table(
        f"{len(documents)} {what}",
        (title, "version", "what it does"),
        [(each["name"], each["version"], _summary(each["description"])) for each in documents],
        drop=("version",),
    )


def _summary(description: str) -> str:
    """Return the first paragraph in one line."""
    return " ".join(description.partition("\n\n")[0].split())
