"""A task is begun as a copy that holds; what cannot be begun is refused, and leaves nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.datasets import Store
from braino_registry.errors import UsageError
from braino_registry.registry import Registry, roots
from braino_registry.runner import check_task
from braino_registry.runner.contributing.scaffold import new_task, place_for, render
from tests.runner.conftest import ENTRIES

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def test_what_is_written_is_a_task_like_the_other(tmp_path: Path) -> None:
    file = new_task("sum-again", "probe-sum", folders=[tmp_path, ENTRIES])
    assert file == tmp_path / "tasks" / "probe" / "sum-again.json"
    task = Registry.open([tmp_path, ENTRIES]).task("sum-again")
    like = json.loads((ENTRIES / "tasks/probe/sum.json").read_text())
    assert (task.version, task.doc["checks"]) == ("1.0.0", like["checks"])
    assert "canary" in file.read_text()
    assert max(map(len, file.read_text().splitlines())) < 300


@pytest.mark.slow
def test_it_holds_in_every_stage(tmp_path: Path) -> None:
    """Of a task on a synthetic dataset, checked as the guide says."""
    new_task("find-bad-channels", "bad-channels-ask", folders=[tmp_path])
    rows = check_task(
        "find-bad-channels", registry_folders=[tmp_path], store=Store(tmp_path / "cache")
    )
    assert [row for row in rows if row["ok"] is False] == []
    assert {row["stage"] for row in rows if row["ok"]} == {
        "schema", "built twice", "BIDS", "leaks", "reference", "agents", "counterexamples",
        "answer mutants", "scorer", "version",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["", "Big", "with space", "../escape", "a/b", "-a", "a--b", "ä"])
def test_what_is_no_id_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no id of a task"):
        new_task(name, "probe-sum", folders=[tmp_path, ENTRIES])
    assert list(tmp_path.iterdir()) == []


def test_names_that_are_taken_or_unknown_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="called 'probe-rate' already"):
        new_task("probe-rate", "probe-sum", folders=[tmp_path, ENTRIES])
    with pytest.raises(UsageError, match="Did you mean 'probe-sum'"):
        new_task("sum-again", "probe-sun", folders=[tmp_path, ENTRIES])
    there = tmp_path / "there.json"
    there.write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        new_task("sum-again", "probe-sum", folders=[ENTRIES], out=there)
    assert there.read_text() == "mine"


def test_installed_entries_are_not_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    like = Registry.open([ENTRIES]).task("probe-sum")
    monkeypatch.setattr(roots, "builtin", lambda: tmp_path)
    with pytest.raises(UsageError, match="not for editing") as caught:
        place_for(like, ())
    assert "--registry DIR" in caught.value.hint
    (tmp_path / "pyproject.toml").touch()
    assert place_for(like, ()) == like.file.parent


@given(JSON)
def test_what_is_rendered_reads_back_the_same(value: Any) -> None:
    assert json.loads(render(value)) == value
