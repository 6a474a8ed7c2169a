"""Conversions: from the upstream files of a dataset to a BIDS tree. One file each.

A conversion is a function with a name, a version and a JSON Schema for its parameters. Its
version is raised when the bytes that it writes change, and an entry names the version it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.datasets.selection import ALL, Selection
from braino_registry.datasets.values import SourceRecording
from braino_registry.errors import EntryError
from braino_registry.registry.plugins import PluginGroup


@dataclass(frozen=True)
class Work:
    """What a conversion is given.

    Parameters
    ----------
    doc : Mapping
        The dataset entry.
    sources : Mapping
        The verified upstream files by logical path, those that the recordings need and those
        that belong to no recording; companions lie beside each other.
    recordings : tuple of SourceRecording
        What to write: all recordings, or those of a selection.
    parameters : Mapping
        The entry's parameters, valid by the conversion's schema.
    out : Path
        An empty folder that becomes the BIDS root.
    selection : Selection
        Which part is wanted. Only a conversion that is ``known_later`` has to look at it; for the
        others it is in ``sources`` and ``recordings`` already.
    """

    doc: Mapping[str, Any]
    sources: Mapping[str, Path]
    recordings: tuple[SourceRecording, ...]
    parameters: Mapping[str, Any]
    out: Path
    selection: Selection = ALL


Derive = Callable[[Mapping[str, Any], Sequence[str]], "Sequence[SourceRecording]"]
"""Takes an entry's document and the pinned paths; returns the recordings they make."""


@dataclass(frozen=True)
class Conversion:
    """A registered conversion.

    Parameters
    ----------
    name, version : str
        What an entry calls it by.
    parameters : Mapping
        JSON Schema of its parameters.
    run : callable
        Writes the BIDS tree.
    recordings : callable | None
        Tells the recordings of an entry that does not list them.
    leaves_out : callable | None
        Tells of an entry and a pinned path that the file is not used, so that it is not fetched.
    by_name : bool
        Whether it reads files that look for companions by name, so that the sources have to lie
        beside each other under their logical paths.
    known_later : bool
        Whether the recordings are known only when the sources are there. Then all sources are
        fetched for any part, and the conversion makes the part.
    """

    name: str
    version: str
    parameters: Mapping[str, Any]
    run: Callable[[Work], None]
    recordings: Derive | None = None
    leaves_out: Callable[[Mapping[str, Any], str], bool] | None = None
    by_name: bool = True
    known_later: bool = False


CONVERSIONS: PluginGroup[Conversion] = PluginGroup(
    "braino_registry.datasets.conversions", "conversion", "braino.conversions"
)


def conversion(
    name: str,
    *,
    version: str,
    parameters: Mapping[str, Any],
    recordings: Derive | None = None,
    leaves_out: Callable[[Mapping[str, Any], str], bool] | None = None,
    by_name: bool = True,
    known_later: bool = False,
) -> Callable[[Callable[[Work], None]], Callable[[Work], None]]:
    """Register a conversion under ``name@version``.

    Parameters
    ----------
    name : str
        Kebab-case.
    version : str
        Semantic version.
    parameters : Mapping
        JSON Schema of the parameters.
    recordings : callable, optional
        Tells the recordings of an entry that does not list them.
    leaves_out : callable, optional
        Tells of an entry and a pinned path that the file is not used.
    by_name : bool
        False for a conversion to which it does not matter what the files of its sources are
        called: none has to be staged for it.
    known_later : bool
        True for a conversion whose sources have to be there before anyone knows the recordings.
    """

    def keep(run: Callable[[Work], None]) -> Callable[[Work], None]:
        item = Conversion(
            name, version, dict(parameters), run, recordings, leaves_out, by_name, known_later
        )
        CONVERSIONS.add(f"{name}@{version}", item, run.__module__)
        return run

    return keep


def convert(
    doc: Mapping[str, Any],
    sources: Mapping[str, Path],
    recordings: Sequence[SourceRecording],
    out: Path,
    selection: Selection = ALL,
) -> None:
    """Run the conversion that an entry names.

    Parameters
    ----------
    doc : Mapping
        The dataset entry.
    sources : Mapping
        Verified files by logical path.
    recordings : sequence of SourceRecording
        What to write.
    out : Path
        An empty folder.
    selection : Selection
        Which part, for conversions that find out themselves what belongs to it.

    Raises
    ------
    EntryError
        If the parameters are not valid by the conversion's schema.
    UsageError
        If there is no such conversion; the message lists those there are.
    """
    chosen = conversion_of(doc)
    parameters = doc["conversion"]["parameters"]
    check_parameters(chosen, parameters)
    chosen.run(Work(doc, sources, tuple(recordings), parameters, out, selection))


def derived_recordings(doc: Mapping[str, Any], paths: Sequence[str]) -> tuple[SourceRecording, ...]:
    """Return the recordings that an entry's conversion tells from the pinned paths.

    Raises
    ------
    EntryError
        If the conversion cannot tell them, so that the entry has to list them.
    UsageError
        If there is no such conversion.
    """
    chosen = conversion_of(doc)
    if chosen.recordings is None:
        raise EntryError(
            f"the conversion {chosen.name} does not tell the recordings of a dataset",
            where="$.recordings",
            hint="List them with their files.",
        )
    return tuple(chosen.recordings(doc, paths))


def conversion_of(doc: Mapping[str, Any]) -> Conversion:
    """Return the conversion that an entry uses.

    Raises
    ------
    UsageError
        If there is no such conversion.
    """
    return CONVERSIONS.get(doc["conversion"]["use"])


def used_paths(doc: Mapping[str, Any], paths: Sequence[str]) -> list[str]:
    """Return which pinned files an entry's conversion uses at all.

    Raises
    ------
    UsageError
        If there is no such conversion.
    """
    chosen = conversion_of(doc)
    if chosen.leaves_out is None:
        return list(paths)
    return [path for path in paths if not chosen.leaves_out(doc, path)]


def check_parameters(chosen: Conversion, parameters: Mapping[str, Any]) -> None:
    """Raise `EntryError` when parameters are not valid by the conversion's schema."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(dict(chosen.parameters)).iter_errors(parameters))
    if error is not None:
        raise EntryError(
            f"the parameters of {chosen.name}@{chosen.version} are not valid: {error.message}",
            where=error.json_path.replace("$", "$.conversion.parameters", 1),
            hint=f"See the schema of the conversion {chosen.name!r}.",
        )
