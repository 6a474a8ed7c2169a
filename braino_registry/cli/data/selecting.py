"""The options that choose a part of a dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from braino_registry.datasets import Selection

Command = TypeVar("Command", bound=Callable[..., Any])

_HELP = {
    "bids_subject": "Only this subject; may be given several times.",
    "bids_session": "Only this session.",
    "bids_task": "Only this BIDS task.",
    "bids_run": "Only this run.",
}


def part_of_dataset(command: Command) -> Command:
    """Add ``--bids-subject`` and its sisters; the command gets them by entity."""
    for entity, text in reversed(_HELP.items()):
        option = click.option(
            f"--{entity.replace('_', '-')}", entity, multiple=True, metavar="LABEL", help=text
        )
        command = option(command)
    return command


def selection_of(entities: dict[str, tuple[str, ...]]) -> Selection:
    """Return what the options of `part_of_dataset` mean."""
    from braino_registry.datasets.selection import OptionsSelection

    return OptionsSelection.of(entities)
