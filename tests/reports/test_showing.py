from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from braino_registry.errors import UsageError
from braino_registry.reports.printing import Printer
from braino_registry.reports.showing import chosen, show_trials, told
from tests.reports.samples import check, report, trial
from tests.reports.test_summary import absent

TRIALS = [
    trial(instance="a"),
    trial(instance="a", repeat=2),
    trial(instance="b", outcome="failed", checks=[check(), check("asks", False, required=False)]),
    trial(task="other"),
]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (None, [0, 1, 2, 3]),
        ("bad-channels-ask", [0, 1, 2]),
        ("bad-channels-ask/a", [0, 1]),
        ("bad-channels-ask/a/2", [1]),
    ],
)
def test_a_name_means_a_task_an_instance_or_a_repeat(name: str | None, found: list[int]) -> None:
    document = report(TRIALS, not_planned=[absent()])
    assert chosen(document, name) == [document["trials"][i] for i in found]


@pytest.mark.parametrize(
    ("name", "problem", "likely"),
    [
        ("bad-chanels-ask", "the task 'bad-chanels-ask'", "'bad-channels-ask'"),
        ("bad-channels-ask/x", "the instance 'x'", "Allowed: a, b"),
        ("bad-channels-ask/b/2", "the repeat '2'", "Allowed: 1"),
    ],
)
def test_what_was_not_run_is_told_with_what_was(name: str, problem: str, likely: str) -> None:
    with pytest.raises(UsageError) as caught:
        chosen(report(TRIALS), name)
    assert problem in caught.value.problem
    assert likely in caught.value.hint


def test_a_trial_is_told_with_request_answer_and_all_evidence(tmp_path: Path) -> None:
    events = [
        {"n": 0, "type": "start", "request": "Find the bad channels."},
        {"n": 1, "type": "answer", "text": "T8 is bad."},
    ]
    lines = "".join(json.dumps(event) + "\n" for event in events)
    (tmp_path / "events.jsonl").write_text(lines + '{"n": 2, "ty')
    row = {**TRIALS[2], "transcript": "events.jsonl", "reason": "slow", "notes": ["a link"]}
    row["usage"] = {**row["usage"], "tool_calls": 3, "input_tokens": 100}
    stream = io.StringIO()
    show_trials(Printer(stream), [told(row, tmp_path), told(row, tmp_path / "elsewhere")])
    here, elsewhere = stream.getvalue().split("\n\n")
    assert here.splitlines() == [
        "bad-channels-ask/b/1: failed, score 0.5, 0.50 s",
        "Request: Find the bad channels.",
        "Answer: T8 is bad.",
        "Reason: slow",
        "Note: a link",
        "  passed names-it (set, required): found T8, expected T8",
        "  FAILED asks (set): found T8, expected T8",
        "Used: 100 input tokens, 3 tool calls, 0 questions, 0 decisions; "
        "not reported: output tokens, cost",
        f"Transcript: {tmp_path / 'events.jsonl'}",
    ]
    assert "Request" not in elsewhere
    assert "Transcript: events.jsonl (in the run folder" in elsewhere


@pytest.mark.parametrize(
    "damage",
    [b"[]\n", b"7\n", b'{"type": "answer"}\n', b'{"no": 1}\n', b"\xff\n", b"[" * 99_999 + b"\n"],
)
def test_a_damaged_transcript_is_shown_as_far_as_it_goes(tmp_path: Path, damage: bytes) -> None:
    start = b'{"n": 0, "type": "start", "request": "Find them."}\n'
    (tmp_path / "events.jsonl").write_bytes(start + damage)
    row = told({**TRIALS[2], "transcript": "events.jsonl"}, tmp_path)
    assert (row["request"], row["answer"]) == ("Find them.", None)


def test_what_an_agent_wrote_steers_no_terminal_and_floods_none(tmp_path: Path) -> None:
    text = "\x1b[2J\x1b]0;owned\x07 user\u202etxt.exe\u2066 " + "z" * 5_000_000
    line = json.dumps({"n": 0, "type": "answer", "text": text})
    (tmp_path / "events.jsonl").write_text(line + "\n")
    stream = io.StringIO()
    show_trials(Printer(stream), [told({**TRIALS[0], "transcript": "events.jsonl"}, tmp_path)])
    assert not set("\x1b\x07\u202e\u2066") & set(stream.getvalue())
    assert len(stream.getvalue()) < 30_000
    assert "more characters" in stream.getvalue()
