"""Calls in words, arguments, pieces of replies: whatever comes is read or refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry.agents.llm.offer import read_arguments
from braino_registry.agents.llm.protocols import read_calls
from braino_registry.agents.llm.receiving import (
    BrokenOff,
    Call,
    Received,
    _assemble,
    _tidied,
    _whole,
    usage_of,
    without_thoughts,
)
from braino_registry.agents.texts import is_sound, sound
from tests.growth import grows_linearly

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('<call>{"tool": "a.b", "arguments": {"x": 1}}</call>', ["a.b"]),
        ('I look.\n<call>{"tool": "a"}</call>\n<call>{"tool": "b"}</call>', ["a", "b"]),
        ('<tool_call>{"name": "a", "arguments": "{}"}</tool_call>', ["a"]),
        ('```json\n{"tool": "a", "arguments": {}}\n```', ["a"]),
        ('<call>\n```\n{"tool": "a"}\n```\n</call>', ["a"]),
        ('<call>{"tool": "a"', [""]),
        ("<call>a(1)</call>", [""]),
        ('<call>["a"]</call>', [""]),
        ('<call>{"tool": "a"}</call><result of="a">{}</result><call>{"tool": "b"}</call>', ["a"]),
        ("no call", []),
        ('{"a": 1}', []),
        ("", []),
        ("The <call> tag is meant for calls.", [""]),
    ],
)
def test_calls_in_words(text: str, names: list[str]) -> None:
    assert [call.name for call in read_calls(text)] == names


@settings(deadline=None)
@given(st.text(st.sampled_from('<call>/{}"tolname: \n`a_r[]'), max_size=200))
def test_any_text_has_calls_or_none(text: str) -> None:
    for call in read_calls(text):
        assert isinstance(call.name, str)
        assert isinstance(call.arguments, str)


@pytest.mark.parametrize(
    "piece", ["<call>", "<call>{", "```json\n", '{"tool": ', "</call>", "<result"]
)
def test_reading_takes_time_as_the_text_is_long(piece: str) -> None:
    assert grows_linearly(lambda n: read_calls(piece * n), 2_000)


@settings(deadline=None)
@given(JSON)
def test_arguments_are_an_object_that_can_be_sent(value: Any) -> None:
    try:
        found = read_arguments(json.dumps(value))
    except ValueError:
        return
    assert isinstance(found, dict)
    json.dumps(found, allow_nan=False).encode()


@settings(deadline=None)
@given(st.text(max_size=50))
def test_any_text_is_arguments_or_refused(text: str) -> None:
    try:
        assert isinstance(read_arguments(text), dict)
    except ValueError:
        return


def test_arguments_that_are_quoted_once_more() -> None:
    assert read_arguments(json.dumps(json.dumps({"a": 1}))) == {"a": 1}
    assert read_arguments("") == {}


@settings(deadline=None)
@given(st.lists(JSON, max_size=4))
def test_any_pieces_are_a_reply_or_broken_off(chunks: list[Any]) -> None:
    try:
        found = _assemble([{"choices": chunks}, *chunks])
    except (BrokenOff, TypeError):
        return
    assert isinstance(found.text, str)


@settings(deadline=None)
@given(JSON, JSON)
def test_any_body_is_a_reply_or_broken_off(message: Any, usage: Any) -> None:
    try:
        found = _whole({"choices": [{"message": message}], "usage": usage})
    except (BrokenOff, TypeError):
        return
    assert isinstance(found.text, str)
    assert all(isinstance(value, (int, float)) for value in found.usage.values())


@settings(deadline=None)
@given(JSON)
def test_usage_holds_counts_only(value: Any) -> None:
    told = usage_of({"prompt_tokens": value, "completion_tokens": 3, "cost": value})
    assert told["written"] == 3
    assert all(0 <= count < 1e12 for count in told.values())


def test_pieces_of_several_calls() -> None:
    def piece(index: int | None, **function: str) -> dict[str, Any]:
        one = {"index": index, "id": function.pop("id", None), "function": function}
        return {"choices": [{"delta": {"tool_calls": [one]}, "finish_reason": None}]}

    found = _assemble(
        [
            piece(0, id="a", name="first", arguments=""),
            piece(1, id="a", name="second", arguments='{"x"'),
            piece(0, arguments='{"y": 1}'),
            piece(1, arguments=": 2}"),
            {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]},
        ]
    )
    assert [(call.name, call.arguments) for call in found.calls] == [
        ("first", '{"y": 1}'), ("second", '{"x": 2}'),
    ]  # fmt: skip
    assert len({call.id for call in _tidied(found).calls}) == 2


def test_calls_that_a_server_gives_one_index_are_several() -> None:
    def piece(index: int | None, own: str | None, **function: Any) -> dict[str, Any]:
        one = {"index": index, "id": own, "function": function}
        return {"choices": [{"delta": {"tool_calls": [one]}}]}

    end = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    for index in (0, None):
        pieces = [
            piece(index, "a", name="first", arguments="{"),
            piece(index, "a", name="first", arguments="}"),
            piece(index, "b", name="second", arguments='{"x": 1'),
            piece(index, None, arguments="}"),
        ]
        found = _assemble([*pieces, end])
        assert [(call.id, call.name, call.arguments) for call in found.calls] == [
            ("a", "first", "{}"), ("b", "second", '{"x": 1}'),
        ]  # fmt: skip


def test_of_several_replies_the_first_is_taken() -> None:
    def choice(index: int, text: str) -> dict[str, Any]:
        return {"index": index, "delta": {"content": text}, "finish_reason": "stop"}

    chunks = [{"choices": [choice(1, "b"), choice(0, "a")]}, {"choices": [choice(1, "B")]}]
    assert _assemble(chunks).text == "a"


@given(st.lists(st.sampled_from(["", "a", "call_1", "call_2", "call_3", "x" * 300]), max_size=6))
def test_each_call_has_an_id_of_its_own(ids: list[str]) -> None:
    calls = _tidied(Received(calls=[Call(each, "a", "{}") for each in ids])).calls
    assert len({call.id for call in calls}) == len(ids)
    assert all(0 < len(call.id) <= 200 for call in calls)
    kept = [call.id for call, each in zip(calls, ids, strict=True) if call.id == each]
    assert set(kept) == {each for each in ids if 0 < len(each) <= 200}


@given(st.text(st.characters(codec=None, categories=None)))
def test_what_utf_8_cannot_carry_is_replaced(text: str) -> None:
    found = sound(text)
    found.encode()
    assert is_sound(text) == (found == text)
    assert is_sound(text) or any("\ud800" <= letter <= "\udfff" for letter in text)
    assert sound("\ud83d" + "\ude00") == "\N{GRINNING FACE}"


@pytest.mark.parametrize(
    "value", [-1, 10**400, 1e300, float("nan"), float("inf"), True, "7", None, [1], {}]
)
def test_what_is_no_count_is_left_out(value: Any) -> None:
    assert usage_of({"prompt_tokens": value, "completion_tokens": 3}) == {"written": 3}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>Let me see.</think>\n\nYes.", "Yes."),
        ("  <think>a <call>b</call>", ""),
        ("Yes, <think>no</think>", "Yes, <think>no</think>"),
        ("Yes.", "Yes."),
    ],
)
def test_reasoning_before_a_reply_is_no_part_of_it(text: str, left: str) -> None:
    assert without_thoughts(text) == left


def test_forms_in_which_servers_send_the_same() -> None:
    function = {"name": "a", "arguments": {"x": 1}}
    parts = [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]
    message = {"content": parts, "tool_calls": [{"id": 7, "function": function}]}
    found = _whole({"choices": [{"message": message}]})
    assert found.text == "one two"
    assert [(call.id, call.arguments) for call in found.calls] == [("7", '{"x": 1}')]
    for value, text in (([1], "[1]"), (7, "7"), (None, ""), (False, "false")):
        message = {"tool_calls": [{"function": {"name": "a", "arguments": value}}]}
        assert _whole({"choices": [{"message": message}]}).calls[0].arguments == text
    refused = _whole({"choices": [{"message": {"content": None, "refusal": "No."}}]})
    assert refused.text == "No."
