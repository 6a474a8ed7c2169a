"""What an agent leaves on the disk is watched, and ends its own trial."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from braino_registry.runner import tiers
from braino_registry.runner.disk import Disk
from tests.runner.conftest import Start
from tests.runner.test_folder import dig
from tests.runner.test_process import said, wait_for_end

TIER = replace(tiers.get("minimum"), disk_bytes=1_000_000, files=20)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A trial's folder with data of a megabyte."""
    made = tmp_path / "trial"
    (made / "workspace").mkdir(parents=True)
    (made / "inputs").mkdir()
    (made / "inputs" / "data").write_bytes(b"x" * 2**20)
    return made


def test_the_data_do_not_count_and_what_is_beside_them_does(folder: Path) -> None:
    disk = Disk(folder, TIER, 2**20)
    assert disk.measure() is None
    (folder / "workspace" / "own").write_bytes(b"x" * 900_000)
    assert disk.measure() is None
    (folder / "inputs" / "more").write_bytes(b"x" * 1_500_000)
    assert disk.measure() == "wrote more than the 1000000 bytes that it may leave on the disk"


def test_a_sparse_file_counts_with_what_it_takes(folder: Path) -> None:
    with (folder / "workspace" / "sparse").open("wb") as stream:
        stream.truncate(1 << 40)
    assert Disk(folder, TIER, 2**20).measure() is None


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="there is no fallocate here")
def test_what_lies_behind_the_end_of_a_file_counts(folder: Path) -> None:
    import ctypes

    with (folder / "workspace" / "short").open("wb") as stream:
        fallocate = ctypes.CDLL(None, use_errno=True).fallocate
        if fallocate(stream.fileno(), 1, ctypes.c_long(0), ctypes.c_long(4_000_000)):
            pytest.skip("this file system cannot do that")
    assert (folder / "workspace" / "short").stat().st_size == 0
    assert Disk(folder, TIER, 2**20).measure() is not None


def test_that_blocks_are_rounded_up_counts_against_nobody(folder: Path) -> None:
    for number in range(600):
        (folder / "inputs" / str(number)).write_text("x")
    disk = Disk(folder, replace(TIER, files=1000, disk_bytes=10), 2**20 + 600)
    assert disk.measure() is None


def test_many_files_and_deep_folders_are_limits_too(folder: Path) -> None:
    disk = Disk(folder, TIER, 2**20)
    dig(folder / "workspace" / "deep", 10)
    assert disk.measure() is None
    for number in range(10):
        (folder / "workspace" / str(number)).touch()
    assert disk.measure() == "made more files than the 20 that it may"
    disk = Disk(folder, replace(TIER, files=10_000), 2**20)
    dig(folder / "workspace" / "deeper", 600)
    assert disk.measure() == "nested its folders too deep"


def test_an_eighth_of_what_is_free_is_the_most(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Disk, "free_bytes", lambda self: 4_000_000)
    disk = Disk(folder, TIER, 0)
    assert disk.bytes == 500_000
    (folder / "workspace" / "own").write_bytes(b"x" * 600_000)
    assert disk.measure() == "wrote more than the 500000 bytes that it may leave on the disk"


def test_no_single_file_gets_beyond_it(start: Start, folder: Path) -> None:
    """The kernel refuses at once what the watcher would only see when it looks."""
    code = (
        "try:\n    open('big', 'wb', buffering=0).write(bytes(2_000_000))\n"
        "    open('big', 'ab', buffering=0).write(b'x')\n"
        "except OSError as error:\n    print(error.strerror, flush=True)\ntime.sleep(1000)"
    )
    agent = start(code, TIER, folder=folder, data_bytes=2**20)
    assert said(agent) == b"File too large\n"


def test_a_disk_that_fills_quickly_is_looked_at_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = [100_000_000]
    monkeypatch.setattr(Disk, "free_bytes", lambda self: free[0])
    disk = Disk(folder, TIER, 2**20)
    assert disk.look() is None
    monkeypatch.setattr("time.monotonic", lambda: 0.0)  # it is not time to look again
    (folder / "workspace" / "own").write_bytes(b"x" * 4_000_000)
    assert disk.look() is None
    free[0] -= 4_000_000
    assert disk.look() is not None


def test_a_folder_that_is_gone_or_shut_raises_nothing(folder: Path) -> None:
    disk = Disk(folder, TIER, 2**20)
    (folder / "workspace").chmod(0)
    assert disk.measure() is None
    folder.rename(folder.with_name("elsewhere"))
    assert disk.look() is None
    assert disk.measure() is None


def test_an_agent_that_fills_its_folder_is_stopped(start: Start, folder: Path) -> None:
    own = str(folder / "workspace" / "own")
    code = f"for name in '123': open({own!r} + name, 'wb').write(bytes(800_000))\n"
    agent = start(code + "time.sleep(1000)", TIER, folder=folder, data_bytes=2**20)
    assert wait_for_end(agent).stopped_for == (
        "wrote more than the 1000000 bytes that it may leave on the disk"
    )


def test_space_that_is_given_back_with_the_agents_end_was_the_agents(
    start: Start, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that was removed while it is open is in no folder, and still takes its space."""
    agent = start("print(os.getpid(), flush=True); time.sleep(1000)", TIER, folder=folder)
    pid = int(said(agent))
    alive = f"/proc/{pid}/stat"
    monkeypatch.setattr(Disk, "free_bytes", lambda self: 0 if os.path.exists(alive) else 5_000_000)
    measured = agent.stop(grace=0)
    assert measured.stopped_for is None
    assert measured.found_over == ("held more than the 1000000 bytes that it may leave on the disk")
