"""Servers that send what none should: the trial ends well, memory is bounded, the key stays."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from braino.agent import AgentUnusable
from braino_registry.agents.llm import make, receiving
from tests.agents.llm.support import RIGHT, SUM, try_script
from tests.agents.llm.test_misbehaving import WELL
from tests.agents.scripted_server import Say, ScriptedServer, fail, in_turn

KEY = "sk-planted-5b4a69788796a0f1e2d3c4"


def raw(body: bytes, kind: str = "text/event-stream", *more: str, status: str = "200 OK") -> Say:
    """Return a reply of these bytes, as long as the connection lasts."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", "Connection: close", *more, "", ""]
    return Say(raw=["\r\n".join(lines).encode(), body])


def event(**delta: Any) -> bytes:
    """Return one event of a stream."""
    choices = [{"index": 0, "delta": delta, "finish_reason": None}]
    return b"data: " + json.dumps({"choices": choices}).encode() + b"\n\n"


END = b'data: {"choices": [{"delta": {}, "finish_reason": "because"}]}\n\ndata: [DONE]\n\n'


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    "said",
    [
        raw(b"<html>\xff\xfe</html>", "text/html; charset=rubbish"),
        raw(b"\xff\xfe\x00", "application/json; charset=utf-99"),
        raw(b": waiting\n\n" * 50),
        raw(b": waiting\n\n" * 5 + b"data: \xff\n\n"),
        raw(b"data: null\n\ndata: 7\n\ndata: []\n\ndata: {}\n\n"),
        raw(b'data: {"error": {"message": "it broke"}}\n\n'),
        raw(b"event: error\ndata: {}\n\n"),
        raw(event(content="half") + b'data: {"choices": [{"delta"'),
        raw(b'{"choices": ' + b"[" * 100_000, "application/json"),
        raw(b"", "application/json", "Content-Encoding: gzip"),
        raw(b"no gzip", "application/json", "Content-Encoding: gzip"),
        raw(b"no gzip", "text/event-stream", "Content-Encoding: gzip"),
        raw(b'{"usage": {"prompt_tokens": ' + b"1" * 9_000 + b"}}", "application/json"),
    ],
    ids=lambda said: None if isinstance(said, bool) else said.raw[-1][:24].decode("latin-1"),
)  # fmt: skip
def test_what_is_no_reply_is_asked_for_again(tmp_path: Path, said: Say, stream: bool) -> None:
    tried = try_script(in_turn(said, *WELL), tmp_path, stream=stream)
    assert tried.outcome == "passed", tried.reason
    assert tried.usage["input_tokens"] is None  # somebody may have to pay for it


def test_odd_events_of_a_reply_are_understood(tmp_path: Path) -> None:
    """Keep-alives, pieces without an index, halves of a letter, a reason that nobody knows."""
    said = raw(
        b": waiting\n\n" + event(content=[{"text": "Hm \ud83d"}]) + event(content="\ude00 \udfff")
        + event(tool_calls=[{"id": None, "function": {"name": SUM[0], "arguments": None}}])
        + event(tool_calls=[{"function": {"arguments": SUM[1]}}]) + b"retry: x\n\n" + END
    )  # fmt: skip
    tried = try_script(in_turn(said, *WELL), tmp_path)
    assert tried.outcome == "passed", tried.reason
    again = tried.server.requests[1]["messages"][2]
    assert again["content"] == "Hm \N{GRINNING FACE} \N{REPLACEMENT CHARACTER}"
    assert tried.usage["tool_calls"] == 2


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (("calc", json.dumps({"expression": "1" * 1_000_000})), "error"),
        (("calc", "[" + "1," * 500_000 + "1]"), "are a list, not an object"),
        (("calc", '{"expression": "a", "values": {"a": 1' + "0" * 400 + "}}"), "error"),
        (("calc", json.dumps({"a" * 100_000: 1})), "error"),
        (("\ud800" * 3, {}), "no tool"),
        (("../../etc/passwd", {}), "no tool"),
        (("ask_user", {"question": "\x00\u202e"}), "reply"),
        (("read_page", {"result": "r" * 1_000_000, "page": 10**30}), "no result"),
    ],
    ids=lambda value: value[0][:12] if isinstance(value, tuple) else None,
)  # fmt: skip
def test_a_huge_or_odd_call_is_told_shortly(tmp_path: Path, call: Any, says: str) -> None:
    tried = try_script(in_turn(Say(calls=[call]), *WELL), tmp_path)
    assert tried.outcome == "passed", tried.reason
    told = tried.server.requests[1]["messages"][-1]["content"]
    assert says in told, told[:500]
    assert len(told) < 5_000
    assert sum(path.stat().st_size for path in tried.folder.rglob("*.jsonl")) < 3_000_000


