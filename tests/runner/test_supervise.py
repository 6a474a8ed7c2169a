"""Workers that are killed while they start."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

import pytest

from braino_registry.errors import HostError
from braino_registry.runner import wire
from braino_registry.runner.supervise import (
    Hooks,
    Roster,
    Supervisor,
    Worker,
    WorkerDied,
    WorkerFailed,
)
from tests.runner.test_endings import SPEC


class Starting:
    """Workers of which so many are killed while they start."""

    def __init__(self, killed: int) -> None:
        self.killed = killed

    def __call__(self) -> Worker:
        self.killed -= 1
        if self.killed >= 0:
            raise WorkerDied("the worker was killed by signal 9")
        return cast(Worker, self)

    def request(self, message: Any) -> Any:
        return {"type": "result", "record": {"outcome": "passed"}, "spent": False}

    def close(self) -> None: ...


def test_a_worker_that_is_killed_while_it_starts_does_not_take_the_run_with_it() -> None:
    rows: list[dict[str, Any]] = []
    hooks = Hooks(lambda spec: None, lambda spec, record: rows.append(record))
    assert Supervisor([SPEC], 1, Starting(2), hooks, Roster(), lambda spec, why: {}).run()
    assert rows == [{"outcome": "passed"}]
    with pytest.raises(HostError, match="killed by signal 9") as caught:
        Supervisor([SPEC], 1, Starting(99), hooks, Roster(), lambda spec, why: {}).run()
    assert caught.value.where == "starting a worker"


def test_a_worker_that_is_killed_while_it_starts_leaves_nothing(tmp_path: Path) -> None:
    init = wire.init_message(
        registry=(tmp_path / "nowhere",), cache=None, salt=None, scratch=tmp_path / "scratch"
    )
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises((WorkerDied, WorkerFailed)):
        Worker(init, Roster())
    assert set(os.listdir("/proc/self/fd")) <= before
    assert not (tmp_path / "scratch").exists()
