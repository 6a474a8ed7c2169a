"""What one trial tells: its request, the conversation, what was expected, what it left behind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.errors import BrainoError
from braino_registry.registry import documents, jsonfile
from braino_registry.reports import transcripts
from braino_registry.reports.html.sources import Source
from braino_registry.reports.integrity import flags_of
from braino_registry.reports.plain import as_json, shown

#: Events of a session that are kept: its beginning and its end, where it is longer.
EVENTS = 120
_FIRST = 90
_ARTIFACTS = 12
_PREVIEW = 2_000
#: Characters of a call's arguments that stand in its heading; the rest is folded below it.
_ARGUMENTS = 120
_TEXTS = {".txt", ".csv", ".tsv", ".json", ".md"}


@dataclass(frozen=True)
class About:
    """What a trial is about.

    Parameters
    ----------
    recording : str or None
        The id of a recording; None for the dataset as a whole.
    """

    recording: str | None


def tell(source: Source, trial: Mapping[str, Any], limit: int) -> dict[str, Any]:
    """Return what the page shows of one trial when it is opened.

    Parameters
    ----------
    source : Source
        The report that the trial is a row of.
    trial : mapping
        The row.
    limit : int
        Characters of each text that are kept.

    Returns
    -------
    dict
        ``request``, ``about`` (an `About`, None without a transcript), ``answer``, ``events``,
        ``checks`` (with ``expected`` where it is known), ``graded`` (the suite has no pass rule),
        ``notes``, ``usage``, ``artifacts`` (with their ``path`` where they are here); texts,
        nothing of it is markup.
    """
    events = list(transcripts.events(_path(source, trial, trial["transcript"])))
    values = _expected(source, trial)
    said = {event.get("type"): event for event in events}
    answer = said.get("answer", {})
    return {
        "request": _text(said.get("start", {}).get("request"), limit),
        "about": _about(said.get("start")),
        "answer": _text(answer.get("text"), 4 * limit),
        "data": None if answer.get("data") is None else as_json(answer["data"], limit),
        "events": _short([_event(each, limit) for each in events]),
        "checks": [_check(check, values.get(check["id"], {}), limit) for check in trial["checks"]],
        "graded": trial["passed"] is None and trial["outcome"] == "scored",
        "notes": [shown(str(note), limit) for note in _notes(trial)],
        "usage": _usage(trial),
        "artifacts": _artifacts(source, trial, answer.get("artifacts")),
        "refused": [
            shown(f"{each.get('name')}: {each.get('why')}", limit)
            for each in answer.get("refused") or ()
            if isinstance(each, dict)
        ],
    }


def _about(start: Mapping[str, Any] | None) -> About | None:
    if start is None:
        return None
    name = start.get("recording")
    return About(name if isinstance(name, str) else None)


def _text(value: Any, limit: int) -> str | None:
    return shown(value, limit) if isinstance(value, str) else None


def _path(source: Source, trial: Mapping[str, Any], name: Any) -> Path | None:
    """Return a file of the run folder that a report names; None where it leads out of it."""
    if source.home is None or not isinstance(name, str):
        return None
    path = (source.home / name).resolve()
    return path if path.is_relative_to(source.home.resolve()) and path.is_file() else None


def _expected(source: Source, trial: Mapping[str, Any]) -> dict[str, Any]:
    """Return what each check compared with, by check."""
    name = f"expected/{trial['task']}/{trial['instance']}/{trial['repeat']}.json"
    path = _path(source, trial, name)
    if path is None:
        return {}
    try:
        found = jsonfile.value_of(documents.read_bytes(path, documents.LARGEST_RECORD))
    except (OSError, ValueError, BrainoError):
        return {}
    values = found.get("values") if isinstance(found, dict) else None
    return values if isinstance(values, dict) else {}


def _check(check: Mapping[str, Any], values: Any, limit: int) -> dict[str, Any]:
    expected = values.get("expected") if isinstance(values, dict) else None
    return {
        "id": check["id"],
        "kind": check["kind"],
        "required": check["required"],
        "passed": check["passed"],
        "score": check.get("score"),
        "weight": check.get("weight"),
        "evidence": shown(str(check["evidence"]), limit),
        "expected": None if expected is None else as_json(expected, min(limit, 600)),
    }


def _notes(trial: Mapping[str, Any]) -> Iterator[str]:
    if trial["reason"]:
        yield str(trial["reason"])
    yield from trial.get("notes", ())
    yield from (f"Flag: {flag}" for flag in flags_of(trial))
    for each in trial.get("interruptions", ()):
        yield f"Attempt {each['attempt']} does not count ({each['outcome']}): {each['why']}"


def _usage(trial: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in trial["usage"].items() if value is not None}


def _short(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events with the middle of a long session left out, and said so."""
    if len(events) <= EVENTS:
        return events
    last = EVENTS - _FIRST
    left = {"type": "gap", "head": f"{len(events) - EVENTS} events are left out here"}
    return [*events[:_FIRST], left, *events[-last:]]


