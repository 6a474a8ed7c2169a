"""The index makes listings fast and is never believed beyond the bytes it was made from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from braino_registry.registry import index, loading
from tests.registry.support import PUBLIC, RECIPE, REPOSITORY, SAMPLE, Folder, example, patched

ROW_KEYS = [
    "id",
    "version",
    "suite",
    "category",
    "difficulty",
    "title",
    "instances",
    "datasets",
    "needs",
    "large",
    "reference",
    "chance",
    "digests",
]


@pytest.fixture
def indexed(folder: Folder) -> Folder:
    folder.write("tasks/sample/alpha.json", example("task", "products"))
    folder.write("tasks/sample/bad-channels.json", example("task", "bad-channels"))
    _write_index(folder)
    return folder


def _write_index(folder: Folder) -> None:
    document = index.build(folder.registry(use_index=False))
    folder.write("tasks/index.json", index.text(document))


def _loaded(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[dict[str, Any]], set[str]]:
    """Return the listing and the names of the files that were loaded for it."""
    seen: set[str] = set()
    load = loading.Loader.load

    def spy(self: Any, candidate: Any) -> Any:
        seen.add(candidate.name)
        return load(self, candidate)

    monkeypatch.setattr(loading.Loader, "load", spy)
    return folder.registry().listing(), seen


def test_rows_say_what_there_is(folder: Folder) -> None:
    folder.write("tasks/sample/alpha.json", example("task", "products"))
    (row,) = folder.registry().listing()
    assert list(row) == ROW_KEYS
    digests = row.pop("digests")
    assert row == {
        "id": "alpha-power",
        "version": "1.2.0",
        "suite": "sample",
        "category": "spectra",
        "difficulty": "medium",
        "title": "Report relative alpha power",
        "instances": [
            "sub-02-alpha-0",
            "sub-02-theta-0",
            "sub-02-alpha-10",
            "sub-02-theta-10",
            "sub-01-alpha-0",
            "sub-01-theta-0",
            "sub-01-alpha-10",
            "sub-01-theta-10",
            "real",
        ],
        "datasets": ["open-recordings@1.0.0", "two-subject-rest@1.0.0"],
        "needs": ["dataset:open-recordings@1.0.0", "extra:sleep"],
        "large": True,
        "reference": "steps",
        "chance": 0.1,
    }
    assert set(digests) == {"work", "scoring"}
    assert all(value.startswith("sha256:") and len(value) == 71 for value in digests.values())


def test_listing_from_the_index_is_the_listing(indexed: Folder, monkeypatch: Any) -> None:
    computed = indexed.registry(use_index=False).listing()
    assert _loaded(indexed, monkeypatch) == (computed, set())


def test_listing_from_the_index_imports_nothing_heavy(indexed: Folder) -> None:
    code = f"""
import json, sys
from pathlib import Path
from braino_registry.registry import Registry, roots
roots.builtin = lambda: Path({str(indexed.root)!r})
rows = Registry.open(environ={{}}).listing()
heavy = sorted({{"jsonschema", "referencing", "numpy", "scipy", "jinja2", "jmespath", "mne",
                "rfc8785"}} & set(sys.modules))
