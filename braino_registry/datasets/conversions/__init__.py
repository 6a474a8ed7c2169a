"""Conversions: from the upstream files of a dataset to a BIDS tree. One file each.

A conversion is a function with a name, a version and a JSON Schema for its parameters. Its
version is raised when the bytes that it writes change, and an entry names the version it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.datasets.entries import SourceRecording
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
        The verified upstream files by logical path; companions lie beside each other.
    recordings : tuple of SourceRecording
        What to write.
    parameters : Mapping
        The entry's parameters, valid by the conversion's schema.
    out : Path
        An empty folder that becomes the BIDS root.
    """

    doc: Mapping[str, Any]
    sources: Mapping[str, Path]
    recordings: tuple[SourceRecording, ...]
    parameters: Mapping[str, Any]
    out: Path


@dataclass(frozen=True)
class Conversion:
    """A registered conversion."""

    name: str
    version: str
    parameters: Mapping[str, Any]
    run: Callable[[Work], None]


CONVERSIONS: PluginGroup[Conversion] = PluginGroup(
    "braino_registry.datasets.conversions", "conversion", "braino.conversions"
)


def conversion(
    name: str, *, version: str, parameters: Mapping[str, Any]
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
    """

    def keep(run: Callable[[Work], None]) -> Callable[[Work], None]:
        item = Conversion(name, version, dict(parameters), run)
        CONVERSIONS.add(f"{name}@{version}", item, run.__module__)
        return run

    return keep


def convert(doc: Mapping[str, Any], sources: Mapping[str, Path], out: Path) -> None:
    """Run the conversion that an entry names.

    Parameters
    ----------
    doc : Mapping
        The dataset entry.
    sources : Mapping
        Verified files by logical path.
    out : Path
        An empty folder.

    Raises
    ------
    EntryError
        If the parameters are not valid by the conversion's schema.
    UsageError
        If there is no such conversion; the message lists those there are.
    """
    from braino_registry.datasets.entries import recordings_of

    chosen = CONVERSIONS.get(doc["conversion"]["use"])
    parameters = doc["conversion"]["parameters"]
    check_parameters(chosen, parameters)
    chosen.run(Work(doc, sources, recordings_of(doc), parameters, out))


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
