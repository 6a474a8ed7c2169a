"""What a process holds without a name is counted with the rest."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from braino_registry.runner import tiers
from braino_registry.runner.holdings import (
    FREE_SOCKETS,
    Held,
    Holdings,
    Rooms,
    socket_bytes,
)
from tests.runner.conftest import Start
from tests.runner.test_process import wait_for_end

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="it looks into /proc, which Linux has"
)
TIER = replace(tiers.get("minimum"), memory_bytes=300_000_000, files=20)
MIB = 1 << 20


@pytest.fixture
def holdings(tmp_path: Path) -> Holdings:
    return Holdings(TIER, MIB, tmp_path)


@pytest.fixture
def before(holdings: Holdings) -> Held:
    return holdings.held([os.getpid()])


@pytest.fixture
def opened() -> Iterator[list[int]]:
    handles: list[int] = []
    yield handles
    for handle in handles:
        os.close(handle)


def test_a_file_in_memory_counts_once_however_often_it_is_open(
    holdings: Holdings, before: Held, opened: list[int]
) -> None:
    size = 64 * MIB  # much beside what the rest of this process gains and loses meanwhile
    opened.append(os.memfd_create("x"))
    os.write(opened[0], bytes(size))
    opened.append(os.dup(opened[0]))
    grown = holdings.held([os.getpid()]).memory_bytes - before.memory_bytes
    assert 0.75 * size <= grown < 1.5 * size


def test_a_file_that_was_unlinked_counts_as_disk_and_one_with_a_name_does_not(
    holdings: Holdings, before: Held, opened: list[int], tmp_path: Path
) -> None:
    opened.append(os.open(tmp_path / "x", os.O_CREAT | os.O_WRONLY))
    os.write(opened[0], b"x" * 2 * MIB)
    os.fsync(opened[0])
    assert holdings.held([os.getpid()]).disk_bytes == before.disk_bytes
    os.unlink(tmp_path / "x")
    if os.stat(tmp_path).st_dev != os.fstat(opened[0]).st_dev:
        pytest.skip("this file system gives its files devices of their own")
    assert holdings.held([os.getpid()]).disk_bytes - before.disk_bytes >= 2 * MIB
    said = Holdings(replace(TIER, memory_bytes=None), MIB, tmp_path).look([os.getpid()])
    assert said == f"held more than the {MIB} bytes that it may leave on the disk"


def test_sockets_beyond_what_any_program_has_count_with_what_they_may_hold(
    holdings: Holdings, before: Held
) -> None:
    with ExitStack() as stack:
        for _ in range(FREE_SOCKETS):
            stack.enter_context(socket.socket())
        few = holdings.held([os.getpid()]).memory_bytes - before.memory_bytes
        for _ in range(100):
            stack.enter_context(socket.socket())
        many = holdings.held([os.getpid()]).memory_bytes - before.memory_bytes
    assert many - few >= 90 * socket_bytes()


def test_looks_become_rare_where_they_take_long(
    holdings: Holdings, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([100.0, 103.0, 120.0, 134.0, 134.0])
    monkeypatch.setattr("time.monotonic", lambda: next(times))
    looks: list[int] = []

    def held(pids: list[int]) -> Held:
        looks.append(1)
        return Held()

    monkeypatch.setattr(holdings, "held", held)
    for _ in range(3):  # it begins at 100 and ends at 103; at 120 it is too early, at 134 not
        assert holdings.look([]) is None
    assert len(looks) == 2


def test_each_limit_is_told(holdings: Holdings, monkeypatch: pytest.MonkeyPatch) -> None:
    for held, said in (
        (Held(memory_bytes=TIER.memory_bytes or 0), None),
        (Held(memory_bytes=(TIER.memory_bytes or 0) + 1), "held up to 300000001 bytes of memory"),
        (Held(disk_bytes=MIB + 1), "held more than"),
        (Held(files=21), "made more files in memory than the 20"),
    ):
        holdings._next = 0.0
        monkeypatch.setattr(holdings, "held", lambda pids, held=held: held)
        found = holdings.look([])
        assert found is None if said is None else str(found).startswith(said)


def test_files_in_memory_are_counted_only_where_they_are_the_trees_own(tmp_path: Path) -> None:
    own = Rooms(("/dev/shm",), str(tmp_path), tmp_path)
    other = Rooms(("/dev/shm",), "/usr", tmp_path)  # as while a sandbox is still being made
    assert Holdings(TIER, MIB, tmp_path, own).held([os.getpid()]).files > 0
    assert Holdings(TIER, MIB, tmp_path, other).held([os.getpid()]).files == 0


def test_processes_and_folders_that_are_gone_raise_nothing(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-S", "-c", ""])
    gone.wait()
    assert Holdings(TIER, MIB, tmp_path / "removed").held([gone.pid]) == Held()


def test_an_agent_that_holds_too_much_is_stopped(start: Start) -> None:
    code = (
        "import os\nfor _ in range(4):\n"
        "    os.write(os.memfd_create('x'), bytes(100_000_000))\ntime.sleep(1000)"
    )
    agent = start(code, TIER)
    assert "in files without names" in str(wait_for_end(agent).stopped_for)
