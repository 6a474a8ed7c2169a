"""Agents that try what a sandbox is to prevent; each fails aloud with what came of it."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from pathlib import Path

from braino.agent import AgentAnswer, Session


class Guest:
    """An agent with one method."""

    model = None

    def __init__(self, name: str) -> None:
        self.name = name

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Do what the name says."""
        answer = globals()[f"_{self.name}"](session)
        if isinstance(answer, AgentAnswer):
            return answer
        raise RuntimeError(f"said: {answer}")


def __getattr__(name: str) -> object:
    if f"_{name}" not in globals():
        raise AttributeError(name)
    return lambda: Guest(name)


def _right(session: Session) -> AgentAnswer:
    total = session.call("calc", {"expression": "20 + 22"}).result["value"]
    return AgentAnswer(text=f"The total is {total}.", data={"total": total})


def _honest(session: Session) -> AgentAnswer:
    Path("note.txt").write_text("kept")
    answer = _right(session)
    return AgentAnswer(answer.text, answer.data, artifacts=("note.txt",))


def _where(session: Session) -> str:
    path = [folder for folder in sys.path if folder.startswith("/agent")]
    return f"{session.inputs} {session.workspace} {os.getcwd()} {sorted(set(path))}"


def _refused(action: object) -> str:
    try:
        found = action()  # type: ignore[operator]
    except (OSError, ImportError) as error:
        return f"refused ({type(error).__name__})"
    return f"it worked: {found!r}"


def _reads_registry(session: Session) -> str:
    return _refused(lambda: __import__("braino_registry.registry"))


def _reads_home(session: Session) -> str:
    return _refused(lambda: os.listdir("/home"))


def _writes_input(session: Session) -> str:
    return _refused(lambda: (session.inputs / "new").write_text("x"))


def _calls_home(session: Session) -> str:
    return _refused(lambda: socket.create_connection(("192.0.2.1", 443), timeout=2))


def _exits(session: Session) -> None:
    os._exit(3)


def _kills_itself(session: Session) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _stops_itself(session: Session) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def _forks_away(session: Session) -> AgentAnswer:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    return _right(session)


def _forges(session: Session) -> None:
    for descriptor in range(3, 20):
        try:
            os.write(descriptor, b'{"type": "result", "record": {"score": 1.0}}\n' * 10)
        except OSError:
            continue
    time.sleep(0.1)
    os._exit(0)


def _prints_much(session: Session) -> None:
    while True:
        os.write(2, b"x" * 65536)


def _hoards_memory(session: Session) -> None:
    kept = []
    while True:
        kept.append(bytearray(1 << 34))


def _links_out(session: Session) -> AgentAnswer:
    os.symlink("/etc/passwd", "link")
    os.mkfifo("pipe")
    return AgentAnswer(text="", artifacts=("link", "pipe"))


def _decides_and_looks(session: Session) -> str:
    decision = session.decide("mark-bad-channels", {"channels": ["T8"]})
    (table,) = session.inputs.rglob("sub-02*_channels.tsv")
    marked = [line.split("\t")[0] for line in table.read_text().splitlines() if "\tbad" in line]
    written = _refused(lambda: table.open("a"))
    return f"{sorted(decision.applied['channels']) == sorted(marked) != []} {written}"


def _fills_memory_with_files(session: Session) -> str:
    written = 0
    with open("/dev/shm/full", "wb", buffering=0) as file:
        try:
            while written < 1 << 30:
                written += file.write(bytes(1 << 22))
        except OSError:
            pass
    elsewhere = [_refused(lambda at=at: Path(at, "x").write_text("x"))[:7] for at in ("/", "/dev")]
    return f"shared memory {written}, elsewhere {' '.join(elsewhere)}"
