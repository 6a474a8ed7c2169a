"""Making an agent before a run: whatever its module does is bounded, undone and explained."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from braino_registry.errors import UsageError
from braino_registry.runner import preflight, tiers
from braino_registry.runner.isolation import Start
from braino_registry.runner.preflight import AgentChoice
from braino_registry.runner.process import AgentProcess, ProcessIsolation

AGENT = "class Agent:\n    name = 'a'\n    model = None\n    def solve(self, r, s): ...\n"
Choose = Callable[..., AgentChoice]


@pytest.fixture
def choose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Choose:
    """Choose an agent whose module does something when it is imported."""
    monkeypatch.chdir(tmp_path)

    def made(code: str, **options: float) -> AgentChoice:
        (tmp_path / "its_module.py").write_text(f"import os, sys, time\n{AGENT}{code}\n")
        return preflight.choose_agent(
            "its_module:Agent",
            None,
            replace(tiers.get("minimum"), processes=20),
            ProcessIsolation(),
            **options,
        )

    return made


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


def test_prints_of_a_module_disturb_nothing(choose: Choose) -> None:
    assert choose("print('hello'); sys.stderr.write('there')").name == "a"


def test_a_module_that_prints_without_end_is_stopped(choose: Choose) -> None:
    before = children()
    with pytest.raises(UsageError, match="printed more than 10485760 bytes"):
        choose("while True: sys.stderr.write('x' * 65536)")
    assert children() <= before


@pytest.mark.parametrize("escape", ["", "os.setsid()"])
def test_a_child_that_keeps_the_pipes_open_is_stopped(choose: Choose, escape: str) -> None:
    """It neither delays the answer until the time is up nor outlives it."""
    code = f"if os.fork() == 0:\n    {escape or 'pass'}\n    time.sleep(1000)\n"
    before = children()
    assert choose(code).name == "a"
    assert children() <= before


def test_a_factory_that_does_not_return_is_told_so(choose: Choose) -> None:
    before = children()
    with pytest.raises(UsageError, match="did not return within 1 seconds"):
        choose("time.sleep(1000)", seconds=1.0)
    assert children() <= before


@pytest.mark.parametrize(
    ("code", "problem", "hint"),
    [
        ("os._exit(3)", "ended with code 3", "Look for os._exit"),
        ("sys.stderr.write('no licence'); sys.stderr.flush(); os._exit(0)", "code 0", "no licence"),
        ("os.kill(os.getpid(), 9)", "ended with code -9", "printed nothing"),
        ("[os.fork() for _ in range(6)]; time.sleep(1000)", "processes, more than", "imported"),
    ],
)
def test_an_end_without_a_word_is_explained(
    choose: Choose, code: str, problem: str, hint: str
) -> None:
    before = children()
    with pytest.raises(UsageError) as error:
        choose(code)
    assert problem in error.value.problem
    assert hint in error.value.hint
    assert children() <= before


def test_the_agent_is_told_nothing_of_the_registry(
    choose: Choose, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAINO_MIRRORS", "/somewhere")
    code = "assert not [name for name in os.environ if name.startswith('BRAINO_')]"
    assert choose(code).name == "a"
    assert os.environ["BRAINO_MIRRORS"] == "/somewhere"


def hidden(name: str) -> type[ProcessIsolation]:
    """Return a level that stands for a sandbox: it shows the current directory's agent alone."""

    class Hidden(ProcessIsolation):
        def start(self, start: Start) -> AgentProcess:
            # As in a sandbox, the caller's PYTHONPATH is not the agent's.
            with pytest.MonkeyPatch.context() as patch:
                patch.delenv("PYTHONPATH", raising=False)
                return super().start(start)

    Hidden.name = name
    return Hidden


def test_a_module_that_a_sandbox_does_not_show_is_told_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    for folder in (elsewhere, here):
        folder.mkdir()
    (elsewhere / "far_agent.py").write_text(AGENT)
    (elsewhere / "far_helper.py").write_text("")
    (here / "near_agent.py").write_text(f"import far_helper\n{AGENT}")
    monkeypatch.chdir(here)
    monkeypatch.setenv("PYTHONPATH", str(elsewhere))
    monkeypatch.syspath_prepend(str(elsewhere))
    minimum = tiers.get("minimum")
    for name, missing, remedy in (
        ("far_agent", "far_agent", f"or start from {elsewhere}"),
        ("near_agent", "far_helper", "or put it into near_agent"),
    ):
        with pytest.raises(UsageError) as caught:
            preflight.choose_agent(f"{name}:Agent", None, minimum, hidden("sandbox")())
        problem = f"the module {missing} lies in {elsewhere}, which is not shown in a sandbox"
        assert caught.value.problem == problem
        assert f"pip install {elsewhere}" in caught.value.hint
        assert remedy in caught.value.hint
        assert "\n" not in str(caught.value.hint)
    with pytest.raises(UsageError, match="no module called 'nowhere_at_all'") as caught:
        preflight.choose_agent("nowhere_at_all:Agent", None, minimum, hidden("sandbox")())
    with pytest.raises(UsageError, match="no module called 'far_agent'"):
        preflight.choose_agent("far_agent:Agent", None, minimum, hidden("process")())
