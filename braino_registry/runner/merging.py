"""Making one run of its shards: the same records, order and digests as if it had never been parted.

The merged folder is a run like any other. It can be resumed where trials have not finished,
scored again, and given to others; the folders of the shards are only read.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.errors import ReportError, UsageError
from braino_registry.reports.files import host_error, make_folder
from braino_registry.runner import folder, journal, records
from braino_registry.runner.plan import Row
from braino_registry.runner.result import RunResult, check_bound, check_target, write_report
from braino_registry.runner.run import new_run_id
from braino_registry.runner.settings import RunSettings
from braino_registry.runner.shards import Shard, parse, planned_keys
from braino_registry.runner.testimony import progress_of

#: Options in which shards may differ: how fast they were run, and where their things stood.
_FREE = {"shard", "jobs", "cluster", "registry", "cache", "salt", "fetch"}
#: Options whose names are not those of their settings.
_NAMES = {
    "tasks": "TASK",
    "passed": "--pass-env",
    "endpoints": "--endpoint",
    "agent_options": "--agent-option",
}
#: What of a computer may differ, and is recorded; what can move a number may not.
_SAME_COMPUTER = ("python", "packages")


@dataclass(frozen=True)
class Part:
    """The run of one shard.

    Parameters
    ----------
    place : RunFolder
        Its folder.
    document : dict
        Its ``run.json``.
    progress : Progress
        What its journal holds.
    """

    place: folder.RunFolder
    document: dict[str, Any]
    progress: journal.Progress

    @property
    def shard(self) -> Shard:
        """Which shard it is."""
        return parse(self.document["asked"]["shard"])


def merge(
    run_dirs: Sequence[Path],
    *,
    run_dir: Path | None = None,
    report: Path | None = None,
    fail_under: float | None = None,
) -> RunResult:
    """Make one run of the shards of a plan.

    Parameters
    ----------
    run_dirs : sequence of Path
        The folders of all shards, in any order.
    run_dir : Path | None
        New folder for the whole run; by default one below ``runs/``.
    report : Path | None
        Where a copy of the report is written.
    fail_under : float | None
        A bound that the score will be held against; refused if it cannot be reached.

    Returns
    -------
    RunResult
        Exit code 3 if trials of the shards have not finished or are not scored.

    Raises
    ------
    UsageError
        If a shard is missing, given twice, still running, or was run in another way.
    ReportError
        If a folder is no run, or damaged.
    HostError
        If the new folder cannot be written.
    """
    check_target(report)
    with ExitStack() as held:
        parts = [held.enter_context(_opened(path)) for path in run_dirs]
        parts = _in_order(parts)
        _refuse_differences(parts)
        first = parts[0].document
        check_bound(fail_under, first["rule"])
        _refuse_nesting(run_dir, parts)
        plan, agent = first["plan"], first["agent"]["name"]
        place = folder.create(run_dir, suite=plan["suite"], agent=agent)
        document = _document(parts)
        for part in parts:
            _copy_trials(part, place)
        _write_journal(parts, place)
        folder.write_run_file(place, document)
    finished = progress_of(place, document).counted()
    left_out = [records.not_planned(Row(**row)) for row in plan["not_planned"]]
    settings = RunSettings.from_document(document["asked"], run_dir=place.path, report=report)
    every = [*finished.values(), *left_out]
    return write_report(document, every, place.report, settings, interrupted=False)


@contextmanager
def _opened(path: Path) -> Iterator[Part]:
    """Open the run of a shard, and keep others from writing it meanwhile."""
    place, document = folder.open_run(path)
    if document["asked"]["shard"] is None:
        raise UsageError(
            "this run is no shard, but a whole run",
            where=str(place.path),
            hint="Give the folders of runs that were started with --shard I/N.",
        )
    plan, shard = document["plan"], document["asked"]["shard"]
    if plan.get("shard") != shard or plan["trials"] != len(planned_keys(plan)):
        raise ReportError(
            f"run.json contradicts itself on what shard {shard} is",
            where=str(place.run_file),
            hint="Restore it, or run the shard again.",
        )
    try:
        handle = os.open(place.journal, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise ReportError(
            f"cannot read the journal: {error.strerror}",
            where=str(place.journal),
            hint="Give the folder of a run.",
        ) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            raise UsageError(
                f"shard {document['asked']['shard']} is still running",
                where=str(place.path),
                hint="Wait for it to end.",
            ) from error
        yield Part(place, document, progress_of(place, document))
    finally:
        os.close(handle)


def _in_order(parts: Sequence[Part]) -> list[Part]:
    """Return the parts by their numbers; refuse too many, too few, or those of several runs."""
    sizes = sorted({part.shard.of for part in parts})
    if len(sizes) > 1:
        named = ", ".join(f"{part.shard} ({part.place.path})" for part in parts)
        raise UsageError(
            f"these are shards of different runs: {named}",
            where="braino eval merge",
            hint="Give the N folders of one run that was parted into N shards.",
        )
    count = Counter(part.shard for part in parts)
    twice = sorted(shard for shard, number in count.items() if number > 1)
    missing = [shard for i in range(sizes[0]) if (shard := Shard(i + 1, sizes[0])) not in count]
    if twice or missing:
        said = [f"shard {shard} is missing" for shard in missing]
        for shard in twice:
            places = " and ".join(str(part.place.path) for part in parts if part.shard == shard)
            said.append(f"shard {shard} is given twice ({places})")
        raise UsageError(
            "; ".join(said),
            where="braino eval merge",
            hint=f"Give each of the {sizes[0]} shards once.",
        )
    return sorted(parts, key=lambda part: part.shard)


def _refuse_differences(parts: Sequence[Part]) -> None:
    """Refuse to put together what was not asked, planned and resolved in the same way."""
    first = parts[0]
    expected = _meaning(first.document)
    for part in parts[1:]:
        found = _meaning(part.document)
        changed = sorted(name for name in expected if expected[name] != found[name])
        if changed:
            raise UsageError(
                f"shards {first.shard} and {part.shard} were run differently, which shows in: "
                + ", ".join(changed),
                where=f"{first.place.path} and {part.place.path}",
                hint="Run the shards of one run with the same options, entries, data and versions.",
            )


def _meaning(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return everything in which the shards of one run are alike, by the name of the option."""
    asked, plan, computer = document["asked"], document["plan"], document["computer"]
    return {
        **{_option(name): value for name, value in asked.items() if name not in _FREE},
        **{f"{name} version": computer[name] for name in _SAME_COMPUTER},
        "--salt": document["salt"],
        "the agent": {k: v for k, v in document["agent"].items() if k != "path"},
        "the tier": document["tier"],
        "how limits are held": document["enforcement"],
        "the rule of the suite": document["rule"],
        "how it stands to the release": document.get("release"),
        "the version of the suite": (plan["suite"], plan["suite_version"]),
        "the digests of the tasks": plan["digests"],
        "which trials are planned": (plan["planned"], plan["repeats"]),
        "which data are there": [(row["task"], row["instance"]) for row in plan["not_planned"]],
    }


