"""One trial of a model that calls tools: reply, calls, results, until there is an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from braino.agent import AgentAnswer, Session
from braino_registry.agents.llm import prompts
from braino_registry.agents.llm.client import Client, ContextOverflow, ModelFailure, Reply, ToolUse
from braino_registry.agents.llm.conversation import FIRST_RATIO, Conversation, Turn
from braino_registry.agents.llm.offer import Offer, Offered
from braino_registry.agents.llm.pages import Pages
from braino_registry.agents.llm.protocols import STYLES

DESCRIBE = "describe_tool"
#: Replies without a call and without a word in a row, after which the model is given up.
MOST_EMPTY = 3
#: Calls of one reply that are carried out.
MOST_CALLS = 64
#: Share of the window that the list of tools may take in the text protocol.
_LISTED = 1 / 3
_LEAST_SHOWN = 1_000
#: Characters of a window's tokens that one turn's results may take.
_RESULTS = 0.25


class GaveUp(Exception):
    """The model gave no answer in the replies that it had."""


class Solver:
    """One trial.

    Parameters
    ----------
    client : Client
        The model.
    session : Session
        The trial's session.
    asked : str
        The request.
    """

    def __init__(self, client: Client, session: Session, asked: str) -> None:
        settings = client.settings
        self._client, self._session = client, session
        self._style = STYLES[settings.protocol]
        room = int(settings.window * _RESULTS / FIRST_RATIO)
        self._pages = Pages(max(200, min(settings.result_chars, room)))
        self._offer = Offer(session, self._pages)
        self._turns_left = turns_allowed(session, settings.max_turns)
        offered = self._offer.all
        self._tools = self._style.tools(offered)
        listed = len(self._style.described(offered))
        self._brief = listed * FIRST_RATIO > settings.window * _LISTED
        self._conversation = Conversation(
            prompts.system(self._style, self._listed(offered), brief=self._brief),
            prompts.request(asked, session.fields),
            self._style.render,
            window=settings.window,
            reply=settings.max_tokens,
            beside=len(json.dumps(self._tools)) if self._tools else 0,
        )
        self._empty = self._wordy = 0

    def solve(self) -> AgentAnswer:
        """Work until there is an answer.

        Raises
        ------
        GaveUp
            If the model gives none.
        ModelFailure
            If it cannot be asked any more.
        LimitReached
            If the trial has ended for a limit.
        """
        while True:
            if self._turns_left.pop_is_last():
                self._say(prompts.load()["last"])
            answer = self._step()
            if answer is not None:
                return answer

    def _listed(self, offered: Sequence[Offered]) -> list[Offered]:
        return [*offered, _DESCRIBE] if self._brief else list(offered)

    def _step(self) -> AgentAnswer | None:
        reply = self._reply()
        self._conversation.learn(reply.usage.input_tokens)
        calls = self._style.calls(reply, self._offer.wires)
        turn = Turn(reply.text, calls[:MOST_CALLS])
        self._conversation.add(turn)
        if not calls:
            return self._without_call(reply, turn)
        self._empty = self._wordy = 0
        answer = self._carry_out(turn, reply)
        if left := len(calls) - len(turn.calls):
            turn.note = f"{turn.note}\n{prompts.load()['many'].format(left=left)}".strip()
        return answer

    def _reply(self) -> Reply:
        """Ask the model; if the server finds the prompt too long, once more with a shorter one."""
        conversation, client = self._conversation, self._client
        try:
            return client.ask(self._session, conversation.messages(), self._tools)
        except ContextOverflow:
            if not conversation.turns:
                raise
            conversation.shrink()
        return client.ask(self._session, conversation.messages(), self._tools)

    def _carry_out(self, turn: Turn, reply: Reply) -> AgentAnswer | None:
        size = max(_LEAST_SHOWN, self._pages.size // len(turn.calls))
        for call in turn.calls:
            text, answer = self._done(call)
            if answer is not None:
                return answer
            name = self._pages.put(text)
            turn.names.append(name)
            turn.results.append(self._pages.shown(name, text, size))
        if reply.finish == "length":
            turn.note = self._cut()
        return None

    def _done(self, call: ToolUse) -> tuple[str, AgentAnswer | None]:
        if not call.name:
            return json.dumps({"error": prompts.load()["nameless"]}), None
        if self._brief and call.name == DESCRIBE:
            return self._described(call.arguments), None
        outcome = self._offer.carry_out(call.name, call.arguments)
        return outcome.text, outcome.answer

    def _described(self, arguments: str) -> str:
        """Return what the text protocol leaves out of its list for one tool."""
        try:
            asked = json.loads(arguments or "{}")
            wanted = self._offer.name_of(str(asked["tool"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            wanted = ""
        found = [each for each in self._offer.all if each.name == wanted]
        if not found:
            return json.dumps({"error": 'Pass {"tool": "NAME"} with a name of the list.'})
        return self._style.described(found)

    def _without_call(self, reply: Reply, turn: Turn) -> AgentAnswer | None:
        """Return the answer if the model has said the like twice, else remind it of the tools.

        Raises
        ------
        GaveUp
            If it has said nothing too often.
        """
        if not reply.text.strip():
            self._empty += 1
            if self._empty >= MOST_EMPTY:
                raise GaveUp(f"the model gave {self._empty} empty replies in a row")
            turn.note = prompts.load()["empty"]
            return None
        self._wordy += 1
        if reply.finish == "length":
            turn.note = self._cut()
        elif self._wordy >= 2 or self._turns_left.none:
            return AgentAnswer(reply.text)
        else:
            turn.note = prompts.load()["no_call"]
        return None

    def _cut(self) -> str:
        text: str = prompts.load()["cut"]
        return text.format(max_tokens=self._client.settings.max_tokens)

    def _say(self, text: str) -> None:
        """Add something to what the model is told next."""
        if self._conversation.turns:
            last = self._conversation.turns[-1]
            last.note = f"{last.note}\n{text}".strip()


class Turns:
    """The replies that a trial has left.

    Parameters
    ----------
    session : Session
        It is told of the reply that is one too many, where the limit is its own.
    most : int
        How many there are.
    own : bool
        Whether the limit is the agent's own, not the session's.
    """

    def __init__(self, session: Session, most: int, own: bool) -> None:
        self._session, self._most, self._own = session, most, own
        self._left = most

    @property
    def left(self) -> int:
        """How many there are left."""
        return self._left

    @property
    def none(self) -> bool:
        """Whether the last one has been taken."""
        return self._left <= 0

    def pop_is_last(self) -> bool:
        """Take one, and tell whether it is the last of several.

        Raises
        ------
        LimitReached
            If there is none left and the limit is the session's, which then ends the trial.
        GaveUp
            If there is none left otherwise.
        """
        if self.none:
            if not self._own:
                self._session.report_usage(turns=1)  # one too many: the session ends the trial
            raise GaveUp(f"the model gave no answer in {self._most} replies")
        self._left -= 1
        return self._left == 0 and self._most > 1


def turns_allowed(session: Session, own: int) -> Turns:
    """Return the replies that a trial has.

    Parameters
    ----------
    session : Session
        Its limit ``turns`` holds where there is one.
    own : int
        The agent's own limit.
    """
    limits: Mapping[str, float] = session.limits
    theirs = limits.get("turns")
    if theirs is None or theirs > own:
        return Turns(session, own, own=True)
    return Turns(session, int(theirs), own=False)


_DESCRIBE = Offered(
    DESCRIBE,
    "Show the JSON Schema of a tool's arguments.",
    {"type": "object", "required": ["tool"], "properties": {"tool": {"type": "string"}}},
)

__all__ = ["GaveUp", "ModelFailure", "Solver", "Turns", "turns_allowed"]
