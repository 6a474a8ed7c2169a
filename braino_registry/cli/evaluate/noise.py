"""`braino eval noise`: how much of a score is luck."""

from __future__ import annotations

from pathlib import Path

import click

from braino_registry.cli import options
from braino_registry.cli.evaluate.concluding import FILE


@click.command()
@click.argument("run", type=FILE)
@options.as_json
def noise(run: Path, as_json: bool) -> None:
    """Say how much the score of RUN, a report or run folder with repeats, moves by luck alone.

    Each repeat is the same task for the same agent once more. What differs between them is what
    two runs can differ by when nothing has changed.
    """
    from braino_registry import reports
    from braino_registry.reports.noise import noise as measure
    from braino_registry.reports.noise import show_noise

    with reports.suspected(run):
        found = measure(reports.read(run))
        if as_json:
            options.emit(found)
        else:
            show_noise(options.printer(), found)


COMMANDS = (noise,)
