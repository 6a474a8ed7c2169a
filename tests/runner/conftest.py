from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.registry import Registry
from braino_registry.runner import RunSettings, try_task

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
