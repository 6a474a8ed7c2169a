"""Before any trial: no key, wrong address, unknown model, no network; one clear line, exit 3."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from braino.agent import AgentUnusable
from braino_registry.agents.llm import make
from braino_registry.errors import HostError
from braino_registry.runner import RunSettings
from braino_registry.runner import run as start_run
from tests.agents.llm.support import ENTRIES, TASK
from tests.agents.scripted_server import Say, ScriptedServer, fail, in_turn

KEY = "sk-planted-99887766554433221100"


@pytest.fixture
def closed() -> Iterator[str]:
    """The address of a port at which nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/v1"


def refusal(model: str | None = "scripted", **options: Any) -> AgentUnusable:
    with pytest.raises(AgentUnusable) as caught:
        make(model, **options).preflight()
    return caught.value


def test_ready() -> None:
    with ScriptedServer(in_turn(Say())) as server:
        make("scripted", base_url=server.url).preflight()
        assert server.requests == []  # the list was enough


def test_a_server_without_a_list_is_asked_for_one_token() -> None:
    with ScriptedServer(in_turn(Say("Hi")), models=None) as server:
        make("anything", base_url=server.url).preflight()
    assert [body["max_tokens"] for body in server.requests] == [1]


def test_no_model() -> None:
    found = refusal(None)
    assert found.kind == "factory"
    assert "--model" in found.hint


def test_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    found = refusal()
    assert found.kind == "unready"
    assert "there is no key for https://api.openai.com/v1" in found.problem
    assert "OPENAI_API_KEY" in found.where


@pytest.mark.parametrize("key", ["sk-with a-blank", "sk-line\n", "sk-Schlüssel", "\t"])
def test_a_malformed_key_is_not_shown(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    found = refusal(base_url="https://models.example/v1")
    assert found.kind == "unready"
    assert key.strip() == "" or key.strip() not in str(found)


def test_a_wrong_key_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ScriptedServer(in_turn(Say()), key="another") as server:
        found = refusal(base_url=server.url)
    assert "refuses the key" in found.problem
    assert KEY not in str(found)


def test_a_key_in_the_place_of_a_model_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(AgentUnusable, match="the model's name holds the key") as caught:
        make(KEY, base_url="http://127.0.0.1:9/v1").preflight()
    assert KEY not in f"{caught.value} {caught.value.where} {caught.value.hint}"


def test_nobody_listens(closed: str) -> None:
    found = refusal(base_url=closed)
    assert found.kind == "unready"
    assert "no server answers" in found.problem
    assert closed in found.where


def test_no_such_host() -> None:
    found = refusal(base_url="http://nowhere.invalid/v1", key_env="HOME")
    assert "no server answers" in found.problem


def test_the_wrong_path() -> None:
    with ScriptedServer(in_turn(Say())) as server:
        found = refusal(base_url=server.url.replace("/v1", "/v2"))
    assert "no such model or no such server" in found.problem
    assert "/v1" in found.hint


def test_an_unknown_model() -> None:
    with ScriptedServer(in_turn(Say()), models=("scripted-large", "other")) as server:
        found = refusal("scripted-larg", base_url=server.url)
    assert "has no model 'scripted-larg'" in found.problem
    assert "scripted-large" in found.hint


@pytest.mark.parametrize("body", ["<html>Welcome</html>", "7", '{"data": 3}'])
def test_what_answers_is_no_models_server(body: str) -> None:
    class Page(ScriptedServer):
        def _list(self, handler: Any) -> None:
            from tests.agents.scripted_server import _send

            _send(handler, 200, body)

    with Page(in_turn(Say(body=body)), models=None) as server:
        found = refusal(base_url=server.url)
    assert "no model's server" in found.problem


def test_a_server_that_is_busy() -> None:
    with ScriptedServer(in_turn(fail(503, "Loading model")), models=None) as server:
        found = refusal(base_url=server.url)
    assert "Loading model" in found.problem


def test_the_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "openai", None)
    found = refusal(base_url="http://127.0.0.1:9/v1")
    assert "package openai" in found.problem
    assert "braino-registry[llm]" in found.hint


def test_no_trial_is_begun(tmp_path: Path, closed: str) -> None:
    """At most three lines, exit code 3, and no folder."""
    asked = RunSettings(
        agent="llm", model="some", tasks=(TASK,), registry=(ENTRIES,), run_dir=tmp_path / "run",
        cache=tmp_path / "cache", agent_options=(f"base_url={closed}",),
    )  # fmt: skip
    with pytest.raises(HostError, match="no server answers") as caught:
        start_run(asked)
    assert caught.value.exit_code == 3
    assert len(str(caught.value).splitlines()) <= 3
    assert not (tmp_path / "run").exists()
