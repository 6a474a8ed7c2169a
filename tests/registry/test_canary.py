"""Every entry of this project holds the canary; it is in no digest, and marking is repeatable."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from braino_registry.registry import Registry, schemas
from braino_registry.registry.canary import CANARY, MARK, entry_files, mark
from braino_registry.registry.digests import recipe_digest, scoring_digest, work_digest
from braino_registry.registry.roots import builtin

FILES = list(entry_files(builtin()))


def test_there_are_entries() -> None:
    assert len(FILES) > 100


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_an_entry_holds_the_canary(file: Path) -> None:
    hint = "run python -m braino_registry.registry.canary"
    assert json.loads(file.read_text(encoding="utf-8")).get("canary") == CANARY, hint


def test_marking_adds_one_member_and_only_once(tmp_path: Path) -> None:
    path = tmp_path / "tasks" / "one.json"
    path.parent.mkdir()
    for text in (
        '{\n  "schema": "task/1",\n  "id": "one"\n}\n',
        '{"schema": "task/1", "id": "one"}\n',
        '{\n  "schema": "task/1", "id": "one", "about": "schema: \\"task/1\\","}\n',
    ):
        path.write_text(text, encoding="utf-8")
        assert list(entry_files(tmp_path)) == [path]
        assert mark(path)
        assert not mark(path)
        marked = json.loads(path.read_text(encoding="utf-8"))
        assert marked.pop("canary") == CANARY
        assert marked == json.loads(text)


def test_it_is_in_no_digest() -> None:
    registry = Registry.open()
    task = registry.task("bad-channels-ask")
    recipe = registry.dataset("two-subject-rest")
    without = json.loads(json.dumps(dict(recipe.doc)))
    without.pop("canary", None)
    changed = type(recipe)(**{**recipe.__dict__, "doc": {**without, "canary": "another"}})
    plain = type(recipe)(**{**recipe.__dict__, "doc": without})
    assert recipe_digest(changed) == recipe_digest(plain)
    assert MARK not in work_digest(task) + str(scoring_digest)


def test_the_schemas_take_it() -> None:
    for name in ("task-1", "recipe-1", "dataset-1", "suite-1"):
        problems = schemas.check({"canary": CANARY}, name)
        assert not [each for each in problems if each.path == "$.canary"]
        assert [each for each in schemas.check({"canary": 3}, name) if each.path == "$.canary"]
