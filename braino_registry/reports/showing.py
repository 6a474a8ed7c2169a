"""Single trials of a report: what was asked, what came of it, and what the checks saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from braino_registry.errors import BrainoError, UsageError, close_matches
from braino_registry.registry import documents, jsonfile
from braino_registry.reports import transcripts
from braino_registry.reports.integrity import flags_of
from braino_registry.reports.printing import Printer

Trial = dict[str, Any]
_LEVELS = ("task", "instance", "repeat")
_FRAMES = 6  # lines of a traceback
#: Characters of a text that are printed; ``--json`` and the transcript have it whole.
_LONGEST = 20_000


def chosen(report: Mapping[str, Any], name: str | None, *, failed: bool = False) -> list[Trial]:
    """Return the trials that were run and that a name means.

    Parameters
    ----------
    report : mapping
        A ``report/1`` document.
    name : str | None
        ``task``, ``task/instance`` or ``task/instance/repeat``; None means all.
    failed : bool
        Leave out those that passed; where a suite has no pass rule, those with the full score.

    Raises
    ------
    UsageError
        If there is none.
    """
    found = [trial for trial in report["trials"] if trial["outcome"] != "not_planned"]
    for level, part in zip(_LEVELS, name.split("/") if name else (), strict=False):
        known = list(dict.fromkeys(str(trial[level]) for trial in found))
        found = [trial for trial in found if str(trial[level]) == part]
        if not found:
            raise UsageError(
                f"no trial of this report has the {level} {part!r}",
                where=str(name),
                hint=close_matches(part, known),
            )
    return [trial for trial in found if not _is_right(trial)] if failed else found


def _is_right(trial: Trial) -> bool:
    if trial["outcome"] == "scored":
        return bool(trial["score"] == 1)
    return trial["passed"] is True


def home_of(report: Mapping[str, Any], file: Path) -> Path | None:
    """Return the folder of the run that a report is of.

    A report names no folder, for it is given to others. The run is known by its id: the folder in
    which the report lies, one beside it, or one below ``runs`` there or in the current directory.

    Parameters
    ----------
    report : mapping
        A ``report/1`` document.
    file : Path
        Where it lies.

    Returns
    -------
    Path | None
        None if the run is not here.
    """
    here = file.absolute().parent
    near = [here, *_folders(here), *_folders(here / "runs"), *_folders(Path("runs"))]
    return next((each for each in near if _run_id(each) == report["run_id"]), None)


def _folders(path: Path) -> list[Path]:
    try:
        return sorted(each for each in path.iterdir() if each.is_dir())
    except OSError:
        return []


def _run_id(folder: Path) -> str | None:
    """Return the id of the run in a folder, None if there is none that can be read."""
    try:
        document = jsonfile.value_of(documents.read_bytes(folder / "run.json"))
    except (OSError, ValueError, BrainoError):
        return None
    return document.get("run_id") if isinstance(document, dict) else None


def told(trial: Trial, folder: Path | None) -> Trial:
    """Return a trial with what its transcript tells: the request and the answer.

    Parameters
    ----------
    trial : dict
        A row of a report.
    folder : Path | None
        The folder of the run; without it, request and answer are None.
    """
    path = (folder or Path()) / (trial["transcript"] or "")
    if folder is None or not path.is_file():
        return {**trial, "request": None, "answer": None, "traceback": None}
    said = {event.get("type"): event for event in transcripts.events(path)}
    return {
        **trial,
        "transcript": str(path.absolute()),
        "request": said.get("start", {}).get("request"),
        "answer": said.get("answer", {}).get("text"),
        "traceback": _traceback(path),
    }


def _traceback(path: Path) -> str | None:
    """Return where in its code an agent failed: the last lines of what it sent with its error."""
    for event in transcripts.events(path):
        data = event.get("data")
        if event.get("type") == "log" and isinstance(data, dict) and data.get("traceback"):
            return "\n".join(str(data["traceback"]).strip().splitlines()[-_FRAMES:])
    return None


def show_trials(printer: Printer, trials: Sequence[Trial]) -> None:
    """Print trials that `told` has completed, one below the other."""
    for number, trial in enumerate(trials):
        if number:
            printer.line()
        _show(printer, trial)


def _show(printer: Printer, trial: Trial) -> None:
    score = "" if trial["score"] is None else f", score {trial['score']:.3g}"
    seconds = "" if trial["seconds"] is None else f", {trial['seconds']:.2f} s"
    name = "/".join(str(trial[level]) for level in _LEVELS)
    printer.line(f"{name}: {trial['outcome']}{score}{seconds}")
    for title in ("request", "answer", "reason"):
        if trial[title]:
            printer.line(f"{title.capitalize()}: {_cut(trial[title])}")
    for line in (trial["traceback"] or "").splitlines():
        printer.line(f"  {line}")
    if trial["outcome"] == "agent_error" and not (trial["traceback"] or trial["request"]):
        # Only the transcript tells it, and a report that was given away has none beside it.
        printer.line(f"  Where in its code: `braino eval show RUN_DIR {name}` (the run folder).")
    for flag in flags_of(trial):
        printer.line(f"Flag: {flag}")
    for note in trial.get("notes", ()):
        printer.line(f"Note: {note}")
    for check in trial["checks"]:
        kind = f"{check['kind']}, required" if check["required"] else check["kind"]
        verdict = "passed" if check["passed"] else "FAILED"
        printer.line(f"  {verdict} {check['id']} ({kind}): {check['evidence']}")
    printer.line(f"Used: {_usage(trial['usage'])}")
    where = trial["transcript"] or "none"
    elsewhere = "" if trial["request"] else " (in the run folder, which tells request and answer)"
    printer.line(f"Transcript: {where}{elsewhere if trial['transcript'] else ''}")


def _cut(text: str) -> str:
    more = len(text) - _LONGEST
    return text if more <= 0 else f"{text[:_LONGEST]} … and {more:,} more characters"


def _usage(usage: Mapping[str, Any]) -> str:
    known = [
        f"{usage[name]:g} {name.replace('_', ' ')}" for name in usage if usage[name] is not None
    ]
    unknown = [name.replace("_", " ") for name in usage if usage[name] is None]
    return ", ".join(known) + (f"; not reported: {', '.join(unknown)}" if unknown else "")
