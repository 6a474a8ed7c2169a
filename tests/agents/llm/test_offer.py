"""What a model can call in a session, and how an answer is reviewed before it is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from braino.agent import AgentAnswer, Decision, DecisionSpec, RequestRefused, ToolOutcome, ToolSpec
from braino_registry.agents.llm.answering import data_schema
from braino_registry.agents.llm.offer import Offer
from braino_registry.agents.llm.pages import Pages
from braino_registry.agents.llm.prompts import request, system
from braino_registry.agents.llm.protocols import STYLES
from braino_registry.registry.schemas import compiled

FIELDS = {
    "bads": {"type": "set", "of": "channel", "description": "Bad channels"},
    "pair": {"type": "label", "of": "channel_pair"},
    "state": {"type": "label", "labels": ["calm", "tense"]},
    "alpha": {"type": "number", "unit": "µV"},
    "seizures": {"type": "events"},
    "stages": {"type": "hypnogram", "labels": ["W", "N1"]},
    "order": {"type": "sequence", "of": "label", "labels": ["a", "b"]},
    "figure": {"type": "file"},
    "note": {"type": "text"},
}


class Scene:
    """A session that says what it is told."""

    seed, paradigm, inputs, workspace = 1, "tools", Path("/input"), Path("/workspace")

    def __init__(
        self, names: tuple[str, ...] = ("a.b",), fields: Any = None, **limits: int
    ) -> None:
        self.names, self.fields = names, fields
        self.limits = {"questions": 3, "decisions": 3, **limits}
        self.problems = ["state: 'calmish' is none of calm, tense"]
        self.reviews = 0

    def tools(self) -> list[ToolSpec]:
        return [ToolSpec(name, "1.0.0", f"Does {name}. At length.", {}, {}) for name in self.names]

    def decisions(self) -> list[DecisionSpec]:
        return [DecisionSpec("mark-bad-channels", "Marks them.", {"type": "object"})]

    def call(self, tool: str, args: Any) -> ToolOutcome:
        return ToolOutcome(True, {"tool": tool, **args})

    def ask(self, question: str, options: Any = None) -> str:
        raise RequestRefused("not now")

    def decide(self, kind: str, proposal: Any, why: str = "") -> Decision:
        return Decision("edited", {"channels": ["Cz"]}, say="only that")

    def review(self, data: Any) -> list[str]:
        self.reviews += 1
        return self.problems


def offer(*args: Any, **options: Any) -> tuple[Offer, Scene]:
    scene = Scene(*args, **options)
    return Offer(scene, Pages(1_000)), scene  # type: ignore[arg-type]


def test_names_are_those_of_the_wire() -> None:
    found, _ = offer(("a.b", "c"))
    assert found.wires == {
        "a__b": "a.b", "c": "c", "decide__mark-bad-channels": "decide.mark-bad-channels",
        "ask_user": "ask_user", "read_page": "read_page", "submit_answer": "submit_answer",
    }  # fmt: skip
    for spelling in ("a.b", "a__b", " a__b "):
        assert found.carry_out(spelling, '{"x": 1}').text == '{"tool":"a.b","x":1}'


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two tools"):
        offer(("submit_answer",))
    with pytest.raises(ValueError, match="cannot be offered"):
        offer(("a__b",))


def test_what_a_limit_forbids_is_not_offered() -> None:
    found, _ = offer(questions=0, decisions=0)
    assert [each.name for each in found.others] == ["read_page", "submit_answer"]


def test_a_decision_tells_what_was_applied() -> None:
    found, _ = offer()
    done = found.carry_out("decide__mark-bad-channels", {"proposal": {"channels": ["Cz", "T8"]}})
    assert done.ok
    assert done.text == '{"status":"edited","applied":{"channels":["Cz"]},"say":"only that"}'


def test_a_request_that_is_refused_is_told() -> None:
    found, _ = offer()
    done = found.carry_out("ask_user", {"question": "Why?"})
    assert not done.ok
    assert "not now" in done.text


def test_an_answer_is_reviewed_as_often_as_reviews_tell() -> None:
    found, scene = offer(fields=FIELDS, repairs=2)
    given = {"text": "It is calmish.", "data": {"state": "calmish"}}
    for _ in range(2):
        told = found.carry_out("submit_answer", given)
        assert told.answer is None
        assert "none of calm, tense" in told.text
    assert found.carry_out("submit_answer", given).answer == AgentAnswer(
        "It is calmish.", {"state": "calmish"}, []
    )
    assert scene.reviews == 2


def test_an_answer_without_fields_is_given_at_once() -> None:
    found, scene = offer(repairs=2)
    done = found.carry_out("submit_answer", {"text": "Yes.", "artifacts": ["a.png"]})
    assert done.answer == AgentAnswer("Yes.", None, ["a.png"])
    assert scene.reviews == 0


def test_the_schema_of_the_data() -> None:
    check = compiled(data_schema(FIELDS))
    right = {
        "bads": ["Cz"], "pair": "Fz-Cz", "state": "calm", "alpha": 3.5, "order": ["b", "a"],
        "seizures": [{"onset_sec": 1.0, "offset_sec": 2}], "figure": "a.png", "note": "x",
        "stages": [{"start_epoch": 0, "end_epoch": 1, "stage": "W"}],
    }  # fmt: skip
    assert check.is_valid(right)
    for wrong in ({"state": "sad"}, {"alpha": "3"}, {"bads": "Cz"}, {"seizures": [{}]}):
        assert not check.is_valid(wrong)
    assert data_schema(FIELDS)["properties"]["alpha"]["description"] == "in µV"
    assert data_schema(None)["type"] == "object"


def test_prompts_tell_tools_and_fields() -> None:
    found, _ = offer()
    text = system(STYLES["text"], found.all)
    assert "a.b: Does a.b. At length." in text
    assert "<call>" in text
    native = system(STYLES["native"], found.all)
    assert "a.b" not in native
    brief = system(STYLES["text"], found.all, brief=True)
    assert "a.b: Does a.b.\n" in brief
    assert "At length" not in brief
    asked = request("What?", FIELDS)
    assert "- alpha: number, in µV" in asked
    assert "- state: label, one of calm, tense" in asked
    assert request("What?", None) == "What?"
