"""Release locks: what differs is named, prose moves nothing, what is in force is never edited."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import release_citation
from braino_registry.errors import UsageError
from braino_registry.registry import Registry, locks, releases, roots, schemas
from braino_registry.registry.versions import against_lock
from tests.registry.support import Folder, example

TASK = "tasks/sample/bad-channels-ask.json"
SALT = "sha256:" + "ab" * 32


@pytest.fixture
def task(folder: Folder) -> dict[str, Any]:
    """Return the task of the folder, which has one."""
    doc = example("task", "bad-channels")
    folder.write(TASK, doc)
    return doc


def frozen(folder: Folder) -> dict[str, Any]:
    return releases.freeze(folder.registry(), "2026.1", salts=[SALT])


def differing(folder: Folder, lock: dict[str, Any]) -> list[str]:
    return [str(each) for each in releases.differences(lock, folder.registry())]


def test_a_lock_is_valid_and_differs_in_nothing(folder: Folder, task: dict[str, Any]) -> None:
    lock = frozen(folder)
    assert schemas.check(lock, "release-1") == []
    assert [row["id"] for row in lock["tasks"]] == [task["id"]]
    assert [row["id"] for row in lock["datasets"]] == ["two-subject-rest"]
    assert lock["salts"] == [SALT]
    assert differing(folder, lock) == []


def test_a_changed_check_is_named_with_the_version_that_is_due(
    folder: Folder, task: dict[str, Any]
) -> None:
    lock = frozen(folder)
    task["checks"][0]["then"] = "quality.*"
    folder.write(TASK, task)
    assert differing(folder, lock) == [
        "task bad-channels-ask, scoring.checks.filters-first.then: changed, and its version is "
        "1.0.0. The version that is due is 1.1.0 (minor)."
    ]
    folder.write(TASK, {**task, "version": "1.1.0"})
    assert differing(folder, lock) == [
        "task bad-channels-ask, scoring.checks.filters-first.then: is version 1.1.0, the release "
        "has 1.0.0"
    ]


def test_another_request_is_another_work(folder: Folder, task: dict[str, Any]) -> None:
    lock = frozen(folder)
    folder.write(TASK, {**task, "request": "Find what is bad in subject {{ bids_subject }}."})
    assert differing(folder, lock) == [
        "task bad-channels-ask, work.request: changed, and its version is 1.0.0. The version "
        "that is due is 2.0.0 (major)."
    ]


def test_prose_moves_nothing(folder: Folder, task: dict[str, Any]) -> None:
    lock = frozen(folder)
    folder.write(TASK, {**task, "title": "Another title", "about": "Why it is asked."})
    assert differing(folder, lock) == []


def test_a_task_that_is_gone_is_named(folder: Folder, task: dict[str, Any]) -> None:
    lock = frozen(folder)
    (folder.root / TASK).unlink()
    assert differing(folder, lock)[0].startswith("task bad-channels-ask: is no longer there")


def test_a_task_whose_entry_is_broken_is_not_called_gone(
    folder: Folder, task: dict[str, Any]
) -> None:
    lock = frozen(folder)
    folder.write(TASK, {**task, "requests": "A word too many."})
    (found,) = differing(folder, lock)
    assert found.startswith("task bad-channels-ask: cannot be read: unknown property 'requests'")
    assert "$.requests" in found


def test_a_recipe_that_moved_is_named(folder: Folder, task: dict[str, Any]) -> None:
    lock = frozen(folder)
    file = folder.root / "generators" / "two-subject-rest.json"
    folder.write("generators/two-subject-rest.json", {**json.loads(file.read_text()), "seed": 8})
    found = differing(folder, lock)
    assert found[0] == (
        "dataset two-subject-rest@1.0.0: has another content under the same version. The version "
        "that is due is 2.0.0."
    )
    assert "work.datasets.two-subject-rest@1.0.0" in found[1]


def test_an_edited_lock_is_told_with_its_first_difference(
    folder: Folder, task: dict[str, Any]
) -> None:
    lock = frozen(folder)
    lock["tasks"][0]["version"] = "1.0.7"
    seal, version = differing(folder, lock)
    assert version == (
        f"task bad-channels-ask, version: went down from 1.0.7 to {task['version']}. Versions only "
        "rise."
    )
    assert seal.startswith(
        "release 2026.1, seal: the lock was edited after it was made; the first difference to what "
        "is here: task bad-channels-ask, version: went down from 1.0.7"
    )
    lock = frozen(folder)
    lock["tasks"][0]["digests"]["work"] = "sha256:" + "0" * 64
    first, *_ = differing(folder, lock)
    assert "the first difference to what is here: task bad-channels-ask" in first


def test_status_and_doi_are_under_no_seal(folder: Folder, task: dict[str, Any]) -> None:
    lock = frozen(folder)
    later = {**lock, "status": "superseded", "superseded_by": "2026.2", "doi": "10.1/x"}
    assert differing(folder, later) == []


def test_what_is_in_force_is_never_written_again(folder: Folder, task: dict[str, Any]) -> None:
    first = locks.write(folder.registry(), "2026.1")
    assert first.lock["status"] == "draft"
    assert first.file == folder.root / "releases" / "2026.1.json"
    active = locks.write(folder.registry(), "2026.1", activate=True)
    assert active.lock["status"] == "active"
    before = active.file.read_bytes()
    with pytest.raises(UsageError, match="never edited"):
        locks.write(folder.registry(), "2026.1", activate=True)
    assert active.file.read_bytes() == before
    locks.write(folder.registry(), "2026.2", activate=True, supersedes="2026.1")
    old = locks.read(folder.registry(), "2026.1")
    assert (old["status"], old["superseded_by"]) == ("superseded", "2026.2")
    assert old["seal"] == releases.seal_of(old)
    with pytest.raises(UsageError, match="not in force"):
        locks.write(folder.registry(), "2026.3", activate=True, supersedes="2026.1")


@pytest.mark.parametrize(
    ("name", "salts", "problem"),
    [
        ("spring", [], "no name of a release"),
        ("2026.0", [], "no name of a release"),
        ("../2026.1", [], "no name of a release"),
        ("2026.1", ["sha256:12"], "no hash of a salt"),
    ],
)
def test_bad_names_are_refused(
    folder: Folder, task: dict[str, Any], name: str, salts: list[str], problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        locks.write(folder.registry(), name, salts=salts)
    assert not (folder.root / "releases").exists()


def test_the_shipped_locks_are_as_they_were_frozen() -> None:
    """What is in force was not edited, and every version tells what has changed since."""
    registry = Registry([roots.builtin()])
    rows = registry.listing()
    for release in registry.releases():
        assert release.doc["seal"] == releases.seal_of(release.doc), release.id
        if release.active:
            assert [str(each) for each in against_lock(rows, release.doc)] == []


@pytest.mark.parametrize("form", ["text", "bibtex", "cff"])
def test_a_release_is_cited_with_the_public_datasets_that_it_uses(
    tmp_path: Path, form: str
) -> None:
    registry = Registry([roots.builtin()])
    lock = releases.freeze(registry, "2026.1", suites=["braino"])
    entries = [registry.dataset(f"{row['id']}@{row['version']}") for row in lock["datasets"]]
    said = release_citation.cite(lock, entries, form)
    assert release_citation.cite({k: lock[k] for k in lock if k != "doi"}, entries, form) == said
    assert lock["seal"] in said
    assert "EEG Motor Movement/Imagery" in said
    assert "two-subject-rest" not in said
    if form == "cff":
        file = tmp_path / "CITATION.cff"
        file.write_text(said, encoding="utf-8")
        command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema",
                   "vendor.citation-file-format", str(file)]  # fmt: skip
        pytest.importorskip("check_jsonschema")
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
