"""Misspelled names in the steps of a task: told once, at their place, before data are built."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.registry import Registry
from braino_registry.runner import check_task
from braino_registry.runner.contributing.naming import Misnamed, misnamed
from tests.runner.conftest import ENTRIES

SUM = json.loads((ENTRIES / "tasks/probe/sum.json").read_text())
OPEN = {"do": "recordings.open", "args": {"recording": {"$": "recording"}}, "as": "raw"}


def found(tmp_path: Path, document: dict[str, Any]) -> list[Misnamed]:
    """Return what is wrong with the names of a task in a file."""
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({**document, "id": "mine"}))
    return misnamed(Registry.open([ENTRIES], files=[file]).task_in(file))


def with_pipeline(*steps: dict[str, Any]) -> dict[str, Any]:
    """Return the task with an expected value that is computed."""
    expected = {"pipeline": {"steps": list(steps), "value": "found.hz"}}
    checks = [{**c, "expected": expected} if c["id"] == "total" else c for c in SUM["checks"]]
    return {**SUM, "checks": checks}


def with_args(args: Any) -> dict[str, Any]:
    """Return the task whose reference calls the calculator with other arguments."""
    step = {**SUM["reference"]["steps"][0], "args": args}
    return {**SUM, "reference": {**SUM["reference"], "steps": [step]}}


def test_an_operation_that_is_none_is_one_error_of_the_schema_stage(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    step = {"do": "spectra.peek", "args": {"view": {"$": "raw"}}, "as": "found"}
    file.write_text(json.dumps({**with_pipeline(OPEN, step), "id": "mine"}))
    store = Store(tmp_path / "cache")
    rows = check_task(file, registry_folders=[ENTRIES], store=store)
    (row,) = [row for row in rows if row["ok"] is False]
    assert row["stage"] == "schema"
    place = "$.checks[1].expected.pipeline.steps[1].do"
    assert row["says"] == f"there is no operation 'spectra.peek', in {file}: {place}"
    assert row["hint"].startswith("Did you mean 'spectra.peak")
    assert row["hint"].count(",") <= 12
    assert row["hint"].endswith(" more.")
    # All others wait for it.
    assert {row["says"] for row in rows if row["stage"] != "schema"} == {
        "not run: first mend what schema found"
    }
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("args", "path", "words"),
    [({"vieww": "raw", "tmin": 1}, ".vieww", "no argument 'vieww'"),
     ({"tmin": 1}, "", "needs the argument 'view'")],
)  # fmt: skip
def test_the_arguments_of_an_operation(
    tmp_path: Path, args: dict[str, Any], path: str, words: str
) -> None:
    crop = {"do": "recordings.crop", "args": args, "as": "found"}
    (only,) = found(tmp_path, with_pipeline(OPEN, crop))
    assert only.path == f"$.checks[1].expected.pipeline.steps[1].args{path}"
    assert words in only.message


def test_the_arguments_of_a_tool(tmp_path: Path) -> None:
    (only,) = found(tmp_path, with_args({"expresion": "a + b"}))
    assert only.path == "$.reference.steps[0].args.expresion"
    assert only.hint.startswith("Did you mean 'expression'?")
    (only,) = found(tmp_path, with_args({"values": {"$": "a"}}))
    assert (only.path, only.message) == (
        "$.reference.steps[0].args", "the tool 'calc' needs the argument 'expression'",
    )  # fmt: skip
    assert found(tmp_path, SUM) == []


def test_the_steps_of_counterexamples_and_within_loops(tmp_path: Path) -> None:
    call = {"call": "calc", "args": {"expression": "1", "expr": "2"}}
    loop = {"for_each": [1, 2], "as": "one", "steps": [call]}
    wrong = {**SUM["counterexamples"][2], "steps": [*SUM["counterexamples"][2]["steps"], loop]}
    document = {**SUM, "counterexamples": [*SUM["counterexamples"][:2], wrong]}
    (only,) = found(tmp_path, document)
    assert only.path == "$.counterexamples[2].steps[2].steps[0].args.expr"


def test_arguments_that_are_filled_in_as_a_whole_are_not_looked_at(tmp_path: Path) -> None:
    assert found(tmp_path, with_args({"$": "a"})) == []


@pytest.mark.parametrize(
    ("expected", "path", "message", "hint"),
    [
        ({"workflow": "groups.compere@1.0.0"}, "workflow", "no workflow 'groups.compere@1.0.0'",
         "groups.compare@1.0.0"),
        ({"workflow": "groups.compare@1.0.0", "args": {"a": {}, "b": {}, "bends": {}}},
         "args.bends", "has no argument 'bends'", "bands"),
        ({"workflow": "groups.compare@1.0.0"}, "", "needs the argument 'a'", "must be there"),
    ],
)  # fmt: skip
def test_a_workflow_that_is_none_and_arguments_that_it_does_not_take(
    tmp_path: Path, expected: dict[str, Any], path: str, message: str, hint: str
) -> None:
    checks = [{**c, "expected": expected} if c["id"] == "total" else c for c in SUM["checks"]]
    first = found(tmp_path, {**SUM, "checks": checks})[0]
    assert first.path == f"$.checks[1].expected.{path}".rstrip(".")
    assert message in first.message
    assert hint in first.hint