def _event(event: Mapping[str, Any], limit: int) -> dict[str, Any]:
    """Return an event as a heading and what is folded below it."""
    kind = str(event.get("type"))
    head, parts = _HEADS.get(kind, _other)(event)
    told: dict[str, Any] = {"type": kind, "head": shown(head, 400)}
    if isinstance(event.get("t"), int | float):
        told["t"] = round(float(event["t"]), 2)
    if kind in ("call", "execute") and event.get("ok") is False:
        told["failed"] = True
    if kind == "decide":
        told["status"] = str(event.get("status"))
    kept = [(name, value) for name, value in parts if value not in (None, "", {}, [])]
    if kept:
        told["parts"] = [
            [name, shown(value, limit) if isinstance(value, str) else as_json(value, limit)]
            for name, value in kept
        ]
    return told


Parts = list[tuple[str, Any]]


def _start(event: Mapping[str, Any]) -> tuple[str, Parts]:
    tools = event.get("toolset") or []
    many = len(tools) if isinstance(tools, list) else 0
    about = event.get("recording") or "the dataset"
    return f"Session about {about}, {many} tools, paradigm {event.get('paradigm')}", [
        ("limits", event.get("limits")),
    ]


def _call(event: Mapping[str, Any]) -> tuple[str, Parts]:
    args = json.dumps(event.get("args"), ensure_ascii=False)
    return f"{event.get('tool')} {shown(args, _ARGUMENTS)}", [
        ("arguments", event.get("args") if len(args) > _ARGUMENTS else None),
        ("result", event.get("result")),
        ("error", event.get("error")),
    ]


def _ask(event: Mapping[str, Any]) -> tuple[str, Parts]:
    return str(event.get("question")), [
        ("options", event.get("options")),
        ("reply", event.get("reply")),
    ]


def _decide(event: Mapping[str, Any]) -> tuple[str, Parts]:
    return f"{event.get('kind')}: {event.get('status')}", [
        ("proposal", event.get("proposal")),
        ("why", event.get("why")),
        ("the user says", event.get("say")),
        ("applied", event.get("applied")),
        ("error", event.get("error")),
    ]


def _execute(event: Mapping[str, Any]) -> tuple[str, Parts]:
    lines = str(event.get("code", "")).splitlines()
    head = next((line for line in lines if line.strip()), "code")
    return head, [
        ("code", event.get("code")),
        ("output", event.get("output")),
        ("error", event.get("error")),
    ]


def _answer(event: Mapping[str, Any]) -> tuple[str, Parts]:
    return "Answer", [("text", event.get("text")), ("data", event.get("data"))]


def _end(event: Mapping[str, Any]) -> tuple[str, Parts]:
    return f"End: {event.get('outcome')}", [("reason", event.get("reason"))]


def _log(event: Mapping[str, Any]) -> tuple[str, Parts]:
    return f"{event.get('source')}: {event.get('message')}", [("data", event.get("data"))]


def _other(event: Mapping[str, Any]) -> tuple[str, Parts]:
    rest = {name: value for name, value in event.items() if name not in ("n", "t", "type")}
    return str(event.get("type")), [("", rest)]


_HEADS = {
    "start": _start, "call": _call, "ask": _ask, "decide": _decide, "execute": _execute,
    "answer": _answer, "end": _end, "log": _log,
}  # fmt: skip


def _artifacts(source: Source, trial: Mapping[str, Any], names: Any) -> list[dict[str, Any]]:
    """Return the files that the agent handed in; texts with how they begin."""
    found = []
    home = None if not isinstance(trial["transcript"], str) else Path(trial["transcript"]).parent
    for name in (names if isinstance(names, list) else [])[:_ARTIFACTS]:
        path = None if home is None else _path(source, trial, str(home / "artifacts" / str(name)))
        row: dict[str, Any] = {"name": shown(str(name), 200)}
        if path is not None:
            row["bytes"] = path.stat().st_size
            if path.suffix.lower() in _TEXTS:
                with path.open("rb") as stream:
                    head = stream.read(4 * _PREVIEW)
                row["text"] = shown(head.decode("utf-8", "replace"), _PREVIEW)
            row["path"] = path
        found.append(row)
    return found
