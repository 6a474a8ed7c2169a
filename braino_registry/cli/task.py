"""`braino task`: for whoever writes tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from braino_registry.cli import options
from braino_registry.cli.manual import kinds, operations

if TYPE_CHECKING:
    from braino_registry.reports.printing import Printer


@click.group()
def group() -> None:
    """Check a task that you write, and see what it may be made of."""


group.add_command(kinds)


group.add_command(operations)


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
        printer = options.printer()
        printer.table(
            str(file),
            ("instance", "what", "verdict", "expected", "what happened"),
            [
                (row["instance"], row["what"], marks[row["ok"]], row["expected"], row["says"])
                for row in rows
            ],
            drop=("expected",),
        )
        for row in rows:
            _show_wrong(printer, row)
    return 2 if any(row["ok"] is False for row in rows) else 0


def _show_wrong(printer: Printer, row: dict[str, Any]) -> None:
    """Print what is wrong in one row at full length: why, and what the checks saw."""
    if row["ok"] is not False:
        return
    printer.line()
    printer.line(f"WRONG {row['instance']}, {row['what']}: {row['says']}")
    if row["expected"] is not None:
        printer.line(f"  expected: {row['expected']}")
    for check in row["differs"]:
        verdict = "passes" if check["passed"] else "fails"
        printer.line(f"  {check['id']} {verdict}: {check['evidence']}")
