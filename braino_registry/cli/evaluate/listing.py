"""`braino eval list`: which tasks there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from braino_registry.cli import options, tell


@click.command("list")
@click.option("--suite", help="Only this suite.")
@options.registry_folders
@options.as_json
def list_(suite: str | None, folders: tuple[Path, ...], as_json: bool) -> int:
    """List the tasks."""
    survey = options.open_registry(folders).survey(suite)
    rows = list(survey.rows)
    if as_json:
        options.emit(rows)
    else:
        options.printer().table(
            f"{len(rows)} tasks",
            ("task", "version", "category", "difficulty", "instances", "reference", "title"),
            [
                (
                    row["id"],
                    row["version"],
                    row["category"],
                    row["difficulty"],
                    len(row["instances"]),
                    _reference(row),
                    row["title"],
                )
                for row in rows
            ],
            drop=("reference", "version", "difficulty", "instances", "category"),
        )
    for problem in survey.problems:
        tell(problem, as_json)
    return 2 if survey.problems else 0


def _reference(row: dict[str, Any]) -> str:
    kind = str(row["reference"])
    return f"{kind}, large" if row["large"] is True else kind


COMMANDS = (list_,)
