"""`braino release` and `braino cite`: freeze, change a tolerance, verify."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from braino_registry.cli import main
from braino_registry.registry import roots


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the shipped entries that stands for them."""
    root = tmp_path / "checkout"
    for name in ("schemas", "generators", "datasets"):
        shutil.copytree(roots.builtin() / name, root / name)
    shutil.copytree(roots.builtin() / "tasks" / "braino", root / "tasks" / "braino")
    monkeypatch.setattr(roots, "builtin", lambda: root)
    return root


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[Any, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    out, err = capsys.readouterr()
    return stop.value.code, out, err


def test_a_changed_tolerance_is_found_and_prose_is_not(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "release", "freeze", "2026.1", "--suite", "braino", "--activate")
    assert (code, err) == (0, "")
    assert "Release 2026.1 (active)" in out
    assert out.endswith("It is in force: from now on it is never edited.\n")
    file = checkout / "tasks" / "braino" / "alpha-group-difference.json"
    doc = json.loads(file.read_text())
    file.write_text(json.dumps({**doc, "about": "Something else."}))
    assert run(capsys, "release", "verify", "2026.1")[0] == 0

    checks = [
        {**check, "tolerance": {"abs": 0.5}} if check["id"] == "effect-size" else check
        for check in doc["checks"]
    ]
    file.write_text(json.dumps({**doc, "checks": checks}))
    code, out, _ = run(capsys, "release", "verify", "2026.1")
    assert code == 1
    assert out.splitlines()[0] == (
        "task alpha-group-difference, scoring.checks.effect-size.tolerance: changed, and its "
        "version is 1.0.0. The version that is due is 1.1.0 (minor)."
    )
    code, out, _ = run(capsys, "release", "verify", "2026.1", "--json")
    assert code == 1
    (found,) = json.loads(out)["differences"]
    assert found["field"] == "scoring.checks.effect-size.tolerance"


def test_an_unknown_release_is_told(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "release", "verify", "2027.1")
    assert code == 2
    assert "2027.1" in err
    code, _, err = run(capsys, "cite", str(checkout / "nothing.json"))
    assert code == 2
    assert "no such file" in err


def test_a_file_that_is_no_lock_is_refused(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = checkout / "lock.json"
    file.write_text('{"schema": "release/1"}')
    code, _, err = run(capsys, "release", "verify", str(file))
    assert code == 2
    assert "lock.json" in err


@pytest.mark.parametrize("form", ["--text", "--bibtex", "--cff"])
def test_what_somebody_wrote_into_a_lock_moves_no_cursor(
    checkout: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    file = checkout / "lock.json"
    run(capsys, "release", "freeze", "2026.1", "--suite", "braino", "-o", str(file))
    doc = json.loads(file.read_text())
    for doi in ({"doi": "10.1/\u202e\x1b[31mred"}, {}):
        file.write_text(json.dumps({k: v for k, v in doc.items() if k != "doi"} | doi))
        code, out, err = run(capsys, "cite", str(file), form)
        assert (code, err) == (0, "")
        assert not {"\x1b", "\u202e"} & set(out)
