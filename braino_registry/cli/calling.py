"""`braino tools call`: one call of a tool on a dataset, as an agent would make it."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from braino_registry.cli import options


@click.command("call")
@click.argument("name", metavar="TOOL")
@click.option(
    "--data",
    "dataset",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="BIDS dataset that the tool reads.",
)
@click.option("--args", "given", default="{}", metavar="JSON", help="Arguments, one JSON object.")
@click.option(
    "--workspace",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path("."),
    show_default=True,
    help="Folder for files that the tool writes.",
)
def call(name: str, dataset: Path, given: str, workspace: Path) -> None:
    """Call TOOL on a dataset and print its result as JSON.

    TOOL is a name, a name with a version, or what another system calls it. Each call is a session
    of its own: views and results of another call are not there. The dataset is only read.
    """
    from braino_registry.numbers import Ledger
    from braino_registry.tools.state import ToolState

    tool, args = _tool(name), _arguments(given)
    state = ToolState.open(dataset, workspace, Ledger())
    # MNE and others print what they notice: standard output holds the result alone
    with contextlib.redirect_stdout(sys.stderr):
        found = tool.run(args, state)
    options.emit(found)


def _tool(name: str) -> Any:
    from braino_registry.tools.catalog import catalog

    tools = catalog()
    plain, at, version = name.partition("@")
    own = next((tool.name for _, tool in tools if plain in tool.aliases), plain)
    return tools.get(f"{own}{at}{version}")


def _arguments(given: str) -> Mapping[str, Any]:
    from braino_registry.errors import UsageError

    hint = 'Pass one object, for example --args \'{"view": "sub-01_task-rest"}\'.'
    try:
        args = json.loads(given)
    except json.JSONDecodeError as error:
        raise UsageError(f"this is no JSON: {error}", where="--args", hint=hint) from error
    if not isinstance(args, dict):
        raise UsageError("the arguments are no object", where="--args", hint=hint)
    return args
