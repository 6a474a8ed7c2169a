from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.numbers import Ledger
from braino_registry.tools.catalog import Toolset, catalog
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState
from tests import tiny


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> tiny.Tiny:
    """A dataset that no test may change."""
    return tiny.write(tmp_path_factory.mktemp("tiny") / "bids")


@pytest.fixture
def state(dataset: tiny.Tiny, tmp_path: Path) -> ToolState:
    return ToolState.open(dataset.root, tmp_path, Ledger())


@pytest.fixture(scope="session")
def toolset() -> Toolset:
    return Toolset(catalog().names())


@pytest.fixture
def call(state: ToolState, toolset: Toolset) -> Callable[..., dict[str, Any]]:
    """Call a tool as a session does: the ledger learns what it reports."""

    def run(tool: str, /, **args: Any) -> dict[str, Any]:
        result = toolset.run(tool, args, state)
        state.ledger.add_result(result, args, source=tool)
        return result

    return run


@pytest.fixture
def refused(call: Callable[..., dict[str, Any]]) -> Callable[..., ToolError]:
    """Call a tool that must refuse; every refusal says what to pass instead."""

    def run(tool: str, /, **args: Any) -> ToolError:
        with pytest.raises(ToolError) as error:
            call(tool, **args)
        assert error.value.instead
        return error.value

    return run
