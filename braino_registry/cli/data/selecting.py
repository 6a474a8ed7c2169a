"""The options that choose a dataset, or a part of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from braino_registry.cli import options

if TYPE_CHECKING:
    from braino_registry.datasets import Selection, Store
    from braino_registry.registry import Salt
    from braino_registry.registry.entries import Entry

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


@dataclass(frozen=True)
class Chosen:
    """Which build of a dataset is meant.

    Parameters
    ----------
    entry : Recipe or PublicDataset
        The dataset.
    store : Store
        Where it is kept.
    salt : Salt
        What changes its draws.
    part : Selection
        What of it.
    """

    entry: Entry
    store: Store
    salt: Salt
    part: Selection


def build_of_dataset(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add DATASET and the options that say which build of it; the command gets them as `Chosen`."""

    @click.argument("dataset")
    @part_of_dataset
    @options.registry_folders
    @options.salt_file
    @options.cache_folder
    @wraps(command)
    def choose(
        dataset: str,
        folders: tuple[Path, ...],
        salt_file: Path | None,
        cache: Path | None,
        **others: Any,
    ) -> Any:
        entry = options.open_registry(folders).dataset(dataset)
        salt = options.read_salt(salt_file)
        part = selection_of({entity: others.pop(entity) for entity in _HELP})
        return command(Chosen(entry, options.open_store(cache), salt, part), **others)

    return choose
