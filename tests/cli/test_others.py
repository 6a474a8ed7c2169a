"""`tools lint`, `mcp serve` and `eval sweep` on the command line, and agents that are schemes."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

import pytest

from braino_registry import agents
from tests.cli.shell import ENTRIES, Inside, assert_error


def test_every_tool_passes_the_lint(inside: Inside) -> None:
    done = inside("tools", "lint")
    assert done.returncode == 0, done.stdout
    assert re.search(r"^\d+ tools, 0 problems$", done.stdout, re.MULTILINE)
    assert "calc@1.0.0: not for strict modes, values takes any names" in done.stdout
    rows = json.loads(inside("tools", "lint", "preprocess.filter", "--json").stdout)
    assert rows == [{"tool": "preprocess.filter@1.0.0", "problems": [], "not_for_strict_modes": []}]
    assert_error(inside("tools", "lint", "preproces.filter"), 2, "preprocess.filter")


def test_a_fault_of_a_tool_is_told(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("braino_registry.tools.linting.MOST_DESCRIPTION", 10)
    done = inside("tools", "lint", "calc")
    assert done.returncode == 2
    assert "calc@1.0.0: its description has" in done.stdout
    assert "1 tools, 1 problems" in done.stdout


def test_a_sweep_shows_its_runs_and_says_what_is_wrong(inside: Inside, tmp_path: Path) -> None:
    file = tmp_path / "sweep.json"
    document = {
        "schema": "sweep/1", "id": "mine", "agents": [{"agent": "null", "models": ["a", "b"]}],
        "suites": [{"suite": "braino"}],
    }  # fmt: skip
    file.write_text(json.dumps(document))
    done = inside("eval", "sweep", str(file), "--dry-run")
    assert done.returncode == 0
    assert "2 runs of mine" in done.stdout
    rows = json.loads(inside("eval", "sweep", str(file), "--dry-run", "--json").stdout)
    assert [row["name"] for row in rows] == ["null a", "null b"]
    file.write_text(json.dumps({**document, "budget": {"costs": 3}}))
    assert_error(inside("eval", "sweep", str(file)), 2, "'costs'", f"{file}: $.budget")
    assert_error(inside("eval", "sweep", str(tmp_path / "none")), 2, "cannot be read")


def test_what_cannot_be_served_is_told(inside: Inside, tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    places = ("--registry", str(ENTRIES), "--cache", str(tmp_path))
    assert_error(inside("mcp", "serve", "--task", "probe-sun", *places), 2, "probe-sum")
    assert_error(inside("mcp", "serve", "--task", "probe-sum/x", *places), 2, "small")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words = ("--task", "probe-sum", "--transport", "http", "--port", port)
        assert_error(inside("mcp", "serve", *words, *places), 3, "nothing can listen", "--port")


def test_schemes_say_what_they_are_and_need() -> None:
    assert list(agents.schemes()) == ["cmd", "mcp", "human", "replay"]
    assert all(len(about) > 20 for about in agents.schemes().values())
    assert agents.at_terminal("human:anna")
    assert not any(agents.at_terminal(name) for name in ("cmd:python x.py", "oracle", "a:human"))
