"""A pydantic-ai agent."""

from typing import Any

from offered import offered
from pydantic_ai import Agent, Tool

from braino.agent import AgentAnswer, Session


class PydanticAi:
    name = "pydantic-ai"

    def __init__(self, model: Any) -> None:
        self._model, self.model = model, str(model)

    def solve(self, request: str, session: Session) -> AgentAnswer:
        tools = [
            Tool.from_schema(run, name, about, schema)
            for name, about, schema, run in offered(session)
        ]
        done = Agent(self._model, tools=tools).run_sync(request)
        used = done.usage
        session.report_usage(input_tokens=used.input_tokens, output_tokens=used.output_tokens)
        return AgentAnswer(done.output)


def make(model: Any = "openai:gpt-5-mini") -> PydanticAi:
    return PydanticAi(model)
