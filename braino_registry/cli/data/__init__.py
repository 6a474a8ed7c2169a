"""`braino data`: datasets by name and version."""

from __future__ import annotations

import click

from braino_registry.cli.data import carrying, exchanging, fetching, showing


@click.group()
def group() -> None:
    """Datasets: list, fetch, build, verify, cite."""


for _command in (
    showing.list_,
    showing.info,
    showing.path,
    showing.cite,
    fetching.fetch,
    fetching.build,
    fetching.verify,
    carrying.export,
    carrying.import_,
    carrying.new,
    exchanging.croissant,
):
    group.add_command(_command)
