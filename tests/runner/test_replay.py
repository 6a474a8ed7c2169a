"""``replay:PATH``: the steps of a transcript once more, through the same session."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino.agent import AgentAnswer, AgentUnusable
from braino_registry import agents, runner
from braino_registry.agents.replay import NothingToReplay, Replay, make, read, renamed
from braino_registry.datasets import Store
from braino_registry.errors import UsageError
from braino_registry.runner import try_task
from tests.agents.test_command import Desk
from tests.runner.test_programs import lines


def write(folder: Path, *events: dict[str, Any], request: str = "What?") -> Path:
    file = folder / "events.jsonl"
    rows = [{"type": "start", "request": request}, *events]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_the_transcript_of_a_replay_is_the_transcript(tmp_path: Path, cache: Path) -> None:
    options: dict[str, Any] = {"instance": "sub-02", "store": Store(cache)}
    first = try_task("bad-channels-ask", keep=tmp_path / "one", **options)
    again = try_task(
        "bad-channels-ask", agent=f"replay:{tmp_path / 'one'}", keep=tmp_path / "two", **options
    )
    assert first["outcome"] == again["outcome"] == "passed"
    assert lines(tmp_path / "one") == lines(tmp_path / "two")
    assert not list((tmp_path / "two").rglob("agent.log"))  # nothing came out differently


@pytest.mark.slow
def test_a_whole_run_is_replayed_each_trial_by_its_own(settings: Any, tmp_path: Path) -> None:
    asked = replace(settings("unused:agent"), agent="oracle", run_dir=tmp_path / "one")
    first = runner.run(asked)
    again = runner.run(settings(f"replay:{tmp_path / 'one'}", "probe-sum"))
    assert [t["score"] for t in first.report["trials"]] == [1.0, 1.0]
    assert [t["score"] for t in again.report["trials"]] == [1.0, 1.0]
    assert again.report["agent"]["name"] == "replay"


def test_everything_is_repeated_and_differences_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "artifacts").mkdir()
    (tmp_path / "artifacts" / "a.png").write_text("picture")
    file = write(
        tmp_path,
        {"type": "log", "message": "hello"},
        {"type": "call", "tool": "a.sum", "args": {"x": 1}, "ok": True, "result": {"value": 3}},
        {"type": "call", "tool": "a.sum", "args": {"x": 2}, "ok": True, "result": {"value": 4}},
        {"type": "ask", "question": "Hz?", "options": ["50", "60"], "reply": "50 Hz"},
        {"type": "decide", "kind": "mark", "proposal": {"channels": ["Cz"]}, "why": "noisy",
         "status": "edited", "applied": {"channels": ["T8"]}},
        {"type": "review", "problems": []},
        {"type": "usage", "usage": {"input_tokens": 5}},
        {"type": "answer", "text": "3", "data": {"total": 3}, "artifacts": ["a.png"]},
        {"type": "end"},
    )  # fmt: skip
    assert Replay([file]).solve("What?", desk) == AgentAnswer("3", {"total": 3}, ("a.png",))
    assert desk.asked == [
        ("call", "a.sum", {"x": 1}), ("call", "a.sum", {"x": 2}), ("ask", "Hz?", ["50", "60"]),
        ("decide", "mark", {"channels": ["Cz"]}, "noisy"), ("usage", {"input_tokens": 5}),
    ]  # fmt: skip
    assert (desk.workspace / "a.png").read_text() == "picture"
    assert capsys.readouterr().err == "another outcome than recorded: call number 3\n"


def test_names_that_are_drawn_anew_are_those_of_this_trial(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    call = {"type": "call", "tool": "a.sum", "args": {"record_id": "EEG_0000000A"}, "ok": True,
            "result": {"value": 3}}  # fmt: skip
    answer = {"type": "answer", "text": "EEG_0000000A has 3", "data": None, "artifacts": []}
    file = write(tmp_path, call, answer, request="What of EEG_0000000A?")
    assert Replay([file]).solve("What of EEG_FFFFFFFF?", desk).text == "EEG_FFFFFFFF has 3"
    assert desk.asked == [("call", "a.sum", {"record_id": "EEG_FFFFFFFF"})]


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    file = write(tmp_path, request="Another?")
    with pytest.raises(NothingToReplay, match=r"none of 1 transcripts is about: What\?"):
        make(str(tmp_path)).solve("What?", Desk(tmp_path))
    with pytest.raises(NothingToReplay, match="ends without an answer"):
        make(str(file)).solve("Another?", Desk(tmp_path))
    (tmp_path / "empty").mkdir()
    for text in ("", str(tmp_path / "none"), str(tmp_path / "empty")):
        with pytest.raises(UsageError, match="no transcript to replay"):
            agents.resolve(f"replay:{text}")
    file.write_text("{}\n")
    with pytest.raises(AgentUnusable, match="line 1 is no event"):
        make(str(file)).preflight()


@given(st.lists(st.binary()))
def test_rubbish_is_no_transcript(
    tmp_path_factory: pytest.TempPathFactory, rows: list[bytes]
) -> None:
    file = tmp_path_factory.getbasetemp() / "rubbish.jsonl"
    file.write_bytes(b"\n".join(rows))
    with pytest.raises(ValueError, match=r"\S"):
        read(file)


def test_renaming_leaves_everything_else() -> None:
    value = {"a": ["EEG_0000000A", 1, None], "EEG_0000000A": {"b": "EEG_0000000B"}}
    names = {"EEG_0000000A": "EEG_FFFFFFFF"}
    assert renamed(value, names) == {
        "a": ["EEG_FFFFFFFF", 1, None], "EEG_FFFFFFFF": {"b": "EEG_0000000B"},
    }  # fmt: skip
    assert renamed(value, {}) is value
