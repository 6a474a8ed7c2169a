"""`braino mcp`: a task as a server of the Model Context Protocol."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, TextIO

import click

from braino_registry.cli import options


@click.group()
def group() -> None:
    """Serve a task to clients of the Model Context Protocol."""


@group.command()
@click.option("--task", "name", required=True, metavar="TASK[/INSTANCE]", help="What to serve.")
@click.option("--transport", type=click.Choice(["stdio", "http"]), default="stdio",
              show_default=True, help="How clients speak to the server.")  # fmt: skip
@click.option("--port", default=0, metavar="N", help="Of http; by default any that is free.")
@click.option("--run-dir", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="Keep transcript and artifacts in this new folder.")  # fmt: skip
@options.registry_folders
@options.salt_file
@options.cache_folder
@options.as_json
def serve(
    name: str,
    transport: str,
    port: int,
    run_dir: Path | None,
    folders: tuple[Path, ...],
    salt_file: Path | None,
    cache: Path | None,
    as_json: bool,
) -> int:
    """Serve one session of a task, score its answer, and print the score.

    A client gets the task's tools, ask_user, request_decision, submit_answer, and the files of
    data and workspace. The task's limits hold, its time as well. With stdio the score goes to
    standard error, for standard output is the client's.

    Exit code 0: the session was scored; 2: usage; 3: not scored.
    """
    from braino_registry.runner.served import serve_task

    # Kept, because what an agent's thread prints is taken for the agent's.
    errors = sys.stderr
    stream = errors if transport == "stdio" else sys.stdout

    def tell(address: str) -> None:
        errors.write(f"{name} is served on {address}\n")
        errors.flush()

    record = serve_task(
        name,
        transport=transport,
        port=port,
        keep=run_dir,
        registry=options.open_registry(folders),
        store=options.open_store(cache),
        salt=options.read_salt(salt_file),
        tell=tell,
    )
    _show(record, run_dir, as_json, stream)
    return 0 if record["score"] is not None else 3


def _show(record: dict[str, Any], run_dir: Path | None, as_json: bool, stream: TextIO) -> None:
    from braino_registry.reports.printing import Printer
    from braino_registry.reports.showing import show_trials, told

    if as_json:
        stream.write(json.dumps(record, ensure_ascii=False) + "\n")
    else:
        # Without a folder to keep it in, the transcript is gone by now.
        kept = record if run_dir is not None else {**record, "transcript": None}
        show_trials(Printer(stream), [told(kept, run_dir)])
