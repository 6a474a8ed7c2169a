"""Programs as agents: the address of a session, and a command line that is found and ended."""

from __future__ import annotations

import http.client
import json
import os
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino.agent import (
    AgentAnswer,
    AgentUnusable,
    Decision,
    DecisionSpec,
    Execution,
    LimitReached,
    RequestRefused,
    ToolOutcome,
    ToolSpec,
)
from braino_registry import agents
from braino_registry.agents.command import program as programs
from braino_registry.agents.command.agent import ProgramFailed, make
from braino_registry.agents.command.endpoint import Endpoint, Exchange, Malformed
from braino_registry.agents.command.program import Program, prepare
from braino_registry.errors import UsageError

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=10,
)
KINDS = ("call", "ask", "decide", "execute", "review", "usage", "answer")


class Desk:
    """A session that notes what is asked of it and has an answer for everything."""

    paradigm = "tools"
    seed = 7
    code = None

    def __init__(self, folder: Path, calls: int = 1000) -> None:
        self.inputs, self.workspace = folder / "inputs", folder / "workspace"
        self.workspace.mkdir(exist_ok=True)
        self.limits: dict[str, float] = {"tool_calls": calls, "message_bytes": 10_000}
        self.fields: dict[str, Any] | None = {"total": {"type": "number"}}
        self.asked: list[Any] = []

    def tools(self) -> list[ToolSpec]:
        return [ToolSpec("a.sum", "1.0.0", "Adds.", {"type": "object"}, {"type": "object"})]

    def decisions(self) -> list[DecisionSpec]:
        return [DecisionSpec("mark", "Marks.", {"type": "object"})]

    def call(self, tool: str, args: dict[str, Any] | None = None) -> ToolOutcome:
        self.asked.append(("call", tool, args))
        if len(self.asked) > self.limits["tool_calls"]:
            raise LimitReached("tool_calls", "one too many")
        if tool != "a.sum":
            return ToolOutcome(False, {}, f"there is no tool {tool!r}\nUse a.sum.")
        return ToolOutcome(True, {"value": 3})

    def ask(self, question: str, options: Any = None) -> str:
        self.asked.append(("ask", question, options))
        if not isinstance(question, str):
            raise RequestRefused("this is no question\nWrite a text.")
        return "50 Hz"

    def decide(self, kind: str, proposal: dict[str, Any], why: str = "") -> Decision:
        self.asked.append(("decide", kind, proposal, why))
        if kind != "mark":
            return Decision("invalid", {}, error="there is no such decision\nUse mark.")
        return Decision("edited", {"channels": ["T8"]}, "Only T8.")

    def execute(self, code: str) -> Execution:
        return Execution(False, "", "no code here")

    def review(self, data: dict[str, Any]) -> list[str]:
        return ["total is missing"]

    def report_usage(self, **usage: float | None) -> None:
        self.asked.append(("usage", usage))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def endpoint(desk: Desk) -> Iterator[Endpoint]:
    with Endpoint(Exchange("What is it?", desk), 10_000) as found:
        yield found


def post(address: str, body: Any) -> tuple[int, dict[str, Any]]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(address, data, timeout=10) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_an_address_tells_what_a_session_starts_with(desk: Desk, endpoint: Endpoint) -> None:
    with urllib.request.urlopen(endpoint.address, timeout=10) as reply:
        about = json.load(reply)
    assert about["request"] == "What is it?"
    assert (about["seed"], about["fields"]) == (7, desk.fields)
    assert [tool["name"] for tool in about["tools"]] == ["a.sum"]
    assert [each["kind"] for each in about["decisions"]] == ["mark"]
    assert about["workspace"] == str(desk.workspace)
    assert "reference" not in about


def test_every_request_of_the_protocol_is_there(desk: Desk, endpoint: Endpoint) -> None:
    at = endpoint.address
    called = post(f"{at}/call", {"tool": "a.sum", "args": {"x": 1}})
    assert called == (200, {"ok": True, "result": {"value": 3}})
    refused = post(f"{at}/call", {"tool": "sum"})[1]["error"]
    assert refused == {"problem": "there is no tool 'sum'", "instead": "Use a.sum."}
    assert post(f"{at}/ask", {"question": "mains?"})[1]["result"] == {"reply": "50 Hz"}
    assert post(f"{at}/ask", {"question": 3})[1]["error"]["instead"] == "Write a text."
    made = post(f"{at}/decide", {"kind": "mark", "proposal": {"channels": ["Cz"]}, "why": "noisy"})
    assert made[1]["result"] == {"status": "edited", "applied": {"channels": ["T8"]},
                                 "say": "Only T8."}  # fmt: skip
    assert not post(f"{at}/decide", {"kind": "burn", "proposal": {}})[1]["ok"]
    assert post(f"{at}/review", {"data": {}})[1]["result"] == {"problems": ["total is missing"]}
    assert post(f"{at}/execute", {"code": "1"})[1]["result"]["error"] == "no code here"
    assert post(f"{at}/usage", {"usage": {"input_tokens": 5}}) == (200, {"ok": True, "result": {}})
    assert desk.asked == [
        ("call", "a.sum", {"x": 1}), ("call", "sum", {}), ("ask", "mains?", None), ("ask", 3, None),
        ("decide", "mark", {"channels": ["Cz"]}, "noisy"), ("decide", "burn", {}, ""),
        ("usage", {"input_tokens": 5}),
    ]  # fmt: skip


