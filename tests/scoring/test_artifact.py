"""The check kind ``artifact`` on real files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from braino_registry.scoring.checks import artifact
from tests.scoring.evidence import evidence, run

CHECK = {"kind": "artifact", "path": "out/result.json"}
VALUE = {**CHECK, "json": {"value": "peak.latency", "is": {"min": 0.42, "max": 0.44}}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "artifacts" / "out").mkdir(parents=True)
    return tmp_path / "artifacts"


def _passes(check: dict[str, Any], folder: Path) -> bool:
    return run(check, evidence("done", artifacts=folder)).passed


@pytest.mark.parametrize(
    ("content", "plain", "measured"),
    [
        (b'{"peak": {"latency": 0.43}}', True, True),
        (b'{"peak": {"latency": 0.5}}', True, False),
        (b'{"peak": {"latency": NaN}}', True, False),
        (b'{"peak": {"latency": "0.43"}}', True, False),
        (b'{"peak": {}}', True, False),
        (b"\xff\xfe not JSON", True, False),
        (b"[" * 100_000, True, False),
        (b"", False, False),
    ],
)
def test_content(folder: Path, content: bytes, plain: bool, measured: bool) -> None:
    (folder / "out" / "result.json").write_bytes(content)
    assert _passes(CHECK, folder) is plain
    assert _passes(VALUE, folder) is measured


def test_missing(folder: Path) -> None:
    assert not _passes(CHECK, folder)
    assert not _passes(CHECK, folder / "nowhere")


def test_folder_is_no_file(folder: Path) -> None:
    (folder / "out" / "result.json").mkdir()
    assert not _passes(CHECK, folder)


@pytest.mark.parametrize("swap", ["pipe", "sparse"])
def test_a_file_that_changes_after_the_look_costs_nothing(
    folder: Path, swap: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "out" / "result.json"
    path.write_text('{"peak": {"latency": 0.43}}')
    real = artifact._measured

    def later(path: Path, *rest: Any) -> Any:
        path.unlink()
        if swap == "pipe":
            os.mkfifo(path)
        else:
            with path.open("wb") as file:
                file.truncate(10 * 2**30)
        return real(path, *rest)

    monkeypatch.setattr(artifact, "_measured", later)
    verdict = run(VALUE, evidence("done", artifacts=folder))
    assert not verdict.passed
    assert "no JSON value could be read" in verdict.evidence


def test_links_do_not_count(folder: Path) -> None:
    real = folder.parent / "real.json"
    real.write_text('{"peak": {"latency": 0.43}}')
    path = folder / "out" / "result.json"
    path.symlink_to(real)
    assert not _passes(CHECK, folder)
    path.unlink()
    os.link(real, path)
    assert not _passes(CHECK, folder)


def test_a_linked_folder_does_not_count(folder: Path) -> None:
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "result.json").write_text("{}")
    (folder / "out").rmdir()
    (folder / "out").symlink_to(elsewhere, target_is_directory=True)
    assert not _passes(CHECK, folder)


def test_a_pipe_is_not_read(folder: Path) -> None:
    os.mkfifo(folder / "out" / "result.json")
    assert not _passes(CHECK, folder)


@pytest.mark.parametrize("path", ["../real.json", "/etc/passwd", "out/../../real.json"])
def test_paths_stay_inside(folder: Path, path: str) -> None:
    (folder.parent / "real.json").write_text("{}")
    assert not _passes({"kind": "artifact", "path": path}, folder)


def test_size(folder: Path) -> None:
    (folder / "out" / "result.json").write_bytes(b"x" * 9)
    assert _passes({**CHECK, "min_bytes": 9}, folder)
    assert not _passes({**CHECK, "min_bytes": 10}, folder)
