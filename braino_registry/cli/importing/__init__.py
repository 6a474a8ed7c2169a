"""`braino import`: cases of other benchmarks, as tasks that run here.

Each module of this package holds one ``command``, which carries the module's name.
"""

from __future__ import annotations

import importlib
import pkgutil

import click


class _Importers(click.Group):
    """A group whose commands are the modules of this package."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return sorted(module.name for module in pkgutil.iter_modules(__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"{__name__}.{cmd_name}").command
        return command


@click.group(cls=_Importers)
def group() -> None:
    """Make tasks of the cases of another benchmark."""