def test_an_answer_ends_the_session(desk: Desk) -> None:
    exchange = Exchange("", desk)
    with Endpoint(exchange, 10_000) as endpoint:
        body = {"text": "42", "data": {"total": 42}, "artifacts": ["a.png"]}
        assert post(f"{endpoint.address}/answer", body)[0] == 200
        assert exchange.over.is_set()
        assert post(f"{endpoint.address}/answer", {"text": "43"})[0] == 410
        assert post(f"{endpoint.address}/call", {"tool": "a.sum"})[0] == 410
        assert post(f"{endpoint.address}/usage", {"usage": {"cost": 0.1}})[0] == 200
    assert exchange.answer == AgentAnswer("42", {"total": 42}, ("a.png",))
    assert desk.asked == [("usage", {"cost": 0.1})]


def test_a_limit_ends_the_session(tmp_path: Path) -> None:
    exchange = Exchange("", Desk(tmp_path, calls=0))
    with Endpoint(exchange, 10_000) as endpoint:
        status, reply = post(f"{endpoint.address}/call", {"tool": "a.sum"})
        assert (status, reply["limit"]) == (410, "tool_calls")
        assert post(f"{endpoint.address}/answer", {"text": "x"})[0] == 410
    assert exchange.answer is None
    assert isinstance(exchange.ended, LimitReached)


@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("/call", b"{", 400, "no JSON"),
        ("/call", b"[" * 5000, 400, "no JSON"),
        ("/call", b"\xff\xfe", 400, "no JSON"),
        ("/call", [], 400, "a JSON object with tool"),
        ("/call", {}, 400, "no 'tool'"),
        ("/call", {"tool": "a.sum", "arg": {}}, 400, "has no 'arg'; it has args, tool"),
        ("/cal", {}, 400, "there is no request 'cal'; there are call, ask"),
        ("/call/x", {}, 400, "there is no request"),
        ("/answer", {"text": None}, 400, "a string"),
        ("/answer", {"text": "", "data": []}, 400, "an object"),
        ("/answer", {"text": "", "artifacts": "a.png"}, 400, "a list of paths"),
        ("/usage", {"usage": [1]}, 400, "an object of numbers"),
        ("/call", {"tool": "x" * 10_001}, 400, "at most 10000 bytes"),
    ],
)
def test_what_is_no_request_is_refused_and_the_session_goes_on(
    desk: Desk, endpoint: Endpoint, path: str, body: Any, status: int, says: str
) -> None:
    answered, reply = post(endpoint.address + path, body)
    assert answered == status
    assert says in reply["error"]["problem"]
    assert desk.asked == []
    assert post(f"{endpoint.address}/call", {"tool": "a.sum"})[0] == 200


@pytest.mark.parametrize("path", ["", "/", "/x", "/x/call", "//call", "/%C3%A9"])
def test_nothing_is_told_without_the_secret(desk: Desk, endpoint: Endpoint, path: str) -> None:
    host = endpoint.address.split("/")[2]
    for method in ("GET", "POST"):
        connection = http.client.HTTPConnection(host, timeout=10)
        connection.putrequest(method, path or "/")
        connection.putheader("Content-Length", "2")
        connection.endheaders(b"{}")
        reply = connection.getresponse()
        text = reply.read()
        connection.close()
        assert reply.status == 404
        assert b"tools" not in text
    assert desk.asked == []


@given(kind=st.one_of(st.sampled_from(KINDS), st.text()), body=JSON)
def test_whatever_arrives_is_done_or_refused(
    tmp_path_factory: pytest.TempPathFactory, kind: str, body: Any
) -> None:
    exchange = Exchange("", Desk(tmp_path_factory.getbasetemp()))
    reply: dict[str, Any] = {"ok": False, "error": {}}
    with suppress(Malformed):
        reply = exchange.do(kind, body)
    assert set(reply) in ({"ok", "result"}, {"ok", "error"})
    json.dumps(reply)


