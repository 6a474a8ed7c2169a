"""A specialist: rounds of planning and segments of calls over the shared state, then a report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from braino_registry.agents.brainagent.asking import Desk
from braino_registry.agents.brainagent.domains import Domain
from braino_registry.agents.llm import prompts
from braino_registry.agents.llm.client import ToolUse
from braino_registry.agents.llm.offer import ANSWER, Offered
from braino_registry.agents.llm.solving import MOST_CALLS

REPORT = "report"
#: Rounds without a call in a row, after which the words are taken for the report.
_MOST_WORDS = 2
_NOTES = 2_000
#: Replies that a trial must have left for a round: the round's own, and the supervisor's answer.
_SPARED = 2

_REPORT = Offered(
    REPORT,
    "End your work with a report to the supervisor.",
    {
        "type": "object",
        "additionalProperties": False,
        "required": ["text"],
        "properties": {"text": {"type": "string"}},
    },
)


@dataclass(frozen=True)
class Report:
    """What a specialist has found.

    Parameters
    ----------
    domain, objective, text : str
        Who, what for, and what.
    """

    domain: str
    objective: str
    text: str

    def __str__(self) -> str:
        return f"{self.domain}, asked for: {self.objective}\n{self.text}"


class Specialist:
    """The specialist of a domain, at work on an objective.

    Parameters
    ----------
    desk : Desk
        The trial: model, session, state.
    domain : Domain
        The field.
    objective : str
        What the supervisor wants.
    most : int
        Rounds, after which a report is asked for.
    """

    def __init__(self, desk: Desk, domain: Domain, objective: str, most: int) -> None:
        self._desk, self._domain, self._objective = desk, domain, objective
        self._most = most
        others = [each for each in desk.offer.others if each.name != ANSWER]
        self._offered = [*domain.tools, *others, _REPORT]
        self._names = {each.name for each in self._offered}

    def work(self) -> Report:
        """Work in rounds until there is a report."""
        last, notes, note, words = "", "", "", 0
        for number in range(1, self._most + 1):
            if self._desk.turns.left < _SPARED:
                return self._reported(f"There was no time for a report. Last notes: {notes}")
            if number == self._most or self._desk.turns.left == _SPARED:
                note = f"{note}\n{self._desk.prompts['hurry']}".strip()
            reply, calls = self._desk.ask(
                self._system(), self._told(last, notes, note), self._offered
            )
            notes, note = reply.text.strip()[:_NOTES], ""
            if not calls:
                words += 1
                if words >= _MOST_WORDS and reply.text.strip():
                    return self._reported(reply.text)
                last, note = "", self._desk.prompts["no_call_specialist"]
                continue
            words = 0
            last, report = self._segment(calls)
            if report is not None:
                return self._reported(report)
        return self._reported(f"No report was given in {self._most} rounds. Last notes: {notes}")

    def _segment(self, calls: Sequence[ToolUse]) -> tuple[str, str | None]:
        """Carry out calls in order up to the first that is refused.

        Returns
        -------
        shown : str
            What came of them.
        report : str | None
            The report, if they hold one.
        """
        shown: list[str] = []
        for number, call in enumerate(calls, 1):
            if number > MOST_CALLS:
                shown.append(prompts.load()["many"].format(left=len(calls) - MOST_CALLS))
                break
            name = self._desk.offer.name_of(call.name)
            if name == REPORT:
                if (text := _text_of(call.arguments)) is not None:
                    return "\n".join(shown), text
                shown.append(_block(call.name, '{"error":"Pass {\\"text\\": \\"…\\"}."}'))
                break
            text, ok = self._desk.carry_out(call, allowed=self._names, share=len(calls))
            shown.append(_block(call.name, text))
            if not ok:
                if left := len(calls) - number:
                    shown.append(self._desk.prompts["stopped"].format(left=left))
                break
        return "\n".join(shown), None

    def _reported(self, text: str) -> Report:
        return Report(self._domain.name, self._objective, text)

    def _system(self) -> str:
        texts = self._desk.prompts
        role = texts["specialist"].format(about=self._domain.about)
        rules = "\n".join(f"- {rule}" for rule in texts["rules"])
        return self._desk.with_tools(f"{role}\n\n{rules}", self._offered)

    def _told(self, last: str, notes: str, note: str) -> list[tuple[str, str]]:
        """Return the parts of what the specialist is told in a round."""
        texts = self._desk.prompts
        parts = [
            (texts["request"], self._desk.request),
            (texts["objective"], self._objective),
            (texts["state"], ""),
            (texts["notes"], notes),
            (texts["last"], last),
            ("", note),
        ]
        return [part for part in parts if part[1] or part[0] == texts["state"]]


def _block(name: str, text: str) -> str:
    return f'<result of="{name}">\n{text}\n</result>'


def _text_of(arguments: str) -> str | None:
    try:
        read = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    text = read.get("text") if isinstance(read, dict) else None
    return text if isinstance(text, str) and text.strip() else None
