"""The folders that entries are read from."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from braino_registry.errors import BrainoError, EntryError, HostError, UsageError

#: Environment variable with further folders, separated like those of ``PATH``.
VARIABLE = "BRAINO_REGISTRY"
#: Entry-point group by which other distributions bring a folder of entries.
ENTRY_POINTS = "braino.registry"


@lru_cache(maxsize=1)
def builtin() -> Path:
    """Return the folder of the entries that belong to this package.

    In a wheel they lie inside the package; in a checkout they are the checkout itself.

    Raises
    ------
    HostError
        If neither is there.
    """
    package = Path(__file__).resolve().parents[1]
    for root in (package / "_entries", package.parent):
        if (root / "schemas" / "task-1.json").is_file():
            return root
    raise HostError(
        "the entries of braino-registry are missing",
        where=f"looked in {package / '_entries'} and {package.parent}",
        hint="Reinstall braino-registry, or run it from a complete checkout.",
    )


def external(
    folders: Sequence[Path], environ: Mapping[str, str]
) -> tuple[list[Path], list[EntryError]]:
    """Return further folders of entries, and the entry points that could not be used.

    Parameters
    ----------
    folders : sequence of Path
        Folders asked for by the caller.
    environ : mapping
        Environment; ``BRAINO_REGISTRY`` lists folders.

    Raises
    ------
    UsageError
        If a folder that somebody named is not there.
    """
    named = [(Path(folder), "--registry") for folder in folders]
    listed = environ.get(VARIABLE, "").split(os.pathsep)
    named += [(Path(text), VARIABLE) for text in listed if text]
    for folder, source in named:
        if not _at_home(folder).is_dir():
            raise UsageError(
                f"the registry folder {str(folder)!r} is not a folder",
                where=source,
                hint="Name a folder that holds tasks/, generators/ or datasets/.",
            )
    brought, problems = _entry_points()
    return [_at_home(folder).resolve() for folder, _ in named] + brought, problems


def _at_home(folder: Path) -> Path:
    """Return a path with a leading ``~`` filled in; ``~nobody`` stays, and is no folder."""
    return Path(os.path.expanduser(folder))


def _entry_points() -> tuple[list[Path], list[EntryError]]:
    """Return the folders that installed distributions bring, and what went wrong with others."""
    from importlib.metadata import entry_points

    folders: list[Path] = []
    problems: list[EntryError] = []
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        where = f"entry point {point.name} = {point.value}"
        try:
            folders.append(_folder_of(point.load()))
        # Foreign code runs here and may raise anything; it must not hide the other entries.
        except Exception as error:
            reason = (
                error.problem
                if isinstance(error, BrainoError)
                else f"{type(error).__name__}: {error}"
            )
            problems.append(
                EntryError(
                    f"an installed registry cannot be read: {reason}",
                    where=where,
                    hint="Mend or uninstall the distribution that brings it.",
                )
            )
    return folders, problems


def _folder_of(brought: object) -> Path:
    """Return the folder behind an entry point: a path, a function that returns one, a package."""
    if callable(brought):
        brought = brought()
    if not isinstance(brought, str | os.PathLike):
        paths = list(getattr(brought, "__path__", []))
        brought = paths[0] if paths else ""
    folder = Path(brought)
    if not str(brought) or not folder.is_dir():
        raise UsageError(f"{str(brought)!r} is not a folder")
    return folder.resolve()
