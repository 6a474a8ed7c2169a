"""How a session may end, and the limits that end it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Outcome = Literal["finished", "limit", "agent_error"]


@dataclass(frozen=True)
class Limits:
    """What an agent may use before its trial ends.

    Parameters
    ----------
    tool_calls, questions, decisions : int
        How many requests of each sort; those that fail or are refused count too.
        An execution of code counts as a tool call.
    output_bytes : int
        How many bytes the agent may send in all.
    message_bytes : int
        The longest line that the agent may send.
    tokens : int | None
        Input and output tokens that the agent may report, None for no limit.
    cost : float | None
        Cost that the agent may report, in the unit of its reports, None for no limit.
    repairs : int
        How often a review tells what keeps an answer from being read; more reviews tell nothing.
    turns : int | None
        Replies of the agent's model that the agent may report (``turns=1`` each), which only it
        can count; None for no limit.
    """

    tool_calls: int = 200
    questions: int = 20
    decisions: int = 100
    output_bytes: int = 64 << 20
    message_bytes: int = 8 << 20
    tokens: int | None = None
    cost: float | None = None
    repairs: int = 3
    turns: int | None = None


class LimitReached(Exception):
    """A limit of the trial was reached; the trial ends as a scored outcome.

    Parameters
    ----------
    limit : str
        Name of the limit: a field of :class:`Limits`, or ``"seconds"``.
    message : str
        What happened, in words.
    """

    def __init__(self, limit: str, message: str) -> None:
        super().__init__(f"{limit}: {message}")
        self.limit = limit
        self.message = message


class AgentFault(Exception):
    """The agent died, lied about the protocol or reported its own failure: scored 0."""


@dataclass(frozen=True)
class Answer:
    """What the agent answered.

    Parameters
    ----------
    text : str
        The answer in words.
    data : Mapping | None
        The answer by field name, as the agent gave it.
    artifacts : tuple of str
        Files of the workspace, as paths relative to it; each exists and is a regular file.
    """

    text: str
    data: Mapping[str, Any] | None = None
    artifacts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ending:
    """How a session ended.

    Parameters
    ----------
    outcome : {"finished", "limit", "agent_error"}
        ``"finished"``: an answer was given.
    reason : str
        Empty if finished; else which limit, or what the agent did.
    answer : Answer | None
        The answer, if finished.
    """

    outcome: Outcome
    reason: str
    answer: Answer | None = None
