from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from braino_registry.datasets import Store
from braino_registry.registry.entries import PublicDataset
from tests.datasets import tiny


class Tiny(NamedTuple):
    """The tiny dataset with its bytes, and a store that finds them."""

    entry: PublicDataset
    mirror: Path
    store: Store


Write = Callable[[dict[str, Any]], PublicDataset]


@pytest.fixture(scope="session")
def tiny_mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write_mirror(tmp_path_factory.mktemp("mirror"))


@pytest.fixture
def written(tiny_mirror: Path, tmp_path: Path) -> Write:
    """Write an entry about the tiny runs with its pins."""
    return lambda doc: tiny.entry(doc, tmp_path / "entries", tiny.pins(tiny_mirror))


@pytest.fixture
def tiny_dataset(tiny_mirror: Path, tmp_path: Path) -> Tiny:
    entry = tiny.entry(tiny.document(), tmp_path / "entry", tiny.pins(tiny_mirror))
    store = Store(tmp_path / "cache", environ={"BRAINO_MIRRORS": str(tiny_mirror)})
    return Tiny(entry, tiny_mirror, store)


@pytest.fixture
def served_bytes(tiny_mirror: Path) -> dict[str, bytes]:
    """The tiny runs by path, and once more below moved/."""
    bodies = {
        path: (tiny_mirror / f"somewhere/file-{i}.bin").read_bytes()
        for i, path in enumerate(tiny.RUNS)
    }
    return bodies | {f"moved/{path}": body for path, body in bodies.items()}


@pytest.fixture
def empty_store(tmp_path: Path) -> Store:
    """A cache with nothing in it, without mirrors."""
    return Store(tmp_path / "cache", environ={})
