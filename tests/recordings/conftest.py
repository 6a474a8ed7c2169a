from __future__ import annotations

from pathlib import Path

import pytest

from braino_registry.recordings.tree import BidsTree
from tests import tiny


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> tiny.Tiny:
    """A dataset that no test may change."""
    return tiny.write(tmp_path_factory.mktemp("tiny") / "bids")


@pytest.fixture
def tree(dataset: tiny.Tiny) -> BidsTree:
    return BidsTree(dataset.root)


@pytest.fixture
def own(tmp_path: Path) -> tiny.Tiny:
    """A dataset of one subject that the test may change."""
    return tiny.write(tmp_path / "bids", {"01": tiny.Faults()})
