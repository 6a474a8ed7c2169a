"""`braino import brainbench`."""

from __future__ import annotations

from pathlib import Path

import click

from braino_registry.cli import options

FOLDER = click.Path(path_type=Path)


@click.command("brainbench")
@click.argument("root", metavar="DIR", type=FOLDER)
@click.option("--out", required=True, metavar="OUT", type=FOLDER, help="Registry folder to make.")
@click.option("--data", metavar="DATA", type=FOLDER, help="The data root; DIR/data by default.")
@options.as_json
def command(root: Path, out: Path, data: Path | None, as_json: bool) -> int:
    """Make a registry folder of the released cases in DIR, which holds benchmarks/.

    Cases that cannot be used are listed with the reason. No recording is copied: they are pinned
    by hash, and a run takes them from DATA. Exit code 3 if no case can be used.
    """
    from braino_registry.imports.brainbench import import_cases

    done = import_cases(root, out, data=data)
    if as_json:
        options.emit(done.document())
    else:
        printer = options.printer()
        if done.unusable:
            printer.table(
                f"{len(done.unusable)} case files cannot be used",
                ("file", "where", "why"),
                [(each.file, each.path, each.reason) for each in done.unusable],
            )
            printer.line()
        printer.line(
            f"{done.instances} instances of {done.tasks} tasks on {done.datasets} datasets "
            f"in {done.folder}"
        )
        if done.instances:
            printer.line(
                f"Run them: BRAINO_MIRRORS={done.data} braino eval run --registry {done.folder} "
                f"--suite {done.suite} --fetch --agent AGENT [--profile published]"
            )
    return 0 if done.instances else 3
