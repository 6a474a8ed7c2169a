from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from braino_registry.datasets import Store
from braino_registry.registry.entries import PublicDataset
from tests.datasets import tiny


class Tiny(NamedTuple):
    """The tiny dataset with its bytes, and a store that finds them."""

    entry: PublicDataset
    mirror: Path
    store: Store


@pytest.fixture(scope="session")
def tiny_mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write_mirror(tmp_path_factory.mktemp("mirror"))


@pytest.fixture
def tiny_dataset(tiny_mirror: Path, tmp_path: Path) -> Tiny:
    entry = tiny.entry(tiny.document(tiny_mirror))
    store = Store(tmp_path / "cache", environ={"BRAINO_MIRRORS": str(tiny_mirror)})
    return Tiny(entry, tiny_mirror, store)