print(json.dumps([[row["id"] for row in rows], heavy]))
"""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
    )
    assert json.loads(ran.stdout) == [["alpha-power", "bad-channels-ask"], []]


def test_a_changed_task_is_loaded_alone(indexed: Folder, monkeypatch: Any) -> None:
    doc = {**example("task", "bad-channels"), "title": "Another"}
    indexed.write("tasks/sample/bad-channels.json", doc)
    rows, seen = _loaded(indexed, monkeypatch)
    assert [row["title"] for row in rows] == ["Report relative alpha power", "Another"]
    assert "tasks/sample/alpha.json" not in seen


@pytest.mark.parametrize(
    ("name", "doc", "tasks"),
    [
        (
            "tasks/sample/suite.json",
            patched(
                example("suite", "minimal"),
                [{"op": "replace", "path": "/limits/questions", "value": 3}],
            ),
            {"alpha-power", "bad-channels-ask"},
        ),
        (
            "generators/two-subject-rest.json",
            {**RECIPE, "seed": 8},
            {"alpha-power", "bad-channels-ask"},
        ),
        (
            "datasets/open-recordings.json",
            patched(PUBLIC, [{"op": "replace", "path": "/pins/content", "value": "4" * 64}]),
            {"alpha-power"},
        ),
    ],
)
def test_what_a_task_refers_to_changes_its_row(
    indexed: Folder, name: str, doc: Any, tasks: set[str]
) -> None:
    before = {row["id"]: row["digests"] for row in indexed.registry().listing()}
    indexed.write(name, doc)
    after = {row["id"]: row["digests"] for row in indexed.registry().listing()}
    assert {task for task in before if before[task] != after[task]} == tasks
    computed = indexed.registry(use_index=False).listing()
    assert after == {row["id"]: row["digests"] for row in computed}


def test_a_changed_schema_ends_the_index(indexed: Folder, monkeypatch: Any) -> None:
    schema = json.loads((indexed.root / "schemas/suite-1.json").read_text())
    indexed.write("schemas/suite-1.json", {**schema, "title": "Another"})
    _, seen = _loaded(indexed, monkeypatch)
    assert "tasks/sample/suite.json" in seen


def test_a_broken_task_is_told_although_it_was_in_the_index(indexed: Folder) -> None:
    doc = {**example("task", "bad-channels"), "toolset": "none"}
    file = indexed.write("tasks/sample/bad-channels.json", doc)
    survey = indexed.registry().survey()
    assert [row["id"] for row in survey.rows] == ["alpha-power"]
    assert [error.where for error in survey.problems] == [f"{file}: $.toolset"]


def test_a_toolset_that_went_away_is_told_although_the_task_is_unchanged(indexed: Folder) -> None:
    doc = patched(
        example("suite", "minimal"),
        [{"op": "replace", "path": "/toolsets", "value": {"other": ["calc@1.0.0"]}}],
    )
    indexed.write("tasks/sample/suite.json", doc)
    survey = indexed.registry().survey()
    assert survey.rows == ()
    assert {error.where.rpartition(": ")[2] for error in survey.problems} == {"$.toolset"}


def test_a_duplicate_of_an_indexed_entry_is_told(indexed: Folder, tmp_path: Path) -> None:
    other = Folder(tmp_path / "other")
    other.write("tasks/x.json", example("task", "bad-channels"))
    survey = indexed.registry(other.root).survey()
    assert [row["id"] for row in survey.rows] == ["alpha-power"]
    assert len(survey.problems) == 2


def test_a_duplicate_dataset_breaks_the_tasks_that_name_it(indexed: Folder, tmp_path: Path) -> None:
    other = Folder(tmp_path / "other")
    other.write("datasets/x.json", PUBLIC)
    survey = indexed.registry(other.root).survey()
    assert [row["id"] for row in survey.rows] == ["bad-channels-ask"]
    told = {error.where.rpartition(": ")[2] for error in survey.problems}
    assert told == {"$.id", "$.instances[1].dataset"}


def test_other_folders_are_listed_beside_the_index(indexed: Folder, tmp_path: Path) -> None:
    other = Folder(tmp_path / "other")
    other.write("tasks/mine.json", example("task", "minimal"))
    rows = indexed.registry(other.root).listing("sample")
    assert [row["id"] for row in rows] == ["alpha-power", "bad-channels-ask", "which-subject"]


def test_an_index_of_another_folder_is_not_believed(indexed: Folder, tmp_path: Path) -> None:
    text = (indexed.root / "tasks/index.json").read_text()
    other = Folder(tmp_path / "other")
    for name in ("alpha", "bad-channels"):
        (indexed.root / f"tasks/sample/{name}.json").rename(
            other.write(f"tasks/sample/{name}.json", "")
        )
    honest = indexed.registry(other.root).listing()
    work = json.loads(text)["tasks"]["tasks/sample/alpha.json"]["row"]["digests"]["work"]
    other.write("tasks/index.json", text.replace(work, "sha256:" + "0" * 64))
    assert indexed.registry(other.root).listing() == honest


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", "null", "[" * 100_000, '{"made_by": 1}', b"\xff\xfe"],
    ids=["empty", "cut", "list", "nothing", "null", "deep", "other maker", "no text"],
)
def test_a_broken_index_is_as_good_as_none(indexed: Folder, text: str | bytes) -> None:
    before = indexed.registry().listing()
    indexed.write("tasks/index.json", text)
    assert indexed.registry().survey() == indexed.registry(use_index=False).survey()
    assert indexed.registry().listing() == before


def test_a_mangled_index_is_as_good_as_none(indexed: Folder) -> None:
    document = json.loads((indexed.root / "tasks/index.json").read_text())
    parts: list[Any] = [[], {"a": 1}, {"a": {}}]
    for name in ("files", "tasks"):
        for part in parts:
            indexed.write("tasks/index.json", {**document, name: part})
            assert len(indexed.registry().listing()) == 2


def test_an_indexed_task_is_the_checked_task(indexed: Folder) -> None:
    fast, slow = indexed.registry(), indexed.registry(use_index=False)
    for task in slow.tasks():
        assert fast.task(task.id).instances == task.instances
        assert fast.digests(fast.task(task.id)) == slow.digests(task)


def test_the_command_writes_and_checks(
    folder: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("braino_registry.registry.catalog.Groups", lambda: SAMPLE)
    folder.write("tasks/sample/bad-channels.json", example("task", "bad-channels"))
    assert index.main(["--check"]) == 1
    assert "the index is out of date" in capsys.readouterr().err
    assert index.main([]) == 0
    assert index.main(["--check"]) == 0
    first = (folder.root / "tasks/index.json").read_bytes()
    assert index.main([]) == 0
    assert (folder.root / "tasks/index.json").read_bytes() == first
    assert [row["id"] for row in folder.registry().listing()] == ["bad-channels-ask"]

    folder.write("tasks/sample/bad-channels.json", {**example("task", "bad-channels"), "x": 1})
    capsys.readouterr()
    assert index.main([]) == 2
    assert "unknown property 'x'" in capsys.readouterr().err
    assert (folder.root / "tasks/index.json").read_bytes() == first
    assert not list((folder.root / "tasks").glob(".*"))
