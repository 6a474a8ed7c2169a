"""Supervisor and specialists: full marks with a scripted model, and rounds over a shared state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino.agent import AgentUnusable
from braino_registry.agents.brainagent import make
from braino_registry.agents.brainagent.domains import branch, domains
from braino_registry.agents.brainagent.state import SharedState
from braino_registry.agents.llm.offer import Offered
from braino_registry.agents.wire import to_wire
from braino_registry.datasets import Store
from braino_registry.registry import Registry
from braino_registry.runner.trying import try_task
from tests.agents.llm.support import PRICES, RIGHT, SUM, TASK, entries, reference_of
from tests.agents.scripted_server import Body, Say, ScriptedServer, _Hand, in_turn, result_in

WIDE = {"result_chars": 1_000_000, "context_tokens": 1_000_000}
DISPATCH = ("dispatch", {"domain": "analysis", "objective": "Add them."})


class Team:
    """A script that plays supervisor and specialists, who together do what a reference does."""

    def __init__(self, reference: Mapping[str, Any]) -> None:
        self._hand = _Hand(reference)
        self._next = self._hand.next()
        self._waiting = False
        self.domains: list[str] = []

    def __call__(self, body: Body) -> Say:
        functions = {tool["function"]["name"]: tool["function"] for tool in body["tools"]}
        if self._waiting:
            self._hand.results.put(result_in(body["messages"][-1]))
            self._next, self._waiting = self._hand.next(), False
        name, args = self._next
        if "report" in functions:
            if to_wire(name) not in functions or name == "submit_answer":
                return Say(calls=[("report", {"text": "That is done."})])
            self._waiting = True
            return Say("I go on with my plan.", calls=[(to_wire(name), args)])
        if name == "submit_answer":
            return Say(calls=[(name, args)])
        known = functions["dispatch"]["parameters"]["properties"]["domain"]["enum"]
        said = body["messages"][0]["content"]
        owner = [
            each for each in known if f"{name}" in said.partition(f"- {each}:")[2].split("\n")[0]
        ]
        self.domains.append((owner or known)[0])
        return Say(calls=[("dispatch", {"domain": self.domains[-1], "objective": "All of it."})])


@pytest.mark.parametrize(
    "task",
    [
        "bad-channels-ask",
        "fa-01-relative-alpha",
        "fa-14-export-frontal-segment",
        pytest.param("seizure-detection", marks=pytest.mark.slow),
    ],
)
def test_full_marks(task: str, shared_store: Store) -> None:
    registry = Registry.open()
    team = Team(reference_of(task, registry, shared_store))
    with ScriptedServer(team) as server:
        agent = make("scripted", base_url=server.url, **WIDE, **PRICES)
        record = try_task(task, agent=agent, registry=registry, store=shared_store)
    assert (record["outcome"], record["score"]) in (("passed", 1.0), ("scored", 1.0)), record
    assert record["usage"]["input_tokens"] == server.total("prompt_tokens")
    assert record["usage"]["output_tokens"] == server.total("completion_tokens")
    assert all(len(body["messages"]) == 2 for body in server.requests)  # the state, no history


def play(script: Any, folder: Path, **options: Any) -> tuple[dict[str, Any], ScriptedServer]:
    with ScriptedServer(script) as server:
        agent = make("scripted", base_url=server.url, **{**PRICES, **options})
        record = try_task(TASK, agent=agent, registry=entries(folder), store=Store(folder / "s"))
    return record, server


def told(server: ScriptedServer, number: int) -> str:
    return str(server.requests[number]["messages"][-1]["content"])


def test_a_segment_is_carried_out_in_order_and_seen_in_the_next_round(tmp_path: Path) -> None:
    twice = Say("First the sum.", calls=[SUM, SUM])
    report = Say(calls=[("report", {"text": "The sum is 42."})])
    script = in_turn(Say(calls=[DISPATCH]), twice, report, Say(calls=[RIGHT]))
    record, server = play(script, tmp_path)
    assert record["outcome"] == "passed"
    assert record["usage"]["tool_calls"] == 2
    seen = told(server, 2)
    assert seen.count('<result of="calc">') == 2
    assert "calls so far: calc 2" in seen
    assert "results:\n  r1 = calc" in seen
    assert "First the sum." in seen
    assert "Add them." in seen
    assert "The sum is 42." in told(server, 3)
    names = {tool["function"]["name"] for tool in server.requests[0]["tools"]}
    assert names == {"dispatch", "ask_user", "read_page", "submit_answer"}
    inside = {tool["function"]["name"] for tool in server.requests[1]["tools"]}
    assert {"calc", "report", "decide__mark-bad-channels"} <= inside
    assert "submit_answer" not in inside


def test_a_segment_ends_at_the_first_call_that_is_refused(tmp_path: Path) -> None:
    wrong = ("calc", {"expression": "1 +"})
    report = Say(calls=[("report", {"text": "42"})])
    script = in_turn(Say(calls=[DISPATCH]), Say(calls=[SUM, wrong, SUM, SUM]), report,
                     Say(calls=[RIGHT]))  # fmt: skip
    record, server = play(script, tmp_path)
    assert record["usage"]["tool_calls"] == 2
    assert "2 further calls were not carried out" in told(server, 2)
    assert "refused: calc" in told(server, 2)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [({"domain": "cooking", "objective": "x"}, "needs a domain (analysis)"), ({}, "needs a domain"),
     ("[", "needs a domain"), ({"domain": "analysis", "objective": ""}, "an objective")],
)  # fmt: skip
def test_a_dispatch_that_is_wrong_is_told(tmp_path: Path, arguments: Any, hint: str) -> None:
    script = in_turn(
        Say(calls=[("dispatch", arguments)]), Say(calls=[DISPATCH]), Say(calls=[SUM]),
        Say(calls=[("report", {})]), Say("The sum is 42."), Say("It is 42."), Say(calls=[RIGHT]),
    )  # fmt: skip
    record, server = play(script, tmp_path)
    assert hint in told(server, 1)
    assert record["outcome"] == "passed"
    assert "It is 42." in told(server, 6)  # said twice without a call, it is the report


def test_rounds_end(tmp_path: Path) -> None:
    def script(body: Body) -> Say:
        inside = any(tool["function"]["name"] == "report" for tool in body["tools"])
        asked = "Reports so far" in body["messages"][-1]["content"]
        return Say(calls=[SUM if inside else RIGHT if asked else DISPATCH])

    record, server = play(script, tmp_path / "1", rounds=3)
    assert record["outcome"] == "passed"
    assert record["usage"]["tool_calls"] == 3
    assert "call report now" in told(server, 3)
    assert "No report was given in 3 rounds" in told(server, 4)
    record, _ = play(script, tmp_path / "2", max_turns=5)
    assert record["outcome"] == "passed"  # the supervisor has a reply left for the answer
    record, server = play(in_turn(Say(calls=[DISPATCH]), Say(calls=[SUM])), tmp_path / "3")
    assert record["outcome"] == "limit"


def test_words_and_silence(tmp_path: Path) -> None:
    record, _ = play(in_turn(Say("The total is 42.")), tmp_path / "1")
    assert record["outcome"] == "failed"  # an answer, without any work
    record, _ = play(in_turn(Say()), tmp_path / "2")
    assert record["outcome"] == "agent_error"
    assert "empty replies" in record["reason"]


def test_what_does_not_fit_is_the_agents_outcome(tmp_path: Path) -> None:
    record, server = play(in_turn(Say(calls=[RIGHT])), tmp_path, context_tokens=600)
    assert record["outcome"] == "agent_error"
    assert "context_tokens" in record["reason"]
    assert server.requests == []


def test_a_tool_of_another_domain_is_refused(tmp_path: Path) -> None:
    script = in_turn(Say(calls=[SUM]), Say(calls=[DISPATCH]), Say(calls=[SUM]),
                     Say(calls=[("report", {"text": "42"})]), Say(calls=[RIGHT]))  # fmt: skip
    record, server = play(script, tmp_path)
    assert "none of your tools" in told(server, 1)
    assert record["usage"]["tool_calls"] == 1


def test_options() -> None:
    assert make("m", rounds=5, base_url="http://127.0.0.1:1/v1").settings["rounds"] == 5
    for wrong in (0, True, "x"):
        with pytest.raises(AgentUnusable, match="rounds"):
            make("m", rounds=wrong)  # type: ignore[arg-type]


def offered(*names: str) -> list[Offered]:
    return [Offered(name, f"{name}.", {}) for name in names]


def test_a_domain_without_tools_is_not_offered() -> None:
    found = domains(offered("dataset.inspect", "erp.average", "physio.heart_rate"))
    assert [each.name for each in found] == ["neurocognition", "physiology"]
    assert [tool.name for tool in found[0].tools] == ["dataset.inspect", "erp.average"]
    assert [each.name for each in domains(offered("calc", "spectrum.peak"))] == ["analysis"]
    assert domains([]) == []


def test_the_state_names_what_was_made() -> None:
    state = SharedState()
    made = [
        ("dataset.inspect", {}, {"recordings": []}),
        ("preprocess.filter", {"view": "rec"}, {"view": "filtered-rec"}),
        (
            "quality.bad_channels",
            {"view": "filtered-rec"},
            {"view": "filtered-rec", "bads": ["T8"]},
        ),
        ("events.list", {"view": "rec"}, {"n": 3}),
        ("export.data", {"view": "rec"}, {"file": "a.edf"}),
        ("decide.mark-bad-channels", {}, {"status": "edited"}),
        ("ask_user", {}, {"reply": "50 Hz"}),
    ]
    for number, (tool, args, result) in enumerate(made, 1):
        state.register(tool, json.dumps(args), json.dumps(result), f"r{number}", ok=True)
    state.register("calc", "{}", '{"error":"no"}', "r8", ok=False)
    view = state.view(10_000)
    for part in (
        "recordings:\n  r1 = dataset.inspect", "views:\n  filtered-rec = preprocess.filter",
        "results:\n  r3 = quality.bad_channels", "events:\n  r4", "artifacts:\n  a.edf",
        "decisions:\n  r6", "user:\n  r7", "refused: calc {}", "calc 1",
    ):  # fmt: skip
        assert part in view, part
    assert branch("get_recording_info") == "recordings"


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(0, 3_000), st.integers(1_500, 9_000))
def test_the_state_fits(count: int, size: int, room: int) -> None:
    state = SharedState()
    for number in range(count):
        state.register("a.b", f'{{"n": {number}}}', json.dumps("x" * size), f"r{number}", ok=True)
    view = state.view(max(room, 3_500))
    assert len(view) <= max(room, 3_500)
    assert f"r{count - 1} = " in view
    assert f"a.b {count}" in view


def test_the_text_protocol(tmp_path: Path) -> None:
    def written(*calls: tuple[str, Any]) -> Say:
        blocks = [json.dumps({"tool": name, "arguments": args}) for name, args in calls]
        return Say("\n".join(f"<call>{block}</call>" for block in blocks))

    report = ("report", {"text": "42"})
    script = in_turn(written(DISPATCH), written(SUM, SUM), written(report), written(RIGHT))
    record, server = play(script, tmp_path, protocol="text")
    assert record["outcome"] == "passed"
    assert record["usage"]["tool_calls"] == 2
    assert "tools" not in server.requests[0]
    assert "dispatch: Give an objective" in server.requests[0]["messages"][0]["content"]
    assert "calc: " in server.requests[1]["messages"][0]["content"]


def test_thousands_of_calls_in_one_segment(tmp_path: Path) -> None:
    page = ("read_page", {"result": "r1", "page": 1})
    many, report = Say(calls=[SUM, *[page] * 3_000]), Say(calls=[("report", {"text": "42"})])
    script = in_turn(Say(calls=[DISPATCH]), many, report, Say(calls=[RIGHT]))
    record, server = play(script, tmp_path)
    assert record["outcome"] == "passed"
    assert "the last 2937 calls were not carried out" in told(server, 2)
