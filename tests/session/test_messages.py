"""The reading of messages agrees with the published schema, and survives any bytes."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from braino_registry.registry import schemas
from braino_registry.session import Ending, Limits, messages, serve
from braino_registry.session.limits import AgentFault
from tests.session.support import check_events, open_session, start_of

HELLO = {"type": "hello", "protocol": "session/1", "name": "a", "model": None}
VALID: list[dict[str, Any]] = [
    HELLO,
    {**HELLO, "model": "m"},
    {"type": "call", "id": 1, "tool": "dataset.inspect"},
    {"type": "call", "id": 2**53, "tool": "x", "args": {"a": [1, {"b": None}]}},
    {"type": "ask", "id": 1, "question": "Why?"},
    {"type": "ask", "id": 1, "question": "Why?", "options": None},
    {"type": "ask", "id": 1, "question": "Why?", "options": ["a", "b"]},
    {"type": "decide", "id": 1, "kind": "choose-correction", "proposal": {}},
    {"type": "decide", "id": 1, "kind": "k", "proposal": {"a": 1}, "why": "because"},
    {"type": "execute", "id": 1, "code": "1 + 1"},
    {"type": "usage", "id": 1, "usage": {"input_tokens": 12, "cost": 0.5, "output_tokens": None}},
    {"type": "review", "id": 1},
    {"type": "review", "id": 1, "data": None},
    {"type": "review", "id": 1, "data": {"classification": ["x"]}},
    {"type": "answer", "text": ""},
    {"type": "answer", "text": "x", "data": {"a": 1}, "artifacts": ["a/b.png"]},
    {"type": "answer", "text": "x", "data": None, "artifacts": []},
    {"type": "error", "kind": "solve", "message": "m"},
    {"type": "error", "kind": "import", "message": "m", "traceback": "", "where": "", "hint": ""},
]
INVALID: list[Any] = [
    {**HELLO, "protocol": "session/2"},
    {**HELLO, "name": ""},
    {**HELLO, "name": "x" * 201},
    {**HELLO, "model": 3},
    {"type": "hello", "protocol": "session/1", "name": "a"},
    {**HELLO, "extra": 1},
    {"type": "call", "id": 1},
    {"type": "call", "id": 1, "tool": 5},
    {"type": "call", "id": 1, "tool": "x", "args": []},
    {"type": "call", "id": 0, "tool": "x"},
    {"type": "call", "id": 1.5, "tool": "x"},
    {"type": "call", "id": True, "tool": "x"},
    {"type": "call", "id": "1", "tool": "x"},
    {"type": "call", "id": 2**53 + 1, "tool": "x"},
    {"type": "call", "tool": "x"},
    {"type": "ask", "id": 1, "question": ""},
    {"type": "ask", "id": 1, "question": "x" * 10_001},
    {"type": "ask", "id": 1, "question": "x", "options": "ab"},
    {"type": "ask", "id": 1, "question": "x", "options": ["a"] * 101},
    {"type": "decide", "id": 1, "kind": "k"},
    {"type": "decide", "id": 1, "kind": "k", "proposal": {}, "status": "approved"},
    {"type": "decide", "id": 1, "kind": "k", "proposal": {}, "why": None},
    {"type": "execute", "id": 1},
    {"type": "review", "id": 1, "data": []},
    {"type": "review", "id": 1, "answer": {}},
    {"type": "usage", "id": 1, "usage": {}},
    {"type": "usage", "id": 1, "usage": {"Tokens": 1}},
    {"type": "usage", "id": 1, "usage": {"tokens\n": 1}},
    {"type": "usage", "id": 1, "usage": {"tokens": -1}},
    {"type": "usage", "id": 1, "usage": {"tokens": "many"}},
    {"type": "answer"},
    {"type": "answer", "text": None},
    {"type": "answer", "text": "x", "data": []},
    {"type": "answer", "text": "x", "artifacts": [1]},
    {"type": "answer", "text": "x", "artifacts": ["x" * 1001]},
    {"type": "error", "kind": "other", "message": "m"},
    {"type": "error", "kind": "solve"},
    {"type": "reply", "id": 1, "ok": True, "result": {}},
    {"type": "limit", "id": 1, "limit": "seconds", "message": "m"},
    {"type": ["hello"]},
    {},
    [],
    "hello",
    None,
]


def accepts(message: Any) -> bool:
    """Tell whether the session takes a message as it is."""
    try:
        read = messages.read_line(json.dumps(message).encode(), 0)
        if read["type"] in messages.REQUESTS:
            messages.as_request(read)
        else:
            messages.as_message(read)
    except (AgentFault, msgspec.ValidationError):
        return False
    return True


def agent_schema() -> Any:
    reference = {"$ref": "urn:braino:schema:session:1#/$defs/from_agent"}
    return schemas.validator("session-1").evolve(schema=reference)


@pytest.mark.parametrize("message", VALID, ids=lambda m: m["type"])
def test_valid(message: dict[str, Any]) -> None:
    assert accepts(message)
    assert agent_schema().is_valid(message)


@pytest.mark.parametrize("message", INVALID, ids=lambda m: json.dumps(m)[:40])
def test_invalid(message: Any) -> None:
    assert not accepts(message)
    assert not agent_schema().is_valid(message)


@pytest.mark.parametrize("field", ["answer", "call", "decide"])
def test_numbers_and_depth_have_bounds(field: str) -> None:
    shell = {
        "answer": b'{"type":"answer","text":"x","data":{"a":%b}}',
        "call": b'{"type":"call","id":1,"tool":"x","args":{"a":%b}}',
        "decide": b'{"type":"decide","id":1,"kind":"x","proposal":{"a":%b}}',
    }[field]
    assert messages.read_line(shell % (b"[" * 60 + b"]" * 60), 0)["type"] == field
    for inside in (b"NaN", b"1e999", b"1" * 5000, b"[" * 70 + b"]" * 70, b'"\\ud800"', b"\xff"):
        with pytest.raises(AgentFault):
            messages.read_line(shell % inside, 0)


def test_ids_grow() -> None:
    line = b'{"type":"call","id":5,"tool":"x"}'
    assert messages.read_line(line, 4)["id"] == 5
    with pytest.raises(AgentFault, match="the last was 5"):
        messages.read_line(line, 5)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
TYPES = st.sampled_from([*messages.TYPES, "reply", "limit", "start", "?"])
FIELDS = st.fixed_dictionaries(
    {"type": TYPES},
    optional={
        "id": st.integers(-1, 9) | JSON,
        "tool": st.sampled_from(["dataset.inspect", "measure", "?"]) | JSON,
        "args": JSON,
        "question": JSON,
        "kind": st.sampled_from(["mark-bad-channels", "set-preprocessing", "solve"]) | JSON,
        "proposal": st.fixed_dictionaries({"channels": JSON, "notch": JSON}) | JSON,
        "usage": JSON,
        "code": JSON,
        "text": JSON,
        "data": JSON,
        "message": JSON,
    },
)
LINES = (
    st.binary(max_size=60)
    | FIELDS.map(lambda value: json.dumps(value).encode())
    | st.sampled_from([json.dumps(each).encode() for each in VALID])
)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(lines=st.lists(LINES, max_size=6), greet=st.booleans(), torn=st.binary(max_size=20))
def test_no_bytes_raise(
    pristine: Path,
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[bytes],
    greet: bool,
    torn: bytes,
) -> None:
    data = b"".join(line + b"\n" for line in lines) + torn
    if greet:
        data = json.dumps(HELLO).encode() + b"\n" + data
    ending = serve_bytes(pristine, tmp_path_factory.mktemp("rubbish"), data)
    assert ending.outcome in ("finished", "limit", "agent_error")
    assert (ending.answer is not None) == (ending.outcome == "finished")
    assert bool(ending.reason) == (ending.outcome != "finished")


def serve_bytes(root: Path, folder: Path, data: bytes, limits: Limits | None = None) -> Ending:
    """Serve an agent that sends `data`, closes its end and listens to nothing."""
    script = {"decisions": [{"kind": "mark-bad-channels", "respond": "reject"}]}
    session = open_session(folder / "t", root, limits=limits, script=script)
    ours_in, theirs_out = os.pipe()
    theirs_in, ours_out = os.pipe()
    os.write(theirs_out, data)
    os.close(theirs_out)
    with open(ours_in, "rb", 0) as reader, open(ours_out, "wb", 0) as writer:
        start = start_of(session, "x:y")
        ending = serve(reader, writer, session, start, deadline=time.monotonic() + 5)
    os.close(theirs_in)
    check_events(session)
    return ending


def test_requests_come_after_hello(pristine: Path, tmp_path: Path) -> None:
    call = json.dumps(VALID[2]).encode() + b"\n"
    hello = json.dumps(HELLO).encode() + b"\n"
    answer = b'{"type":"answer","text":"x"}\n'
    reasons = [
        serve_bytes(pristine, tmp_path / str(number), data).reason
        for number, data in enumerate([call, answer, hello * 2, hello + call, hello + b'{"type"'])
    ]
    assert reasons == [
        "sent a call before its hello",
        "sent an answer before its hello",
        "sent a second hello",
        "ended without an answer",
        "ended without an answer in the middle of a message",
    ]


def test_usage_limits_and_sums(pristine: Path, tmp_path: Path) -> None:
    lines = [HELLO]
    reports = [
        {"input_tokens": 60, "output_tokens": 10, "cost": None},
        {"input_tokens": 20, "cost": 0.5},
        {"input_tokens": 20},
    ]
    lines += [{"type": "usage", "id": n, "usage": each} for n, each in enumerate(reports, 1)]
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    ending = serve_bytes(pristine, tmp_path, data, Limits(tokens=100))
    assert ending == Ending("limit", "tokens: 110 tokens used, at most 100")


def test_refused_requests(pristine: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "t", pristine)
    cases = {
        "execute": {"code": "1"},
        "call": {"tool": "measure", "args": {"a": "x" * (1 << 20)}},
        "ask": {"question": 3},
    }
    problems = [
        session.handle({"type": kind, "id": n, **body})["error"]["problem"]
        for n, (kind, body) in enumerate(cases.items(), 1)
    ]
    assert problems[0] == "this session has the paradigm 'tools' and runs no code"
    assert problems[1].startswith("the arguments take 1048")
    assert problems[2].startswith("this is no ask: Expected `str`, got `int` - at `$.question`")
    assert session.usage == {"tool_calls": 2, "questions": 1, "decisions": 0}
    check_events(session)


def test_code_runs_where_there_is_an_executor(pristine: Path, tmp_path: Path) -> None:
    ran = []

    def executor(code: str) -> dict[str, Any]:
        ran.append(code)
        return {"ok": True, "output": "2\n", "error": None}

    session = open_session(tmp_path / "t", pristine, paradigm="code", executor=executor)
    reply = session.handle({"type": "execute", "id": 1, "code": "print(1 + 1)"})
    assert reply["result"] == {"ok": True, "output": "2\n", "error": None}
    assert ran == ["print(1 + 1)"]
    refused = session.handle({"type": "call", "id": 2, "tool": "dataset.inspect", "args": {}})
    assert refused["error"] == {
        "problem": "this session has the paradigm 'code' and no tools",
        "instead": "Run Python code instead: session.execute(code), the message execute.",
    }
    check_events(session)
