"""The agent's process from outside: what is watched, stopped, counted, left behind."""

from __future__ import annotations

import os
import select
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from braino_registry.runner import tiers
from braino_registry.runner.isolation import Measured
from braino_registry.runner.process import AgentProcess, ProcessIsolation, environment
from tests.runner.conftest import MINIMUM, Start


def said(agent: AgentProcess, seconds: float = 20.0) -> bytes:
    """Return the first line that the process writes to its protocol pipe."""
    line = b""
    while not line.endswith(b"\n"):
        assert select.select([agent.reader], [], [], seconds)[0], f"the agent said only {line!r}"
        piece = os.read(agent.reader.fileno(), 1)
        assert piece, f"the agent ended after {line!r}"
        line += piece
    return line


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_silent_agent_is_killed_and_leaves_nothing(start: Start) -> None:
    agent = start("print(os.getpid(), flush=True); time.sleep(1000)")
    pid = int(said(agent))
    measured = agent.stop(grace=0)  # it would sleep for a quarter of an hour
    assert gone(pid)
    assert measured.left_behind == 0
    assert measured.exit_code is None
    assert measured.peak_memory_bytes is not None
    assert measured.peak_memory_bytes > 2**20


def test_an_agent_that_kills_itself_is_seen(start: Start) -> None:
    agent = start("os.kill(os.getpid(), 9)")
    assert agent.stop(grace=20).exit_code == -9


@pytest.mark.parametrize(
    "escape",
    [
        "subprocess.Popen(['sleep', '1000'])",
        "subprocess.Popen(['sleep', '1000'], start_new_session=True)",
        "os.fork() or (os.setsid(), os.fork() and os._exit(0), time.sleep(1000))",
    ],
    ids=["child", "new-session", "daemon"],
)
def test_children_do_not_survive_however_they_are_started(start: Start, escape: str) -> None:
    others = set(psutil.pids())
    agent = start(f"{escape}\nprint('ready', flush=True)\ntime.sleep(1000)")
    assert said(agent) == b"ready\n"
    measured = agent.stop(grace=0)
    left = [pid for pid in set(psutil.pids()) - others if not gone(pid) and _is_ours(pid)]
    assert left == []
    assert measured.left_behind >= 0


def test_a_daemon_that_outlives_its_agent_is_counted_and_stopped(start: Start) -> None:
    agent = start(
        "child = subprocess.Popen(['sleep', '1000'], start_new_session=True,"
        " stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "print(child.pid, flush=True)\nos._exit(7)"
    )
    pid = int(said(agent))
    measured = agent.stop(grace=20)
    assert measured.exit_code == 7
    assert measured.left_behind == 1
    assert gone(pid)


def _is_ours(pid: int) -> bool:
    try:
        return os.getpid() in [parent.pid for parent in psutil.Process(pid).parents()]
    except psutil.NoSuchProcess:
        return False


def test_what_the_caller_started_itself_is_left_alone(start: Start) -> None:
    mine = psutil.Popen(["sleep", "1000"])
    try:
        start("time.sleep(1000)").stop(grace=0)
        later = psutil.Popen(["sleep", "1000"])
        try:
            start("time.sleep(1000)").stop(grace=0)
            assert not gone(mine.pid)
            assert not gone(later.pid)
        finally:
            later.kill()
            later.wait()
    finally:
        mine.kill()
        mine.wait()


def wait_for_end(agent: AgentProcess, seconds: float = 30.0) -> Measured:
    """Wait until the process has closed its pipe, as a session would, and stop it."""
    deadline = time.monotonic() + seconds
    while select.select([agent.reader], [], [], deadline - time.monotonic())[0]:
        if not os.read(agent.reader.fileno(), 65536):
            return agent.stop(grace=5)
    raise AssertionError("the agent was not stopped")


def test_a_flood_of_prints_is_counted_capped_and_stopped(start: Start) -> None:
    agent = start("while True: sys.stderr.write('x' * 65536)", output_bytes=5_000_000)
    measured = wait_for_end(agent)
    assert measured.stopped_for == "printed more than 5000000 bytes"
    assert measured.printed_bytes > 5_000_000
    assert len(measured.log) < 100_000
    assert b"bytes left out" in measured.log


def test_prints_within_the_limit_are_kept_whole(start: Start) -> None:
    agent = start("sys.stderr.write('hello'); sys.stderr.flush(); os.close(1)")
    measured = wait_for_end(agent)
    assert measured.log == b"hello"
    assert measured.stopped_for is None
    assert measured.exit_code == 0


def test_memory_of_the_whole_tree_is_watched(start: Start) -> None:
    # Each of three processes stays below the limit; together they pass it.
    tier = replace(MINIMUM, memory_bytes=400 * 2**20)
    hog = "hold = bytearray(os.urandom(1)) * (160 * 2**20); time.sleep(1000)"
    agent = start(f"os.fork(); os.fork() if os.getppid() else 0\n{hog}", tier=tier)
    measured = wait_for_end(agent)
    assert measured.stopped_for is not None
    assert "of memory, more than the tier's" in measured.stopped_for


def test_one_process_cannot_allocate_beyond_the_tier(start: Start) -> None:
    tier = replace(MINIMUM, memory_bytes=300 * 2**20)
    agent = start(
        "try:\n    hold = bytearray(2**30)\nexcept MemoryError:\n    print('refused', flush=True)\n"
        "time.sleep(1000)",
        tier=tier,
    )
    assert said(agent) == b"refused\n"


def test_too_many_processes_are_stopped(start: Start) -> None:
    tier = replace(MINIMUM, processes=5)
    code = "[subprocess.Popen(['sleep', '1000']) for _ in range(10)]\ntime.sleep(1000)"
    agent = start(code, tier)
    measured = wait_for_end(agent)
    assert measured.stopped_for is not None
    assert "processes, more than the tier's 5" in measured.stopped_for


def test_a_file_beyond_the_tier_is_refused(start: Start, tmp_path: Path) -> None:
    tier = replace(MINIMUM, file_bytes=1000)
    agent = start(
        "try:\n    open('big', 'wb', buffering=0).write(b'x' * 1000)\n"
        "    open('big', 'ab', buffering=0).write(b'x')\nexcept OSError as e:\n"
        "    print(e.strerror, flush=True)\ntime.sleep(1000)",
        tier,
    )
    assert said(agent) == b"File too large\n"
    assert (tmp_path / "place" / "workspace" / "big").stat().st_size <= 1000


def test_the_environment_tells_nothing_of_the_registry_and_hides_graphics(tmp_path: Path) -> None:
    given = {"BRAINO_DATA": "/c", "MNE_DATA": "/m", "OPENAI_API_KEY": "k", "PATH": "/bin"}
    kept = environment(MINIMUM, tmp_path, given)
    assert not [name for name in kept if name.startswith(("BRAINO_", "MNE_"))]
    assert kept["OPENAI_API_KEY"] == "k"
    assert kept["TMPDIR"] == str(tmp_path)
    assert kept["CUDA_VISIBLE_DEVICES"] == ""
    assert "CUDA_VISIBLE_DEVICES" not in environment(tiers.get("server"), tmp_path, given)


def test_every_resource_says_how_it_is_held() -> None:
    enforcement = ProcessIsolation().enforcement(MINIMUM)
    resources = {"seconds", "memory", "processes", "disk", "output", "gpu", "network"}
    assert resources <= set(enforcement)
    assert enforcement["network"] == "none"
