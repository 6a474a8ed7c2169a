"""What somebody gives to be read is a regular file of bounded size, or refused at once."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from braino_registry.errors import BrainoError, UsageError
from braino_registry.registry import Salt, documents, files, jsonfile
from tests.registry.support import Folder

HUGE = 10 * 2**30


def _pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def _socket(path: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as made:
        # The address of a socket may only be about a hundred characters long.
        here = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            made.bind(f"/proc/self/fd/{here}/{path.name}")
        finally:
            os.close(here)
    return path


def _sparse(path: Path) -> Path:
    with path.open("wb") as file:
        file.truncate(HUGE)
    return path


def _link(target: str) -> Callable[[Path], Path]:
    def make(path: Path) -> Path:
        path.symlink_to(target)
        return path

    return make


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def _loop(path: Path) -> Path:
    path.symlink_to(path.name)
    return path


UNFIT: dict[str, tuple[Callable[[Path], Path], str]] = {
    "pipe": (_pipe, "it is a pipe, not a regular file"),
    "socket": (_socket, "it is a socket, not a regular file"),
    "device": (_link("/dev/zero"), "it is a device, not a regular file"),
    "folder": (_folder, "it is a folder, not a regular file"),
    "sparse file of 10 GiB": (_sparse, "it is larger than"),
    "link to itself": (_loop, "symbolic links"),
    "link to nothing": (_link("nowhere"), "No such file"),
}


@pytest.mark.parametrize("kind", UNFIT)
def test_what_is_no_file_is_refused_without_waiting(kind: str, tmp_path: Path) -> None:
    make, reason = UNFIT[kind]
    path = make(tmp_path / "entry.json")
    with pytest.raises(OSError) as caught:  # noqa: PT011 -- its text is looked at below
        documents.read_bytes(path)
    assert reason in str(caught.value.strerror)
    for read in (jsonfile.read, Salt.read):
        with pytest.raises(BrainoError) as told:
            read(path)
        assert reason in told.value.problem
        assert str(path) in told.value.where


@pytest.mark.parametrize("kind", UNFIT)
def test_one_of_them_hides_no_other_entry(kind: str, folder: Folder) -> None:
    make, reason = UNFIT[kind]
    path = make(folder.root / "tasks" / "sample" / "odd.json")
    registry = folder.registry()
    assert [suite.id for suite in registry.suites()] == ["sample"]
    told = [problem for problem in registry.problems if str(path) in problem.where]
    assert len(told) == 1
    assert reason in told[0].problem


def test_a_file_that_grows_beyond_the_limit_is_not_held(tmp_path: Path) -> None:
    """Those of /proc state a size of 0 and have bytes all the same."""
    assert documents.read_bytes(Path("/proc/self/status"))
    with pytest.raises(OSError, match="larger than 5 bytes"):
        documents.read_bytes(Path("/proc/self/status"), 5)
    file = tmp_path / "five"
    file.write_bytes(b"12345")
    assert documents.read_bytes(file, 5) == b"12345"
    assert documents.read_text(file) == "12345"


def test_a_path_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(OSError, match="no path of a file"):
        documents.read_bytes(Path("a\0b"))


def test_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "latin"
    file.write_bytes(b"caf\xe9")
    with pytest.raises(UnicodeDecodeError):
        documents.read_text(file)


def test_a_whole_disk_is_not_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MANY", 20)
    for number in range(21):
        (tmp_path / f"{number}.txt").touch()
    with pytest.raises(UsageError, match="more than 20 files") as caught:
        files.entry_files(tmp_path)
    assert caught.value.where == str(tmp_path)
    assert "tasks/" in caught.value.hint


def test_a_folder_that_may_not_be_looked_into_is_told(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    shut = folder.root / "tasks" / "shut"
    shut.mkdir()
    scandir = os.scandir

    def refuse(path: str | Path) -> object:
        if Path(path) == shut:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert "tasks/shut" in files.entry_files(folder.root)
