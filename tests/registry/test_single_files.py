"""A file that lies in no folder of entries: it is found, and its errors name it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from braino_registry.errors import EntryError, UsageError
from braino_registry.registry import Registry
from tests.registry.support import SAMPLE, Folder, example, patched


def registry_with(folder: Folder, file: Path) -> Registry:
    return Registry([folder.root], files=[file], groups=SAMPLE)


def test_a_file_outside_the_folders_is_an_entry_like_any_other(
    folder: Folder, tmp_path: Path
) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(example("task", "bad-channels")))
    registry = registry_with(folder, file)
    assert registry.problems == ()
    task = registry.task_in(file)
    assert task.file == file
    assert registry.task("bad-channels-ask") is task


def test_a_file_of_a_folder_counts_once_whatever_path_leads_to_it(
    folder: Folder, tmp_path: Path
) -> None:
    file = folder.write("tasks/sample/mine.json", example("task", "bad-channels"))
    link = tmp_path / "link.json"
    link.symlink_to(file)
    registry = registry_with(folder, link)
    assert registry.problems == ()
    assert registry.task_in(link).file == file


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"schema": "task/2", "id": "mine"}', "newer schema 'task/2'"),
        ('{"schema": "task/1", "id": "mine", "id": "yours"}', "'id' stands here more than once"),
        ('{"schema": "task/1",', "truncated"),
        ('{"schema": "suite/1", "id": "x", "version": "1.0.0"}', "the property"),
        ("[]", "has to be an object"),
    ],
)
def test_what_cannot_be_an_entry_is_told_with_its_own_reason(
    folder: Folder, tmp_path: Path, text: str, problem: str
) -> None:
    file = tmp_path / "mine.json"
    file.write_text(text)
    with pytest.raises(EntryError) as caught:
        registry_with(folder, file).task_in(file)
    assert problem in str(caught.value)
    assert str(file) in caught.value.where


def test_a_file_that_is_no_task_and_one_that_is_not_there(folder: Folder, tmp_path: Path) -> None:
    suite = folder.root / "tasks/sample/suite.json"
    with pytest.raises(EntryError, match="this is a suite, not a task"):
        registry_with(folder, suite).task_in(suite)
    with pytest.raises(EntryError, match="cannot be read"):
        registry_with(folder, tmp_path / "no.json").task_in(tmp_path / "no.json")
    with pytest.raises(UsageError, match="does not hold this file"):
        folder.registry().task_in(tmp_path / "no.json")


def test_several_problems_are_told_at_once_the_most_useful_first(
    folder: Folder, tmp_path: Path
) -> None:
    file = tmp_path / "mine.json"
    names = ["request", "title", "category", "version", "toolset", "difficulty"]
    doc = example("task", "bad-channels")
    for name in names:
        doc[f"{name}s"] = doc.pop(name)
    file.write_text(json.dumps(doc))
    with pytest.raises(EntryError) as caught:
        registry_with(folder, file).task_in(file)
    told = caught.value
    assert told.problem == f"{2 * len(names)} problems"
    assert told.where == str(file)
    lines = told.hint.splitlines()
    assert len(lines) == 6
    assert all("Did you mean" in line for line in lines[:5])
    assert lines[0].startswith("$.categorys: unknown property 'categorys'.")
    assert lines[-1] == "and 7 more"


def test_a_copy_of_a_task_is_told_as_such(folder: Folder, tmp_path: Path) -> None:
    folder.write("tasks/sample/first.json", example("task", "bad-channels"))
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(example("task", "bad-channels")))
    with pytest.raises(EntryError, match="two entries are called 'bad-channels-ask'") as caught:
        registry_with(folder, file).task_in(file)
    assert caught.value.where.startswith(str(file))


def test_an_unknown_name_tells_of_a_file_that_could_not_be_used(folder: Folder) -> None:
    file = folder.write("tasks/sample/new.json", '{"schema": "task/2", "id": "mine"}')
    with pytest.raises(UsageError) as caught:
        folder.registry().task("yours")
    assert f"{file} cannot be used: this entry has the newer schema" in caught.value.hint


def test_a_suite_of_another_rule_asks_for_no_process(folder: Folder) -> None:
    suite = {**example("suite", "minimal"), "rule": "eegagentbench"}
    folder.write("tasks/sample/suite.json", suite)
    changes: list[dict[str, Any]] = [
        {"op": "remove", "path": "/checks/1"},
        {"op": "remove", "path": "/checks/0"},
    ]
    check = {"id": "x", "kind": "sequence", "calls": ["a"], "required": True}
    more: list[dict[str, Any]] = [
        {"op": "add", "path": "/checks/-", "value": check},
        {"op": "replace", "path": "/counterexamples/0/fails", "value": ["x"]},
    ]
    folder.write("tasks/sample/entry.json", patched(example("task", "minimal"), changes + more))
    assert folder.registry().problems == ()


def test_any_category_fits_a_suite_that_lists_none(folder: Folder) -> None:
    suite = example("suite", "minimal")
    del suite["categories"]
    folder.write("tasks/sample/suite.json", suite)
    folder.write("tasks/sample/entry.json", {**example("task", "minimal"), "category": "new-one"})
    assert folder.registry().problems == ()


def test_a_file_asked_for_by_name_tells_why_it_cannot_be_used(folder: Folder) -> None:
    """By the name of the file, or by the id that still can be read in it."""
    whole = json.dumps(example("task", "bad-channels"))
    cut = folder.write("tasks/sample/my-file.json", whole[: len(whole) // 2])
    folder.write("tasks/sample/another.json", b"\xff")
    os.mkfifo(folder.root / "tasks" / "sample" / "waiting.json")
    registry = folder.registry()
    for name, file, problem in (
        ("my-file", cut, "ends in the middle of a value"),
        ("bad-channels-ask", cut, "ends in the middle of a value"),
        ("another", cut.with_name("another.json"), "not UTF-8 text"),
        ("waiting", cut.with_name("waiting.json"), "it is a pipe"),
    ):
        with pytest.raises(EntryError) as caught:
            registry.task(name)
        assert problem in caught.value.problem
        assert str(file) in caught.value.where
    with pytest.raises(UsageError, match="no task called 'sub-02'"):
        registry.task("sub-02")


def test_a_link_to_itself_among_the_entries_is_told_like_any_broken_file(
    folder: Folder, tmp_path: Path
) -> None:
    (folder.root / "tasks" / "sample" / "loop.json").symlink_to("loop.json")
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(example("task", "bad-channels")))
    registry = Registry([folder.root], files=[file], groups=SAMPLE)
    assert registry.task_in(file).id == "bad-channels-ask"
    assert ["loop.json" in problem.where for problem in registry.problems] == [True]
