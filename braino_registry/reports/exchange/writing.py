"""The files of an export: one folder, written whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from braino_registry.reports import transcripts
from braino_registry.reports.exchange.atif import trajectory
from braino_registry.reports.exchange.every_eval import aggregate, instance_rows
from braino_registry.reports.files import make_folder, write_atomic
from braino_registry.reports.intervals import headline_interval

Report = Mapping[str, Any]
Done = dict[str, int]


def atif(report: Report, home: Path | None, out: Path) -> Done:
    """Write ``TASK/INSTANCE/REPEAT.trajectory.json`` for each trial; return how many.

    Parameters
    ----------
    report : mapping
        A ``report/1`` document.
    home : Path | None
        The folder of its run; without it there are no transcripts.
    out : Path
        The folder to write to.
    """
    written = left_out = 0
    for trial in report["trials"]:
        events = events_of(trial, home)
        if not events:
            left_out += 1
            continue
        file = out / trial["task"] / trial["instance"] / f"{trial['repeat']}.trajectory.json"
        make_folder(file.parent)
        write_atomic(file, _json(trajectory(report, trial, events)), sync=False)
        written += 1
    make_folder(out)
    return {"trials": written, "left_out": left_out}


def every_eval(report: Report, home: Path | None, out: Path) -> Done:
    """Write ``evaluation.json`` and, beside it, ``instances.jsonl``; parameters as for `atif`."""
    interval = headline_interval(report)
    record = aggregate(report, None if interval is None else (interval.low, interval.high))
    rows = list(instance_rows(report, lambda trial: events_of(trial, home)))
    lines = b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)
    record["detailed_evaluation_results"] = {
        "format": "jsonl",
        "file_path": "instances.jsonl",
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(lines).hexdigest(),
        "total_rows": len(rows),
    }
    make_folder(out)
    write_atomic(out / "instances.jsonl", lines)
    write_atomic(out / "evaluation.json", _json(record))
    return {"trials": len(rows), "left_out": len(report["trials"]) - len(rows)}


def events_of(trial: Mapping[str, Any], home: Path | None) -> Sequence[Mapping[str, Any]]:
    """Return the transcript of a trial up to where it is damaged; nothing if it is not here."""
    if home is None or not trial.get("transcript"):
        return ()
    return tuple(transcripts.events(home / trial["transcript"]))


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()