def _option(name: str) -> str:
    return _NAMES.get(name, f"--{name.replace('_', '-')}")


def _refuse_nesting(run_dir: Path | None, parts: Sequence[Part]) -> None:
    if run_dir is None:
        return
    for part in parts:
        if part.place.path.resolve() in (target := run_dir.absolute().resolve(), *target.parents):
            raise UsageError(
                f"the new folder would lie in that of shard {part.shard}",
                where=f"--run-dir {run_dir}",
                hint="Give a folder elsewhere.",
            )


def _document(parts: Sequence[Part]) -> dict[str, Any]:
    """Return the ``run.json`` of the whole run."""
    first = parts[0].document
    plan = {name: value for name, value in first["plan"].items() if name != "shard"}
    return {
        **first,
        "run_id": new_run_id(plan["suite"], first["agent"]["name"]),
        "started": min(part.document["started"] for part in parts),
        "asked": {**first["asked"], "shard": None},
        "plan": {**plan, "trials": sum(part.document["plan"]["trials"] for part in parts)},
        "merged": [
            {
                "shard": str(part.shard),
                "run_id": part.document["run_id"],
                "started": part.document["started"],
                "jobs": part.document["asked"]["jobs"],
                "computer": part.document["computer"],
            }
            for part in parts
        ],
    }


def _write_journal(parts: Sequence[Part], place: folder.RunFolder) -> None:
    """Write what the journals tell, one shard after the other."""
    with journal.Journal(place.journal) as log:
        for part in parts:
            for key, attempt in part.progress.started.items():
                log.started(key, attempt)
            for record in part.progress.finished.values():
                log.finished(record, sync=False)
            for key, attempts in part.progress.interrupted.items():
                for each in attempts:
                    named = dict(zip(("task", "instance", "repeat"), key, strict=True))
                    log.interrupted({**named, **each}, each["why"])
        log.sync()


def _copy_trials(part: Part, place: folder.RunFolder) -> None:
    """Copy what the trials of a shard have left, earlier attempts included."""
    for key in sorted(part.progress.started.keys() | part.progress.finished.keys()):
        source, target = part.place.trial(*key), place.trial(*key)
        attempts = re.compile(re.escape(source.name) + r"\.attempt-[0-9]+")
        for former in _entries(source.parent):
            if former == source.name or attempts.fullmatch(former):
                _copy(source.parent / former, target.parent / former)
        _copy(part.place.expected(*key), place.expected(*key))


def _entries(path: Path) -> list[str]:
    return sorted(os.listdir(path)) if path.is_dir() else []


def _copy(source: Path, target: Path) -> None:
    """Copy a file or a tree; what is neither a regular file nor a folder is left behind.

    The runner never leaves anything else in a run folder, and a link or a pipe that somebody has
    put there must not lead out of it, or hold everything up.
    """
    try:
        mode = os.lstat(source).st_mode
    except FileNotFoundError:
        return
    try:
        if stat.S_ISDIR(mode):
            make_folder(target)
            for name in _entries(source):
                _copy(source / name, target / name)
        elif stat.S_ISREG(mode):
            make_folder(target.parent)
            shutil.copyfile(source, target, follow_symlinks=False)
    except OSError as error:
        raise host_error(error, target) from error
