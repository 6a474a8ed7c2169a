"""Everything that an agent can do in a session, for any framework that takes JSON Schemas."""

from collections.abc import Callable, Iterator
from typing import Any

from braino.agent import Session

Offer = tuple[str, str, dict[str, Any], Callable[..., Any]]


def offered(session: Session) -> Iterator[Offer]:
    """Yield name, description, JSON Schema of the arguments, and the function itself."""

    def tool(name: str) -> Callable[..., Any]:
        def run(**args: Any) -> Any:
            outcome = session.call(name, args)
            return outcome.result if outcome.ok else {"error": outcome.error}

        return run

    def decision(kind: str) -> Callable[..., Any]:
        def run(proposal: dict[str, Any], why: str = "") -> Any:
            made = session.decide(kind, proposal, why)
            return {"status": made.status, "applied": made.applied, "error": made.error}

        return run

    def ask_user(question: str) -> str:
        return session.ask(question)

    text = {"type": "string", "description": "A text."}
    for spec in session.tools():
        yield spec.name.replace(".", "__"), spec.description, spec.arguments, tool(spec.name)
    for each in session.decisions():
        properties = {"proposal": {"description": "It.", **each.proposal}, "why": text}
        schema = {"type": "object", "properties": properties, "required": ["proposal"]}
        yield (
            f"decide__{each.kind}".replace("-", "_"),
            each.description,
            schema,
            decision(each.kind),
        )
    schema = {"type": "object", "properties": {"question": text}, "required": ["question"]}
    yield "ask_user", "Ask the researcher what only they can know.", schema, ask_user
