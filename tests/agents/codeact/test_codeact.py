"""The conversation of `codeact`: its actions, its controls, what it hands in and records."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from braino.agent import AgentAnswer, AgentUnusable, check_factory
from braino_registry.agents.codeact.agent import CodeAct, data_of, files_of
from braino_registry.agents.codeact.controls import split
from braino_registry.agents.llm.client import ContextOverflow
from braino_registry.agents.llm.settings import Settings
from tests.agents.codeact.talking import Desk, Scripted, observation

RUN = "<execute>print(6 * 7)</execute>"
BAD = "<execute>1 / 0</execute>"
END = "<solution>It is 42.</solution>"


def hold(
    desk: Desk, *lines: Any, finish: str = "stop", **options: Any
) -> tuple[AgentAnswer, Scripted]:
    model = Scripted(lines, finish)
    return work(model, desk, **options), model


def work(model: Scripted, desk: Desk, **options: Any) -> AgentAnswer:
    agent = CodeAct(Settings("scripted"), split(options)[0])
    return agent.work(model, "How much is six times seven?", desk)  # type: ignore[arg-type]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def audit(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    lines = capsys.readouterr().err.splitlines()
    return [json.loads(line.removeprefix("codeact: ")) for line in lines]


def test_it_runs_code_and_reports(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    answer, model = hold(desk, RUN, lambda seen: f"<solution>It is {observation(seen)}.</solution>")
    assert answer == AgentAnswer("It is 42.", None, [])
    system, user = (message["content"] for message in model.seen[0])
    assert "/input" in user
    assert "six times seven" in user
    assert "mark-bad-channels" in system
    assert "$" not in system + user
    assert desk.of("usage") == [
        {"input_tokens": 10, "output_tokens": len(text), "turns": 1}
        for text in (RUN, "<solution>It is 42.</solution>")
    ]
    ran, reported, ended = audit(capsys)
    assert ran["sha256"] == hashlib.sha256(b"print(6 * 7)").hexdigest()
    assert (ran["action"], ran["ok"], ran["observed"]) == (
        "execute", True, {"chars": 2, "begins": "42"},
    )  # fmt: skip
    assert reported["action"] == "solution"
    assert ended == {"end": "solution", "rounds": 2, "actions": {"execute": 1, "solution": 1}}


def test_variables_stay_and_errors_are_shown(desk: Desk) -> None:
    shown: list[str] = []

    def look(seen: list[dict[str, Any]]) -> str:
        shown.append(observation(seen))
        return END

    hold(desk, "<execute>x = 2</execute>", "<execute>print('a'); x / 0</execute>", look)
    assert shown == ["a\nZeroDivisionError: division by zero"]


def test_silence_is_told(desk: Desk) -> None:
    answer, _ = hold(
        desk, "<execute>x = 2</execute>", lambda seen: f"<solution>{observation(seen)}</solution>"
    )
    assert answer.text == "The code ran and printed nothing."


def test_long_observations_are_cut_in_the_middle(desk: Desk) -> None:
    answer, _ = hold(
        desk, "<execute>print('a' * 500 + 'b' * 500)</execute>",
        lambda seen: f"<solution>{observation(seen)}</solution>", observation_chars=20,
    )  # fmt: skip
    assert answer.text.startswith("a" * 10 + "\n[")
    assert answer.text.endswith("]\n" + "b" * 10)


def test_it_asks_and_decides(desk: Desk) -> None:
    decide = '<decide kind="mark-bad-channels" why="noise">{"channels": ["T8"]}</decide>'
    answer, _ = hold(
        desk, "<ask>50 or 60 Hz?</ask>", decide,
        lambda seen: f"<solution>{observation(seen)}</solution>",
    )  # fmt: skip
    assert desk.of("ask") == ["50 or 60 Hz?"]
    assert desk.of("decide") == [("mark-bad-channels", {"channels": ["T8"]}, "noise")]
    assert json.loads(answer.text.removeprefix("The decision: ")) == {
        "status": "approved", "applied": {"channels": ["T8"]}, "say": "Go on.",
    }  # fmt: skip


@pytest.mark.parametrize(
    "proposal", ["no JSON", "[1]", "[" * 100_000, '{"a": NaN}', '{"a": "\\ud800"}']
)
def test_a_proposal_that_is_none_is_sent_back(desk: Desk, proposal: str) -> None:
    hold(desk, f'<decide kind="mark-bad-channels">{proposal}</decide>', END)
    assert desk.of("decide") == []


def test_without_a_dialogue_there_is_none(desk: Desk) -> None:
    _, model = hold(desk, "<ask>50 or 60 Hz?</ask>", END, dialogue=False)
    assert desk.of("ask") == []
    assert "<ask>" not in model.seen[0][0]["content"]


def test_the_last_round_has_to_answer(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    answer, model = hold(desk, RUN, RUN, END, rounds=3)
    assert answer.text == "It is 42."
    assert "No more code" in model.seen[2][-1]["content"]
    assert audit(capsys)[-1]["end"] == "solution after rounds"
    answer, _ = hold(desk, RUN, RUN, RUN, rounds=3)
    assert answer.text == ""
    assert len(desk.of("execute")) == 4  # that of the last round was not run
    assert audit(capsys)[-1]["end"] == "no solution: rounds"


def test_the_suites_turns_are_rounds(desk: Desk) -> None:
    desk.limits["turns"] = 2
    assert hold(desk, RUN, END)[0].text == "It is 42."
    assert hold(desk, RUN, RUN)[0].text == ""


def test_where_no_code_may_run_it_answers_at_once(desk: Desk) -> None:
    desk.limits["tool_calls"] = 0
    assert work(Scripted(["<solution>B</solution>"]), desk).text == "B"
    model = Scripted(["<execute>print(1)</execute>"])
    assert work(model, desk).text == ""
    assert desk.of("execute") == []
    assert "No more code is run" in model.seen[0][-1]["content"]


def test_replies_without_an_action_end_it(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    answer, model = hold(desk, "Hm.", "Well.", "Er.", END)
    assert answer.text == "It is 42."
    assert "No more code" in model.seen[3][-1]["content"]
    assert audit(capsys)[-1]["end"] == "solution after non_actions"
    assert hold(desk, "Hm.", "Well.", "Er.", RUN)[0].text == ""


@pytest.mark.parametrize(
    "failures",
    [[BAD, BAD, BAD], [BAD, "<execute>2 / 0</execute>", "<execute>3 / 0</execute>"]],
    ids=["the same code", "the same error"],
)
def test_failures_that_repeat_end_it(desk: Desk, failures: list[str]) -> None:
    assert hold(desk, *failures, END)[0].text == "It is 42."
    assert hold(desk, *failures, RUN)[0].text == ""
    assert len(desk.of("execute")) == 6


def test_failures_that_differ_or_are_mended_do_not(desk: Desk) -> None:
    other = "<execute>undefined</execute>"
    answer, _ = hold(desk, BAD, BAD, RUN, BAD, other, BAD, other, RUN, END)
    assert answer.text == "It is 42."
    assert len(desk.of("execute")) == 8


def test_a_reply_that_was_cut_is_not_run(desk: Desk) -> None:
    hold(desk, "<execute>print(1", "<solution>half", "<execute>x", "<solution>x", finish="length")
    assert desk.of("execute") == []


def test_two_turns_of_the_user_become_one(desk: Desk) -> None:
    _, model = hold(desk, RUN, END, rounds=2)
    roles = [message["role"] for message in model.seen[-1]]
    assert roles == ["system", "user", "assistant", "user"]


def test_an_empty_reply_leaves_no_empty_turn(desk: Desk) -> None:
    _, model = hold(desk, "", END)
    assert all(message["content"] for message in model.seen[-1])


def test_data_and_files_are_handed_in(desk: Desk) -> None:
    desk.fields = {"n": {"type": "number"}}
    (desk.workspace / "file_check").mkdir()
    (desk.workspace / "file_check" / "table.csv").write_text("x")
    (desk.workspace / "draft.txt").write_text("x")
    (desk.workspace / ".cache").mkdir()
    (desk.workspace / ".cache" / "x").write_text("x")
    (desk.workspace / "link").symlink_to("draft.txt")
    answer, model = hold(
        desk, '<solution>See table.csv.\n```json\n{"n": 42, "other": 1}\n```</solution>'
    )
    assert answer.data == {"n": 42}
    assert list(answer.artifacts) == ["file_check/table.csv", "draft.txt"]
    assert '"n"' in model.seen[0][1]["content"]


@pytest.mark.parametrize(
    ("report", "data"),
    [
        ('{"n": 1}', {"n": 1}),
        ('```json\n{"n": 1}\n```\n```json\n{"n": 2}\n```', {"n": 2}),
        ("```\n[1]\n```", None),
        ('```json\n{"m": 1}\n```', None),
        ("```json\n" + "[" * 100_000 + "\n```", None),
        ("none", None),
    ],
)
def test_data_of_a_report(report: str, data: dict[str, Any] | None) -> None:
    assert data_of(report, {"n": {}}) == data


def test_files_are_bounded(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number:03}").write_text("")
    (tmp_path / os.fsdecode(b"\xff.png")).write_text("")  # a name that is no text
    os.mkfifo(tmp_path / "000.pipe")
    found = files_of(tmp_path, "see 299 and \udcff.png")
    assert len(found) == 200
    assert not {"000.pipe", "\udcff.png"} & set(found)
    assert found[0] == "299"


def test_a_conversation_that_is_too_long_is_shortened_before_it_is_given_up(desk: Desk) -> None:
    class Narrow(Scripted):
        def ask(self, session: Any, messages: list[dict[str, Any]]) -> Any:
            if sum(len(message["content"]) for message in messages[2:]) > 3_000:
                raise ContextOverflow("too long")
            return super().ask(session, messages)

    long = "<execute>print('x' * 1400)</execute>"
    model = Narrow([long, long, long, END])
    assert work(model, desk).text == "It is 42."
    assert "left out to save room" in model.seen[-1][3]["content"]
    assert len(observation(model.seen[-1])) == 1400
    too_long = Narrow(["<execute>print('x' * 7000)</execute>", END])
    with pytest.raises(ContextOverflow):
        work(too_long, desk)


def test_it_works_by_code_only(desk: Desk) -> None:
    desk.paradigm = "tools"
    with pytest.raises(RuntimeError, match="--paradigm code"):
        hold(desk, END)


@pytest.mark.parametrize(
    "options", [{"rounds": 0}, {"rounds": "3"}, {"rounds": True}, {"dialogue": 1}]
)
def test_controls_have_values_that_they_may_have(options: dict[str, Any]) -> None:
    with pytest.raises(AgentUnusable, match="codeact's"):
        split(options)


def test_the_factory_splits_controls_from_settings_of_the_model() -> None:
    made: Any = check_factory(
        "braino_registry.agents.codeact:make", "m", options={"rounds": 5, "top_p": 0.5,
                                                             "base_url": "http://127.0.0.1:9/v1"},
    )  # fmt: skip
    assert made.settings["controls"]["rounds"] == 5
    assert (made.name, made.model) == ("codeact", "m")
