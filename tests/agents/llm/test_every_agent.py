"""Every agent that a model drives, with a server that misbehaves: right outcomes, right usage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from braino_registry.agents import brainagent, codeact, llm
from tests.agents.llm.support import RIGHT, SUM, Tried, try_script
from tests.agents.scripted_server import Say, fail, in_turn

DISPATCH = Say(calls=[("dispatch", {"domain": "analysis", "objective": "Add them."})])
REPORT = Say(calls=[("report", {"text": "It is 42."})])
RUN = Say("<execute>print(20 + 22)</execute>")
#: By agent: its factory, and what a model says that works well.
AGENTS = {
    "llm": (llm.make, [Say(calls=[SUM]), Say(calls=[RIGHT])]),
    "brainagent": (brainagent.make, [DISPATCH, Say(calls=[SUM]), REPORT, Say(calls=[RIGHT])]),
    "codeact": (codeact.make, [RUN, Say("<solution>The total is 42.</solution>")]),
}


def play(agent: str, replies: list[Any], folder: Path, **options: Any) -> Tried:
    return try_script(in_turn(*replies), folder, factory=AGENTS[agent][0], **options)


def counted(tried: Tried) -> bool:
    """Tell whether the usage of the record is what the server has said, and what that costs."""
    read, written = tried.server.total("prompt_tokens"), tried.server.total("completion_tokens")
    assert read > 0
    told = [tried.usage[name] for name in ("input_tokens", "output_tokens", "cost")]
    return told == [read, written, pytest.approx((read + 2 * written) / 1e6)]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    ("first", "known"),
    [
        ([], True),
        ([fail(429), fail(429)], True),
        ([fail(500)], True),
        ([Say("I begin." * 20, cut=2)], False),
        ([Say(body='{"choices": [')], False),
        ([Say()], True),
        ([Say("word " * 200_000)], True),
    ],
    ids=["well", "429", "500", "cut", "malformed", "empty", "200k tokens"],
)
def test_it_comes_through(tmp_path: Path, agent: str, first: list[Say], known: bool) -> None:
    tried = play(agent, [*first, *AGENTS[agent][1]], tmp_path)
    assert tried.outcome == "passed", (tried.reason, tried.record["checks"])
    assert counted(tried) == known
    if not known:
        assert [tried.usage[name] for name in ("input_tokens", "output_tokens", "cost")] == [
            None, None, None,
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("agent", "loop", "outcome", "reason"),
    [
        ("llm", [Say(calls=[SUM])], "limit", "tool_calls"),
        ("brainagent", [DISPATCH, Say(calls=[SUM])], "limit", "tool_calls"),
        ("codeact", [RUN], "failed", None),  # after its rounds it has no report
        ("codeact", [Say("Let me think.")], "failed", None),
        ("codeact", [Say("<execute>1 / 0</execute>")], "failed", None),
    ],
)
def test_a_loop_without_end_ends(
    tmp_path: Path, agent: str, loop: list[Say], outcome: str, reason: str | None
) -> None:
    tried = play(agent, loop, tmp_path)
    assert tried.outcome == outcome
    assert reason is None or reason in tried.reason
    assert counted(tried)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_cost_limit_ends_it_within_one_reply(tmp_path: Path, agent: str) -> None:
    loop = {"codeact": [RUN], "llm": [Say(calls=[SUM])], "brainagent": [DISPATCH, Say(calls=[SUM])]}
    tried = play(agent, loop[agent], tmp_path, limits={"cost": 0.003})
    assert tried.outcome == "limit"
    assert "cost" in tried.reason
    costs = [event["usage"]["cost"] for event in tried.events("usage")]
    assert sum(costs[:-1]) <= 0.003 < sum(costs)
    assert len(costs) == len(tried.server.requests)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_reply_that_was_lost_for_good_makes_usage_unknown(tmp_path: Path, agent: str) -> None:
    """Somebody may have to pay for it, so what the first reply took is not all."""
    tried = play(agent, [AGENTS[agent][1][0], Say("word " * 50, cut=2)], tmp_path, retries=0)
    assert tried.outcome == "agent_error"
    assert [tried.usage[name] for name in ("input_tokens", "output_tokens", "cost")] == [
        None, None, None,
    ]  # fmt: skip


@pytest.mark.parametrize("agent", ["llm", "brainagent"])
@pytest.mark.parametrize("wrong", [("no__such__tool", {}), (SUM[0], {"expression": 7})])
def test_a_wrong_call_is_told_and_mended(tmp_path: Path, agent: str, wrong: Any) -> None:
    well, at = AGENTS[agent][1], 1 if agent == "brainagent" else 0
    tried = play(agent, [*well[:at], Say(calls=[wrong]), *well[at:]], tmp_path)
    assert tried.outcome == "passed"
    assert "error" in json.dumps(tried.server.requests[at + 1]["messages"])
    assert counted(tried)


def test_calls_in_words_are_carried_out_by_specialists_too(tmp_path: Path) -> None:
    block = json.dumps({"tool": SUM[0], "arguments": SUM[1]})
    replies = [DISPATCH, Say(f"I add.\n<tool_call>{block}</tool_call>"), REPORT, Say(calls=[RIGHT])]
    tried = play("brainagent", replies, tmp_path)
    assert tried.outcome == "passed"
    assert tried.usage["tool_calls"] == 1
