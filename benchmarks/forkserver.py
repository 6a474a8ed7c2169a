"""A level of isolation that nobody can choose: agents forked from a process that is warm already.

It shows what a fresh interpreter costs. It is never offered and never ranked: what one agent does
to the process that it is forked from would be there for the next one.
"""

from __future__ import annotations

import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from braino_registry.datasets import Store
from braino_registry.registry import Registry, Salt
from braino_registry.runner.bench import Bench
from braino_registry.runner.isolation import Isolation, Measured, Start, on_host
from braino_registry.runner.process import ProcessIsolation
from braino_registry.runner.spec import TrialSpec
from braino_registry.runner.tiers import Tier
from braino_registry.runner.trial import run_trial

_SERVE = """
import os, signal, socket
import braino.agent
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
line = socket.socket(fileno=0)
while True:
    place, ends, *_ = socket.recv_fds(line, 4096, 3)
    if not place:
        break
    pid = os.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            os.chdir(place.decode())
            for number, end in enumerate(ends):
                os.dup2(end, number)
                os.close(end)
            braino.agent.main()
        finally:
            os._exit(0)
    for end in ends:
        os.close(end)
    line.send(str(pid).encode())
"""


class ForkServer:
    """Forks each agent from one process in which the agent's interface is loaded."""

    name = "fork server"
    shows_read_only = False

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen([sys.executable, "-P", "-c", _SERVE], stdin=theirs)

    def start(self, start: Start) -> Forked:
        """Fork an agent."""
        (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()
        null = os.open(os.devnull, os.O_WRONLY)
        place = [str(start.workspace).encode()]
        socket.send_fds(self._line, place, [theirs_in, theirs_out, null])
        for end in (theirs_in, theirs_out, null):
            os.close(end)
        return Forked(int(self._line.recv(32)), ours_in, ours_out, start)

    def enforcement(self, tier: Tier) -> Mapping[str, str]:
        """Say by which means each limit is held: by none."""
        return {}

    def close(self) -> None:
        """End the process from which agents are forked."""
        self._line.close()
        self._process.wait()


class Forked:
    """An agent that was forked."""

    def __init__(self, pid: int, reader: int, writer: int, start: Start) -> None:
        self._pid = pid
        self.reader: BinaryIO = os.fdopen(reader, "rb", buffering=0)
        self.writer: BinaryIO = os.fdopen(writer, "wb", buffering=0)
        self.seen = on_host(start)

    def alive(self) -> bool:
        """Tell whether it is there."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, 0)
            return True
        return False

    def stop(self, *, grace: float) -> Measured:
        """Kill it."""
        self.reader.close()
        with suppress(OSError):
            self.writer.close()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)
        return Measured()


def trials_ms(agent: str, trials: int, entries: Path) -> dict[str, float]:
    """Return the median milliseconds of a trial without a journal, with either level.

    The two take turns, so that what else the computer does hits both alike.
    """
    server = ForkServer()
    levels: dict[str, Isolation] = {"fresh interpreter": ProcessIsolation(), "fork server": server}
    taken: dict[str, list[float]] = {name: [] for name in levels}
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder) / "scratch"
        scratch.mkdir()
        bench = Bench(Registry.open([entries]), Store(Path(folder)), Salt.none(), scratch)
        for number in range(trials + 2):
            for name, level in levels.items():
                spec = TrialSpec(
                    "probe-sum", "1.0.0", "small", number + 1, f"idle:{agent}",
                    str(Path(folder) / name), path=(os.getcwd(),),
                )  # fmt: skip
                began = time.perf_counter()
                record = run_trial(spec, bench, level=level).record
                taken[name].append(1000 * (time.perf_counter() - began))
                assert record["outcome"] == "failed", record
    server.close()
    return {name: statistics.median(each[2:]) for name, each in taken.items()}
