"""Checking a task: bad tasks for the stages that need a dataset, caught there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.registry import roots
from braino_registry.runner import check_task
from braino_registry.runner.contributing.stages import twice
from tests.runner.conftest import ENTRIES
from tests.runner.test_checking import wrong


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the suite `probe`, one task, and a recipe of its own."""
    root = tmp_path / "entries"
    (root / "generators").mkdir(parents=True)
    (root / "tasks" / "probe").mkdir(parents=True)
    shutil.copyfile(ENTRIES / "tasks/probe/suite.json", root / "tasks/probe/suite.json")
    recipe = json.loads((roots.builtin() / "generators/two-subject-rest.json").read_text())
    (root / "generators" / "own-rest.json").write_text(json.dumps({**recipe, "id": "own-rest"}))
    task = json.loads((ENTRIES / "tasks/probe/rate.json").read_text())
    task["instances"] = [{**task["instances"][0], "dataset": "own-rest@1.0.0"}]
    del task["instances"][0]["data"]
    (root / "tasks" / "probe" / "rate.json").write_text(json.dumps(task))
    return root


def edit(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document))


@pytest.mark.slow
def test_built_twice_the_recorded_digest_is_another(folder: Path, cache: Path) -> None:
    def change(recipe: dict[str, Any]) -> None:
        recipe["seed"] += 1

    edit(folder / "generators/own-rest.json", change)
    rows = check_task(
        "probe-rate", registry_folders=(folder,), store=Store(cache),
        stages=["built twice", "BIDS", "version"],
    )  # fmt: skip
    (row,) = wrong(rows)
    assert row["stage"] == "built twice"
    assert row["says"].startswith("sha256:")
    assert "own-rest.json" in row["hint"]
    assert next(row for row in rows if row["stage"] == "BIDS")["ok"] is None


def test_built_twice_the_bytes_rest_on_chance(
    folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(twice, "digests_of", lambda recipe, outs: ["sha256:one", "sha256:two"])
    rows = check_task(
        "probe-rate", registry_folders=(folder,), store=Store(cache),
        stages=["built twice", "BIDS", "leaks"],
    )  # fmt: skip
    first, *others = rows
    assert (first["ok"], first["says"]) == (False, "sha256:one and sha256:two")
    assert "draws from something else than its stream" in first["hint"]
    assert {row["says"] for row in others} == {"not run: first mend what built twice found"}


@pytest.mark.slow
def test_bids_an_issue_that_is_not_there_is_listed(folder: Path, cache: Path) -> None:
    def change(recipe: dict[str, Any]) -> None:
        recipe["expects"]["validator"].append({"code": "EMPTY_FILE", "severity": "error"})

    edit(folder / "generators/own-rest.json", change)
    (row,) = wrong(
        check_task("probe-rate", registry_folders=(folder,), store=Store(cache), stages=["BIDS"])
    )
    assert "listed, not found: error EMPTY_FILE" in row["says"]
    assert "bids-validator-deno" in row["hint"]


@pytest.mark.slow
def test_reference_a_tie(folder: Path, cache: Path) -> None:
    """The expected value rests on a ranking of two equal numbers."""
    step = {"do": "select.argmax", "args": {"values": {"a": 250, "b": 250}}, "as": "best"}

    def change(task: dict[str, Any]) -> None:
        task["checks"][1]["expected"] = {"pipeline": {"steps": [step], "value": "best.value"}}

    edit(folder / "tasks/probe/rate.json", change)
    found = wrong(
        check_task(
            "probe-rate", registry_folders=(folder,), store=Store(cache), stages=["reference"]
        )
    )
    assert found[0]["what"] == "oracle passes"
    assert "too close to tell" in found[0]["says"]


@pytest.mark.slow
def test_leaks_a_public_key(folder: Path, cache: Path) -> None:
    """The task says that a salt changes its truth, and expects a number that is always the same."""

    def change(task: dict[str, Any]) -> None:
        del task["saltable"]
        task["instances"][0]["expected"] = {"rate": {"truth": "sfreq"}}

    edit(folder / "tasks/probe/rate.json", change)
    (row,) = wrong(
        check_task("probe-rate", registry_folders=(folder,), store=Store(cache), stages=["leaks"])
    )
    assert row["what"] == "a salt changes what is expected"
    assert '"saltable": false' in row["hint"]


@pytest.mark.slow
def test_leaks_truth_in_a_file(folder: Path, cache: Path) -> None:
    def change(recipe: dict[str, Any]) -> None:
        recipe["dataset"]["name"] = "Two people, noisy_channels planted"

    edit(folder / "generators/own-rest.json", change)
    (row,) = wrong(
        check_task("probe-rate", registry_folders=(folder,), store=Store(cache), stages=["leaks"])
    )
    assert row["what"] == "no truth in the files"
    assert "dataset_description.json: noisy_channels" in row["says"]


@pytest.mark.slow
def test_reference_a_channel_that_is_right_without_a_salt_only(tmp_path: Path, cache: Path) -> None:
    """The reference names T8, which the public seed has made the noisy one."""
    document = json.loads((roots.builtin() / "tasks/braino/bad-channels-ask.json").read_text())
    document["reference"]["answer"] = "Marked T8 as bad in subject {{ bids_subject }}."
    document["instances"] = [
        {"id": "sub-02", "dataset": "two-subject-rest@1.0.0",
         "recording": {"bids_subject": "02", "bids_task": "rest"}}
    ]  # fmt: skip
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({**document, "id": "mine"}))
    found = wrong(check_task(file, store=Store(cache), stages=["reference"]))
    assert [row["what"] for row in found] == [f"oracle passes under salt {n}" for n in (1, 2)]
    assert "names-the-noisy-one" in found[0]["says"]
    assert "--salt FILE" in found[0]["hint"]
