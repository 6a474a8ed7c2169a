"""Reports of many runs as tables of results that can be compared, and none that cannot.

A table holds runs of the same suite, release, tier, paradigm and profile, with the same salt, on
the same instances of tasks with the same digests; whatever differs in one of these stands in a
table of its own. Ranked are runs that are held to a whole, verified release, in a sandbox, with
every planned trial scored. Several runs of one agent are one row with their mean, so that no run is
picked. What does nothing, guesses or cheats stands in every table, and where it was not run, the
table says so: a score means something only above theirs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from braino_registry.errors import BrainoError, ReportError
from braino_registry.registry.digests import digest
from braino_registry.reports import document
from braino_registry.reports.intervals import headline_interval, interval_of

Report = Mapping[str, Any]
_HEAD = 256


@dataclass(frozen=True)
class Known:
    """An agent that comes with the registry, and what it is for.

    Parameters
    ----------
    name : str
        Its name.
    kind : str
        ``reference``, ``baseline`` or ``exploit``.
    about : str
        What it does.
    """

    name: str
    kind: str
    about: str


@dataclass(frozen=True)
class Found:
    """A report that was read, with what speaks against ranking it.

    Parameters
    ----------
    file : str
        Where it was found, relative to the folder that was searched.
    report : mapping
        The document.
    objections : tuple of str
        Why it is not ranked; empty if it is.
    """

    file: str
    report: Report
    objections: tuple[str, ...]


def collect(
    folder: Path, examine: Callable[[Report], Sequence[str]]
) -> tuple[list[Found], list[dict[str, str]]]:
    """Return the reports below a folder, and those that are refused, with the reason.

    Parameters
    ----------
    folder : Path
        Run folders, and reports, at any depth; links are not followed.
    examine : callable
        Returns in what a report differs from the release that it claims.

    Raises
    ------
    ReportError
        If the folder holds no report.
    """
    found, refused = [], []
    for path in _reports(folder):
        name = path.relative_to(folder).as_posix()
        try:
            report = document.read(path, verify=True)
        except BrainoError as error:
            refused.append({"file": name, "problem": error.problem})
            continue
        found.append(Found(name, report, tuple(_objections(report, examine))))
    if not found and not refused:
        raise ReportError(
            "there is no report in this folder",
            where=str(folder),
            hint="Give a folder that holds run folders, or reports.",
        )
    return _once(found), refused


def _once(found: Sequence[Found]) -> list[Found]:
    """Return each run once, whether its report lies in its folder or beside it."""
    return list({each.report["run_id"]: each for each in reversed(found)}.values())[::-1]


def _reports(folder: Path) -> Iterator[Path]:
    for here, below, names in os.walk(folder):
        below.sort()
        if "run.json" in names:
            below.clear()  # what else is in a run folder is no report
            names = [name for name in names if name == "report.json"]
        for name in sorted(names):
            path = Path(here) / name
            if name.endswith(".json") and not path.is_symlink() and _says_report(path):
                yield path


def _says_report(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return b'"schema": "report/' in stream.read(_HEAD)
    except OSError:
        return False


def _objections(report: Report, examine: Callable[[Report], Sequence[str]]) -> Iterator[str]:
    release = report["release"]
    if release is None:
        yield "held to no release"
    elif not release["whole"]:
        yield "only part of the release"
    if release is not None:
        yield from examine(report)
    if not report["verified"]:
        yield "unverified"
    if report["settings"]["isolation"] != "sandbox":
        yield f"isolation {report['settings']['isolation']}"
    if not report["coverage"]["complete"]:
        yield "incomplete"


def board(
    found: Sequence[Found],
    refused: Sequence[Mapping[str, str]],
    known: Mapping[str, Known],
) -> dict[str, Any]:
    """Return the leaderboard.

    Parameters
    ----------
    found, refused : sequence
        As `collect` returns them.
    known : mapping
        Agents that come with the registry, by factory: a name can be borrowed, a factory is
        what was run.

    Returns
    -------
    dict
        ``tables`` (each with its ``rows``, best first, and ``absent``, the baselines and exploit
        agents nobody has run in it) and ``refused``.
    """
    groups: dict[str, list[Found]] = {}
    for each in found:
        groups.setdefault(digest(_sameness(each.report)), []).append(each)
    tables = [_table(key, members, known) for key, members in groups.items()]
    tables.sort(key=lambda t: (t["suite"], t["release"] or "", t["tier"], t["paradigm"], t["key"]))
    return {"tables": tables, "refused": list(refused)}


def _sameness(report: Report) -> dict[str, Any]:
    """Return all that has to be equal for two scores to be comparable."""
    settings = report["settings"]
    release = report["release"]
    instances = sorted(
        {
            f"{trial['task']}/{trial['instance']}"
            for trial in report["trials"]
            if trial["outcome"] != "not_planned"
        }
    )
    return {
        "suite": report["suite"],
        "release": None if release is None else [release["id"], release["seal"]],
        "tier": report["tier"],
        "paradigm": settings["paradigm"],
        "profile": settings["profile"],
        "salt": settings["salt"],
        "tasks": {
            name: [row["work"], row["scoring"]] for name, row in report["digests"]["tasks"].items()
        },
        "instances": instances,
    }


def _table(key: str, members: Sequence[Found], known: Mapping[str, Known]) -> dict[str, Any]:
    report = members[0].report
    same = _sameness(report)
    systems: dict[str, list[Found]] = {}
    for each in members:
        agent = each.report["agent"]
        who = json.dumps([agent["factory"], agent["name"], agent["model"]])
        systems.setdefault(who, []).append(each)
    rows = [_row(runs, known) for runs in systems.values()]
    rows.sort(key=lambda row: (-(row["score"] if row["score"] is not None else -1), row["agent"]))
    _rank(rows)
    present = {row["name_of"] for row in rows}
    return {
        "key": key,
        "suite": report["suite"],
        "suite_version": report["settings"]["suite_version"],
        "release": None if same["release"] is None else same["release"][0],
        "tier": same["tier"],
        "paradigm": same["paradigm"],
        "profile": same["profile"],
        "salt": same["salt"],
        "tasks": len(same["tasks"]),
        "instances": len(same["instances"]),
        "scale": report["summary"]["scale"],
        "rows": [{k: v for k, v in row.items() if k != "name_of"} for row in rows],
        "absent": [
            {"agent": each.name, "kind": each.kind, "about": each.about}
            for each in known.values()
            if each.name not in present
        ],
    }


def _row(runs: Sequence[Found], known: Mapping[str, Known]) -> dict[str, Any]:
    reports = [each.report for each in runs]
    agent = reports[0]["agent"]
    built_in = known.get(agent["factory"])
    scores = [report["summary"]["score"] for report in reports]
    whole = None if None in scores else fmean(scores)
    interval = _interval(reports)
    objections = list(dict.fromkeys(text for each in runs for text in each.objections))
    ran = [t for report in reports for t in report["trials"] if t["outcome"] != "not_planned"]
    return {
        "agent": agent["name"],
        "model": agent["model"],
        "factory": agent["factory"],
        "kind": "agent" if built_in is None else built_in.kind,
        "name_of": None if built_in is None else built_in.name,
        "runs": [report["run_id"] for report in reports],
        "score": whole,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "passed": sum(report["summary"]["passed"] for report in reports),
        "scored": sum(report["summary"]["scored"] for report in reports),
        "planned": sum(report["summary"]["planned"] for report in reports),
        "cost": _mean(ran, "cost"),
        "tokens": _mean(ran, "input_tokens", "output_tokens"),
        "seconds": fmean([t["seconds"] or 0.0 for t in ran]) if ran else None,
        "isolation": sorted({report["settings"]["isolation"] for report in reports}),
        "objections": objections,
        "rank": None,
    }


def _interval(reports: Sequence[Report]) -> Any:
    """Return the interval of the headline; of several runs, that of their trials together."""
    if len(reports) == 1:
        return headline_interval(reports[0])
    rule = reports[0]["summary"]["rule"]
    if rule == "eegagentbench":
        return None  # metrics of several runs are no metrics of their trials together
    return interval_of([trial for report in reports for trial in report["trials"]], rule)


def _mean(trials: Sequence[Mapping[str, Any]], *names: str) -> float | None:
    """Return the mean per trial of what was used; None where a trial did not tell."""
    values = [[trial["usage"][name] for name in names] for trial in trials]
    if not values or any(None in row for row in values):
        return None
    return fmean(sum(row) for row in values)


def _rank(rows: Sequence[dict[str, Any]]) -> None:
    """Give the rows that are ranked their place; equal scores share one."""
    before: tuple[float, int] | None = None
    place = 0
    for row in rows:
        if row["kind"] != "agent" or row["objections"] or row["score"] is None:
            continue
        place += 1
        if before is None or row["score"] != before[0]:
            before = (row["score"], place)
        row["rank"] = before[1]
