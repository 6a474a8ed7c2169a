from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from braino_registry.errors import HostError, ReportError, UsageError
from braino_registry.runner import folder, tiers, trees

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_the_default_folder_never_exists_already(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = [folder.create(None, suite="braino", agent="my/agent: x", now=NOW) for _ in range(2)]
    assert [place.path.name for place in made] == [
        "20260102T030405Z-braino-my-agent-x",
        "20260102T030405Z-braino-my-agent-x-2",
    ]
    assert made[0].path.parent == tmp_path / "runs"


def test_a_folder_with_a_run_or_anything_else_is_refused(tmp_path: Path) -> None:
    place = folder.create(tmp_path / "run", suite="braino", agent="x")
    folder.write_run_file(place, {"run_id": "r"})
    with pytest.raises(UsageError, match="already holds a run"):
        folder.create(tmp_path / "run", suite="braino", agent="x")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").touch()
    with pytest.raises(UsageError, match="not empty"):
        folder.create(tmp_path / "other", suite="braino", agent="x")


def test_what_a_run_leaves_that_was_killed_before_it_began_is_no_run(tmp_path: Path) -> None:
    """It could be neither resumed, for nothing says what was asked, nor begun again."""
    (tmp_path / "journal.jsonl").touch()
    (tmp_path / ".run.json.x3f").write_text("{")
    made = folder.create(tmp_path, suite="braino", agent="x")
    assert made.path == tmp_path
    made.journal.write_text("{}\n")
    with pytest.raises(UsageError, match="not empty"):
        folder.create(tmp_path, suite="braino", agent="x")


def test_a_run_that_began_between_the_choice_of_a_folder_and_its_lock_is_not_overwritten(
    tmp_path: Path,
) -> None:
    made = folder.create(tmp_path, suite="braino", agent="x")
    made.run_file.write_text("{}")
    with pytest.raises(UsageError, match="already holds a run"):
        folder.refuse_run(made)


def test_a_folder_that_cannot_be_made_is_a_host_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HostError):
        folder.create(tmp_path / "file" / "run", suite="braino", agent="x")


def test_no_run_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="no run folder"):
        folder.open_run(tmp_path)


def test_paths(tmp_path: Path) -> None:
    place = folder.RunFolder(tmp_path)
    assert place.transcript("t", "i", 2) == "trials/t/i/2/events.jsonl"
    assert not place.expected("t", "i", 2).is_relative_to(place.trial("t", "i", 2))


def test_tiers() -> None:
    assert tiers.names()[0] == "minimum"
    assert tiers.get("minimum").memory_bytes == 16 * 1024**3
    assert not tiers.get("minimum").gpu
    with pytest.raises(UsageError, match="minimun") as error:
        tiers.get("minimun")
    assert "Did you mean 'minimum'" in error.value.hint


def test_a_read_only_tree_is_removed_and_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    inner = tmp_path / "tree" / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "file").touch()
    (inner / "link").symlink_to(outside)
    inner.chmod(0o500)
    inner.parent.chmod(0o000)
    assert trees.remove_tree(tmp_path / "tree")
    assert (outside / "kept").exists()
    assert trees.remove_tree(tmp_path / "never-there")


def dig(folder: Path, levels: int) -> None:
    """Nest folders deeper than any path or stack goes."""
    here = os.getcwd()
    folder.mkdir()
    try:
        os.chdir(folder)
        for _ in range(levels):
            os.mkdir("deeper")
            os.chdir("deeper")
        Path("file").touch()
        os.mkfifo("pipe")
    finally:
        os.chdir(here)


def test_a_tree_of_any_depth_is_removed(tmp_path: Path) -> None:
    dig(tmp_path / "tree", 1500)
    os.close(os.open(os.fsencode(tmp_path / "tree") + b"/\xff\xfe", os.O_CREAT))
    assert trees.remove_tree(tmp_path / "tree")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_removed_is_told_and_raises_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    (tmp_path / "tree" / "inner").mkdir(parents=True)
    (tmp_path / "tree" / "inner" / "file").touch()
    with monkeypatch.context() as patched:
        patched.setattr("os.unlink", refuse)
        assert not trees.remove_tree(tmp_path / "tree")
    assert trees.remove_tree(tmp_path / "tree")


def test_a_run_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="no folder") as error:
        folder.create(tmp_path / "file", suite="braino", agent="x")
    assert error.value.where.startswith("--run-dir")
