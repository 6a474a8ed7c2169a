from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.support import copy_dataset, make_dataset


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_dataset(tmp_path_factory.mktemp("pristine") / "bids")


@pytest.fixture
def root(pristine: Path, tmp_path: Path) -> Path:
    return copy_dataset(pristine, tmp_path / "bids")
