"""The table of outcomes and limits names all that there are."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from braino_registry.registry import schemas
from braino_registry.reports import SCORED
from braino_registry.runner import records
from braino_registry.runner.clock import WALL_FACTOR
from braino_registry.runner.interruptions import MAY_BE
from braino_registry.session import Limits

DOCS = Path(__file__).parents[2] / "docs" / "outcomes.md"


def named() -> set[str]:
    return set(re.findall(r"`([a-z_]+)`", DOCS.read_text(encoding="utf-8")))


def test_every_outcome_of_a_report_is_in_the_table() -> None:
    trial = schemas.document("report-1")["$defs"]["trial_row"]["properties"]
    outcomes = set(trial["outcome"]["enum"])
    assert outcomes <= named()
    assert set(MAY_BE) <= SCORED <= outcomes


def test_every_limit_is_in_the_table() -> None:
    limits = {field.name for field in fields(Limits)} | {"seconds"}
    # The longest message belongs to what an agent sends; no task sets it.
    assert limits - {"message_bytes"} <= named()
    assert WALL_FACTOR == 3, "the table says three times"


def test_limits_that_a_task_may_set_are_in_the_table() -> None:
    settable = schemas.document("task-1")["$defs"]["limits"]["properties"]
    assert set(settable) <= named()


def test_working_time_leaves_out_what_the_requests_took() -> None:
    def event(kind: str, t: float, **more: float) -> dict[str, object]:
        return {"type": kind, "t": t, **more}

    events = [
        event("start", 0.5),
        event("call", 3.0, seconds=2.0),
        event("ask", 3.1),
        event("execute", 5.0, seconds=1.5),
        event("end", 6.0),
    ]
    assert records.time_of(events) == {"seconds": 5.5, "working_seconds": 2.0}
    assert records.time_of(events[:1]) == {"seconds": 0.0, "working_seconds": 0.0}