def packed(size: int) -> bytes:
    """Return zeros of a size, packed a thousand times smaller."""
    return gzip.compress(bytes(size))


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_no_more_is_unpacked_than_a_reply_may_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, stream: bool
) -> None:
    monkeypatch.setattr(receiving, "MOST_BYTES", 1_000_000)
    bomb = raw(packed(20_000_000), kind, "Content-Encoding: gzip")
    tried = try_script(in_turn(bomb, *WELL), tmp_path, stream=stream, retries=1)
    assert tried.outcome == "passed", tried.reason
    always = try_script(in_turn(bomb), tmp_path / "2", stream=stream, retries=0)
    assert always.outcome == "agent_error"
    assert "longer than 1000000 bytes" in always.reason


def test_an_endless_stream_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that says nothing, and one that never ends its line."""
    monkeypatch.setattr(receiving, "MOST_BYTES", 100_000)

    def endless(piece: bytes) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        while True:
            yield piece * 100

    for number, piece in enumerate((b": waiting\n\n", b'data: {"choices": []}\n\n', b"data: x")):
        said = Say(raw=endless(piece))
        tried = try_script(in_turn(said, *WELL), tmp_path / str(number))
        assert tried.outcome == "passed", tried.reason


def test_a_packed_error_is_read_in_part(tmp_path: Path) -> None:
    bomb = raw(packed(5_000_000), "application/json", "Content-Encoding: gzip",
               status="400 Bad Request")  # fmt: skip
    tried = try_script(in_turn(bomb), tmp_path)
    assert tried.outcome == "agent_error"
    assert "refuses" in tried.reason


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Gone"])
def test_the_key_and_the_request_do_not_follow_to_another_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    monkeypatch.setenv("PLANTED", KEY)
    with ScriptedServer(in_turn(*WELL), models=None) as other:
        away = raw(b"", "text/plain", f"Location: {other.url}/chat/completions?key={KEY}",
                   status=status)  # fmt: skip
        tried = try_script(in_turn(away), tmp_path, key_env="PLANTED")
        assert tried.outcome == "agent_error"
        assert f"sends on to {other.url}/chat/completions?key=[key]" in tried.reason
        with ScriptedServer(in_turn(away), models=None) as server:
            agent = make("scripted", base_url=server.url, key_env="PLANTED")
            with pytest.raises(AgentUnusable) as caught:
                agent.preflight()
    assert "sends on to" in caught.value.problem
    assert KEY not in f"{caught.value.problem} {tried.record}"
    assert other.keys == []
    assert other.requests == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 500])
def test_a_key_in_an_error_is_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], status: int
) -> None:
    monkeypatch.setenv("PLANTED", KEY)
    script = in_turn(fail(status, f"{KEY} {KEY[:9]}\n{KEY}", code=KEY))
    tried = try_script(script, tmp_path, key_env="PLANTED", retries=0)
    assert tried.outcome == "agent_error"
    with ScriptedServer(script, models=(KEY, "other")) as server:
        agent = make("scripted", base_url=server.url, key_env="PLANTED")
        with pytest.raises(AgentUnusable) as caught:
            agent.preflight()
    said = f"{caught.value.problem} {caught.value.where} {caught.value.hint} {tried.record}"
    assert KEY not in said
    assert KEY not in "".join(capfd.readouterr())


def test_a_key_in_every_part_of_a_reply_is_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED", KEY)
    half = len(KEY) // 2
    said = raw(
        event(content=KEY[:half]) + event(content=KEY[half:])
        + event(tool_calls=[{"index": 0, "id": KEY, "function": {"name": KEY, "arguments": KEY}}])
        + END.replace(b"because", KEY.encode())
    )  # fmt: skip
    last = Say(calls=[(RIGHT[0], {**RIGHT[1], "text": f"The total is 42 ({KEY})."})])
    tried = try_script(in_turn(said, Say(calls=[SUM]), last), tmp_path, key_env="PLANTED")
    assert tried.outcome == "passed"
    kept = b"".join(path.read_bytes() for path in tried.folder.rglob("*") if path.is_file())
    assert KEY.encode() not in kept
    assert KEY not in json.dumps([*tried.server.requests, tried.record])
