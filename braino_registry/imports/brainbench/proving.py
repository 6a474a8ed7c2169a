"""Which cases the registry would refuse: each is loaded as it will be written, before it is.

The bounds of an entry are stated once, in its schema and in the rules of the loader; a second
list of them here would differ from the first some day.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from braino_registry.errors import BrainoError
from braino_registry.imports.brainbench.cases import Case

#: Writes a registry folder with these tasks, by name; the suite's name is returned.
Write = Callable[[Path, Mapping[str, Sequence[Case]]], str]
Group = Callable[[Sequence[Case]], Mapping[str, Sequence[Case]]]

_MOST_CHARACTERS = 300  # of a reason


def refusals(cases: Sequence[Case], group: Group, write: Write) -> dict[int, str]:
    """Return why the registry refuses cases, by ``id(case)``; those it takes are not there.

    Parameters
    ----------
    cases : sequence of Case
        What is to be written.
    group : callable
        Puts cases together to tasks, by the name of the task.
    write : callable
        Writes a registry folder of such tasks.

    Raises
    ------
    EntryError
        If the suite itself is refused.
    """
    refused: dict[int, str] = {}
    with tempfile.TemporaryDirectory(prefix="braino-import-") as made:
        folder = Path(made)
        groups = group(cases)
        broken = _problems(folder / "together", groups, write)
        # A task with one bad instance is refused whole; loaded alone, each answers for itself.
        suspects = [case for name in broken for case in groups[name]]
        alone = {f"alone-{number}": [case] for number, case in enumerate(suspects)}
        for name, reason in _problems(folder / "alone", alone, write).items():
            refused[id(alone[name][0])] = reason
        left = group([case for case in suspects if id(case) not in refused])
        for name, reason in _problems(folder / "left", left, write).items():
            refused |= {id(case): reason for case in left[name]}
    return refused


def _problems(folder: Path, groups: Mapping[str, Sequence[Case]], write: Write) -> dict[str, str]:
    """Return what the registry says of the tasks that it refuses, by their names."""
    from braino_registry.registry import Registry

    if not groups:
        return {}
    suite = write(folder, groups)
    registry = Registry.open([folder], environ={})
    registry.suite(suite)
    found = {}
    for name in groups:
        try:
            registry.task_in(folder / "tasks" / suite / f"{name}.json")
        except BrainoError as error:
            found[name] = _told(error)
    return found


def _told(error: BrainoError) -> str:
    place = error.where.rpartition(": ")[2]
    where = f" ({place})" if place.startswith("$") else ""
    text = f"the registry refuses it: {error.problem}{where}"
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"
