from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.registry import Registry, Salt
from braino_registry.runner import try_task
from tests.conformance import cases


@pytest.fixture(scope="session")
def registry() -> Registry:
    return cases.REGISTRY


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Return one cache for all workers of the test run, so that each dataset is built once."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    return Store(shared / "conformance-cache", environ=cases.MIRRORS)


@pytest.fixture(scope="session")
def salts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Salt, Salt]:
    """Return two salts."""
    folder = tmp_path_factory.mktemp("salts")
    made = []
    for name in ("one", "two"):
        file = folder / name
        file.write_text(f"{name}-0123456789abcdef0123456789abcdef\n", encoding="ascii")
        made.append(Salt.read(file))
    return made[0], made[1]


@pytest.fixture
def attempt(registry: Registry, store: Store) -> Callable[..., dict[str, Any]]:
    """Return a function that runs one trial and returns its record."""

    def run(case: cases.Case, **options: Any) -> dict[str, Any]:
        case.need(store)
        return try_task(
            case.task, instance=case.instance, registry=registry, store=store, **options
        )

    return run


@pytest.fixture
def keep(tmp_path: Path) -> Path:
    """Return where a trial may leave its transcript."""
    return tmp_path / "kept"
