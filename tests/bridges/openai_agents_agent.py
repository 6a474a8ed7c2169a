"""An agent of the OpenAI Agents SDK."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from agents import Agent, FunctionTool, RunConfig, Runner
from offered import offered

from braino.agent import AgentAnswer, Session


def calling(run: Callable[..., Any]) -> Callable[..., Any]:
    async def invoke(context: Any, arguments: str) -> str:
        return json.dumps(run(**json.loads(arguments or "{}")))

    return invoke


class OpenAIAgents:
    name = "openai-agents"

    def __init__(self, model: Any) -> None:
        self._model, self.model = model, str(model)

    def solve(self, request: str, session: Session) -> AgentAnswer:
        tools: list[Any] = [
            FunctionTool(
                name, about, schema, calling(run), strict_json_schema=False,
                _failure_error_function=None, _use_default_failure_error_function=False,
            )
            for name, about, schema, run in offered(session)
        ]  # fmt: skip
        agent = Agent(name="eeg", model=self._model, tools=tools)
        quiet = RunConfig(tracing_disabled=True)
        done = asyncio.run(Runner.run(agent, request, max_turns=100, run_config=quiet))
        used = done.context_wrapper.usage
        session.report_usage(input_tokens=used.input_tokens, output_tokens=used.output_tokens)
        return AgentAnswer(str(done.final_output))


def make(model: Any = "gpt-5-mini") -> OpenAIAgents:
    return OpenAIAgents(model)
