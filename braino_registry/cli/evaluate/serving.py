"""`braino eval serve`: a folder of runs in a browser."""

from __future__ import annotations

from pathlib import Path

import click

from braino_registry.cli import options
from braino_registry.cli.evaluate.concluding import FILE
from braino_registry.cli.evaluate.reporting import locator


@click.command()
@click.argument("folder", metavar="[DIR]", type=FILE, default=Path("runs"))
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True,
    help="Where to listen on this computer; 0 takes a free one.",
)  # fmt: skip
@options.registry_folders
@options.cache_folder
@options.salt_file
@options.as_json
def serve(
    folder: Path,
    port: int,
    folders: tuple[Path, ...],
    cache: Path | None,
    salt_file: Path | None,
    as_json: bool,
) -> None:
    """Show the runs in DIR (runs/ by default) in a browser, and follow those that go on.

    Only this computer can see them. Ctrl-C ends it.
    """
    from braino_registry.errors import UsageError
    from braino_registry.reports.html.serving import Server

    if not folder.is_dir():
        raise UsageError(
            "there is no such folder", where=str(folder), hint="Give a folder of runs."
        )
    with Server(folder, port=port, locate=locator(folders, cache, salt_file)) as server:
        if as_json:
            options.emit({"url": server.url})
        else:
            click.echo(f"Open {server.url} and press Ctrl-C to end.")
        server.serve_forever()


COMMANDS = (serve,)
