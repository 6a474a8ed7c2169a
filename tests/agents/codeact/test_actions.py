"""Which action a reply asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.agents.codeact.actions import Action, read_action


@pytest.mark.parametrize(
    ("text", "kind", "body"),
    [
        ("<execute>\nprint(1)\n</execute>", "execute", "print(1)"),
        ("Let me see.\n<execute>x = 1</execute> and then", "execute", "x = 1"),
        ("<execute>```python\nx = 1\n```</execute>", "execute", "x = 1"),
        ("<execute>\n  if x:\n    y\n</execute>", "execute", "  if x:\n    y"),
        ("<EXECUTE>x</EXECUTE>", "execute", "x"),
        ("<execute>x", "execute", "x"),
        ("<solution> It is 10 Hz. </solution>", "solution", "It is 10 Hz."),
        ("<solution>First</solution><execute>x</execute>", "solution", "First"),
        ("<execute>x</execute><solution>too early</solution>", "execute", "x"),
        ("<thought>I could <execute>rm</execute></thought><solution>y</solution>", "solution", "y"),
        ("<think>only <solution>thought", "none", ""),
        ("<ask>Is it 50 Hz?</ask>", "ask", "Is it 50 Hz?"),
        ("The answer is 10 Hz.", "none", ""),
        ("", "none", ""),
        ("<executed>x</executed>", "none", ""),
    ],
)
def test_the_first_block_counts(text: str, kind: str, body: str) -> None:
    action = read_action(text)
    assert (action.kind, action.body) == (kind, body)


def test_a_decision_has_its_kind_and_its_reason() -> None:
    text = '<decide kind="mark-bad-channels" why="noisy">{"channels": ["T8"]}</decide>'
    assert read_action(text) == Action(
        "decide", '{"channels": ["T8"]}', about="mark-bad-channels", why="noisy"
    )


def test_what_was_cut_at_its_greatest_length_is_no_action() -> None:
    for tag in ("execute", "solution"):
        action = read_action(f"<{tag}>print(1", cut=True)
        assert (action.kind, action.whole) == ("none", False)
        assert read_action(f"<{tag}>print(1</{tag}> more", cut=True).kind == tag


@given(st.text(), st.booleans())
def test_any_text_has_one_action(text: str, cut: bool) -> None:
    wrapped = f"<execute>{text}</execute>"
    assert read_action(text, cut=cut).kind in ("execute", "solution", "ask", "decide", "none")
    assert read_action(wrapped, cut=cut).kind == "execute"
