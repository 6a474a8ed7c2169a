"""A tiny dataset, and tasks of one check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.expected import Expected, resolve
from braino_registry.registry.entries import Entry, Instance
from tests import tiny

TRUTH = {
    "recordings": {
        "sub-01_task-oddball": {
            "noisy_channels": ["T8"],
            "alpha": {"frequency_hz": 10.3},
            "none": None,
        },
        "sub-02_task-oddball": {"noisy_channels": ["F3"]},
    },
    "dataset": {"effect_band": "alpha", "n": 2},
}
LABELS = {"recordings": {"sub-01_task-oddball": {"n_square": 80}}, "dataset": {"year": 1999}}

Resolve = Callable[..., Expected]


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(tmp_path_factory.mktemp("tiny") / "bids").root


def instance(recording: str | None = "sub-01_task-oddball", **more: Any) -> Instance:
    """Return an instance about one recording of the tiny dataset."""
    entities = {} if recording is None else {"bids_subject": recording[4:6], "bids_task": "oddball"}
    return Instance("some-task", "one", "tiny@1.0.0", entities, recording, **more)


@pytest.fixture
def filled(tree: Path) -> Resolve:
    """Return a function from a check (or its ``expected``) to the resolved checks."""

    def run(check: Any, at: Instance | None = None, **more: Any) -> Expected:
        full = {"id": "it", "kind": "set", "field": "x", "required": True, "expected": check}
        if isinstance(check, dict) and "kind" in check:
            full = {"id": "it", **check}
        task: Any = Entry("task", "some-task", "1.0.0", Path("some-task.json"), {"checks": [full]})
        given = {"tree": tree, "truth": TRUTH, "labels": LABELS, **more}
        return resolve(task, at or instance(), **given)

    return run
