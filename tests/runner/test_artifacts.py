from __future__ import annotations

import os
from pathlib import Path

import pytest

from braino_registry.runner import artifacts


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "clean.edf").write_bytes(b"data")
    (folder / "deep" / "er" / "plot.png").write_bytes(b"png")
    (tmp_path / "secret.txt").write_text("truth")
    return folder


def collect(names: list[str], workspace: Path) -> artifacts.Collected:
    return artifacts.collect(names, workspace, workspace.parent / "artifacts")


def test_regular_files_are_copied_by_name(workspace: Path) -> None:
    found = collect(["clean.edf", "deep/er/plot.png", "clean.edf"], workspace)
    assert found.names == ["clean.edf", "deep/er/plot.png"]
    assert found.refused == []
    into = workspace.parent / "artifacts"
    assert (into / "deep/er/plot.png").read_bytes() == b"png"
    assert not (into / "clean.edf").samefile(workspace / "clean.edf")


def test_nothing_outside_the_workspace_is_read(workspace: Path) -> None:
    (workspace / "link.txt").symlink_to(workspace.parent / "secret.txt")
    (workspace / "folder").symlink_to(workspace.parent)
    os.link(workspace.parent / "secret.txt", workspace / "hard.txt")
    names = [
        "link.txt",
        "folder/secret.txt",
        "hard.txt",
        "../secret.txt",
        str(workspace.parent / "secret.txt"),
        "",
        ".",
        "nul\0byte",
        "deep",
        "missing.txt",
    ]
    found = collect(names, workspace)
    assert found.names == []
    assert len(found.refused) == len(names)
    assert not (workspace.parent / "artifacts").exists()


def test_a_named_pipe_does_not_block(workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    assert collect(["pipe"], workspace).refused == ["pipe: not a regular file"]


def test_caps(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (workspace / "sparse.bin").open("wb") as stream:
        stream.truncate(1 << 40)
    assert "larger than" in collect(["sparse.bin"], workspace).refused[0]
    monkeypatch.setattr(artifacts, "MAX_FILES", 1)
    found = collect(["clean.edf", "deep/er/plot.png"], workspace)
    assert found.names == ["clean.edf"]
    assert "more than 1 files" in found.refused[0]
    monkeypatch.setattr(artifacts, "MAX_FILES", 10)
    monkeypatch.setattr(artifacts, "MAX_TOTAL_BYTES", 5)
    assert collect(["clean.edf", "deep/er/plot.png"], workspace).names == ["clean.edf"]


def test_a_workspace_that_became_a_link_hands_in_nothing(workspace: Path) -> None:
    moved = workspace.with_name("moved")
    workspace.rename(moved)
    workspace.symlink_to(workspace.parent)
    found = collect(["secret.txt"], workspace)
    assert found.names == []
    assert "workspace cannot be opened" in found.refused[0]


def test_names_that_cannot_be_copied_are_refused_one_by_one(workspace: Path) -> None:
    deep = Path(*["d"] * 40)
    (workspace / deep).mkdir(parents=True)
    (workspace / deep / "file").touch()
    # A folder of copies so deep that a name which was possible is too long there.
    into = workspace.parent
    while len(str(into)) < 3900:
        into /= "x" * 180
    long = "/".join(["y" * 200, "clean.edf"])
    (workspace / long).parent.mkdir()
    (workspace / long).write_bytes(b"data")
    found = artifacts.collect([str(deep / "file"), long], workspace, into)
    assert found.names == []
    assert "more than 32 folders deep" in found.refused[0]
    assert "cannot be copied: File name too long" in found.refused[1]
