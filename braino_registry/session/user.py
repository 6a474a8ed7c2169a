"""The scripted user: replies to questions and rules on proposals as the task's author wrote.

It is deterministic, volunteers nothing, and says which line of the script it used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from braino_registry.session.matching import asks, content_words

DONT_KNOW = "I don't know."


@dataclass(frozen=True)
class Reply:
    """What the user says to a question.

    Parameters
    ----------
    text : str
        The reply.
    about : str | None
        Which answer of the script it is, None if the script has none.
    """

    text: str
    about: str | None


@dataclass(frozen=True)
class Ruling:
    """What the user says to a proposal.

    Parameters
    ----------
    status : {"approved", "edited", "rejected"}
        ``"edited"`` only if the user changed something.
    applied : dict
        What is to be applied; empty after a rejection.
    say : str
        The user's words, if any.
    rule : int | None
        Place of the rule in the script's ``decisions``, None if the script has no rule.
    """

    status: Literal["approved", "edited", "rejected"]
    applied: dict[str, Any]
    say: str
    rule: int | None


class ScriptedUser:
    """The user of one trial.

    Parameters
    ----------
    script : Mapping
        ``{decisions: [{kind, respond, to?, say?}], answers: [{about, asked_as, say}],
        otherwise?}`` with every reference to the truth filled in.
    """

    def __init__(self, script: Mapping[str, Any]) -> None:
        self._decisions: Sequence[Mapping[str, Any]] = script.get("decisions", ())
        self._answers: Sequence[Mapping[str, Any]] = script.get("answers", ())
        self._otherwise: str = script.get("otherwise", DONT_KNOW)
        self._ruled: Counter[str] = Counter()

    def reply(self, question: str, options: Sequence[str] | None = None) -> Reply:
        """Answer a question.

        One question gets one answer: that whose matching phrase is the longest, and of equals
        the first in the script. The options count as part of the question only if the question
        alone matches nothing.

        Parameters
        ----------
        question : str
            As the agent put it.
        options : sequence of str | None
            Choices that the agent offers; the user is not bound by them.
        """
        found = self._find(question)
        if found is None and options:
            found = self._find(f"{question} {' or '.join(options)}")
        if found is None:
            return Reply(self._otherwise, None)
        return Reply(found["say"], found["about"])

    def decide(self, kind: str, proposal: Mapping[str, Any]) -> Ruling:
        """Rule on a proposal.

        The first proposal of a kind meets the first rule for that kind, the second the second;
        the last rule holds from then on. What the script does not speak of is rejected: nothing
        changes without a scripted consent.

        Parameters
        ----------
        kind : str
            Kind of decision.
        proposal : Mapping
            What the agent proposes.
        """
        rules = [(n, rule) for n, rule in enumerate(self._decisions) if rule["kind"] == kind]
        if not rules:
            return Ruling("rejected", {}, self._otherwise, None)
        number, rule = rules[min(self._ruled[kind], len(rules) - 1)]
        self._ruled[kind] += 1
        say = rule.get("say", "")
        if rule["respond"] == "reject":
            return Ruling("rejected", {}, say, number)
        if rule["respond"] == "edit":
            edited = {**proposal, **rule.get("to", {})}
            if not _same(edited, proposal):
                return Ruling("edited", edited, say, number)
        return Ruling("approved", dict(proposal), say, number)

    def _find(self, question: str) -> Mapping[str, Any] | None:
        best: Mapping[str, Any] | None = None
        longest = 0
        for answer in self._answers:
            for phrase in answer["asked_as"]:
                length = len(content_words(phrase))
                if length > longest and asks(question, phrase):
                    best, longest = answer, length
        return best


def _same(first: Any, second: Any) -> bool:
    """Tell whether two proposals say the same; the order of a list of names says nothing."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(_same(first[k], second[k]) for k in first)
    if isinstance(first, list) and isinstance(second, list):
        if all(isinstance(each, str) for each in (*first, *second)):
            return sorted(first) == sorted(second)
        return len(first) == len(second) and all(map(_same, first, second))
    return bool(first == second)
