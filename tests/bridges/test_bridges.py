"""Frameworks over a session: each example solves a task with a scripted model.

What is not installed is skipped; ``make test-bridges`` installs the group ``bridges`` first.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.runner import try_task

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs" / "bridges.md"
EXAMPLES = ("pydantic_ai_agent", "langgraph_agent", "smolagents_agent", "openai_agents_agent")
Script = Generator[tuple[str, dict[str, Any]], dict[str, Any], str]

#: Frameworks warn of what is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")


def marking() -> Script:
    """Solve ``bad-channels-ask``; each step sees what came of the one before."""
    made = yield "preprocess__filter", {"view": "sub-02_task-rest", "l_freq": 1.0}
    found = yield "quality__bad_channels", {"view": made["view"]}
    proposal = {"channels": found["channels"]}
    decision = yield "decide__mark_bad_channels", {"proposal": proposal, "why": "They stand out."}
    assert decision["status"] == "edited"
    yield "ask_user", {"question": "Is the mains frequency 50 Hz?"}
    return f"Marked {', '.join(decision['applied']['channels'])} as bad in subject 02."


class Scripted:
    """A model that follows a script: a call of a tool, or the last words."""

    def __init__(self) -> None:
        self._script = marking()
        self._begun = False

    def next(self, told: Any) -> tuple[str, dict[str, Any]] | str:
        """Return what the model says to a tool's result."""
        try:
            if self._begun:
                return self._script.send(_read(told))
            self._begun = True
            return next(self._script)
        except StopIteration as stop:
            return str(stop.value)


def _read(told: Any) -> Any:
    """Return a tool's result, which frameworks hand on as JSON, or in Python's spelling."""
    if not isinstance(told, str):
        return told
    try:
        return json.loads(told)
    except ValueError:
        import ast

        try:
            return ast.literal_eval(told.partition("Observation:\n")[2] or told)
        except (ValueError, SyntaxError):
            return told


@pytest.fixture(autouse=True)
def as_beside_the_example(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let examples import what lies beside them, and nothing of it stay."""
    monkeypatch.syspath_prepend(str(HERE))
    yield
    for name in (*EXAMPLES, "offered"):
        sys.modules.pop(name, None)


def solved(agent: Any, cache: Path) -> None:
    record = try_task("bad-channels-ask", agent=agent, instance="sub-02", store=Store(cache))
    assert (record["outcome"], record["score"]) == ("passed", 1.0), (
        record["reason"], [each for each in record["checks"] if not each["passed"]],
    )  # fmt: skip
    used = record["usage"]
    assert (used["tool_calls"], used["decisions"], used["questions"]) == (2, 1, 1)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def test_pydantic_ai(cache: Path) -> None:
    pytest.importorskip("pydantic_ai")
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    scripted = Scripted()

    def respond(messages: list[Any], info: Any) -> ModelResponse:
        told = getattr(messages[-1].parts[-1], "content", None)
        said = scripted.next(told)
        part = TextPart(said) if isinstance(said, str) else ToolCallPart(*said)
        return ModelResponse(parts=[part])

    solved(importlib.import_module("pydantic_ai_agent").make(FunctionModel(respond)), cache)


def test_langgraph(cache: Path) -> None:
    pytest.importorskip("langgraph")
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    scripted = Scripted()

    class Model(BaseChatModel):
        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **options: Any) -> Any:
            return self

        def _generate(self, messages: Any, *args: Any, **options: Any) -> ChatResult:
            said = scripted.next(messages[-1].content)
            if isinstance(said, str):
                message = AIMessage(said)
            else:
                call = {"name": said[0], "args": said[1], "id": str(len(messages))}
                message = AIMessage("", tool_calls=[call])
            return ChatResult(generations=[ChatGeneration(message=message)])

    solved(importlib.import_module("langgraph_agent").LangGraph(Model()), cache)


def test_smolagents(cache: Path) -> None:
    pytest.importorskip("smolagents")
    from smolagents.models import (
        ChatMessage,
        ChatMessageToolCall,
        ChatMessageToolCallFunction,
        MessageRole,
        Model,
    )

    scripted = Scripted()

    class Fixed(Model):
        model_id = "scripted"

        def generate(self, messages: Any, **options: Any) -> ChatMessage:
            content = messages[-1].content
            told = content if isinstance(content, str) else content[-1]["text"]
            said = scripted.next(told)
            name, args = ("final_answer", {"answer": said}) if isinstance(said, str) else said
            function = ChatMessageToolCallFunction(arguments=args, name=name)
            call = ChatMessageToolCall(function=function, id=str(len(messages)), type="function")
            return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])

    solved(importlib.import_module("smolagents_agent").Smol(Fixed()), cache)


def test_openai_agents(cache: Path) -> None:
    pytest.importorskip("agents", reason="openai-agents is not installed")
    from agents import ModelResponse, Usage
    from agents.models.interface import Model
    from openai.types.responses import (
        ResponseFunctionToolCall,
        ResponseOutputMessage,
        ResponseOutputText,
    )

    scripted = Scripted()

    class Fixed(Model):
        async def get_response(self, input: Any, **further: Any) -> Any:
            last = input[-1] if isinstance(input, list) else {}
            said = scripted.next(last.get("output"))
            number = str(len(input))
            if isinstance(said, str):
                text = ResponseOutputText(text=said, type="output_text", annotations=[])
                part: Any = ResponseOutputMessage(
                    id=number, content=[text], role="assistant", status="completed", type="message"
                )
            else:
                part = ResponseFunctionToolCall(
                    arguments=json.dumps(said[1]),
                    call_id=number,
                    name=said[0],
                    type="function_call",
                )
            return ModelResponse(output=[part], usage=Usage(), response_id=None)

        def stream_response(self, *args: Any, **options: Any) -> Any:
            raise NotImplementedError

    solved(importlib.import_module("openai_agents_agent").make(Fixed()), cache)


@pytest.mark.parametrize("name", ["offered", *EXAMPLES])
def test_the_documentation_shows_what_is_tested(name: str) -> None:
    code = (HERE / f"{name}.py").read_text(encoding="utf-8").strip()
    assert f"```python\n{code}\n```" in DOCS.read_text(encoding="utf-8")
