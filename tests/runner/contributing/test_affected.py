"""Which tasks a change bears on: by their file, their dataset, their suite."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from braino_registry.errors import UsageError
from braino_registry.registry import Registry, roots
from braino_registry.runner.contributing.affected import affected, changed_since, main
from tests.runner.conftest import ENTRIES

TASK = "tasks/braino/count-events.json"


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry.open(environ={})


def found(registry: Registry, *names: str) -> list[str]:
    return affected(registry, roots.builtin(), names)


def test_a_task_is_known_by_its_file(registry: Registry) -> None:
    assert found(registry, TASK) == ["count-events"]
    assert found(registry, "README.md", "docs/tasks/count-events.md", "tasks/gone.json") == []


def test_a_dataset_bears_on_the_tasks_that_use_it(registry: Registry) -> None:
    ids = found(registry, "generators/two-subject-rest.json")
    assert "bad-channels-ask" in ids
    assert "count-events" not in ids
    assert ids == [task.id for task in registry.tasks() if task.id in ids]


def test_the_pins_of_a_public_dataset_are_part_of_it(registry: Registry) -> None:
    assert "count-events" in found(registry, "datasets/eeglab-tutorial.pins.tsv")


def test_a_suite_bears_on_all_its_tasks(registry: Registry) -> None:
    ids = found(registry, "tasks/braino/suite.json")
    assert ids == [task.id for task in registry.tasks("braino")]


def test_a_broken_task_is_checked_too(tmp_path: Path) -> None:
    root = shutil.copytree(ENTRIES, tmp_path / "entries")
    file = root / "tasks/probe/sum.json"
    file.write_text(file.read_text().replace('"request"', '"requst"'))
    assert affected(Registry([root]), root, ["tasks/probe/sum.json"]) == ["probe-sum"]


@pytest.mark.parametrize("base", ["no-such-commit", "--output=/tmp/x", ""])
def test_what_is_no_commit_is_refused(base: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="git cannot compare"):
        changed_since(base, tmp_path)


def test_all_of_them_in_parts(
    registry: Registry, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BRAINO_REGISTRY", raising=False)
    parts = []
    for shard in ("1/2", "2/2"):
        assert main(["--all", "--shard", shard]) == 0
        parts += capsys.readouterr().out.split()
    assert sorted(parts) == sorted(task.id for task in registry.tasks())
    assert main(["--all", "--shard", "3/2"]) == 2
    assert "3/2" in capsys.readouterr().err
