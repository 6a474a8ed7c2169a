"""A model that does what the references do reaches full marks on real tasks, over real HTTP."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from braino_registry.agents.llm import make
from braino_registry.datasets import Store
from braino_registry.registry import Registry
from braino_registry.runner import RunSettings
from braino_registry.runner import run as start_run
from braino_registry.runner.trying import try_task
from tests.agents.llm.support import ENTRIES, PRICES, RIGHT, SUM, TASK, reference_of, try_script
from tests.agents.scripted_server import Brain, Say, ScriptedServer, in_turn

TASKS = (
    "bad-channels-ask",
    "fa-01-relative-alpha",
    "fa-14-export-frontal-segment",
    pytest.param("seizure-detection", marks=pytest.mark.slow),  # an hour of recording is built
)
KEY = "sk-planted-0f1e2d3c4b5a69788796a5b4"
WIDE = {"result_chars": 1_000_000, "context_tokens": 1_000_000}


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry.open()


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("protocol", ["native", pytest.param("text", marks=pytest.mark.slow)])
def test_full_marks(task: str, protocol: str, registry: Registry, shared_store: Store) -> None:
    brain = Brain(reference_of(task, registry, shared_store), protocol)
    with ScriptedServer(brain) as server:
        agent = make("scripted", base_url=server.url, protocol=protocol, **WIDE, **PRICES)
        record = try_task(task, agent=agent, registry=registry, store=shared_store)
    assert (record["outcome"], record["score"]) in (("passed", 1.0), ("scored", 1.0)), record
    usage = record["usage"]
    assert usage["input_tokens"] == server.total("prompt_tokens")
    assert usage["output_tokens"] == server.total("completion_tokens")


def secrets_in(folder: Path, key: str) -> list[Path]:
    """Return the files below a folder that hold a key, in whatever form."""
    forms = [key.encode(), json.dumps(key).encode(), key[::-1].encode(), key[3:].encode()]
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in forms)
    ]


def settings(server: ScriptedServer, folder: Path, **options: Any) -> RunSettings:
    given = {"base_url": server.url, "key_env": "PLANTED", **PRICES, **options}
    return RunSettings(
        agent="llm",
        model="scripted",
        tasks=(f"{TASK}/small",),
        registry=(ENTRIES,),
        run_dir=folder / "run",
        cache=folder / "cache",
        report=folder / "report.json",
        agent_options=tuple(f"{name}={json.dumps(value)}" for name, value in given.items()),
    )


def test_a_run_in_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens and cost of the report are the server's; the key is nowhere, though it is echoed."""
    monkeypatch.setenv("PLANTED", KEY)
    echo = Say(f"Your key is {KEY}.", calls=[SUM])
    last = (RIGHT[0], {**RIGHT[1], "text": f"The total is 42, by {KEY}."})
    with ScriptedServer(in_turn(echo, Say(calls=[last])), key=KEY) as server:
        result = start_run(settings(server, tmp_path, temperature=0.3))
    assert result.exit_code == 0
    report = result.report
    trial = report["trials"][0]
    assert trial["outcome"] == "passed"
    assert set(server.keys) == {f"Bearer {KEY}"}
    read, written = server.total("prompt_tokens"), server.total("completion_tokens")
    assert trial["usage"]["input_tokens"] == read
    assert trial["usage"]["output_tokens"] == written
    assert trial["usage"]["cost"] == pytest.approx((read + 2 * written) / 1e6)
    assert server.requests[0]["seed"] == trial["seed"]
    assert server.requests[0]["temperature"] == 0.3
    agent = report["agent"]
    assert (agent["name"], agent["model"]) == ("llm", "scripted")
    assert agent["options"]["temperature"] == 0.3
    assert agent["settings"]["sent"]["temperature"] == 0.3
    assert agent["settings"]["prompt"].startswith("llm@")
    assert agent["context"] == agent["settings"]["window"] == 32_768
    assert "flags" not in trial["process"] or trial["process"]["flags"] == []
    assert secrets_in(tmp_path, KEY) == []


def test_a_key_that_a_server_repeats_in_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED", KEY)
    error = json.dumps({"error": {"message": f"the key {KEY} is used up"}})
    tried = try_script(in_turn(Say(status=400, body=error)), tmp_path, key_env="PLANTED")
    assert tried.server.keys == [f"Bearer {KEY}"]
    assert tried.outcome == "agent_error"
    assert "the key [key] is used up" in tried.reason
    assert KEY not in json.dumps(tried.record)
    assert secrets_in(tmp_path, KEY) == []


@pytest.mark.slow
def test_in_a_sandbox_the_declared_endpoint_is_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from braino_registry.runner import levels

    try:
        levels.get("sandbox")
    except Exception as error:
        pytest.skip(f"no sandbox here: {error}")
    monkeypatch.setenv("PLANTED", KEY)
    with ScriptedServer(in_turn(Say(calls=[SUM]), Say(calls=[RIGHT])), key=KEY) as server:
        asked = settings(server, tmp_path)
        told = replace(asked, isolation="sandbox", endpoints=(server.url,), passed=("PLANTED",))
        result = start_run(told)
    assert result.report["trials"][0]["outcome"] == "passed"
    assert secrets_in(tmp_path, KEY) == []
    assert "PLANTED" in os.environ
