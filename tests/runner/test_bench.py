from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from braino_registry.runner.bench import Bench


def work(instance: str) -> Any:
    return SimpleNamespace(task=SimpleNamespace(id="a-task"), instance=SimpleNamespace(id=instance))


def realised(digest: str) -> Any:
    return SimpleNamespace(bids=Path("bids"), truth={}, labels={}, digest=digest)


def test_expected_values_are_found_out_once_for_each_instance_and_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[tuple[str, Any]] = []

    def resolve(task: Any, instance: Any, **data: Any) -> object:
        asked.append((instance.id, data.get("dataset_digest")))
        return object()

    monkeypatch.setattr("braino_registry.expected.resolve", resolve)
    nothing: Any = None
    store: Any = SimpleNamespace(root=tmp_path)
    bench = Bench(nothing, store, nothing, tmp_path)
    first = bench.expected(work("one"), realised("x"))
    assert bench.expected(work("one"), realised("x")) is first
    assert bench.expected(work("two"), realised("x")) is not first
    assert bench.expected(work("one"), realised("y")) is not first
    assert asked == [("one", "x"), ("two", "x"), ("one", "y")]


def test_a_question_without_data_is_looked_at_each_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("braino_registry.expected.resolve", lambda *given, **data: object())
    nothing: Any = None
    store: Any = SimpleNamespace(root=tmp_path)
    bench = Bench(nothing, store, nothing, tmp_path)
    assert bench.expected(work("one"), None) is not bench.expected(work("one"), None)
