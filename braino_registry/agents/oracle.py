"""``oracle``: carries out the reference solution that its session was started with.

It knows no task. If it fails a task, the task is wrong.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

from braino.agent import AgentAnswer, Session
from braino_registry.registry import templates


class ReferenceFailed(Exception):
    """A step of the reference solution could not be carried out."""


class Oracle:
    """The agent that checks the harness."""

    name = "oracle"
    model = None

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Carry out the reference and answer as it says.

        Raises
        ------
        ReferenceFailed
            If there is no reference, a step fails, or a template cannot be filled in.
        """
        reference: Mapping[str, Any] | None = getattr(session, "reference", None)
        if reference is None:
            raise ReferenceFailed("this session was started without a reference solution")
        names = dict(reference["context"])
        run_steps(reference.get("steps", ()), names, session)
        data = reference.get("data")
        return AgentAnswer(
            text=templates.render(reference.get("answer", ""), names),
            data=None if data is None else fill_in(data, names),
            artifacts=fill_in(reference.get("artifacts", []), names),
        )


def run_steps(
    steps: Sequence[Mapping[str, Any]],
    names: MutableMapping[str, Any],
    session: Session,
    at: str = "step",
) -> None:
    """Carry out steps in order; what they give is added to `names` under their ``as``.

    Parameters
    ----------
    steps : sequence of Mapping
        ``call``, ``ask``, ``decide`` or ``for_each``, each with an optional
        ``when``. A step that is left out gives None.
    names : MutableMapping
        What expressions and templates may use; changed in place.
    session : Session
        Where the steps are carried out.
    at : str
        Where the steps stand, for messages.
    """
    for number, step in enumerate(steps, 1):
        place = f"{at} {number}"
        if "for_each" in step:
            _repeat(step, names, session, place)
            continue
        wanted = "when" not in step or bool(templates.fill(step["when"], names))
        outcome = _carry_out(step, names, session, place) if wanted else None
        if "as" in step:
            names[step["as"]] = outcome


def _repeat(
    step: Mapping[str, Any], names: MutableMapping[str, Any], session: Session, place: str
) -> None:
    """Carry out a step for every item; each round sees the item under its name.

    ``as`` names the item and ``collect`` the list of what each round named.
    """
    items = templates.fill(step["for_each"], names)
    if not isinstance(items, list):
        raise ReferenceFailed(f"{place}: for_each needs a list, got {type(items).__name__}")
    results: list[Any] = []
    for index, item in enumerate(items):
        bound: dict[str, Any] = {step["as"]: item}
        inner = ChainMap(bound, names)
        if "when" not in step or templates.fill(step["when"], inner):
            run_steps(step["steps"], inner, session, f"{place}, item {index}, step")
            results.append(bound)
    if "collect" in step:
        names[step["collect"]] = results


def _carry_out(
    step: Mapping[str, Any], names: Mapping[str, Any], session: Session, place: str
) -> dict[str, Any]:
    """Carry out one step and return what it gives."""
    if "call" in step:
        args = templates.fill(step.get("args", {}), names)
        called = session.call(step["call"], args)
        if not called.ok:
            raise ReferenceFailed(f"{place}: {step['call']} {args} failed: {called.error}")
        return called.result
    if "ask" in step:
        options = step.get("options")
        filled = None if options is None else templates.fill(options, names)
        return {"reply": session.ask(templates.render(step["ask"], names), filled)}
    proposal = templates.fill(step["proposal"], names)
    why = templates.render(step.get("why", ""), names)
    decision = session.decide(step["decide"], proposal, why)
    if decision.error is not None:
        raise ReferenceFailed(f"{place}: {step['decide']} {proposal}: {decision.error}")
    return {"status": decision.status, "applied": decision.applied}


def fill_in(value: Any, names: Mapping[str, Any]) -> Any:
    """Return a JSON value with expressions looked up and templates in its texts filled in."""
    if isinstance(value, str):
        return templates.render(value, names) if "{" in value else value
    if isinstance(value, Mapping):
        if set(value) == {"$"}:
            return templates.fill(value, names)
        return {key: fill_in(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [fill_in(inner, names) for inner in value]
    return value


def make() -> Oracle:
    """Return an oracle."""
    return Oracle()
