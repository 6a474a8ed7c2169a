"""Control groups: used where they can be made, entered before the agent begins, and removed.

The kernel's folders are stood in for by ordinary ones, in which a limit is a file like any other.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from braino_registry.runner import cgroups, levels, tiers
from braino_registry.runner.doctor import examine

MINIMUM = tiers.get("minimum")


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a folder that looks like a delegated part of a version 2 hierarchy."""
    root = tmp_path / "cgroup"
    delegated = root / "user.slice" / "app.slice"
    own = delegated / "run.scope"
    own.mkdir(parents=True)
    (root / "cgroup.controllers").write_text("cpu memory pids\n")
    (delegated / "cgroup.subtree_control").write_text("memory pids\n")
    (delegated / "cgroup.procs").write_text("")
    (tmp_path / "self").write_text("0::/user.slice/app.slice/run.scope\n")
    monkeypatch.setattr(cgroups, "ROOT", root)
    monkeypatch.setattr(cgroups, "OWN", tmp_path / "self")
    monkeypatch.setattr(cgroups, "rmdir", shutil.rmtree)
    cgroups.place.cache_clear()
    yield delegated
    cgroups.place.cache_clear()


def test_a_group_is_made_limited_entered_and_removed(fake: Path) -> None:
    assert cgroups.place() == fake
    group = cgroups.make(MINIMUM)
    assert group is not None
    assert (group.path / "memory.max").read_text() == str(MINIMUM.memory_bytes)
    assert (group.path / "pids.max").read_text() == str(MINIMUM.processes)
    assert (group.path / "memory.swap.max").read_text() == "0"
    done = subprocess.run(
        group.entering(["/bin/echo", "a b", "$0"]), capture_output=True, text=True, check=True
    )
    assert done.stdout == "a b $0\n"
    assert (group.path / "cgroup.procs").read_text() == "0\n"
    group.close()
    group.close()
    assert not list(fake.glob("braino-*"))


def test_an_unlimited_tier_gets_no_limit_of_memory(fake: Path) -> None:
    group = cgroups.make(tiers.get("server"))
    assert group is not None
    assert not (group.path / "memory.max").exists()


def test_what_the_kernel_tells_is_told(fake: Path) -> None:
    group = cgroups.make(MINIMUM)
    assert group is not None
    assert group.peak_bytes() is None
    assert group.passed() is None
    (group.path / "memory.peak").write_text("123456\n")
    (group.path / "memory.events").write_text("low 0\nmax 7\noom 1\noom_kill 1\n")
    assert group.peak_bytes() == 123456
    assert group.passed() == f"used more memory than the tier's {MINIMUM.memory_bytes} bytes"


def test_levels_and_doctor_say_that_groups_hold_the_limits(fake: Path) -> None:
    held = levels.get("process").enforcement(MINIMUM)
    assert held["memory"] == "cgroup, rlimit per process"
    assert held["processes"] == "cgroup"
    assert levels.get("process").enforcement(tiers.get("server"))["memory"] == "none"
    assert examine()["cgroup"] == {"version": 2, "memory": True, "why": ""}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda home: (home / "cgroup.subtree_control").write_text("cpu\n"),
        lambda home: (home / "cgroup.procs").unlink(),
        lambda home: (home.parents[1] / "cgroup.controllers").unlink(),
        lambda home: cgroups.OWN.write_text("4:memory:/x\n"),
    ],
)
def test_without_leave_to_make_groups_limits_are_held_as_ever(
    fake: Path, spoil: Callable[[Path], Any]
) -> None:
    spoil(fake)
    cgroups.place.cache_clear()
    assert cgroups.place() is None
    assert cgroups.make(MINIMUM) is None
    assert levels.get("process").enforcement(MINIMUM)["memory"].startswith("rlimit")
    assert examine()["cgroup"]["memory"] is False
    assert examine()["cgroup"]["why"]


def test_a_group_that_cannot_be_limited_is_not_used(
    fake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, *args: Any, **options: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    assert cgroups.make(MINIMUM) is None
    assert not list(fake.glob("braino-*"))


def test_an_agent_runs_in_its_group_and_is_told_to_have_passed_it(
    fake: Path, attempt: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[cgroups.Group] = []
    real = cgroups.make

    def note(tier: tiers.Tier) -> cgroups.Group | None:
        group = real(tier)
        assert group is not None
        made.append(group)
        (group.path / "memory.events").write_text("oom_kill 1\n")
        (group.path / "memory.peak").write_text(str(1 << 40))
        return group

    monkeypatch.setattr(cgroups, "make", note)
    record = attempt("kills_itself")
    assert record["outcome"] == "limit"
    assert record["reason"].startswith("used more memory than the tier's")
    assert record["process"]["peak_memory_bytes"] == 1 << 40
    assert made
    assert not any(os.path.lexists(group.path) for group in made)
