"""Instances on a part of a large public dataset: planned, fetched and copied in parts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from braino_registry import runner
from braino_registry.registry import Registry
from tests.datasets import small_bids
from tests.datasets.faulty import FaultyServer, serving

HERE = Path(__file__).parent


def _task() -> dict[str, Any]:
    """Return a task on two parts of the dataset, one of them large, and on a synthetic twin."""
    file = HERE / "entries" / "tasks" / "probe" / "rate.json"
    doc: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    twin = doc["instances"][0]
    one: dict[str, Any] = {
        "id": "one", "dataset": "small-bids@1.0.0", "data": "public", "large": True,
        "recording": {"bids_subject": "001", "bids_task": "P3"},
        "select": {"bids_subject": ["001"], "bids_task": ["P3"]},
        "expected": {"rate": {"literal": 256}},
    }  # fmt: skip
    two = {**one, "id": "two", "large": False, "select": {"bids_subject": ["002"]}}
    two["recording"] = {"bids_subject": "002", "bids_task": "P3"}
    return {**doc, "id": "probe-part", "instances": [twin, one, two]}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FaultyServer]:
    with serving(small_bids.bodies(), lambda x: x.part()) as running:
        yield running


@pytest.fixture
def registry_folder(tmp_path: Path, server: FaultyServer) -> Path:
    folder = tmp_path / "entries"
    small_bids.entry(folder / "datasets", server.base)
    (folder / "tasks" / "probe").mkdir(parents=True)
    text = json.dumps(_task())
    (folder / "tasks" / "probe" / "part.json").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def asked(registry_folder: Path, settings: Any, tmp_path: Path) -> Any:
    def make(**options: Any) -> runner.RunSettings:
        folders = (HERE / "entries", registry_folder)
        cache = tmp_path / "own-cache"
        chosen = {"registry": folders, "cache": cache, **options}
        made: runner.RunSettings = settings("idle", "probe-part", **chosen)
        return made

    return make


def _copied(cache: Path) -> set[str]:
    built = next((cache / "built").glob("small-bids-*"))
    return {path.name for path in (built / "bids").rglob("*_eeg.set")}


def test_parts_are_planned_apart_with_what_each_would_take(asked: Any) -> None:
    document = runner.plan(asked(include_large=True)).document()
    rows = {json.dumps(row["select"]): row for row in document["datasets"]}
    one = rows['{"bids_subject": ["001"], "bids_task": ["P3"]}']
    two = rows['{"bids_subject": ["002"]}']
    assert {one["state"], two["state"]} == {"missing"}
    assert 0 < one["bytes_to_get"] < two["bytes_to_get"]
    assert "--bids-subject 001 --bids-task P3" in one["command"]
    reasons = {row["instance"]: row["reason"] for row in document["not_planned"]}
    assert f"{one['files_missing']} of {one['files_missing']} files" in reasons["one"]
    assert f"{one['bytes_to_get']} bytes to fetch" in reasons["one"]


def test_a_large_part_is_fetched_alone_and_the_agent_gets_nothing_else(
    asked: Any, server: FaultyServer
) -> None:
    chosen = asked(include_large=True, data="public")
    result = runner.run(chosen)
    rows = {row["instance"]: row for row in result.report["trials"]}
    assert rows["one"]["outcome"] == "failed"  # the idle agent, on data that were there
    assert rows["two"]["outcome"] == "not_planned"  # not large, and --fetch was not given
    assert result.exit_code == 3
    assert {x.path for x in server.asked if "sub-" in x.path} == {
        path for path in small_bids.used() if path.startswith("sub-001") and "rest" not in path
    }
    assert _copied(chosen.cache) == {"sub-001_task-P3_eeg.set"}


def test_without_the_option_nothing_large_is_fetched(asked: Any, server: FaultyServer) -> None:
    result = runner.run(asked())
    rows = {row["instance"]: row for row in result.report["trials"]}
    assert "planned only on request" in rows["one"]["reason"]
    assert rows["one"]["command"] == "add --include-large"
    assert rows["synthetic"]["outcome"] == "failed"
    assert (result.exit_code, server.asked) == (0, [])


def test_without_data_and_network_large_instances_are_rows_with_files_bytes_and_command(
    asked: Any, server: FaultyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAINO_OFFLINE", "1")
    result = runner.run(asked(include_large=True))
    rows = {row["instance"]: row for row in result.report["trials"]}
    row = rows["one"]
    assert (row["outcome"], row["score"]) == ("not_planned", None)
    assert "dataset_description.json (42 bytes)" in row["reason"]
    assert re.search(r"and \d+ more", row["reason"])
    assert "curl -LO" in row["reason"]
    assert "braino data fetch small-bids --bids-subject 001 --bids-task P3" in row["command"]
    assert (result.exit_code, server.asked) == (3, [])
    assert rows["synthetic"]["outcome"] == "failed"


def test_a_failing_part_does_not_blame_the_other(asked: Any, server: FaultyServer) -> None:
    broken = "sub-001/eeg/sub-001_task-P3_eeg.fdt"

    def fault(x: Any) -> None:
        x.send(b"", "404 Not Found") if x.path == broken else x.part()

    server.fault = fault
    result = runner.run(asked(fetch=True, include_large=True, data="public"))
    rows = {row["instance"]: row for row in result.report["trials"]}
    assert "fetching failed" in rows["one"]["reason"]
    assert broken in rows["one"]["reason"]
    assert rows["two"]["outcome"] == "failed"
    assert result.exit_code == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"select": {"bids_subject": ["003"]}}, "the recording's bids_subject '001' is not"),
        ({"dataset": "two-subject-rest@1.0.0"}, "only a public dataset is fetched in parts"),
        ({"select": {"bids_subject": ["001", "003"]}}, "has no bids_subject '003'"),
        ({"recording": {"bids_subject": "001", "bids_task": "P4"}}, "no recording"),
        ({"select": {}}, "select"),
        ({"select": {"subject": ["001"]}}, "subject"),
    ],
)
def test_a_selection_that_means_nothing_does_not_load(
    registry_folder: Path, change: dict[str, Any], said: str
) -> None:
    doc = _task()
    doc["instances"][1] |= change
    file = registry_folder / "tasks" / "probe" / "part.json"
    file.write_text(json.dumps(doc), encoding="utf-8")
    registry = Registry.open([HERE / "entries", registry_folder], environ={})
    problems = [str(each) for each in registry.survey("probe").problems]
    assert any(said in text and "instances" in text for text in problems)


def test_the_selection_is_part_of_what_the_agent_sees(registry_folder: Path) -> None:
    file = registry_folder / "tasks" / "probe" / "part.json"

    def work() -> str:
        registry = Registry.open([HERE / "entries", registry_folder], environ={})
        return str(registry.digests(registry.task("probe-part"))["work"])

    before, doc = work(), _task()
    doc["instances"][1]["select"] = {"bids_task": ["P3"], "bids_subject": ["001"]}
    file.write_text(json.dumps(doc), encoding="utf-8")
    assert work() == before
    del doc["instances"][1]["select"]
    file.write_text(json.dumps(doc), encoding="utf-8")
    assert work() != before


def test_a_task_on_a_dataset_with_broken_pins_does_not_load(registry_folder: Path) -> None:
    table = registry_folder / "datasets" / "small-bids.pins.tsv"
    table.write_text(table.read_text(encoding="utf-8").replace("README", "/README"))
    registry = Registry.open([HERE / "entries", registry_folder], environ={})
    problems = [str(each) for each in registry.survey("probe").problems]
    assert any("the dataset 'small-bids@1.0.0' is broken" in text for text in problems)
    assert any("small-bids.pins.tsv: line 2" in text for text in problems)
