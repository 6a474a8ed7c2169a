"""A conversation stays within its window, and what is left out of it is told."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry.agents.llm.client import ContextOverflow, ToolUse
from braino_registry.agents.llm.conversation import FIRST_RATIO, Conversation, Turn
from braino_registry.agents.llm.pages import Pages
from braino_registry.agents.llm.protocols import STYLES
from tests.growth import grows_linearly

NATIVE = STYLES["native"]


def talk(window: int, style: str = "native", **more: Any) -> Conversation:
    return Conversation(
        "You are.", "Do it.", STYLES[style].render, window=window, reply=100, **more
    )


def turn(number: int, size: int) -> Turn:
    call = ToolUse(f"c{number}", "calc", json.dumps({"n": number}))
    return Turn(f"thought {number}", [call], ["x" * size], [f"r{number}"])


def tokens(messages: Any) -> float:
    return FIRST_RATIO * sum(len(message["content"]) for message in messages)


def test_short_conversations_are_sent_whole() -> None:
    conversation = talk(10_000)
    for number in range(3):
        conversation.add(turn(number, 100))
    sent = conversation.messages()
    assert [message["role"] for message in sent] == ["system", "user", *["assistant", "tool"] * 3]
    assert all("x" * 100 == message["content"] for message in sent if message["role"] == "tool")


@pytest.mark.parametrize("style", ["native", "text"])
def test_old_results_go_first_and_are_named(style: str) -> None:
    conversation = talk(2_000, style)
    for number in range(4):
        conversation.add(turn(number, 1_500))
    sent = json.dumps(conversation.messages())
    assert "r0: 1500 characters, left out to save room; read_page shows them" in sent
    assert "x" * 1_500 in sent  # the last one is whole
    assert "thought 0" in sent


def test_then_turns_become_lines_of_a_list() -> None:
    conversation = talk(1_500)
    for number in range(150):
        conversation.add(turn(number, 500))
        sent = conversation.messages()
        assert tokens(sent) < 1_400
    head = sent[1]["content"]
    assert head.startswith("Do it.\n\nEarlier steps")
    assert "steps before these" in head
    last = int(re.findall(r"→ done, r(\d+)", head)[-1])
    kept = [message["tool_call_id"] for message in sent if message["role"] == "tool"]
    called = [call["id"] for message in sent for call in message.get("tool_calls", ())]
    assert kept == called  # no result without its call, no call without its result
    assert kept == [f"c{number}" for number in range(last + 1, 150)]  # nothing is missing between
    assert len(kept) > 3


def test_a_head_that_does_not_fit_is_an_overflow() -> None:
    conversation = Conversation("s" * 9_000, "r", NATIVE.render, window=1_000, reply=100)
    with pytest.raises(ContextOverflow, match="window of 1000"):
        conversation.messages()
    beside = talk(1_000, beside=9_000)
    with pytest.raises(ContextOverflow, match="context_tokens"):
        beside.messages()


def test_what_a_server_counts_is_learned() -> None:
    conversation = talk(1_200)
    conversation.add(turn(1, 3_000))
    conversation.add(turn(2, 100))
    assert "left out" in json.dumps(conversation.messages())
    fresh = talk(1_200)
    fresh.messages()
    fresh.learn(5)  # of a few dozen characters: a tokenizer that is far better than assumed
    fresh.add(turn(1, 3_000))
    fresh.add(turn(2, 100))
    assert "left out" not in json.dumps(fresh.messages())


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=300), st.text(max_size=200), st.integers(0, 3_000)),
             max_size=25),
    st.integers(400, 6_000),
    st.sampled_from(["native", "text"]),
)  # fmt: skip
def test_any_conversation_fits_or_overflows(
    turns: list[tuple[str, str, int]], window: int, style: str
) -> None:
    conversation = talk(window, style)
    for number, (text, arguments, size) in enumerate(turns):
        call = ToolUse(f"c{number}", "a.b", arguments)
        conversation.add(Turn(text, [call], ["y" * size], [f"r{number}"]))
        try:
            sent = conversation.messages()
        except ContextOverflow:
            return
        for message in sent:
            for one in message.get("tool_calls", ()):
                assert isinstance(json.loads(one["function"]["arguments"]), dict)
    assert (
        sum(len(message["content"]) for message in conversation.messages()) * FIRST_RATIO <= window
    )


def test_the_work_for_a_turn_grows_with_the_window_only() -> None:
    def work(turns: int) -> None:
        conversation = talk(3_000)
        for number in range(turns):
            conversation.add(turn(number, 200))
            conversation.messages()

    assert grows_linearly(work, 40)


def test_pages_show_everything() -> None:
    pages = Pages(100)
    text = "".join(chr(97 + n % 26) for n in range(250))
    name = pages.put(text)
    shown = [pages.page(name, number) for number in (1, 2, 3)]
    assert "".join(page.partition("\n")[2] for page in shown) == text
    assert "characters 1 to 100 of 250; read_page with page 2 shows the next" in shown[0]
    assert shown[0] == pages.shown(name, text)
    assert pages.shown(name, text, 40).startswith(
        "[r1, characters 1 to 40 of 250; read_page with page 1 shows more of it]"
    )
    assert pages.shown(name, "short") == "short"
    for wrong in ((name, 0), (name, 4), ("r2", 1)):
        with pytest.raises(KeyError):
            pages.page(*wrong)


def test_pages_forget_the_oldest_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("braino_registry.agents.llm.pages.KEPT", 1_000)
    pages = Pages(100)
    first, last = [pages.put("z" * 400) for _ in range(5)][::4]
    with pytest.raises(KeyError, match="any more"):
        pages.page(first, 1)
    assert "characters 1 to 100 of 400" in pages.page(last, 1)
