"""Every way in which an agent can go wrong is an ending with a reason, never an exception."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from braino_registry.session import Limits, TrialSession
from tests.session.support import HOSTILE, check_events, open_session, run_agent

MB = 1 << 20

# factory, outcome, part of the reason, messages of the agent that break the schema
CASES = [
    ("raises", "agent_error", "solve: ValueError: no idea", 0),
    ("returns_none", "agent_error", "answer: solve returned nothing (None)", 0),
    (
        "returns_str",
        "agent_error",
        "solve returned a str; solve must return AgentAnswer",
        0,
    ),
    ("text_is_number", "agent_error", "answer: the answer's text is a int, not a str", 0),
    ("nan_data", "agent_error", "answer: the answer cannot be sent as JSON: Out of range float", 0),
    ("object_data", "agent_error", "object is not a JSON value", 0),
    ("lone_surrogate", "agent_error", "surrogates not allowed", 0),
    ("one_path", "agent_error", "must be a list of paths", 0),
    ("exits", "agent_error", "solve: SystemExit: 3", 0),
    ("hard_exit", "agent_error", "ended without an answer", 0),
    ("kills_itself", "agent_error", "ended without an answer", 0),
    ("forks", "agent_error", "ended without an answer", 0),
    ("forged_reply", "agent_error", 'a message of the type "reply"', 1),
    ("old_id", "agent_error", "a call with the id 1; ids are whole numbers that grow", 0),
    ("invalid_utf8", "agent_error", "not JSON (Invalid UTF-8", 1),
    ("no_json", "agent_error", "not JSON", 1),
    ("deep", "agent_error", "not JSON", 1),
]


@pytest.mark.parametrize(("factory", "outcome", "reason", "wrong"), CASES)
def test_ending(
    pristine: Path, tmp_path: Path, factory: str, outcome: str, reason: str, wrong: int
) -> None:
    session = open_session(tmp_path / "trial", pristine)
    ending, _, _ = run_agent(session, f"{HOSTILE}:{factory}", wrong=wrong)
    assert (ending.outcome, ending.answer) == (outcome, None)
    assert reason in ending.reason
    end = session.transcript.events[-1]
    assert (end["type"], end["outcome"], end["reason"]) == ("end", outcome, ending.reason)


LIMITED = [
    ("loops", Limits(), 0.4, "seconds: no answer within the time limit"),
    ("never_reads", Limits(), 0.6, "seconds: no answer within the time limit"),
    ("slow_tool", Limits(), 0.3, "seconds: no answer within the time limit"),
    ("floods", Limits(output_bytes=100_000), 20, "output_bytes: the agent sent more than 100000"),
    ("long_line", Limits(message_bytes=MB), 20, "message_bytes: a message of more than 1048576"),
    ("long_answer", Limits(message_bytes=MB), 20, "message_bytes: a message of more than 1048576"),
    ("calls_forever", Limits(tool_calls=3), 20, "tool_calls: more than 3 tool calls"),
    ("calls_in_spite", Limits(questions=2), 20, "questions: more than 2 questions"),
]


@pytest.mark.parametrize(("factory", "limits", "seconds", "reason"), LIMITED)
def test_limit(
    pristine: Path, tmp_path: Path, factory: str, limits: Limits, seconds: float, reason: str
) -> None:
    session = open_session(tmp_path / "trial", pristine, limits=limits)
    ending, _, _ = run_agent(session, f"{HOSTILE}:{factory}", seconds=seconds)
    assert ending.outcome == "limit"
    assert ending.answer is None
    assert ending.reason.startswith(reason)
    events = session.transcript.events
    assert events[-1]["type"] == "end"
    assert sum(event["type"] == "call" for event in events) <= limits.tool_calls
    assert sum(event["type"] == "ask" for event in events) <= limits.questions


def test_prints_of_100_mb_do_not_disturb(pristine: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "trial", pristine)
    ending, code, prints = run_agent(session, f"{HOSTILE}:prints_much")
    assert ending.answer is not None
    assert (ending.answer.text, code) == ("printed", 0)
    assert prints.startswith(b"xxx")


def test_descriptors_0_and_1_are_not_the_protocol(pristine: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "trial", pristine)
    ending, _, prints = run_agent(session, f"{HOSTILE}:raw_stdout")
    assert ending.answer is not None
    assert ending.answer.text == "stdin is empty: ''"
    assert b"forged through descriptor 1" in prints
    assert b"a child prints too" in prints


def test_forged_approval_is_refused_and_recorded(pristine: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "trial", pristine)
    ending, _, _ = run_agent(session, f"{HOSTILE}:forged_decision", wrong=1)
    assert ending.answer is not None
    assert ending.answer.text.startswith("False this is no decide: Object contains unknown field")
    assert not [event for event in session.transcript.events if event["type"] == "decide"]
    assert any(
        "malformed decide" in event.get("message", "") for event in session.transcript.events
    )


def test_what_follows_the_answer_does_not_count(pristine: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "trial", pristine)
    ending, _, _ = run_agent(session, f"{HOSTILE}:two_answers")
    assert ending.answer is not None
    assert ending.answer.text == "first"
    answers = [event for event in session.transcript.events if event["type"] == "answer"]
    assert [event["text"] for event in answers] == ["first"]
    assert any("were not read" in event.get("message", "") for event in session.transcript.events)


def test_a_fault_of_a_tool_is_told_and_noted_and_the_session_goes_on(
    pristine: Path, tmp_path: Path
) -> None:
    session = open_session(tmp_path / "trial", pristine)
    ending, _, _ = run_agent(session, f"{HOSTILE}:breaks_a_tool")
    assert ending.answer is not None
    assert ending.answer.text.startswith("broken failed unexpectedly (RuntimeError)\n")
    note, call = session.transcript.events[2:4]
    assert (note["source"], note["data"]) == ("harness", {"fault": "RuntimeError"})
    assert note["message"] == "broken failed: RuntimeError: a fault of the harness"
    assert (call["type"], call["ok"]) == ("call", False)


@pytest.mark.parametrize("step", ["_ask", "_report_usage"])
def test_a_fault_anywhere_is_a_refused_request(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def broken(self: TrialSession, request: object) -> dict[str, Any]:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(TrialSession, step, broken)
    session = open_session(tmp_path / "t", root)
    kind = {"_ask": "ask", "_report_usage": "usage"}[step]
    body = {"ask": {"question": "Why?"}, "usage": {"usage": {"cost": 1}}}[kind]
    reply = session.handle({"type": kind, "id": 1, **body})
    assert reply["error"]["problem"] == f"{kind} failed unexpectedly (ZeroDivisionError)"
    assert session.transcript.events[-1]["data"] == {"fault": "ZeroDivisionError"}
    check_events(session)


def test_a_fault_in_reading_is_an_agent_error_with_a_note(
    pristine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(line: bytes, last_id: int) -> dict[str, Any]:
        raise KeyError("a bug")

    monkeypatch.setattr("braino_registry.session.messages.read_line", broken)
    session = open_session(tmp_path / "trial", pristine)
    ending, _, _ = run_agent(session, f"{HOSTILE}:good")
    assert ending.outcome == "agent_error"
    assert ending.reason == "reading what the agent sent failed unexpectedly (KeyError)"
    assert session.transcript.events[-2]["data"] == {"fault": "KeyError"}


@pytest.mark.parametrize("value", [1e308, 1.1e12])
def test_usage_that_no_model_call_can_take_is_refused(
    root: Path, tmp_path: Path, value: float
) -> None:
    session = open_session(tmp_path / "t", root)
    for number in (1, 2):
        message = {"type": "usage", "id": number, "usage": {"input_tokens": value}}
        assert "<= 1000000000000" in session.handle(message)["error"]["problem"]
    assert session.handle({"type": "usage", "id": 3, "usage": {"input_tokens": 1e12}})["ok"]
    assert session.usage["input_tokens"] == 1e12
    check_events(session)


def test_only_files_of_the_workspace_count(pristine: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "trial", pristine)
    ending, _, _ = run_agent(session, f"{HOSTILE}:files")
    assert ending.answer is not None
    assert ending.answer.artifacts == ("plot.png",)
    answer = next(event for event in session.transcript.events if event["type"] == "answer")
    why = {each["name"]: each["why"] for each in answer["refused"]}
    assert why == {
        "link.png": "a link",
        "gone.png": "No such file or directory",
        "../events.jsonl": "not a path inside the workspace",
        "/etc/passwd": "not a path inside the workspace",
    }


def test_numpy_values_are_plain_json(pristine: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "trial", pristine)
    ending, _, _ = run_agent(session, f"{HOSTILE}:numpy_data")
    assert ending.answer is not None
    assert ending.answer.data == {"peak": 1.5, "all": [0, 1, 2]}


def test_good_agent(pristine: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "trial", pristine)
    ending, code, prints = run_agent(session, f"{HOSTILE}:good")
    assert (ending.outcome, ending.reason, code) == ("finished", "", 0)
    assert ending.answer is not None
    assert ending.answer.text == "The dataset has 2 subjects."
    assert prints == b"a print must not reach the protocol\n"
    kinds = [event["type"] for event in session.transcript.events]
    assert kinds == ["start", "log", "call", "answer", "end"]
    assert session.transcript.intact()
