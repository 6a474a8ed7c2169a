"""Agents that say how much a benchmark asks: guesses, and plain rules on what tools measure.

They know a task by the fields of its answer: one label, a list of events, a hypnogram.
"""

from __future__ import annotations

import re
from typing import Any

from braino.agent import Session

STAGES = ("W", "N1", "N2", "N3", "REM")
EVENTS, HYPNOGRAM = "events", "hypnogram"
#: A word with a digit or an underscore: an id may be drawn without any digit.
_RECORD = re.compile(r"\b[Rr]ecord(?:ing)? ([A-Za-z0-9_\-]*[0-9_][A-Za-z0-9_\-]*)")


def field_of(session: Session) -> tuple[str, dict[str, Any]]:
    """Return name and contract of the field that is to be answered; of several the first."""
    fields: dict[str, Any] = getattr(session, "fields", None) or {}
    for name, spec in fields.items():
        if spec.get("type") in ("label", EVENTS, HYPNOGRAM):
            return name, spec
    return next(iter(fields.items()), ("answer", {"type": "text"}))


def record_of(request: str) -> str:
    """Return the record that a request is about, or an empty text."""
    found = _RECORD.search(request)
    return found[1] if found else ""


def length_of(request: str, session: Session) -> tuple[float, int]:
    """Return seconds and whole half minutes of the record; 0 where no tool tells them."""
    if "get_recording_info" not in {tool.name for tool in session.tools()}:
        return 0.0, 0
    outcome = session.call("get_recording_info", {"record_id": record_of(request)})
    info = outcome.result if outcome.ok else {}
    return float(info.get("duration_sec", 0.0)), int(info.get("n_epochs_30s", 0))


def as_runs(stages: list[str]) -> list[dict[str, Any]]:
    """Return one stage per epoch as runs of equal stages."""
    runs: list[dict[str, Any]] = []
    for epoch, stage in enumerate(stages):
        if runs and runs[-1]["stage"] == stage:
            runs[-1]["end_epoch"] = epoch
        else:
            runs.append({"start_epoch": epoch, "end_epoch": epoch, "stage": stage})
    return runs
