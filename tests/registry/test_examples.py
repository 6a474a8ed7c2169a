"""Every example in ``tests/examples`` is accepted, or refused with the place and the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.registry.support import EXAMPLES, Folder, example, patched

FILES = {
    (kind, what): sorted((EXAMPLES / kind / what).glob("*.json"))
    for kind in ("task", "suite")
    for what in ("valid", "invalid")
}
VALID = FILES["task", "valid"] + FILES["suite", "valid"]
INVALID = FILES["task", "invalid"] + FILES["suite", "invalid"]


def _name(file: Path) -> str:
    return f"{file.parents[1].name}-{file.stem}"


def _place(kind: str) -> str:
    return "tasks/sample/suite.json" if kind == "suite" else "tasks/sample/entry.json"


@pytest.mark.parametrize("file", VALID, ids=_name)
def test_valid_examples_load(file: Path, folder: Folder) -> None:
    doc = json.loads(file.read_text(encoding="utf-8"))
    kind = file.parents[1].name
    folder.write(_place(kind), doc)
    registry = folder.registry()

    assert registry.problems == ()
    entry = registry.suite(doc["id"]) if kind == "suite" else registry.task(doc["id"])
    assert (entry.id, entry.version, entry.doc) == (doc["id"], doc["version"], doc)


@pytest.mark.parametrize("file", INVALID, ids=_name)
def test_invalid_examples_say_where_and_why(file: Path, folder: Folder) -> None:
    case = json.loads(file.read_text(encoding="utf-8"))
    kind = file.parents[1].name
    written = folder.write(_place(kind), patched(example(kind, case["base"]), case["changes"]))
    problems = folder.registry().problems

    for expected in case["expect"]:
        found = [p for p in problems if p.where == f"{written}: {expected['path']}"]
        told = [p for p in found if expected["message"] in p.problem]
        assert told, f"not among {[str(p) for p in problems]}"
        if "likely" in expected:
            assert any(f"Did you mean {expected['likely']!r}?" in p.hint for p in told), told
    # Nothing is told that is not wrong: each problem is one of the expected ones.
    paths = {f"{written}: {expected['path']}" for expected in case["expect"]}
    assert {p.where for p in problems} <= paths


def test_there_are_examples_of_everything() -> None:
    assert all(len(files) >= 2 for files in FILES.values())
