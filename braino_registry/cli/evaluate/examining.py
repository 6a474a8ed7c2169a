"""`braino eval doctor`: what this computer can enforce."""

from __future__ import annotations

import click

from braino_registry.cli import options


@click.command()
@options.as_json
def doctor(as_json: bool) -> None:
    """Say what this computer can enforce, and why: isolation, sandboxes, tiers."""
    from braino_registry.reports.tables import show_doctor
    from braino_registry.runner.doctor import examine

    document = examine()
    if as_json:
        options.emit(document)
    else:
        show_doctor(options.printer(), document)


COMMANDS = (doctor,)
