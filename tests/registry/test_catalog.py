"""Finding entries: broken ones do not hide others, duplicates are told, names are guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from braino_registry.errors import EntryError, UsageError
from braino_registry.registry import PublicDataset, Recipe
from tests.registry.support import PUBLIC, RECIPE, Folder, example, patched
from tests.registry.test_jsonfile import JSON


def test_entries_are_found_by_name(folder: Folder) -> None:
    folder.write("tasks/sample/bad-channels.json", example("task", "bad-channels"))
    folder.write("tasks/sample/deeper/alpha.json", example("task", "products"))
    registry = folder.registry()

    assert registry.problems == ()
    assert [task.id for task in registry.tasks()] == ["alpha-power", "bad-channels-ask"]
    assert [task.id for task in registry.tasks("sample")] == ["alpha-power", "bad-channels-ask"]
    assert [suite.id for suite in registry.suites()] == ["sample"]
    assert [entry.ref for entry in registry.datasets()] == [
        "open-recordings@1.0.0",
        "two-subject-rest@1.0.0",
    ]
    assert isinstance(registry.dataset("open-recordings@1.0.0"), PublicDataset)
    assert isinstance(registry.recipe("two-subject-rest"), Recipe)
    task = registry.task("bad-channels-ask")
    assert task.home is registry.suite("sample")
    assert task.datasets == {"two-subject-rest@1.0.0": registry.recipe("two-subject-rest")}


def test_a_dataset_without_version_is_the_newest(folder: Folder) -> None:
    for version in ("1.10.0", "1.9.0", "0.99.0"):
        folder.write(f"generators/{version}.json", {**RECIPE, "version": version})
    registry = folder.registry()
    assert registry.dataset("two-subject-rest").version == "1.10.0"
    assert registry.dataset("two-subject-rest@1.9.0").version == "1.9.0"


@pytest.mark.parametrize(
    ("call", "problem", "likely"),
    [
        (
            lambda r: r.task("bad-chanels-ask"),
            "no task called 'bad-chanels-ask'",
            "bad-channels-ask",
        ),
        (lambda r: r.suite("smaple"), "no suite called 'smaple'", "sample"),
        (lambda r: r.tasks("smaple"), "no suite called 'smaple'", "sample"),
        (lambda r: r.survey("smaple"), "no suite called 'smaple'", "sample"),
        (lambda r: r.dataset("open-recording@1.0.0"), "no dataset called", "open-recordings@1.0.0"),
        (lambda r: r.dataset("open-rec"), "no dataset called", "open-recordings@1.0.0"),
        (lambda r: r.dataset("zzz@1.0.0"), "no dataset called", None),
        (lambda r: r.recipe("open-recordings"), "is public", None),
        (lambda r: r.release("2026.1"), "no release called '2026.1'", None),
        (
            lambda r: r.task("bad-channels-ask").instance("sub-03"),
            "no instance 'sub-03'",
            "sub-02",
        ),
    ],
)
def test_unknown_names_are_usage_errors(
    folder: Folder, call: Any, problem: str, likely: str | None
) -> None:
    folder.write("tasks/sample/bad-channels.json", example("task", "bad-channels"))
    with pytest.raises(UsageError) as caught:
        call(folder.registry())
    assert problem in caught.value.problem
    if likely is not None:
        assert f"Did you mean {likely!r}?" in caught.value.hint
    else:
        assert "Did you mean" not in caught.value.hint
    assert len(str(caught.value).splitlines()) <= 3


BROKEN = {
    "cut.json": '{"schema": "task/1", "id": "x"',
    "no-object.json": "[]",
    "no-schema.json": '{"id": "x"}',
    "newer.json": '{"schema": "task/2", "id": "x", "version": "1.0.0"}',
    "number.json": '{"schema": 1}',
    "not-an-entry.json": '{"schema": "report/1"}',
    "no-id.json": '{"schema": "task/1"}',
    "id-of-number.json": '{"schema": "suite/1", "id": 3, "version": "1.0.0"}',
    "unreadable.json": b"\xff",
}


def test_broken_entries_do_not_hide_the_others(folder: Folder) -> None:
    folder.write("tasks/sample/good.json", example("task", "bad-channels"))
    for name, text in BROKEN.items():
        folder.write(f"tasks/sample/{name}", text)
    registry = folder.registry()

    assert [task.id for task in registry.tasks()] == ["bad-channels-ask"]
    assert [row["id"] for row in registry.listing()] == ["bad-channels-ask"]
    told = {Path(error.where.split(": $")[0]).name for error in registry.problems}
    assert told == set(BROKEN)
    assert {error.where for error in registry.survey().problems} == {
        error.where for error in registry.problems
    }
    assert all(error.exit_code == 2 and error.problem for error in registry.problems)


def test_a_broken_entry_is_an_error_when_it_is_asked_for(folder: Folder) -> None:
    doc = patched(
        example("task", "bad-channels"),
        [
            {"op": "replace", "path": "/title", "value": ""},
            {"op": "replace", "path": "/difficulty", "value": "none"},
        ],
    )
    file = folder.write("tasks/sample/broken.json", doc)
    with pytest.raises(EntryError) as caught:
        folder.registry().task("bad-channels-ask")
    assert caught.value.where == f"{file}: $.difficulty"
    assert "1 more in this entry" in caught.value.hint


def test_what_refers_to_a_broken_entry_says_so(folder: Folder) -> None:
    folder.write("generators/two-subject-rest.json", {**RECIPE, "seed": "x"})
    file = folder.write("tasks/sample/good.json", example("task", "bad-channels"))
    problems = {error.where: error.problem for error in folder.registry().problems}
    assert "is broken, see its own errors" in problems[f"{file}: $.instances[0].dataset"]
    assert any(where.endswith("two-subject-rest.json: $.seed") for where in problems)


def test_both_files_of_a_duplicate_are_told(folder: Folder, tmp_path: Path) -> None:
    first = folder.write("tasks/sample/one.json", example("task", "bad-channels"))
    other = Folder(tmp_path / "other")
    second = other.write(
        "tasks/x/two.json", {**example("task", "bad-channels"), "version": "2.0.0"}
    )
    folder.write("tasks/sample/good.json", example("task", "products"))
    registry = folder.registry(other.root)

    told = {error.where: error for error in registry.problems}
    assert set(told) == {f"{first}: $.id", f"{second}: $.id"}
    assert str(second) in told[f"{first}: $.id"].hint
    assert [task.id for task in registry.tasks()] == ["alpha-power"]
    with pytest.raises(EntryError, match="two entries are called 'bad-channels-ask'"):
        registry.task("bad-channels-ask")


def test_recipes_and_public_datasets_share_their_names(folder: Folder) -> None:
    folder.write("datasets/same.json", {**PUBLIC, "id": "two-subject-rest"})
    assert len(folder.registry().problems) == 2
    folder.write("datasets/same.json", {**PUBLIC, "id": "two-subject-rest", "version": "1.0.1"})
    assert folder.registry().problems == ()


def test_layers_and_conversions_are_checked_by_their_own_schemas(folder: Folder) -> None:
    recipe = patched(
        RECIPE,
        [
            {"op": "replace", "path": "/layers/0/with/sd_uv", "value": "loud"},
            {"op": "add", "path": "/layers/1", "value": {"layer": "noisy-chanel"}},
            {"op": "add", "path": "/layers/2", "value": {"layer": "noisy-channel", "with": {}}},
        ],
    )
    dataset = patched(
        PUBLIC, [{"op": "replace", "path": "/conversion/parameters/line_frequency", "value": "x"}]
    )
    other = {**PUBLIC, "id": "b", "conversion": {"use": "edf@1.0.1"}}
    folder.write("generators/two-subject-rest.json", recipe)
    folder.write("datasets/open-recordings.json", dataset)
    folder.write("datasets/other.json", other)
    problems = folder.registry().problems
    assert [(e.where.split(": ")[1], e.problem) for e in problems] == [
        ("$.conversion.parameters.line_frequency", '"x" is not a number'),
        ("$.conversion.use", "there is no conversion 'edf@1.0.1'"),
        ("$.layers[1].layer", "there is no layer 'noisy-chanel'"),
        ("$.layers[0].with.sd_uv", '"loud" is not a number'),
        ("$.layers[2].with", "the property 'channel' is missing"),
        ("$.layers[2].with", "the property 'sd_uv' is missing"),
    ]


def test_formats_are_asserted(folder: Folder) -> None:
    doc = {**PUBLIC, "released": "2026-02-30", "homepage": "not a uri"}
    folder.write("datasets/open-recordings.json", doc)
    assert [error.problem for error in folder.registry().problems] == [
        '"not a uri" is not a valid uri',
        '"2026-02-30" is not a valid date',
    ]


def test_a_folder_without_kinds_is_one_list_of_entries(folder: Folder, tmp_path: Path) -> None:
    flat = Folder(tmp_path / "flat")
    flat.write("my-task.json", example("task", "bad-channels"))
    flat.write(".hidden/other.json", "{")
    registry = folder.registry(flat.root)
    assert registry.problems == ()
    assert registry.task("bad-channels-ask").file == flat.root / "my-task.json"


def test_a_folder_given_twice_is_read_once(folder: Folder) -> None:
    assert folder.registry(folder.root).problems == ()


def test_a_release_is_an_entry(folder: Folder) -> None:
    lock = {
        "schema": "release/1",
        "id": "2026.1",
        "status": "draft",
        "package": "0.1.0",
        "packages": {},
        "validator": None,
        "salts": [],
        "schemas": [],
        "check_kinds": {},
        "operations": {},
        "suites": [],
        "tasks": [],
        "datasets": [],
        "seal": "sha256:" + "0" * 64,
    }
    folder.write("releases/2026.1.json", lock)
    assert not folder.registry().release("2026.1").active
    folder.write("releases/2026.1.json", {**lock, "status": "superseded", "date": "2026-13-01"})
    assert [error.problem for error in folder.registry().problems] == [
        "the property 'superseded_by' is missing",
        '"2026-13-01" is not a valid date',
    ]


def test_a_new_task_is_one_new_file(folder: Folder) -> None:
    before = folder.registry().listing()
    folder.write("tasks/sample/new.json", example("task", "minimal"))
    assert [row["id"] for row in folder.registry().listing()] == [
        *(row["id"] for row in before),
        "which-subject",
    ]


MUTABLE = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@MUTABLE
@given(
    st.one_of(
        JSON,
        st.fixed_dictionaries(
            {"schema": st.sampled_from(["task/1", "suite/1"])},
            optional={"id": JSON, "version": JSON, "instances": JSON, "checks": JSON},
        ),
    )
)
def test_random_json_is_an_error_not_a_crash(folder: Folder, doc: Any) -> None:
    folder.write("tasks/sample/random.json", doc if isinstance(doc, dict) else json.dumps(doc))
    registry = folder.registry()
    assert registry.problems
    assert all(isinstance(error, EntryError) for error in registry.problems)
    assert [suite.id for suite in registry.suites()] == ["sample"]


def _paths(value: Any, at: str = "") -> list[str]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, item in items:
        found.append(f"{at}/{key}")
        if isinstance(item, dict | list):
            found += _paths(item, f"{at}/{key}")
    return [path for path in found if "~" not in path]


TASKS = {name: example("task", name) for name in ("bad-channels", "products")}
PLACES = [(name, path) for name, doc in TASKS.items() for path in _paths(doc)]


@MUTABLE
@given(st.sampled_from(PLACES), JSON)
def test_any_value_anywhere_gives_a_task_or_an_error(
    folder: Folder, place: tuple[str, str], value: Any
) -> None:
    name, path = place
    change = [{"op": "replace", "path": path, "value": value}]
    file = folder.write("tasks/sample/random.json", patched(TASKS[name], change))
    registry = folder.registry()
    survey = registry.survey()
    if registry.problems:
        assert all(isinstance(error, EntryError) for error in registry.problems)
        assert all(error.where.startswith(f"{file}: $") for error in registry.problems)
        assert survey.rows == ()
    else:
        assert [row["digests"] for row in survey.rows] == [registry.digests(registry.tasks()[0])]
