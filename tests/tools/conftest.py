from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from braino_registry.numbers import Ledger
from braino_registry.tools.catalog import Toolset, catalog
from braino_registry.tools.errors import ToolError
from braino_registry.tools.state import ToolState
from tests import tiny
from tests.tools import body, calls


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


@pytest.fixture(scope="session")
def body_data(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A dataset with blinks, heartbeat and wrong sidecars, and what its signals are made of."""
    root = tmp_path_factory.mktemp("body") / "bids"
    return root, body.write(root)


@pytest.fixture(scope="module")
def opened(
    body_data: tuple[Path, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> ToolState:
    """A session that every call of :data:`tests.tools.calls.GOOD` fits."""
    return calls.prepare(body_data[0], tmp_path_factory.mktemp("work"))


@pytest.fixture
def body_state(body_data: tuple[Path, dict[str, Any]], tmp_path: Path) -> ToolState:
    return ToolState.open(body_data[0], tmp_path, Ledger())


@pytest.fixture
def body_call(body_state: ToolState, toolset: Toolset) -> Callable[..., dict[str, Any]]:
    """Call a tool on that dataset; the ledger learns what it reports, and it obeys its schema."""

    def run(tool: str, /, **args: Any) -> dict[str, Any]:
        result = toolset.run(tool, args, body_state)
        jsonschema.validate(result, catalog().get(tool).spec.result)
        body_state.ledger.add_result(result, args, source=tool)
        return result

    return run


@pytest.fixture
def body_refused(body_call: Callable[..., dict[str, Any]]) -> Callable[..., ToolError]:
    """Call a tool that must refuse; every refusal says what to pass instead."""

    def run(tool: str, /, **args: Any) -> ToolError:
        with pytest.raises(ToolError) as error:
            body_call(tool, **args)
        assert error.value.instead
        return error.value

    return run
