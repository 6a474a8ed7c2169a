"""`braino task`: for whoever writes tasks."""

from __future__ import annotations

from pathlib import Path

import click

from braino_registry.cli import options


@click.group()
def group() -> None:
    """Check a task that you write."""


@group.command()
@click.argument("file", type=click.Path(path_type=Path))
@options.registry_folders
@options.salt_file
@options.cache_folder
@options.as_json
def check(
    file: Path,
    folders: tuple[Path, ...],
    salt_file: Path | None,
    cache: Path | None,
    as_json: bool,
) -> int:
    """Check the task in FILE.

    The entry is validated; then, on every instance whose data are here, the oracle must pass,
    null must fail, and each counterexample must fail exactly the checks that it names. Exit code
    2 if any of this is not so.
    """
    from braino_registry import runner

    rows = runner.check_task(
        file,
        registry_folders=folders,
        store=options.open_store(cache),
        salt=options.read_salt(salt_file),
    )
    if as_json:
        options.emit(rows)
    else:
        marks = {True: "ok", False: "WRONG", None: "not checked"}
        options.printer().table(
            str(file),
            ("instance", "what", "verdict", "what happened"),
            [(row["instance"], row["what"], marks[row["ok"]], row["says"]) for row in rows],
        )
    return 2 if any(row["ok"] is False for row in rows) else 0
