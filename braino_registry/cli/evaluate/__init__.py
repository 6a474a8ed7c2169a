"""`braino eval`: measure an agent, continue a run, compare reports.

Every module of this package that has ``COMMANDS`` adds them; a new command touches one file.
"""

from __future__ import annotations

import importlib
import pkgutil

import click


@click.group()
def group() -> None:
    """Measure an agent on tasks, and compare reports."""


for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    for _command in getattr(importlib.import_module(_module.name), "COMMANDS", ()):
        group.add_command(_command)
