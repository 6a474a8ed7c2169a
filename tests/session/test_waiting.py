"""Whose time it is: what the tools take is not the agent's, up to a bound."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.session import Ending, serve
from tests.session.support import open_session, start_of

Speak = Callable[[dict[str, Any]], None]


def converse(
    pristine: Path,
    tmp_path: Path,
    script: Callable[[Speak], None],
    *,
    seconds: float,
    latest: float,
) -> Ending:
    """Serve an agent that says what a script says, one message after the reply to another."""
    session = open_session(tmp_path / "trial", pristine)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        stream = theirs.makefile("rb")

        def say(message: dict[str, Any]) -> None:
            theirs.sendall(json.dumps(message).encode() + b"\n")
            if "id" in message:
                stream.readline()

        def speak() -> None:
            stream.readline()
            say({"type": "hello", "protocol": "session/1", "name": "x", "model": None})
            script(say)

        agent = threading.Thread(target=speak)
        agent.start()
        now = time.monotonic()
        start = start_of(session, "x:y")
        ending = serve(ours, ours, session, start, deadline=now + seconds, latest=now + latest)
        agent.join()
        stream.close()
    return ending


def slow(number: int, seconds: float) -> dict[str, Any]:
    return {"type": "call", "id": number, "tool": "slow", "args": {"seconds": seconds}}


ANSWER = {"type": "answer", "text": "done", "data": None, "artifacts": []}


def test_the_time_of_the_tools_is_not_the_agents(pristine: Path, tmp_path: Path) -> None:
    def script(say: Speak) -> None:
        say(slow(1, 0.4))
        say(slow(2, 0.4))
        say(ANSWER)

    ending = converse(pristine, tmp_path, script, seconds=0.5, latest=20)
    assert (ending.outcome, ending.reason) == ("finished", "")


def test_waits_of_the_agent_itself_count(pristine: Path, tmp_path: Path) -> None:
    def script(say: Speak) -> None:
        say(slow(1, 0.1))
        threading.Event().wait(0.7)

    ending = converse(pristine, tmp_path, script, seconds=0.5, latest=20)
    assert ending.outcome == "limit"
    assert ending.reason.startswith("seconds")


@pytest.mark.parametrize("latest", [0.3, 0.5])
def test_no_wait_goes_beyond_the_latest(pristine: Path, tmp_path: Path, latest: float) -> None:
    def script(say: Speak) -> None:
        for number in (1, 2, 3):
            say(slow(number, 0.25))

    ending = converse(pristine, tmp_path, script, seconds=0.3, latest=latest)
    assert ending.outcome == "limit"
    assert ending.reason.startswith("seconds")
