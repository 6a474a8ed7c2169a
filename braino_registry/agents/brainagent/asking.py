"""What supervisor and specialists have in common: one model, one session, one state."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from typing import Any

from braino.agent import Session
from braino_registry.agents.brainagent.state import SharedState
from braino_registry.agents.llm import prompts
from braino_registry.agents.llm.client import Client, ContextOverflow, Reply, ToolUse
from braino_registry.agents.llm.conversation import FIRST_RATIO
from braino_registry.agents.llm.offer import Offer, Offered, Outcome
from braino_registry.agents.llm.pages import Pages
from braino_registry.agents.llm.protocols import STYLES
from braino_registry.agents.llm.solving import MOST_EMPTY, GaveUp, turns_allowed

#: Share of the window for the results of one segment.
_RESULTS = 0.25
_LEAST_SHOWN = 1_000
_LEAST_STATE = 400


class Desk:
    """A trial as all agents of it see it.

    Parameters
    ----------
    client : Client
        The model.
    session : Session
        The session.
    asked : str
        The request.
    """

    def __init__(self, client: Client, session: Session, asked: str) -> None:
        settings = client.settings
        self.request = prompts.request(asked, session.fields)
        self.prompts: Mapping[str, Any] = prompts.load(__package__)
        self._client, self._session = client, session
        self.style = STYLES[settings.protocol]
        room = int(settings.window * _RESULTS / FIRST_RATIO)
        self._pages = Pages(max(200, min(settings.result_chars, room)))
        self.offer = Offer(session, self._pages)
        self.state = SharedState()
        self.turns = turns_allowed(session, settings.max_turns)
        self._ratio = FIRST_RATIO
        self._empty = 0

    def ask(
        self, system: str, parts: Sequence[tuple[str, str]], offered: Sequence[Offered]
    ) -> tuple[Reply, tuple[ToolUse, ...]]:
        """Ask the model once, with the state as large as the window allows.

        Parameters
        ----------
        system : str
            Who it is.
        parts : sequence of (title, text)
            What it is told; the part with the state's title gets the state.
        offered : sequence of Offered
            What it can call.

        Raises
        ------
        ContextOverflow
            If it does not fit into the model's window.
        GaveUp
            If there are no replies left, or too many were empty.
        """
        last = self.turns.pop_is_last()
        if last:
            parts = [*parts, ("", self.prompts["last_reply"])]
        tools = self.style.tools(offered)
        beside = len(system) + (len(json.dumps(tools)) if tools else 0)
        told = self._filled(parts, beside)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": told}]
        reply = self._client.ask(self._session, messages, tools)
        if reply.usage.input_tokens:
            self._ratio = min(max(reply.usage.input_tokens / (beside + len(told)), 0.15), 1.2)
        calls = self.style.calls(
            reply, {**self.offer.wires, **{each.name: each.name for each in offered}}
        )
        self._empty = 0 if calls or reply.text.strip() else self._empty + 1
        if self._empty >= MOST_EMPTY:
            raise GaveUp(f"the model gave {self._empty} empty replies in a row")
        return reply, calls

    def carry_out(self, call: ToolUse, *, allowed: Set[str], share: int) -> tuple[str, bool]:
        """Carry out a call, register what came of it, and return what is shown of that.

        Parameters
        ----------
        call : ToolUse
            The call.
        allowed : set of str
            What its maker may call.
        share : int
            Among how many calls the room for results is divided.
        """
        name = self.offer.name_of(call.name)
        if not call.name:
            outcome = Outcome(json.dumps({"error": prompts.load()["nameless"]}), False)
        elif name in self.offer.wires.values() and name not in allowed:
            problem = f"{name} is none of your tools; report what is missing to the supervisor"
            outcome = Outcome(json.dumps({"error": problem}), False)
        else:
            outcome = self.offer.carry_out(call.name, call.arguments)
        page = self._pages.put(outcome.text)
        if name != "read_page":
            self.state.register(name[:80], call.arguments, outcome.text, page, ok=outcome.ok)
        size = max(_LEAST_SHOWN, self._pages.size // max(1, share))
        return self._pages.shown(page, outcome.text, size), outcome.ok

    def with_tools(self, system: str, offered: Sequence[Offered]) -> str:
        """Return a system prompt with how to call, and what where the protocol has to say it."""
        parts = [system, self.prompts[self.style.name]]
        if listed := self.style.described(offered):
            parts += [self.prompts["text_tools"], listed]
        return "\n\n".join(parts)

    def _filled(self, parts: Sequence[tuple[str, str]], beside: int) -> str:
        """Return what the model is told, the state made as large as there is room for it."""
        settings = self._client.settings
        tokens = settings.window - min(settings.max_tokens, settings.window // 2)
        fixed = sum(len(title) + len(text) + 4 for title, text in parts)
        room = int(tokens / self._ratio) - beside - fixed
        if room < _LEAST_STATE:
            raise ContextOverflow(
                f"the model's window of {settings.window} tokens has no room for the tools and the "
                "request; give a larger --agent-option context_tokens, or a smaller result_chars"
            )
        state = self.state.view(room)
        if len(state) > room:
            raise ContextOverflow(
                f"the state needs {len(state)} characters, and the model's window leaves {room}"
            )
        title = self.prompts["state"]
        filled = [(name, state if name == title else text) for name, text in parts]
        return "\n\n".join("\n".join(part for part in pair if part) for pair in filled)
