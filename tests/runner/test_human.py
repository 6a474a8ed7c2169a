"""``human``: a task solved by what is typed at a real pseudo-terminal."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino.agent import AgentAnswer, AgentUnusable, LimitReached
from braino_registry import agents
from braino_registry.agents.human.agent import Human
from braino_registry.agents.human.commands import Mistyped, read_arguments
from braino_registry.errors import UsageError
from tests.agents.test_command import Desk
from tests.runner.test_programs import lines

REPO = Path(__file__).parents[2]
ENTRIES = Path(__file__).parent / "entries"


class Keyboard:
    """The other side of a pseudo-terminal."""

    def __init__(self) -> None:
        self._ours, self.theirs = pty.openpty()
        attributes = termios.tcgetattr(self.theirs)
        attributes[3] &= ~termios.ECHO  # so that what is typed is not taken for what is said
        termios.tcsetattr(self.theirs, termios.TCSANOW, attributes)
        self.path = os.ttyname(self.theirs)
        self.said = ""

    def type(self, *typed: str) -> None:
        for line in typed:
            os.write(self._ours, f"{line}\n".encode())

    def until(self, text: str, seconds: float = 60.0) -> str:
        """Read until a text has been said; return what was said up to it, and forget it."""
        end = time.monotonic() + seconds
        while text not in self.said:
            ready, _, _ = select.select([self._ours], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"{text!r} was not said, but: {self.said[-2000:]}"
            try:
                piece = os.read(self._ours, 4096)
            except OSError:
                piece = b""
            assert piece, f"the terminal was closed after: {self.said[-2000:]}"
            self.said += piece.decode(errors="replace").replace("\r", "")
        found, _, self.said = self.said.partition(text)
        return found

    def close(self) -> None:
        os.close(self._ours)
        os.close(self.theirs)


@pytest.fixture
def keyboard() -> Iterator[Keyboard]:
    made = Keyboard()
    yield made
    made.close()


def test_a_task_is_solved_by_what_is_typed(keyboard: Keyboard, tmp_path: Path, cache: Path) -> None:
    run = tmp_path / "run"
    command = [
        sys.executable, "-m", "braino_registry.cli", "eval", "run", "probe-sum/small",
        "--agent", "human:anna", "--registry", str(ENTRIES), "--run-dir", str(run),
        "--cache", str(cache),
    ]  # fmt: skip
    ends = dict.fromkeys(("stdin", "stdout", "stderr"), keyboard.theirs)
    environ = {**os.environ, "PYTHONPATH": str(REPO)}
    process = subprocess.Popen(command, env=environ, start_new_session=True, **ends)
    try:
        assert "What is 20 plus 22?" in keyboard.until("type `help`.\n> ")
        keyboard.type("calc expression='20 + 22'")
        assert json.loads(keyboard.until("\n> "))["value"] == 42
        keyboard.type("ask May I round the result?")
        assert keyboard.until("\n> ") == "No rounding."
        keyboard.type("data total=42")
        keyboard.until("\n> ")
        keyboard.type("answer The total is 42.")
        keyboard.until("1 of 1 scored trials pass")
        keyboard.until("Run folder")
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
    report = json.loads((run / "report.json").read_text())
    assert report["agent"]["name"] == "anna"
    assert report["trials"][0]["outcome"] == "passed"
    assert [line["type"] for line in lines(run)] == [
        "start", "call", "ask", "review", "answer", "end",
    ]  # fmt: skip


def converse(
    keyboard: Keyboard, desk: Desk, *typed: str
) -> tuple[list[str], AgentAnswer | Exception]:
    """Type lines one after the other; return what was said to each, and what came of it all."""
    came: list[AgentAnswer | Exception] = []

    def work() -> None:
        try:
            came.append(Human(keyboard.path).solve("What?", desk))
        except Exception as error:  # the test looks at it
            came.append(error)

    person = threading.Thread(target=work)
    person.start()
    said = [keyboard.until("> ")]
    for line in typed[:-1]:
        keyboard.type(line)
        said.append(keyboard.until("\n> "))
    keyboard.type(typed[-1])
    person.join(30)
    return said, came[0]


def test_everything_that_an_agent_has_can_be_typed(keyboard: Keyboard, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (desk.workspace / "a.png").write_text("")
    said, answer = converse(
        keyboard, desk,
        "help", "tools", "tools nothing-like-it", "show a.sum", "show mark", "decisions",
        'a.sum {"x": [1, 2]}', "a.sum x=1 y=Pz,Cz z=true w='two words'", "a.summ", "ask", "ask Hz?",
        "decide mark channels=Cz,T8 why: they are noisy", "decide burn", "fields", "data total=3",
        "attach a.png", "attach b.png", "a.sum {", "answer", "\nanswer It is 3.",
    )  # fmt: skip
    told = dict(zip(["", *range(1, len(said))], said, strict=True))
    assert "decide KIND" in told[1]
    assert "a.sum" in told[2]
    assert "Adds." in told[2]
    assert "No tool speaks of" in told[3]
    assert "Did you mean 'a.sum'" in told[9]
    assert told[11] == "50 Hz"
    assert told[12].startswith("edited “Only T8.”")
    assert told[13] == "there is no such decision\nUse mark."
    assert "total is missing" in told[15]
    assert "There is no file 'b.png'" in told[17]
    assert "no JSON object" in told[18]
    assert answer == AgentAnswer("It is 3.", {"total": 3}, ("a.png",))
    assert ("call", "a.sum", {"x": [1, 2]}) in desk.asked
    wide = {"x": 1, "y": ["Pz", "Cz"], "z": True, "w": "two words"}
    assert ("call", "a.sum", wide) in desk.asked
    assert ("decide", "mark", {"channels": ["Cz", "T8"]}, "they are noisy") in desk.asked


def test_giving_up_is_an_empty_answer(keyboard: Keyboard, tmp_path: Path) -> None:
    assert converse(keyboard, Desk(tmp_path), "quit")[1] == AgentAnswer("")
    assert converse(keyboard, Desk(tmp_path), "\x04")[1] == AgentAnswer("")


def test_a_limit_is_told_to_the_person(keyboard: Keyboard, tmp_path: Path) -> None:
    _, came = converse(keyboard, Desk(tmp_path, calls=0), "a.sum x=1")
    assert isinstance(came, LimitReached)
    assert keyboard.until("one too many").endswith("The task is over: ")


def test_what_tools_say_cannot_steer_the_terminal(keyboard: Keyboard, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.ask = lambda question, options=None: "\x1b[2J\x07red\u202e" + "\nline" * 60  # type: ignore[method-assign]
    said, _ = converse(keyboard, desk, "ask x", "more", "more", "quit")
    assert said[1].startswith("[2Jred\nline")
    assert "21 more lines" in said[1]
    assert said[2].count("line") == 21
    assert said[3] == "There is no more."


def test_where_there_is_no_terminal_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(os.devnull) as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        with pytest.raises(UsageError, match="no terminal at which a person could work"):
            agents.resolve("human")
    (tmp_path / "file").write_text("")
    for place in ("/nowhere", str(tmp_path / "file")):
        with pytest.raises(AgentUnusable) as caught:
            Human(place).preflight()
        assert caught.value.kind == "unready"


@given(st.text())
def test_whatever_is_typed_is_read_or_refused(text: str) -> None:
    try:
        found = read_arguments(text)
    except Mistyped:
        return
    assert all(isinstance(name, str) for name in found)
    json.dumps(found)


def test_arguments() -> None:
    assert read_arguments("") == {}
    assert read_arguments('{"a": 1}') == {"a": 1}
    assert read_arguments('a=["Pz","Cz"] b=Pz,Cz c=1e-3 d=null e=x=y') == {
        "a": ["Pz", "Cz"], "b": ["Pz", "Cz"], "c": 1e-3, "d": None, "e": "x=y",
    }  # fmt: skip
    wanted = {
        "channels": {"type": "array", "items": {"type": "string"}},
        "bands": {"anyOf": [{"type": "array", "items": {"type": "number"}}, {"type": "null"}]},
        "bids_run": {"type": ["string", "null"]},
        "view": {"type": "string"},
        "either": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    }
    typed = "channels=T8 bands=8,13 bids_run=1 view=v,w either=Pz left=1 more=T8"
    assert read_arguments(typed, {"properties": wanted}) == {
        "channels": ["T8"], "bands": [8, 13], "bids_run": "1", "view": "v,w", "either": "Pz",
        "left": 1, "more": "T8",
    }  # fmt: skip
    for text in ("a", "=1", "'a=1", "{", "{} x"):
        with pytest.raises(Mistyped):
            read_arguments(text)
