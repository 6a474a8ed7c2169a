"""The supervisor: dispatches the objective to specialists, reads their reports, answers."""

from __future__ import annotations

import json
from typing import Any

from braino.agent import AgentAnswer
from braino_registry.agents.brainagent.asking import Desk
from braino_registry.agents.brainagent.domains import domains
from braino_registry.agents.brainagent.specialist import REPORT, Report, Specialist
from braino_registry.agents.llm.client import Reply, ToolUse
from braino_registry.agents.llm.offer import ANSWER, Offered
from braino_registry.agents.llm.solving import MOST_CALLS

DISPATCH = "dispatch"
_MOST_WORDS = 2


class Supervisor:
    """The supervisor of a trial.

    Parameters
    ----------
    desk : Desk
        The trial.
    rounds : int
        Rounds that a specialist has for an objective.
    """

    def __init__(self, desk: Desk, rounds: int) -> None:
        if taken := {DISPATCH, REPORT} & set(desk.offer.wires):
            raise ValueError(f"a tool is called {min(taken)!r}, as something of the agent is")
        self._desk, self._rounds = desk, rounds
        self._domains = {each.name: each for each in domains(desk.offer.tools)}
        dispatch = [_dispatch(list(self._domains))] if self._domains else []
        self._offered = [*dispatch, *(each for each in desk.offer.others if _is_own(each.name))]
        self._names = {each.name for each in self._offered}
        self._reports: list[Report] = []
        self._note = ""
        self._words = 0

    def solve(self) -> AgentAnswer:
        """Dispatch and read until the answer can be given.

        Raises
        ------
        GaveUp
            If the model gives none.
        """
        while True:
            reply, calls = self._desk.ask(self._system(), self._told(), self._offered)
            self._note = ""
            answer = self._act(calls) if calls else self._without_call(reply)
            if answer is not None:
                return answer

    def _act(self, calls: tuple[ToolUse, ...]) -> AgentAnswer | None:
        self._words = 0
        for call in calls[:MOST_CALLS]:
            name = self._desk.offer.name_of(call.name)
            if name == DISPATCH:
                self._dispatch(call.arguments)
            elif name == ANSWER:
                outcome = self._desk.offer.carry_out(call.name, call.arguments)
                if outcome.answer is not None:
                    return outcome.answer
                self._note = outcome.text
            else:
                text, _ = self._desk.carry_out(call, allowed=self._names, share=len(calls))
                self._note = f"{self._note}\n{text}".strip()
        return None

    def _dispatch(self, arguments: str) -> None:
        """Let a specialist work, or take note of why that cannot be."""
        try:
            asked: Any = json.loads(arguments or "{}")
            domain = self._domains.get(str(asked["domain"]))
            objective = asked["objective"]
        except (ValueError, KeyError, TypeError, RecursionError):
            domain, objective = None, None
        if domain is None or not isinstance(objective, str) or not objective.strip():
            known = ", ".join(self._domains)
            self._note = f"dispatch needs a domain ({known}) and an objective in words."
            return
        self._reports.append(Specialist(self._desk, domain, objective, self._rounds).work())

    def _without_call(self, reply: Reply) -> AgentAnswer | None:
        if reply.text.strip():
            self._words += 1
            if self._words >= _MOST_WORDS or self._desk.turns.none:
                return AgentAnswer(reply.text)
        self._note = self._desk.prompts["no_call_supervisor"]
        return None

    def _system(self) -> str:
        texts = self._desk.prompts
        rules = "\n".join(f"- {rule}" for rule in texts["answer_rules"])
        listed = "\n".join(
            f"- {each.name}: {each.about}. Tools of its own: {', '.join(each.own)}"
            for each in self._domains.values()
        )
        parts = [texts["supervisor"], rules, *([texts["domains"], listed] if listed else [])]
        return self._desk.with_tools("\n\n".join(parts), self._offered)

    def _told(self) -> list[tuple[str, str]]:
        texts = self._desk.prompts
        parts = [(texts["request"], self._desk.request), (texts["state"], "")]
        if self._reports:
            parts.append((texts["reports"], "\n\n".join(map(str, self._reports))))
        return [*parts, *([("", self._note)] if self._note else [])]


def _is_own(name: str) -> bool:
    """Tell whether the supervisor itself may call something beside tools: no decision."""
    return not name.startswith("decide.")


def _dispatch(names: list[str]) -> Offered:
    return Offered(
        DISPATCH,
        "Give an objective to a specialist and wait for the report.",
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["domain", "objective"],
            "properties": {
                "domain": {"type": "string", "enum": names},
                "objective": {
                    "type": "string",
                    "description": "All that is wanted, with every condition of the request.",
                },
            },
        },
    )