def test_many_may_wait_for_a_busy_computer(endpoint: Endpoint) -> None:
    """Connections beyond the queue are reset on loopback, and requests with them."""
    assert endpoint._server.request_queue_size >= 100


def test_requests_at_the_same_time_are_done_one_after_the_other(desk: Desk) -> None:
    exchange = Exchange("", desk)
    with Endpoint(exchange, 10_000) as endpoint:
        address = f"{endpoint.address}/call"
        body = {"tool": "a.sum"}
        threads = [threading.Thread(target=post, args=(address, body)) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(desk.asked) == 20


def test_a_command_line_is_split_and_its_files_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my solver.py").write_text("")
    options, path = prepare("python 'my solver.py' --fast $HOME")
    assert options["command"] == "python 'my solver.py' --fast $HOME"
    assert options["files"] == ["my solver.py"]
    assert path == (str(tmp_path), str(tmp_path / "my solver.py"))
    assert prepare("/bin/sh -c true")[0]["files"] == []
    found = agents.resolve("cmd:python 'my solver.py'")
    assert found.options == {"command": "python 'my solver.py'", "files": ["my solver.py"]}
    assert not found.reference
    assert not found.local
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    words = make(**found.options).program.words()
    assert words[1] == str(tmp_path / "my solver.py")
    assert os.path.isabs(words[0])


def test_a_script_that_is_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"there is no file 'slove.py'"):
        prepare("python slove.py")
    (tmp_path / "solve.py").write_text("")
    with pytest.raises(UsageError) as caught:
        prepare("python slove.py")
    assert "Did you mean 'solve.py'?" in str(caught.value.hint)
    for command in ("python -m solver.py", "node", "solver", "sh -c 'solver.py'", "python -"):
        assert prepare(command)[0]["files"] == []


@pytest.mark.parametrize("command", ["", "  ", "python 'solve.py", "\\"])
def test_what_is_no_command_line_is_told(command: str) -> None:
    with pytest.raises(UsageError) as caught:
        agents.resolve(f"cmd:{command}")
    assert caught.value.hint


def test_a_program_that_is_not_here_is_told_before_the_first_trial() -> None:
    with pytest.raises(AgentUnusable, match="no program 'no-such-program-at-all'") as caught:
        make("no-such-program-at-all --x").preflight()
    assert caught.value.kind == "unready"
    with pytest.raises(AgentUnusable, match=r"the file solve\.py of the command is not here"):
        Program("python solve.py", ("solve.py",)).words()


def solved(folder: Path, code: str, **options: Any) -> AgentAnswer:
    """Return the answer of a program of one line of Python."""
    (folder / "line.py").write_text(code)
    command = f"{sys.executable} {folder / 'line.py'}"
    return make(command, **options).solve("What?", Desk(folder))


def test_what_a_program_prints_is_its_answer(tmp_path: Path) -> None:
    code = "import sys, os; print(sys.stdin.read(), os.environ['BRAINO_MODEL'], os.getcwd())"
    answer = solved(tmp_path, code, model="m")
    assert answer.text == f"What? m {tmp_path / 'workspace'}"


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise SystemExit(3)", "ended with code 3"),
        ("pass", "printed nothing"),
        ("print('x' * 1_100_000)", "more than 1048576 bytes"),
        ("import os; os.kill(os.getpid(), 9)", "ended with code -9"),
    ],
)
def test_a_program_without_an_answer_has_failed(tmp_path: Path, code: str, says: str) -> None:
    with pytest.raises(ProgramFailed, match=says):
        solved(tmp_path, code)


def test_a_program_that_stays_after_its_answer_is_ended_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "PARTING", 0.1)
    os.mkfifo(tmp_path / "life")
    life = os.open(tmp_path / "life", os.O_RDONLY | os.O_NONBLOCK)
    code = (
        "import os, json, subprocess, sys, urllib.request, time\n"
        "held = open('../life', 'wb')\n"
        "sleeper = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
        "subprocess.Popen(sleeper, pass_fds=(held.fileno(),))\n"
        "at = os.environ['BRAINO_ENDPOINT'] + '/answer'\n"
        "urllib.request.urlopen(at, json.dumps({'text': '42'}).encode())\n"
        "time.sleep(600)\n"
    )
    try:
        assert solved(tmp_path, code).text == "42"
        os.set_blocking(life, True)
        assert os.read(life, 1) == b""  # returns when nobody holds the other end any more
    finally:
        os.close(life)
