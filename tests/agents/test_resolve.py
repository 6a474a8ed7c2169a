"""How agents are named."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from braino_registry import agents
from braino_registry.errors import UsageError
from braino_registry.runner import RunSettings
from braino_registry.runner.plan import check_settings


def test_the_table() -> None:
    table = agents.builtin()
    assert [agent.name_hint for agent in table] == [
        "oracle",
        "null",
        "scripted",
        "echo",
        "refuse",
        "constant",
        "spam",
        "always-ask",
        "never-ask",
        "liar",
        "self-approve",
        "copy-metadata",
        "peek",
        "random",
        "prior",
        "classical",
    ]
    assert [agent.name_hint for agent in table if agent.reference] == ["oracle"]
    assert [agent.name_hint for agent in table if agent.baseline] == [
        "scripted", "random", "prior", "classical",
    ]  # fmt: skip
    for agent in table:
        module, _, factory = agent.factory.partition(":")
        made = getattr(importlib.import_module(module), factory)()
        assert made.name == agent.name_hint
        assert agent.about
        assert not agent.local


def test_a_factory_gets_the_current_directory_and_no_reference() -> None:
    spec = agents.resolve("mypkg.agent:make")
    assert spec == agents.AgentSpec("mypkg.agent:make", False, "mypkg.agent:make", local=True)
    assert not agents.resolve("braino_registry.agents.oracle:make").reference


def test_an_unknown_name() -> None:
    with pytest.raises(UsageError, match="there is no agent called 'orakle'") as caught:
        agents.resolve("orakle")
    assert "Did you mean 'oracle'?" in caught.value.hint
    assert "module:factory" in caught.value.hint
    assert caught.value.exit_code == 2


class Point:
    def __init__(self, name: str, value: str) -> None:
        self.name, self.value = name, value


def test_other_packages_announce_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [Point("theirs", "pkg:make"), Point("two", "a:make"), Point("two", "b:make")]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
    assert agents.resolve("theirs") == agents.AgentSpec("pkg:make", False, "theirs")
    with pytest.raises(UsageError, match="two installed packages"):
        agents.resolve("two")
    with pytest.raises(UsageError) as caught:
        agents.resolve("thiers")
    assert "Did you mean 'theirs'?" in caught.value.hint


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("import os\n\nclass Mine: ...\n\ndef _own(): ...\n", "Write mine:Mine."),
        ("def a(): ...\ndef b(): ...\n", "Write mine:a or mine:b."),
        ("x = 1\n", "Write mine:make."),
        ("def (\n", "Write mine:make."),
        ("raise SystemExit\n", "Write mine:make."),
    ],
)
def test_a_module_without_its_factory_is_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, hint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(code)
    with pytest.raises(UsageError, match="a module of yours") as caught:
        agents.resolve("mine")
    assert caught.value.hint == hint
    with pytest.raises(UsageError, match="no agent called"):
        agents.resolve("mine.py")


def test_an_agent_of_another_paradigm_is_refused_before_any_trial() -> None:
    with pytest.raises(UsageError, match="codeact works under the paradigm 'code' only") as caught:
        agents.check_paradigm("codeact", "tools")
    assert caught.value.hint == "Add --paradigm code, or take llm or brainagent."
    with pytest.raises(UsageError, match="llm works under"):
        check_settings(RunSettings(agent="llm", model="m", paradigm="code"))
    for name, paradigm in (("codeact", "code"), ("llm", "tools"), ("cmd:x", "code"), ("?", "code")):
        agents.check_paradigm(name, paradigm)
