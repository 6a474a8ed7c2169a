"""`braino eval compare`: what got fixed and what broke."""

from __future__ import annotations

from pathlib import Path

import click

from braino_registry.cli import options
from braino_registry.cli.evaluate.concluding import FILE


@click.command()
@click.argument("before", type=FILE)
@click.argument("after", type=FILE)
@click.option("--fail-on-regression", is_flag=True, help="Exit 1 if anything broke.")
@click.option("--verify", is_flag=True, help="Also validate both reports against their schema.")
@options.as_json
def compare(
    before: Path, after: Path, fail_on_regression: bool, verify: bool, as_json: bool
) -> int:
    """Say what got fixed and what broke between two reports, or run folders."""
    from braino_registry import reports
    from braino_registry.reports.tables import show_comparison

    found = reports.compare(reports.read(before, verify=verify), reports.read(after, verify=verify))
    if as_json:
        options.emit(found.document)
    else:
        show_comparison(options.printer(), found.document)
    return found.exit_code(fail_on_regression=fail_on_regression)


COMMANDS = (compare,)
