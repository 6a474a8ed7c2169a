"""An agent's files in one folder: the same files, compiled, and made anew when one changes."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest

from braino_registry.runner.sandbox import gathered as module
from braino_registry.runner.sandbox.gathered import gathered
from braino_registry.runner.sandbox.view import Bind, View, view_of
from tests.runner.sandbox.conftest import Cell


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept"


@pytest.fixture
def seen(tmp_path: Path) -> View:
    code = tmp_path / "code"
    (code / "mine").mkdir(parents=True)
    (code / "mine" / "__init__.py").write_text("")
    (code / "beside.py").write_text("A = 1\n")
    (code / "broken.py").write_text("def (\n")
    (code / "secret.txt").write_text("T8")
    return view_of(code, tmp_path, "mine:make", [str(code)], arguments=())


def folder_of(seen: View) -> Path:
    return next(bind.host for bind in seen.binds if bind.inside == "/agent")


def test_files_become_one_folder_and_packages_stay_mounts(seen: View, kept: Path) -> None:
    found = gathered(seen, kept)
    own = [bind.inside for bind in found.binds if bind.inside.startswith("/agent")]
    assert own == ["/agent", "/agent/mine"]
    folder = folder_of(found)
    assert sorted(name for name in os.listdir(folder) if name != "__pycache__") == [
        "beside.py", "braino", "broken.py", "mine",
    ]  # fmt: skip
    assert (folder / "beside.py").read_text() == "A = 1\n"
    assert list((folder / "mine").iterdir()) == []  # what lies there is mounted over it
    assert not any(bind.writable for bind in found.binds if bind.inside == "/agent")
    assert [bind for bind in found.binds if not bind.inside.startswith("/agent")] == [
        bind for bind in seen.binds if not bind.inside.startswith("/agent")
    ]


def test_what_can_be_compiled_is(seen: View, kept: Path) -> None:
    folder = folder_of(gathered(seen, kept))
    for name in ("beside.py", "braino/agent.py"):
        compiled = Path(importlib.util.cache_from_source(str(folder / name)))
        assert compiled.read_bytes()[:4] == importlib.util.MAGIC_NUMBER
        assert str(kept).encode() not in compiled.read_bytes()
    assert not Path(importlib.util.cache_from_source(str(folder / "broken.py"))).exists()


def test_a_folder_is_made_once_and_anew_when_a_file_changes(
    seen: View, kept: Path, tmp_path: Path
) -> None:
    first = folder_of(gathered(seen, kept))
    assert folder_of(gathered(seen, kept)) == first
    (tmp_path / "code" / "beside.py").write_text("A = 22\n")
    second = folder_of(gathered(seen, kept))
    assert (second / "beside.py").read_text() == "A = 22\n"
    assert sorted(os.listdir(kept)) == sorted({first.name, second.name})


def test_what_is_no_file_or_too_large_or_gone_is_mounted_as_it_is(
    seen: View, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert gathered(seen, None) == seen
    assert gathered(seen, tmp_path / "not there") == seen
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.py")
        odd = View((*seen.binds, Bind(tmp_path / "pipe.py", "/agent/pipe.py")), {}, (), {}, ())
        assert gathered(odd, kept) == odd
    monkeypatch.setattr(module, "_MOST_BYTES", 5)
    assert gathered(seen, kept) == seen
    assert list(kept.iterdir()) == []


def test_an_agent_finds_its_files_compiled_and_cannot_change_them(
    cell: Cell, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cell.code / "package").mkdir()
    (cell.code / "package" / "__init__.py").write_text("import beside\nX = beside.make()\n")
    cell.factory = "package:make"
    code = (
        "import os, package, braino.agent as agent, beside\n"
        "print(package.X, os.path.exists(agent.__cached__), os.path.exists(beside.__cached__))\n"
        "for name in (beside.__file__, beside.__cached__, '/agent/new', '/agent/package/new'):\n"
        "    try: open(name, 'a')\n"
        "    except OSError: print('refused')\n"
    )
    plain = view_of

    def once(*positional: Any, **named: Any) -> View:
        return gathered(plain(*positional, **named), kept)

    monkeypatch.setattr("tests.runner.sandbox.conftest.view_of", once)
    done = cell.run(code)
    lines = done.stdout.splitlines()
    assert lines == ["made True True", *["refused"] * 4], done.stderr
