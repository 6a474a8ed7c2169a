from __future__ import annotations

import os
from pathlib import Path

import pytest

from braino_registry.datasets import Store
from tests.session.support import copy_dataset, make_dataset


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_dataset(tmp_path_factory.mktemp("pristine") / "bids")


@pytest.fixture
def root(pristine: Path, tmp_path: Path) -> Path:
    return copy_dataset(pristine, tmp_path / "bids")


@pytest.fixture(scope="session")
def shared_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Return the cache of the conformance tests of all workers: each dataset is built once."""
    base = tmp_path_factory.getbasetemp()
    folder = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    return Store(folder / "conformance-cache")
