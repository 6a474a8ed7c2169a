"""A part of a dataset: some subjects, sessions, tasks or runs, with all that belongs to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from braino_registry.datasets.values import SourceRecording
from braino_registry.errors import UsageError, close_matches
from braino_registry.registry.digests import digest

#: Entity of a selection's field, and the key under which BIDS writes it.
KEYS = {
    "bids_subjects": ("bids_subject", "sub"),
    "bids_sessions": ("bids_session", "ses"),
    "bids_tasks": ("bids_task", "task"),
    "bids_runs": ("bids_run", "run"),
}
_ENTITY = re.compile(r"(?:^|[_/])(sub|ses|task|acq|run)-([A-Za-z0-9]+)")


def _labels(name: str, given: object) -> tuple[str, ...]:
    """Return the labels of a field; one string is one label, not its letters."""
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Iterable) or isinstance(given, bytes | Mapping):
        raise UsageError(
            f"{given!r} is neither a label nor several of them",
            where=name,
            hint='Give a string, "001", or several, ["001", "002"].',
        )
    return tuple(str(label) for label in given)


@dataclass(frozen=True)
class Selection:
    """Which part of a dataset is wanted; an empty field does not restrict.

    Parameters
    ----------
    bids_subjects, bids_sessions, bids_tasks, bids_runs : tuple of str
        Labels without their keys: ``"001"``; ``"sub-001"`` is understood as well. A single string
        is one label.

    Raises
    ------
    UsageError
        If a field is neither a string nor several of them.
    """

    bids_subjects: tuple[str, ...] = ()
    bids_sessions: tuple[str, ...] = ()
    bids_tasks: tuple[str, ...] = ()
    bids_runs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, (_, key) in KEYS.items():
            given = _labels(name, getattr(self, name))
            bare = {label.removeprefix(f"{key}-") for label in given}
            object.__setattr__(self, name, tuple(sorted(bare)))

    def __bool__(self) -> bool:
        """Tell whether anything is restricted."""
        return any(getattr(self, field.name) for field in fields(self))

    @classmethod
    def of(cls, select: Mapping[str, Iterable[str]]) -> Selection:
        """Return the selection that a task's instance names by entity, ``bids_subject`` say."""
        return cls(
            **{name: _labels(name, select.get(entity, ())) for name, (entity, _) in KEYS.items()}
        )

    def plain(self) -> Selection:
        """Return it as a value of its own, whoever selected."""
        return Selection(*(getattr(self, name) for name in KEYS))

    @property
    def digest(self) -> str | None:
        """What tells builds of different selections apart; None for the whole dataset."""
        return digest(asdict(self)) if self else None

    def options(self) -> str:
        """Return the options of the command line that mean this selection."""
        return "".join(
            f" --{entity.replace('_', '-')} {label}"
            for name, (entity, _) in KEYS.items()
            for label in getattr(self, name)
        )

    def named(self, name: str) -> str:
        """Return how the one who selects writes a field; as an argument in Python."""
        return name

    def described(self) -> str:
        """Return the selection as the one who selects writes it."""
        return ", ".join(
            f"{self.named(name)}={list(getattr(self, name))}"
            for name in KEYS
            if getattr(self, name)
        )

    def document(self) -> dict[str, Any]:
        """Return the selection as JSON values by entity; empty for the whole dataset."""
        return {
            entity: list(getattr(self, name))
            for name, (entity, _) in KEYS.items()
            if getattr(self, name)
        }

    def resolved(self, recordings: Sequence[SourceRecording], ref: str) -> Selection:
        """Return the selection with labels spelled as the dataset spells them.

        A run may be given without its leading zeros.

        Raises
        ------
        UsageError
            If a label does not occur, with the nearest ones, or if no recording is left.
        """
        wanted = {
            name: tuple(
                _spelled(label, entity, recordings, ref, self.named(name))
                for label in getattr(self, name)
            )
            for name, (entity, _) in KEYS.items()
        }
        made = Selection(**wanted)
        if made and not any(made.takes(row.entities) for row in recordings):
            raise UsageError(
                f"no recording of {ref} is all of that: {self.described()}",
                where="selection",
                hint="See `braino data info` for its recordings.",
            )
        return made

    def takes(self, entities: Mapping[str, str]) -> bool:
        """Tell whether a recording belongs to the selection."""
        return all(
            not getattr(self, name) or entities.get(entity) in getattr(self, name)
            for name, (entity, _) in KEYS.items()
        )

    def takes_path(self, path: str) -> bool:
        """Tell whether a file of a BIDS tree belongs to the selection.

        It does unless its path names an entity that was not chosen. So companions of a data file
        come along, and so do the sidecars that it inherits and the files at the root.
        """
        said: dict[str, set[str]] = {}
        for key, label in _ENTITY.findall(path):
            said.setdefault(key, set()).add(label)
        return all(
            not getattr(self, name) or said.get(key, set()) <= set(getattr(self, name))
            for name, (_, key) in KEYS.items()
        )


class OptionsSelection(Selection):
    """A selection that was typed as options of the command line; errors name these."""

    def named(self, name: str) -> str:
        """Return the option of a field."""
        return f"--{KEYS[name][0].replace('_', '-')}"

    def described(self) -> str:
        """Return the options with their labels."""
        return self.options().strip()


ALL = Selection()


def needed(
    paths: Sequence[str], recordings: Sequence[SourceRecording], selection: Selection
) -> tuple[tuple[SourceRecording, ...], frozenset[str]]:
    """Return the recordings of a selection and the files that they are made from.

    Files that belong to no recording are common and needed, unless their path names an entity
    that was not chosen.
    """
    if not selection:
        return tuple(recordings), frozenset(paths)
    chosen = tuple(row for row in recordings if selection.takes(row.entities))
    owned = {name for row in recordings for name in row.files}
    common = {path for path in paths if path not in owned and selection.takes_path(path)}
    return chosen, frozenset(common | {name for row in chosen for name in row.files})


def _spelled(
    label: str, entity: str, recordings: Sequence[SourceRecording], ref: str, named: str
) -> str:
    known = sorted({row.entities[entity] for row in recordings if entity in row.entities})
    if label in known:
        return label
    if label.isdecimal():
        same = [each for each in known if each.isdecimal() and int(each) == int(label)]
        if entity == "bids_run" and len(same) == 1:
            return same[0]
    raise UsageError(
        f"{ref} has no {entity} {label!r}",
        where=named,
        hint=_nearest(label, known),
    )


def _nearest(label: str, known: Sequence[str]) -> str:
    """Return what may have been meant: the label with other zeros first, a few of many."""
    from difflib import get_close_matches

    same = [each for each in known if each.lstrip("0") == label.lstrip("0")]
    near = list(dict.fromkeys([*same, *get_close_matches(label, known, n=5, cutoff=0.4)]))
    if len(known) <= 12:
        return close_matches(near[0] if near else label, list(known))
    meant = f"Did you mean {', '.join(near)}? " if near else ""
    return f"{meant}There are {len(known)}, from {known[0]} to {known[-1]}."
