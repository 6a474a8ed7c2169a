"""What a page is made of: reports that are whole, and what can be read of those that are not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from braino_registry.errors import BrainoError, ReportError
from braino_registry.registry import documents, jsonfile
from braino_registry.reports import document
from braino_registry.reports.html import mending
from braino_registry.reports.showing import home_of


@dataclass(frozen=True)
class Source:
    """A report, where its run stands, and what has to be said about it first.

    Parameters
    ----------
    report : dict
        A ``report/1`` document, or as much of one as could be read.
    home : Path or None
        The folder of the run; it holds transcripts, expected values and artifacts.
    banners : tuple of str
        What a reader must know before any number: that it is incomplete, damaged or older.
    plan : mapping
        What ``run.json`` tells of each instance, by ``(task, instance)``; empty without it.
    parts : mapping
        Which parts of a dataset the run used, by ``id@version``, where it used parts.
    registry : tuple of Path
        Further folders of entries that the run used.
    cache : Path or None
        The dataset cache that the run named, if it named one.
    trusted : bool
        Whether the report is whole and sealed.
    """

    report: dict[str, Any]
    home: Path | None
    banners: tuple[str, ...] = ()
    plan: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    parts: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    registry: tuple[Path, ...] = ()
    cache: Path | None = None
    trusted: bool = True

    @property
    def label(self) -> str:
        """Who was measured, as a heading."""
        agent = self.report["agent"]
        return f"{agent['name']} ({agent['model']})" if agent["model"] else str(agent["name"])


T = TypeVar("T")


def with_sources(paths: Sequence[Path], make: Callable[[list[Source]], T]) -> T:
    """Return what is made of reports, or of what can be read of those that are invalid.

    Parameters
    ----------
    paths : sequence of Path
        Reports, or folders of runs.
    make : callable
        Makes it; called again with reports held to their schema if it fails on a value.

    Raises
    ------
    ReportError
        If nothing can be read of one of them, or it fails all the same.
    """
    try:
        return make([open_source(path) for path in paths])
    except document.FAULTS:
        with document.suspected(*paths):
            return make([open_source(path, verify=True) for path in paths])


def open_source(path: Path, *, verify: bool = False) -> Source:
    """Return what can be shown of a report or of a run folder.

    A sealed report is taken as it is. Otherwise the journal and ``run.json`` tell what has
    finished; a damaged line is left out, and a banner says so.

    Parameters
    ----------
    path : Path
        A report, or the folder of a run.
    verify : bool
        Whether a sealed report also has to fit its schema.

    Raises
    ------
    ReportError
        If there is neither a report nor a run that can be read.
    """
    file = document.file_of(path)
    try:
        report = document.read(file, verify=verify)
    except ReportError as error:
        mended = mending.mend(path, file, run_document(path if path.is_dir() else file.parent))
        if mended is None:
            raise
        beside = path if path.is_dir() else file.parent
        known = beside.absolute() if (beside / "trials").is_dir() else None
        return _source(mended.report, known, mended.banners(error), trusted=False)
    home = path.absolute() if path.is_dir() else home_of(report, file)
    return _source(report, home, ())


def _source(
    report: dict[str, Any], home: Path | None, banners: Sequence[str], *, trusted: bool = True
) -> Source:
    run = run_document(home)
    asked, plan = mending.group(run, "asked"), mending.group(run, "plan")
    rows = {
        (str(row.get("task")), str(row.get("instance"))): row
        for row in mending.listed(plan, "planned")
    }
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for row in mending.listed(plan, "datasets"):
        if select := mending.group(row, "select"):
            parts.setdefault(str(row.get("dataset")), []).append(select)
    found = list(banners)
    if not report["coverage"]["complete"]:
        found.append(str(report["coverage"]["statement"]))
    if home is None:
        found.append(
            "The folder of this run is not here: requests, conversations, expected values and "
            "artifacts cannot be shown."
        )
    given = asked.get("registry")
    folders = tuple(Path(f) for f in given if isinstance(f, str)) if isinstance(given, list) else ()
    cache = asked.get("cache")
    kept = Path(cache) if isinstance(cache, str) else None
    return Source(report, home, tuple(found), rows, parts, folders, kept, trusted)


def run_document(home: Path | None) -> dict[str, Any]:
    """Return what ``run.json`` holds; empty if there is none that can be read."""
    if home is None:
        return {}
    try:
        found = jsonfile.value_of(documents.read_bytes(home / "run.json", documents.LARGEST_RECORD))
    except (OSError, ValueError, BrainoError):
        return {}
    return found if isinstance(found, dict) else {}
