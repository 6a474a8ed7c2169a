"""Showing how a download goes on: bars on a terminal, one line per file elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

Progress = Callable[[str, int, int], None]


@contextmanager
def meter() -> Iterator[Progress]:
    """Give what takes logical path, bytes so far and bytes in all (0 where not known)."""
    if sys.stderr.isatty():
        with _bars() as show:
            yield show
    else:
        yield _lines()


def _lines() -> Progress:
    """Tell each file once, when all of it is there."""
    from braino_registry.cli.options import size

    told: set[str] = set()

    def show(name: str, done: int, total: int) -> None:
        if total and done >= total and name not in told:
            told.add(name)
            click.echo(f"{name}: {size(total)}", err=True)

    return show


@contextmanager
def _bars() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TaskID,
        TextColumn,
        TransferSpeedColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(
        *columns, TransferSpeedColumn(), console=Console(stderr=True), transient=True
    ) as bars:
        tasks: dict[str, TaskID] = {}

        def show(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = bars.add_task(name, total=total or None)
            bars.update(tasks[name], completed=done)
            if total and done >= total:
                bars.update(tasks[name], visible=False)

        yield show
