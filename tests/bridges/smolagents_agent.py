"""A smolagents agent that calls tools."""

from collections.abc import Callable
from typing import Any

from offered import offered
from smolagents import Tool, ToolCallingAgent

from braino.agent import AgentAnswer, Session

TYPES = ("string", "boolean", "integer", "number", "array", "object", "null")


class Offered(Tool):
    skip_forward_signature_validation = True
    output_type = "any"

    def __init__(
        self, name: str, about: str, schema: dict[str, Any], run: Callable[..., Any]
    ) -> None:
        self.name, self.description, self._run = name, about, run
        needed = schema.get("required", ())
        self.inputs = {
            key: {
                "type": sub["type"] if sub.get("type") in TYPES else "any",
                "description": sub.get("description", ""),
                "nullable": key not in needed,
            }
            for key, sub in schema["properties"].items()
        }
        super().__init__()

    def forward(self, **args: Any) -> Any:
        return self._run(**{key: value for key, value in args.items() if value is not None})


class Smol:
    name = "smolagents"

    def __init__(self, model: Any) -> None:
        self._model, self.model = model, str(model.model_id)

    def solve(self, request: str, session: Session) -> AgentAnswer:
        tools = [Offered(*each) for each in offered(session)]
        agent = ToolCallingAgent(tools, self._model, max_steps=100, verbosity_level=0)
        return AgentAnswer(str(agent.run(request)))


def make() -> Smol:
    from smolagents import OpenAIServerModel

    return Smol(OpenAIServerModel("gpt-5-mini"))
