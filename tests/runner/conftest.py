from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.registry import Registry
from braino_registry.runner import RunSettings, isolation, tiers, try_task
from braino_registry.runner.process import AgentProcess
from braino_registry.runner.tiers import Tier

MINIMUM = tiers.get("minimum")
Start = Callable[..., AgentProcess]

HERE = Path(__file__).parent
ENTRIES = HERE / "entries"


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One dataset cache for all tests, so that each dataset is built once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def registry() -> Registry:
    return Registry.open([ENTRIES])


@pytest.fixture
def attempt(monkeypatch: pytest.MonkeyPatch, cache: Path, registry: Registry) -> Any:
    """Run one trial of an agent of the zoo in this process."""
    monkeypatch.chdir(HERE)

    def one(agent: str, task: str = "probe-sum", **options: Any) -> dict[str, Any]:
        named = agent.removeprefix(":") if ":" in agent else f"zoo:{agent}"
        chosen = {"isolation": "process", "registry": registry, "store": Store(cache), **options}
        return try_task(task, agent=named, **chosen)

    return one


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path) -> Any:
    """Settings of a run of suite `probe` on an agent of the zoo."""
    monkeypatch.chdir(HERE)

    def make(agent: str, *tasks: str, **options: Any) -> RunSettings:
        chosen: dict[str, Any] = {
            "tasks": tasks or ("probe-sum",),
            "registry": (ENTRIES,),
            "run_dir": tmp_path / "run",
            "cache": cache,
            **options,
        }
        return RunSettings(agent=agent if ":" in agent else f"zoo:{agent}", **chosen)

    return make


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start processes as agents, and stop them when the test is over."""
    running: list[AgentProcess] = []

    def begin(
        code: str,
        tier: Tier = MINIMUM,
        output_bytes: int = 10**6,
        folder: Path | None = None,
        data_bytes: int = 0,
    ) -> AgentProcess:
        place = folder or tmp_path / "place"
        for name in ("inputs", "workspace", "tmp"):
            (place / name).mkdir(parents=True, exist_ok=True)
        told = isolation.Start(
            place / "inputs", place / "workspace", place / "tmp", tier, output_bytes, "none:at_all",
            data_bytes=data_bytes,
        )  # fmt: skip
        prelude = "import os, subprocess, sys, time\n"
        command = [sys.executable, "-c", prelude + code]
        agent = AgentProcess(command, told, dict(os.environ), isolation.on_host(told))
        running.append(agent)
        return agent

    yield begin
    for agent in running:
        agent.stop(grace=0)
