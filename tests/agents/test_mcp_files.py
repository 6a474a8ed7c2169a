"""Files of a session for clients without a file system: nothing outside its folders."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.agents.mcp.files import PIECE, FileRefused, Folders

PARTS = st.sampled_from(
    [
        "..",
        ".",
        "",
        "/",
        "a",
        "\ud800",
        "\udcff",
        "\0",
        "link",
        "out",
        "x.txt",
        "\\",
        "~",
        "é",
        "a" * 300,
    ]
)


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    for name in ("inputs", "workspace", "secret"):
        (tmp_path / name).mkdir()
    (tmp_path / "secret" / "truth.json").write_text("T8")
    (tmp_path / "inputs" / "a.tsv").write_text("onset\n")
    work = tmp_path / "workspace"
    (work / "out").symlink_to(tmp_path / "secret")
    (work / "link").symlink_to(tmp_path / "secret" / "truth.json")
    os.mkfifo(work / "pipe")
    return Folders(tmp_path / "inputs", work, 100_000)


def test_reading_and_writing(folders: Folders) -> None:
    assert folders.list("inputs") == {"files": [{"path": "a.tsv", "bytes": 6}], "not_shown": 0}
    assert folders.list("workspace") == {"files": [], "not_shown": 0}
    (folders._roots["workspace"] / os.fsdecode(b"\xff")).write_text("")  # a name that is no text
    assert folders.list("workspace") == {"files": [], "not_shown": 1}
    folders.write("b/c.bin", {"base64": base64.b64encode(b"\xff" * (PIECE + 5)).decode()})
    first = folders.read("workspace", "b/c.bin", 0)
    assert (first["bytes"], first["next_offset"]) == (PIECE + 5, PIECE)
    rest = folders.read("workspace", "b/c.bin", PIECE)
    assert (base64.b64decode(rest["base64"]), rest["next_offset"]) == (b"\xff" * 5, None)
    assert folders.read("inputs", "a.tsv", 10**9) == {"text": "", "bytes": 6, "next_offset": None}
    assert folders.read("inputs", "a.tsv", -3)["text"] == "onset\n"


@pytest.mark.parametrize(
    "path", ["link", "out/truth.json", "../secret/truth.json", "pipe", "", ".", "..", "out", "a\0b"]
)
def test_what_lies_outside_is_neither_read_nor_written(
    folders: Folders, tmp_path: Path, path: str
) -> None:
    with pytest.raises(FileRefused):
        folders.read("workspace", path, 0)
    with pytest.raises(FileRefused):
        folders.write(path, {"text": "forged"})
    assert (tmp_path / "secret" / "truth.json").read_text() == "T8"


def test_a_file_that_is_too_large_is_refused(folders: Folders) -> None:
    with pytest.raises(FileRefused, match="at most 100000 bytes, this one 100001"):
        folders.write("a.txt", {"text": "x" * 100_001})
    with pytest.raises(FileRefused, match="either text or base64"):
        folders.write("a.txt", {"text": "x", "base64": "eA=="})


@given(st.lists(PARTS).map("/".join))
def test_no_path_leads_out(tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
    root = tmp_path_factory.getbasetemp() / "out-there"
    work = root / "workspace"
    work.mkdir(parents=True, exist_ok=True)
    (root / "secret").mkdir(exist_ok=True)
    before = {each for each in root.rglob("*") if not each.is_relative_to(work)}
    try:
        Folders(root, work, 10).write(path, {"text": "x"})
    except FileRefused:
        pass
    assert {each for each in root.rglob("*") if not each.is_relative_to(work)} == before
