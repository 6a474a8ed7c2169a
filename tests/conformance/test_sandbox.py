"""In a sandbox the agent that looks for the truth finds none, and the oracle passes as ever."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.registry import Salt
from braino_registry.runner.contributing import leaks
from braino_registry.runner.sandbox.bubblewrap import Bubblewrap
from tests.conformance import cases
from tests.conformance.test_leaks import tokens_of

FOUND = Bubblewrap().probe()
pytestmark = pytest.mark.skipif(not FOUND.works, reason=f"no bubblewrap: {FOUND.detail}")
TASKS = ("bad-channels-ask", "line-noise-setting", "p3-peak")


def first(task: str) -> cases.Case:
    """Return the first instance of a task."""
    case = next(p.values[0] for p in cases.first_instances() if p.values[0].task == task)
    assert isinstance(case, cases.Case)
    return case


@pytest.mark.parametrize("task", TASKS)
def test_peek_finds_no_truth(
    task: str,
    attempt: Callable[..., dict[str, Any]],
    store: Store,
    salts: tuple[Salt, Salt],
    tmp_path: Path,
) -> None:
    case = first(task)
    record = attempt(case, agent="peek", isolation="sandbox", salt=salts[0], keep=tmp_path)
    assert record["outcome"] == "failed", record["reason"]
    (listing,) = tmp_path.rglob("peek.json")
    found = json.loads(listing.read_text(encoding="utf-8"))
    assert [(each["way"], each["where"], each["keys"]) for each in found] == []
    dataset = cases.REGISTRY.dataset(cases.entry(task).instance(case.instance).dataset)
    secret = [t for t in tokens_of(dataset, salts[0], store) if len(t) > 40 or "seed" in t]
    assert leaks.scan_tree(listing.parent, secret) == []


@pytest.mark.parametrize("task", TASKS)
def test_the_oracle_passes(task: str, attempt: Callable[..., dict[str, Any]]) -> None:
    record = attempt(first(task), agent="oracle", isolation="sandbox")
    assert record["outcome"] == "passed", record["reason"]
