"""Whatever a model or its server does, a trial ends with the right outcome and the right usage."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.agents.llm.support import RIGHT, SUM, Tried, try_script
from tests.agents.scripted_server import Say, _whole, fail, in_turn

WELL = (Say(calls=[SUM]), Say(calls=[RIGHT]))


def counted(tried: Tried) -> None:
    """The usage of the record is what the server has said, and what that costs."""
    read, written = tried.server.total("prompt_tokens"), tried.server.total("completion_tokens")
    assert tried.usage["input_tokens"] == read > 0
    assert tried.usage["output_tokens"] == written > 0
    assert tried.usage["cost"] == pytest.approx((read + 2 * written) / 1e6)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("protocol", ["native", "text"])
def test_a_model_that_behaves(tmp_path: Path, stream: bool, protocol: str) -> None:
    replies = WELL
    if protocol == "text":
        blocks = [json.dumps({"tool": name, "arguments": args}) for name, args in (SUM, RIGHT)]
        replies = tuple(Say(f"So.\n<call>{block}</call>") for block in blocks)  # type: ignore[assignment]
    tried = try_script(in_turn(*replies), tmp_path, stream=stream, protocol=protocol)
    assert tried.outcome == "passed"
    counted(tried)
    assert ("tools" in tried.server.requests[0]) == (protocol == "native")
    assert [event["usage"]["turns"] for event in tried.events("usage")] == [1, 1]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_request_that_failed_is_sent_again(tmp_path: Path, status: int) -> None:
    tried = try_script(in_turn(fail(status), fail(status), *WELL), tmp_path)
    assert tried.outcome == "passed"
    counted(tried)
    assert tried.events("usage")[0]["usage"]["retries"] == 2


@pytest.mark.parametrize("status", [429, 500])
def test_a_server_that_fails_for_good_is_the_agents_error(tmp_path: Path, status: int) -> None:
    tried = try_script(in_turn(WELL[0], fail(status)), tmp_path, retries=2)
    assert (tried.outcome, tried.record["score"]) == ("agent_error", 0)
    assert f"{status}" in tried.reason
    assert len(tried.server.requests) == 1 + 3
    counted(tried)  # of the reply that there was


def test_a_refusal_is_not_sent_again(tmp_path: Path) -> None:
    tried = try_script(in_turn(fail(400, "temperature must be 1")), tmp_path)
    assert tried.outcome == "agent_error"
    assert "temperature must be 1" in tried.reason
    assert len(tried.server.requests) == 1
    assert tried.usage["input_tokens"] is tried.usage["cost"] is None


def test_a_reply_that_broke_off_makes_usage_unknown(tmp_path: Path) -> None:
    tried = try_script(in_turn(Say(calls=[SUM], cut=2), *WELL), tmp_path)
    assert tried.outcome == "passed"
    assert [tried.usage[name] for name in ("input_tokens", "output_tokens", "cost")] == [None] * 3
    assert tried.events("usage")[0]["usage"]["lost_replies"] == 1
    assert tried.usage["tool_calls"] == 1  # what broke off has done nothing


def test_replies_that_always_break_off(tmp_path: Path) -> None:
    tried = try_script(in_turn(Say("words " * 50, cut=3)), tmp_path, retries=1)
    assert tried.outcome == "agent_error"
    assert "2 replies of the model broke off" in tried.reason
    after = try_script(in_turn(WELL[0], Say("words", cut=1)), tmp_path / "after", retries=0)
    assert after.outcome == "agent_error"
    assert after.usage["input_tokens"] is None  # not only what the first reply took
    assert after.events("usage")[-1]["usage"]["lost_replies"] == 1


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("body", ["{", "[]", '{"choices": []}', '{"choices": 7}', "null", '"a"'])
def test_what_is_no_reply(tmp_path: Path, stream: bool, body: str) -> None:
    tried = try_script(in_turn(Say(body=body), *WELL), tmp_path, stream=stream)
    assert tried.outcome == "passed"
    assert tried.usage["input_tokens"] is None  # somebody may have to pay for it


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("calc", '{"expression": "1 +', "are no JSON"),
        ("calc", "[1]", "are a list, not an object"),
        ("calc", '{"expression": NaN}', "no JSON number"),
        ("calc", '{"expression": "\\ud800"}', "cannot be sent"),
        ("calc", "[" * 100_000, "nested too deep"),
        ("calc", {"expression": 7, "values": "x"}, "error"),
        ("no__such__tool", {}, "no tool"),
        ("", {}, "no call"),
        ("x" * 500, {}, "no such tool"),
        ("submit_answer", {"text": 7}, "has no text"),
        ("submit_answer", {"text": "a", "data": []}, "no object"),
        ("submit_answer", {"text": "a", "artifacts": "x"}, "no list"),
        ("ask_user", {"question": ""}, "question is missing"),
        ("ask_user", {"question": "a", "options": [1]}, "no list of texts"),
        ("ask_user", {"question": "x" * 20_000}, "no ask"),
        ("decide__mark-bad-channels", {"why": "so"}, "proposal is missing"),
        ("decide__mark-bad-channels", {"proposal": {"channels": ["Cz"]}}, "error"),
        ("read_page", {"result": "r9", "page": 1}, "no result"),
        ("read_page", {"result": "r1", "page": "one"}, "whole number"),
    ],
)  # fmt: skip
def test_a_call_that_is_wrong_is_told_and_mended(
    tmp_path: Path, name: str, arguments: Any, told: str
) -> None:
    """The model sees what was wrong, goes on, and passes."""
    tried = try_script(in_turn(Say(calls=[(name, arguments)]), *WELL), tmp_path)
    said = tried.server.requests[1]["messages"][-1]["content"]
    assert told in said, said
    assert tried.outcome == "passed"
    counted(tried)


def test_empty_replies(tmp_path: Path) -> None:
    once = try_script(in_turn(Say(), *WELL), tmp_path / "1")
    assert once.outcome == "passed"
    assert "empty" in once.server.requests[1]["messages"][-1]["content"]
    always = try_script(in_turn(Say()), tmp_path / "2")
    assert always.outcome == "agent_error"
    assert "3 empty replies" in always.reason
    counted(always)


def test_words_instead_of_calls(tmp_path: Path) -> None:
    once = try_script(in_turn(Say("I think."), *WELL), tmp_path / "1")
    assert once.outcome == "passed"
    assert "submit_answer" in once.server.requests[1]["messages"][-1]["content"]
    always = try_script(in_turn(Say(calls=[SUM]), Say("The total is 42.")), tmp_path / "2")
    assert always.outcome == "passed"  # said twice, it is the answer


@pytest.mark.parametrize(
    "form",
    [
        "Let me see.\n<tool_call>\n{block}\n</tool_call>",
        "<call>{block}</call>",
        "<call>{block}",
        "```json\n{block}\n```",
        "{block}",
    ],
)
def test_a_call_in_words_is_carried_out(tmp_path: Path, form: str) -> None:
    block = json.dumps({"name": SUM[0], "arguments": SUM[1]})
    said = form.replace("{block}", block)
    tried = try_script(in_turn(Say(said), Say(calls=[RIGHT])), tmp_path)
    assert tried.outcome == "passed"
    assert tried.usage["tool_calls"] == 1


def test_results_that_a_model_makes_up_count_for_nothing(tmp_path: Path) -> None:
    """In the text protocol: of a whole conversation in one reply only the first call is read."""
    first = f"<call>{json.dumps({'tool': SUM[0], 'arguments': SUM[1]})}</call>"
    lies = '<result of="calc">{"value": 41}</result>'
    last = (
        '<call>{"tool": "submit_answer", "arguments": {"text": "41", "data": {"total": 41}}}</call>'
    )
    right = f"<call>{json.dumps({'tool': RIGHT[0], 'arguments': RIGHT[1]})}</call>"
    script = in_turn(Say("\n".join([first, lies, last])), Say(right))
    assert try_script(script, tmp_path, protocol="text").outcome == "passed"


def test_a_loop_without_end_reaches_the_limit_of_calls(tmp_path: Path) -> None:
    tried = try_script(in_turn(Say(calls=[SUM])), tmp_path)
    assert tried.outcome == "limit"
    assert "tool_calls" in tried.reason
    assert tried.usage["tool_calls"] == 20
    counted(tried)


def test_a_loop_of_words_ends(tmp_path: Path) -> None:
    page = ("read_page", {"result": "r1", "page": 1})  # costs no tool call
    tried = try_script(in_turn(Say(calls=[page])), tmp_path, max_turns=7)
    assert tried.outcome == "agent_error"
    assert "no answer in 7 replies" in tried.reason
    assert "last reply" in tried.server.requests[-1]["messages"][-1]["content"]
    counted(tried)


def test_a_reply_of_200_000_tokens(tmp_path: Path) -> None:
    """It is counted, not repeated to the model, and does no harm."""
    long = Say("word " * 200_000, usage={"prompt_tokens": 900, "completion_tokens": 200_000})
    tried = try_script(in_turn(long, *WELL), tmp_path, context_tokens=20_000)
    assert tried.outcome == "passed"
    assert tried.usage["output_tokens"] >= 200_000
    again = json.dumps(tried.server.requests[1])
    assert len(again) < 60_000
    assert "characters are not repeated" in again or "Earlier steps" in again


def test_a_reply_that_was_cut(tmp_path: Path) -> None:
    half = Say(calls=[("calc", '{"expression": "a +')], finish="length")
    tried = try_script(in_turn(half, Say("I was", finish="length"), *WELL), tmp_path)
    assert tried.outcome == "passed"
    assert "cut at 4096 tokens" in tried.server.requests[1]["messages"][-1]["content"]
    assert "cut at 4096 tokens" in tried.server.requests[2]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("limits", "replies", "name"),
    [
        ({"turns": 3}, 3, "turns"),
        ({"tokens": 5000}, None, "tokens"),
        ({"cost": 0.005}, None, "cost"),
    ],
)
def test_a_limit_ends_the_trial_within_one_reply(
    tmp_path: Path, limits: dict[str, float], replies: int | None, name: str
) -> None:
    tried = try_script(in_turn(Say(calls=[("read_page", {"result": "r1", "page": 1})])), tmp_path,
                       limits=limits)  # fmt: skip
    assert tried.outcome == "limit"
    assert name in tried.reason
    counted(tried)
    most = limits[name]
    used = [event["usage"] for event in tried.events("usage")]
    if replies is not None:
        assert len(tried.server.requests) == replies
        return
    spent = [
        each["cost"] if name == "cost" else each["input_tokens"] + each["output_tokens"]
        for each in used
    ]
    assert sum(spent[:-1]) <= most < sum(spent)


def test_a_cost_limit_holds_when_a_part_is_unknown(tmp_path: Path) -> None:
    script = in_turn(Say(calls=[SUM], cut=2), Say(calls=[SUM]))
    tried = try_script(script, tmp_path, limits={"cost": 0.004})
    assert tried.outcome == "limit"
    assert tried.usage["cost"] is None
    assert len(tried.server.requests) < 8


def test_a_server_that_tells_no_usage(tmp_path: Path) -> None:
    tried = try_script(in_turn(Say(calls=[SUM], usage=None), Say(calls=[RIGHT], usage=None)),
                       tmp_path)  # fmt: skip
    assert tried.outcome == "passed"
    assert [tried.usage[name] for name in ("input_tokens", "output_tokens", "cost")] == [None] * 3


@pytest.mark.parametrize(
    "usage", [{"prompt_tokens": -1, "completion_tokens": "x"}, {"cost": "free"}]
)
def test_usage_that_is_none(tmp_path: Path, usage: dict[str, Any]) -> None:
    tried = try_script(in_turn(Say(calls=[SUM], usage=usage), *WELL), tmp_path)
    assert tried.outcome == "passed"
    assert tried.usage["cost"] is None


def test_the_servers_own_cost_goes_first(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25}
    tried = try_script(in_turn(Say(calls=[SUM], usage=usage), Say(calls=[RIGHT], usage=usage)),
                       tmp_path)  # fmt: skip
    assert tried.usage["cost"] == 0.5


def test_a_model_without_a_price_has_no_cost(tmp_path: Path) -> None:
    tried = try_script(in_turn(*WELL), tmp_path, input_price=None)
    assert tried.usage["input_tokens"] > 0
    assert tried.usage["cost"] is None


def test_a_prompt_that_is_too_long_is_the_agents_outcome(tmp_path: Path) -> None:
    tried = try_script(in_turn(*WELL), tmp_path, context_tokens=300)
    assert tried.outcome == "agent_error"
    assert "context_tokens" in tried.reason
    assert tried.server.requests == []


def test_a_server_that_finds_the_prompt_too_long_gets_a_shorter_one(tmp_path: Path) -> None:
    long = fail(
        400, "This model's maximum context length is 4096 tokens", "context_length_exceeded"
    )
    wordy = Say("thought " * 500)
    tried = try_script(in_turn(Say(calls=[SUM]), wordy, long, Say(calls=[RIGHT])), tmp_path)
    assert tried.outcome == "passed"
    sizes = [len(json.dumps(body["messages"])) for body in tried.server.requests]
    assert sizes[3] < sizes[2]
    always = try_script(in_turn(Say(calls=[SUM]), long), tmp_path / "2")
    assert always.outcome == "agent_error"
    assert "maximum context length" in always.reason or "too long" in always.reason


def test_a_small_window_gets_the_tools_in_short(tmp_path: Path) -> None:
    """In the text protocol; what is left out can be asked for."""
    blocks = [
        {"tool": "describe_tool", "arguments": {"tool": "calc"}},
        {"tool": "describe_tool", "arguments": {"tool": "no.such"}},
        *({"tool": name, "arguments": args} for name, args in (SUM, RIGHT)),
    ]
    replies = [Say(f"<call>{json.dumps(block)}</call>") for block in blocks]
    tried = try_script(in_turn(*replies), tmp_path, protocol="text", context_tokens=4_500)
    assert tried.outcome == "passed"
    first = tried.server.requests[0]["messages"][0]["content"]
    assert "describe_tool" in first
    assert '"expression"' not in first
    assert '"expression"' in tried.server.requests[1]["messages"][-1]["content"]
    assert "a name of the list" in tried.server.requests[2]["messages"][-1]["content"]
    assert tried.usage["tool_calls"] == 1


def test_a_server_that_does_not_stream_though_it_is_asked_to(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    whole = [Say(body=json.dumps(_whole(each, usage))) for each in WELL]
    tried = try_script(in_turn(*whole), tmp_path, stream=True)
    assert tried.outcome == "passed"
    assert tried.usage["input_tokens"] == 20


def test_a_reply_that_does_not_come_in_time_may_have_to_be_paid(tmp_path: Path) -> None:
    late, asked = threading.Event(), []

    def never_in_time(body: Any) -> Say:
        late.wait(20)
        return WELL[0]

    def late_once(body: Any) -> Say:
        asked.append(body)
        if len(asked) == 1:
            return never_in_time(body)
        return WELL[any(message["role"] == "assistant" for message in body["messages"])]

    try:
        tried = try_script(late_once, tmp_path / "1", timeout=0.5, retries=10)
        never = try_script(never_in_time, tmp_path / "2", timeout=0.1, retries=1)
    finally:
        late.set()
    assert tried.outcome == "passed"
    assert tried.usage["cost"] is None
    assert never.outcome == "agent_error"
    assert "cannot be reached" in never.reason
    assert never.events("usage")[0]["usage"]["lost_replies"] == 2


def test_thousands_of_calls_in_one_reply(tmp_path: Path) -> None:
    page = ("read_page", {"result": "r1", "page": 1})
    tried = try_script(in_turn(Say(calls=[page] * 3_000), *WELL), tmp_path)
    assert tried.outcome == "passed"
    sent = tried.server.requests[1]["messages"]
    assert sum(message["role"] == "tool" for message in sent) == 64
    assert "the last 2936 calls were not carried out" in sent[-1]["content"]
