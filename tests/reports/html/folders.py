"""Run folders for tests of the page, hostile ones among them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from braino_registry import reports
from tests.reports.samples import check, report, trial

#: What an agent may write to harm whoever looks at it.
SCRIPT = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
ANSI = "\x1b[2J\x1b[31mred\x1b]0;owned\x07"
BIDI = "user\u202etxt.exe\u2066\u200f"
BREAKOUT = "</script></title></style>-->{{ 7*7 }}"
EVIL = f"{SCRIPT} {ANSI} {BIDI} {BREAKOUT}"


def events(answer: str, more: Sequence[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    body = [
        {
            "type": "start", "request": "Find the bad channels.", "paradigm": "tools",
            "recording": "sub-01_task-oddball", "toolset": ["calc@1.0.0"], "limits": {},
        },
        {
            "type": "call", "tool": "quality.bad_channels", "version": "1.0.0", "ok": True,
            "args": {"view": "sub-01_task-oddball"}, "result": {"channels": ["T8"]}, "seconds": 0.1,
        },
        *more,
        {
            "type": "decide", "kind": "mark-bad-channels", "proposal": {"channels": ["F7", "T8"]},
            "why": "They stand out.", "status": "edited", "applied": {"channels": ["T8"]},
            "say": "F7 is fine.", "rule": 0, "recording": None, "written": [],
        },
        {"type": "ask", "question": "50 or 60 Hz?", "options": None, "reply": "50", "about": None},
        {"type": "answer", "text": answer, "data": None, "artifacts": ["a.csv"], "refused": []},
        {"type": "end", "outcome": "finished", "reason": ""},
    ]  # fmt: skip
    return [{"n": n, "t": n / 10, **event} for n, event in enumerate(body)]


def write_run(
    folder: Path,
    trials: Sequence[dict[str, Any]],
    *,
    answer: str = "T8 is bad.",
    more: Sequence[dict[str, Any]] = (),
    journal: bool = True,
    sealed: bool = True,
    **asked: Any,
) -> Path:
    """Write a run folder whose trials have transcripts; return it."""
    rows = []
    for row in trials:
        name = f"trials/{row['task']}/{row['instance']}/{row['repeat']}"
        home = folder / name
        (home / "artifacts").mkdir(parents=True)
        lines = [json.dumps(event) for event in events(answer, more)]
        (home / "events.jsonl").write_text("\n".join(lines) + "\n")
        (home / "artifacts" / "a.csv").write_text("channel\nT8\n")
        expected = folder / "expected" / row["task"] / row["instance"] / f"{row['repeat']}.json"
        expected.parent.mkdir(parents=True, exist_ok=True)
        expected.write_text(json.dumps({"values": {"names-it": {"expected": ["T8"]}}}))
        rows.append({**row, "transcript": f"{name}/events.jsonl"})
    document = report(rows, **asked)
    run = {
        "schema": "run/1", "run_id": document["run_id"], "started": document["started"],
        "asked": {"repeats": 1, "tier": "minimum", "profile": "strict", "registry": []},
        "agent": document["agent"], "rule": "braino", "salt": None,
        "plan": {
            "suite": "braino", "suite_version": "1.0.0", "trials": len(rows),
            "planned": [
                {"task": r["task"], "instance": r["instance"], "difficulty": "easy"} for r in rows
            ],
        },
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(run))
    if journal:
        lines = [json.dumps({"type": "finished", "record": row}) for row in rows]
        (folder / "journal.jsonl").write_text("\n".join(lines) + "\n")
    if sealed:
        reports.write(folder / "report.json", document)
    return folder


def some_trials(many: int = 4, *, failing: bool = True) -> list[dict[str, Any]]:
    return [
        trial(
            task=("bad-channels-ask", "count-events")[n % 2],
            instance=f"sub-{n // 2:02d}",
            outcome="failed" if failing and n % 3 == 0 else "passed",
            checks=[check(passed=not (failing and n % 3 == 0)), check("asks", required=False)],
        )
        for n in range(many)
    ]
