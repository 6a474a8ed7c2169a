"""Large tasks of the suite: planned only on request, and on data that are there or can be built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from braino_registry import runner
from braino_registry.registry import Registry
from braino_registry.runner import RunSettings

LARGE = ("erp-core-p3-group", "erp-core-p3-minimal")
PARTS = {
    "erp-core-p3-group": (287, "--bids-task P3"),
    "erp-core-p3-minimal": (14, "--bids-subject 002"),
}
Rows = set[tuple[str, str]]


@pytest.fixture
def planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that plans with an empty cache, without mirrors and network."""
    monkeypatch.setenv("BRAINO_OFFLINE", "1")
    monkeypatch.delenv("BRAINO_MIRRORS", raising=False)

    def make(*tasks: str, **options: Any) -> tuple[Rows, dict[tuple[str, str], Any]]:
        chosen = RunSettings(agent="oracle", tasks=tasks, cache=tmp_path / "cache", **options)
        plan = runner.plan(chosen)
        return (
            {(row.task, row.instance) for row in plan.rows},
            {(row.task, row.instance): row for row in plan.left_out},
        )

    return make


def test_the_large_ones_are_left_out_unless_asked_for(planned: Any) -> None:
    rows, left_out = planned()
    assert not {task for task, _ in rows} & set(LARGE)
    for task in LARGE:
        for instance in ("twin", "public"):
            assert left_out[task, instance].command == "add --include-large"


def test_the_twins_alone_can_be_asked_for(planned: Any) -> None:
    rows, left_out = planned(include_large=True, data="twin")
    assert rows == {(task, "twin") for task in LARGE}
    assert left_out == {}


def test_without_data_and_network_the_public_ones_say_what_is_missing(planned: Any) -> None:
    rows, left_out = planned(*LARGE, include_large=True)
    assert rows == {(task, "twin") for task in LARGE}
    for task, (files, part) in PARTS.items():
        row = left_out[task, "public"]
        assert f"{files} of {files} files" in row.reason
        assert "bytes to fetch" in row.reason
        assert row.command.startswith(f"braino data fetch erp-core-p3 {part} --cache ")


@pytest.mark.parametrize("task", LARGE)
def test_what_is_expected_of_the_public_data_is_a_label_that_was_published(task: str) -> None:
    """It is what the list and the paper say, and the entry says that nobody has tried yet."""
    registry = Registry.open(environ={})
    labels = registry.dataset("erp-core-p3@1.0.0").doc["labels"]
    public = registry.task(task).instance("public")
    if task == "erp-core-p3-minimal":
        assert public.expected == {"effect": {"label": "p3_minimal_uv"}}
        assert public.select == {"bids_subject": ("002",)}
        assert labels["recordings"][public.recording_id]["p3_minimal_uv"] == 7.367
    else:
        assert public.expected == {"published": {"label": "p3_mean_uv.difference"}}
        assert labels["dataset"]["p3_mean_uv"]["difference"] == pytest.approx(7.05, abs=0.005)
        assert len(labels["recordings"]) == 40
    assert "Not yet run on the real bytes" in registry.task(task).doc["about"]
