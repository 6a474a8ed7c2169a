"""Options for an agent's factory: read, handed over, recorded, and never a secret."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino.agent import AgentUnusable, check_factory
from braino_registry.errors import HostError, UsageError
from braino_registry.registry import schemas
from braino_registry.runner import agent_options, compose, levels, preflight, tiers
from braino_registry.runner import run as start_run
from braino_registry.runner.settings import RunSettings

AGENT = """
from braino.agent import AgentAnswer, AgentUnusable
class Agent:
    name = "optional"
    def __init__(self, model=None, *, words="none", size=0):
        self.model, self.words, self.size = model, words, size
    def solve(self, request, session):
        return AgentAnswer(f"{self.words} {self.size}")
class Unready(Agent):
    def preflight(self):
        raise AgentUnusable("unready", "no server answers", "http://x", "Start it.")
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "optional_agent.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_values_are_json_where_they_are_json() -> None:
    given_ = ("a=0.2", "b=true", 'c={"x": [1]}', "d=plain words", "e=", "f=NaN", "g=a=b", "h=null")
    assert agent_options.parse(given_, environ={}) == {
        "a": 0.2, "b": True, "c": {"x": [1]}, "d": "plain words", "e": "", "f": "NaN", "g": "a=b",
        "h": None,
    }  # fmt: skip


@pytest.mark.parametrize("text", ["", "a", "=1", "A=1", "a b=1", "1a=2", "a-b=1", "__x__=1"])
def test_what_is_no_option_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no option of an agent"):
        agent_options.parse([text])


def test_an_option_given_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="given twice"):
        agent_options.parse(["a=1", "a=2"])


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_an_option_or_refused(text: str) -> None:
    try:
        found = agent_options.parse([text], environ={})
    except UsageError:
        return
    assert len(found) == 1
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("key", ["api_key", "key", "auth_token", "password", "client_secret"])
def test_an_option_that_is_called_like_a_secret_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(UsageError, match="secret") as caught:
        agent_options.parse([f"{key}=sk-planted-123"], environ={})
    assert "sk-planted" not in str(caught.value)


@pytest.mark.parametrize(
    "value", ['{"api_key": 1}', '{"a": [{"x-api-key": 1}]}', '{"headers": {"Authorization": 1}}']
)
def test_what_is_called_like_a_secret_within_an_option_is_refused(value: str) -> None:
    with pytest.raises(UsageError, match="called like a secret"):
        agent_options.parse([f"extra_body={value}"], environ={})
    deep = "[" * 400 + "]" * 400
    assert agent_options.parse([f"a={deep}", 'b={"keys": 1, "max_tokens": 2}'], environ={})


def test_the_value_of_a_secret_in_the_environment_is_refused() -> None:
    environ = {"SOME_API_KEY": "planted-secret-1", "SHORT_KEY": "abc", "HOME": "/home/someone"}
    with pytest.raises(UsageError, match="SOME_API_KEY") as caught:
        agent_options.parse(['extra_body={"auth": "planted-secret-1"}'], environ=environ)
    assert "planted-secret-1" not in str(caught.value)
    fine = ["max_tokens=5", "words=abc", "place=/home/someone"]
    assert len(agent_options.parse(fine, environ=environ)) == 3


def test_a_factory_takes_them_or_says_which_it_takes(module: Path) -> None:
    made: Any = check_factory("optional_agent:Agent", "m", [str(module)], {"size": 3})
    assert (made.model, made.size, made.words) == ("m", 3, "none")
    with pytest.raises(AgentUnusable, match=r"takes no option 'siez'\n.*model, words, size"):
        check_factory("optional_agent:Agent", None, [str(module)], {"siez": 3})


def test_an_agent_that_is_not_ready_is_an_error_of_the_computer(module: Path) -> None:
    with pytest.raises(HostError, match="no server answers") as caught:
        preflight.choose_agent(
            "optional_agent:Unready", None, tiers.get("minimum"), levels.get("process")
        )
    assert caught.value.exit_code == 3
    assert "Start it." in str(caught.value)


def test_a_run_hands_them_over_and_records_them(
    settings: Any, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: RunSettings = settings(
        "optional_agent:Agent", "probe-sum", agent_options=("words=ein Wort", "size=7")
    )
    monkeypatch.chdir(module)
    result = start_run(asked)
    assert result.report["agent"]["options"] == {"words": "ein Wort", "size": 7}
    transcript = result.run_dir / result.report["trials"][0]["transcript"]
    assert '"ein Wort 7"' in transcript.read_text("utf-8")
    document = json.loads((result.run_dir / "run.json").read_text("utf-8"))
    assert schemas.check(document, "run-1") == []
    again = RunSettings.from_document(document["asked"])
    assert again.agent_options == asked.agent_options


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ('{"temperature": 0.5}', {"temperature": 0.5}),
        ("{}", {}),
        ('{"a": object()}', {}),
        ('{"a": float("nan")}', {}),
        ('{"a": "x" * 30_000}', {}),
        ('["a"]', {}),
        ("None", {}),
    ],
)
def test_what_an_agent_says_of_itself_is_recorded_if_it_can_be(
    module: Path, settings: str, told: dict[str, Any]
) -> None:
    code = AGENT.replace(
        '    name = "optional"', f'    name = "optional"\n    settings = {settings}'
    )
    (module / "telling_agent.py").write_text(code)
    choice = preflight.choose_agent(
        "telling_agent:Agent", None, tiers.get("minimum"), levels.get("none")
    )
    assert choice.settings == told
    assert preflight.AgentChoice.from_document(choice.document()) == choice


@pytest.mark.parametrize(
    "said",
    ['{"a": NaN}', '{"a": "\\ud800"}', '"text"', "[" * 5_000 + "]" * 5_000, '{"a": Infinity}'],
)
def test_what_a_report_cannot_hold_is_left_out(said: str) -> None:
    """An agent that writes its first message itself."""
    hello = f'{{"type": "hello", "name": "x", "model": null, "settings": {said}}}'
    assert preflight._settings(preflight._parse(hello.encode())) == {}


def test_a_window_that_is_none() -> None:
    for told in (True, -1, "large", 1.5, None):
        assert compose._window({"settings": {"window": told}}) is None
    assert compose._window({}) is None
    assert compose._window({"settings": {"window": 4_096}}) == 4_096
