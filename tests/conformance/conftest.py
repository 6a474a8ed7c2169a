from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.registry import Registry, Salt
from braino_registry.runner import try_task
from braino_registry.runner.bench import Bench
from braino_registry.runner.trying import open_bench
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


@pytest.fixture(scope="session")
def benches(registry: Registry, store: Store) -> Iterator[Callable[[Salt | None], Bench]]:
    """Return a function that gives the trusted side for a salt: one, as in a worker of a run."""
    opened: dict[str | None, Bench] = {}
    with ExitStack() as stack:

        def of(salt: Salt | None) -> Bench:
            name = None if salt is None else salt.hash
            if name not in opened:
                opened[name] = stack.enter_context(open_bench(registry, store, salt))
            return opened[name]

        yield of


@pytest.fixture
def attempt(benches: Callable[[Salt | None], Bench], store: Store) -> Callable[..., dict[str, Any]]:
    """Return a function that runs one trial and returns its record."""

    def run(
        case: cases.Case, *, salt: Salt | None = None, keep: Path | None = None, **options: Any
    ) -> dict[str, Any]:
        case.need(store)
        with TemporaryDirectory() as folder:
            kept = keep or Path(folder, "run")
            return try_task(
                case.task, instance=case.instance, bench=benches(salt), keep=kept, **options
            )

    return run


@pytest.fixture(scope="session")
def referred() -> dict[str, tuple[dict[str, Any], Path]]:
    """Return what `reference` has run in this process."""
    return {}


@pytest.fixture
def reference(
    attempt: Callable[..., dict[str, Any]],
    referred: dict[str, tuple[dict[str, Any], Path]],
    tmp_path: Path,
) -> Callable[[cases.Case], tuple[dict[str, Any], Path]]:
    """Return a function that tells the record and the folder of the reference, run once."""

    def of(case: cases.Case) -> tuple[dict[str, Any], Path]:
        if str(case) not in referred:
            folder = tmp_path / "reference"
            referred[str(case)] = attempt(case, keep=folder), folder
        return referred[str(case)]

    return of


@pytest.fixture
def keep(tmp_path: Path) -> Path:
    """Return where a trial may leave its transcript."""
    return tmp_path / "kept"
