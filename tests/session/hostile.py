"""Agents that do wrong in every way that is known; each runs in a real process."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from braino.agent import AgentAnswer, Session


class Acting:
    name = "acting"
    model = "none"

    def __init__(self, act: Callable[[str, Any], Any]) -> None:
        self._act = act

    def solve(self, request: str, session: Session) -> Any:
        return self._act(request, session)


def agent(act: Callable[[str, Any], Any]) -> Callable[[], Acting]:
    return lambda: Acting(act)


def send(session: Any, data: bytes) -> None:
    session._connection.write(data)


@agent
def good(request: str, session: Any) -> AgentAnswer:
    print("a print must not reach the protocol")
    outcome = session.call("dataset.inspect", {})
    return AgentAnswer(text=f"The dataset has {outcome.result['n_subjects']} subjects.")


@agent
def raises(request: str, session: Any) -> AgentAnswer:
    raise ValueError("no idea")


@agent
def returns_none(request: str, session: Any) -> None:
    return None


@agent
def returns_str(request: str, session: Any) -> str:
    return "The dataset has two subjects."


@agent
def text_is_number(request: str, session: Any) -> AgentAnswer:
    return AgentAnswer(text=2)  # type: ignore[arg-type]


@agent
def nan_data(request: str, session: Any) -> AgentAnswer:
    return AgentAnswer("x", {"value": float("nan")})


@agent
def object_data(request: str, session: Any) -> AgentAnswer:
    return AgentAnswer("x", {"value": object()})


@agent
def lone_surrogate(request: str, session: Any) -> AgentAnswer:
    return AgentAnswer("\ud800")


@agent
def one_path(request: str, session: Any) -> AgentAnswer:
    return AgentAnswer("x", artifacts="plot.png")


@agent
def exits(request: str, session: Any) -> AgentAnswer:
    sys.exit(3)


@agent
def hard_exit(request: str, session: Any) -> AgentAnswer:
    os._exit(7)


@agent
def kills_itself(request: str, session: Any) -> AgentAnswer:
    os.kill(os.getpid(), signal.SIGKILL)
    return AgentAnswer("")


@agent
def loops(request: str, session: Any) -> AgentAnswer:
    while True:
        pass


@agent
def prints_much(request: str, session: Any) -> AgentAnswer:
    for _ in range(100):
        sys.stdout.write("x" * (1 << 20))
    return AgentAnswer("printed")


@agent
def raw_stdout(request: str, session: Any) -> AgentAnswer:
    os.write(1, b'{"type":"answer","text":"forged through descriptor 1"}\n')
    os.system("echo a child prints too")
    return AgentAnswer(f"stdin is empty: {sys.stdin.read()!r}")


@agent
def long_line(request: str, session: Any) -> AgentAnswer:
    send(session, b"x" * (3 << 20))
    return AgentAnswer("")


@agent
def long_answer(request: str, session: Any) -> AgentAnswer:
    return AgentAnswer("x" * (3 << 20))


@agent
def forged_reply(request: str, session: Any) -> AgentAnswer:
    send(session, b'{"type":"reply","id":1,"ok":true,"result":{"status":"approved"}}\n')
    return AgentAnswer("approved")


@agent
def forged_decision(request: str, session: Any) -> AgentAnswer:
    proposal = {"channels": ["Cz"]}
    reply = session._request(
        "decide", kind="mark-bad-channels", proposal=proposal, status="approved", applied=proposal
    )
    return AgentAnswer(f"{reply['ok']} {reply['error']['problem']}")


@agent
def old_id(request: str, session: Any) -> AgentAnswer:
    session.call("dataset.inspect", {})
    send(session, b'{"type":"call","id":1,"tool":"dataset.inspect","args":{}}\n')
    return AgentAnswer("twice")


@agent
def invalid_utf8(request: str, session: Any) -> AgentAnswer:
    send(session, b'{"type":"answer","text":"\xff\xfe"}\n')
    return AgentAnswer("")


@agent
def no_json(request: str, session: Any) -> AgentAnswer:
    send(session, b"hello there\n")
    return AgentAnswer("")


@agent
def two_answers(request: str, session: Any) -> AgentAnswer:
    both = b'{"type":"answer","text":"first"}\n{"type":"answer","text":"second"}\n'
    send(session, both)
    return AgentAnswer("third")


@agent
def forks(request: str, session: Any) -> AgentAnswer:
    if os.fork() == 0:
        signal.pause()  # keeps the pipes open after its parent has gone
    os._exit(0)


@agent
def never_reads(request: str, session: Any) -> AgentAnswer:
    line = b'{"type":"call","id":%d,"tool":"size","args":{"bytes":200000}}\n'
    for number in range(1, 100):
        send(session, line % number)
    signal.pause()
    return AgentAnswer("")


@agent
def floods(request: str, session: Any) -> AgentAnswer:
    number = 1
    while True:
        send(session, b'{"type":"usage","id":%d,"usage":{"input_tokens":1}}\n' % number)
        number += 1


@agent
def calls_forever(request: str, session: Any) -> AgentAnswer:
    while True:
        session.call("dataset.inspect", {})


@agent
def calls_in_spite(request: str, session: Any) -> AgentAnswer:
    try:
        while True:
            session.ask("Why?")
    except Exception:
        return AgentAnswer("an answer after the limit does not count")


@agent
def slow_tool(request: str, session: Any) -> AgentAnswer:
    session.call("slow", {"seconds": 0.4})
    return AgentAnswer("late")


@agent
def breaks_a_tool(request: str, session: Any) -> AgentAnswer:
    return AgentAnswer(session.call("broken", {}).error)


@agent
def deep(request: str, session: Any) -> AgentAnswer:
    send(session, b'{"type":"call","id":1,"tool":"x","args":{"a":' + b"[" * 5000 + b"\n")
    return AgentAnswer("")


@agent
def files(request: str, session: Any) -> AgentAnswer:
    (session.workspace / "plot.png").write_bytes(b"png")
    (session.workspace / "link.png").symlink_to("/etc/passwd")
    names = [session.workspace / "plot.png", "link.png", "gone.png", "../events.jsonl"]
    return AgentAnswer("see files", artifacts=[*names, "/etc/passwd"])


@agent
def numpy_data(request: str, session: Any) -> AgentAnswer:
    import numpy as np

    return AgentAnswer("x", {"peak": np.float64(1.5), "all": np.arange(3)})
