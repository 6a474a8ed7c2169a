"""`braino import eegagentbench`: original answers, scored under both profiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from braino_registry.cli import options


@click.command("eegagentbench")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--runs", "runs", multiple=True, metavar="PATH", type=click.Path(path_type=Path),
    help="A runs.jsonl, or a folder with such files below it; by default those below DIR.",
)  # fmt: skip
@options.as_json
def command(folder: Path, runs: tuple[Path, ...], as_json: bool) -> None:
    """Read scenarios, answer keys and runtime maps in DIR, and score runs of them.

    Each runs.jsonl is scored under both profiles: strict, which gives every answer a score, and
    published, the released scorer with its rough edges. What they read differently is listed.
    What cannot be used is listed, and not guessed.
    """
    from braino_registry.errors import UsageError
    from braino_registry.imports.eegagentbench import (
        find_runs,
        read_release,
        read_rows,
        score_run,
    )

    if not folder.is_dir():
        raise UsageError("there is no such folder", where=str(folder), hint="Give a checkout.")
    release = read_release(folder)
    document: dict[str, Any] = {
        "folder": str(folder),
        "scenarios": {task: len(rows) for task, rows in release.scenarios.items()},
        "files": {"named": release.n_files, "present": release.n_present},
        "problems": release.problems,
        "runs": [],
    }
    for file in _files(runs or (folder,), find_runs):
        rows, problems = read_rows(file)
        document["runs"].append(
            {"file": str(file), "problems": problems, **score_run(release, rows)}
        )
    if as_json:
        options.emit(document)
    else:
        from braino_registry.reports.imported import show_import

        show_import(options.printer(), document)


def _files(places: tuple[Path, ...], find: Any) -> list[Path]:
    from braino_registry.errors import UsageError

    found: list[Path] = []
    for place in places:
        if place.is_file():
            found.append(place)
        elif place.is_dir():
            found += find(place)
        else:
            raise UsageError("there is no such file", where=str(place), hint="Give a runs.jsonl.")
    return list(dict.fromkeys(found))
