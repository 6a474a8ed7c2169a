"""Asking a model over an OpenAI-compatible server: one reply for one list of messages.

Requests whose transport failed (no connection, time-out, 408, 409, 429, 5xx, a reply that broke
off) are sent again, nothing else is. The key comes from the environment and goes nowhere but into
the header of a request: whatever a server sends back is searched for it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from braino.agent import AgentUnusable, Session
from braino_registry.agents.llm import readiness
from braino_registry.agents.llm.receiving import BrokenOff, Received, bound, receive
from braino_registry.agents.llm.settings import Settings
from braino_registry.agents.llm.veil import Veil

Message = Mapping[str, Any]
#: Words by which servers say that a prompt does not fit.
_TOO_LONG = ("context length", "context_length", "context size", "context window", "too long",
             "too many tokens", "maximum context", "exceeds the available context")  # fmt: skip


class ModelFailure(Exception):
    """The model's server refuses, fails for good, or answers with what cannot be read.

    Parameters
    ----------
    message : str
        What happened.
    lost : int
        How many replies may have to be paid though they never came whole.
    """

    def __init__(self, message: str, lost: int = 0) -> None:
        super().__init__(message)
        self.lost = lost


class ContextOverflow(ModelFailure):
    """The prompt is longer than the model's window."""


@dataclass(frozen=True)
class ToolUse:
    """A tool that a reply calls.

    Parameters
    ----------
    id : str
        The call's name in the conversation.
    name : str
        The tool, as the model wrote it.
    arguments : str
        JSON, as the model wrote it; perhaps none.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Usage:
    """What one reply took; None where the server does not say.

    Parameters
    ----------
    input_tokens, output_tokens : int | None
        Read, those from a cache included, and written, those of reasoning included.
    cached_tokens, reasoning_tokens : int | None
        Parts of these.
    cost : float | None
        US dollars: what the server says, or by the model's price.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True)
class Reply:
    """What a model answered.

    Parameters
    ----------
    text : str
        Its words.
    calls : tuple of ToolUse
        The tools it calls, in order.
    finish : str | None
        Why it ended, in the server's words: ``"stop"``, ``"tool_calls"``, ``"length"``.
    usage : Usage
        What it took.
    retries : int
        How many requests failed before it without any reply.
    lost : int
        How many replies broke off, or never came in time, before it; what they took is unknown.
    """

    text: str
    calls: tuple[ToolUse, ...]
    finish: str | None
    usage: Usage
    retries: int = 0
    lost: int = 0


class Client:
    """One model on one server.

    Parameters
    ----------
    settings : Settings
        Which, and how it is asked.

    Raises
    ------
    AgentUnusable
        If the package ``openai`` is missing, or the server needs a key that is not there.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        key = os.environ.get(settings.key_env) or None
        readiness.check_key(settings, key)
        self.veil = Veil(key)
        self._openai = readiness.package()
        self._client = self._openai.OpenAI(
            base_url=settings.base_url,
            api_key=key or "none",
            timeout=settings.timeout,
            max_retries=settings.retries,
            # A server that sends on to another one is not followed: the conversation is not its.
            http_client=self._openai.DefaultHttpxClient(
                follow_redirects=False, event_hooks={"response": [bound]}
            ),
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def preflight(self) -> None:
        """Make sure that the server answers, takes the key and has the model.

        Raises
        ------
        AgentUnusable
            If not, of the kind ``"unready"``.
        """
        readiness.check_server(self._client, self._openai, self.settings, self.veil)

    def ask(
        self,
        session: Session,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> Reply:
        """Return the model's reply, and report what it took, or what may have been lost.

        Parameters and errors are those of `complete` and `account`.
        """
        try:
            reply = self.complete(messages, tools, seed=session.seed)
        except ModelFailure as failure:
            _report_lost(session, failure.lost)
            raise
        self.account(session, reply)
        return reply

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]] | None = None,
        *,
        seed: int = 0,
    ) -> Reply:
        """Return the model's reply.

        Parameters
        ----------
        messages : sequence of mapping
            The conversation, in the form of the chat completions API.
        tools : sequence of mapping | None
            The tools on offer, in that form.
        seed : int
            That of the trial.

        Raises
        ------
        ContextOverflow
            If the server says that the messages are too long.
        ModelFailure
            If it refuses them, or the transport fails too often.
        """
        body = self.settings.body(seed)
        # As an extra body it is sent as it is; the client would walk through all of it once more.
        body["extra_body"] = {**body.get("extra_body", {}), "messages": list(messages)}
        if tools:
            body["extra_body"]["tools"] = list(tools)
        if self.settings.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        lost = 0
        while True:
            try:
                received = self._request(body)
            except BrokenOff as broken:
                lost += 1
                self._tell(f"a reply broke off ({self.veil.short(broken)})")
                if lost > self.settings.retries:
                    raise ModelFailure(
                        f"{lost} replies of the model broke off: {self.veil.short(broken)}", lost
                    ) from None
                continue
            except ModelFailure as failure:
                failure.lost += lost
                raise
            return self._reply(received, lost + received.overdue)

    def account(self, session: Session, reply: Reply) -> None:
        """Report what a reply took.

        Raises
        ------
        LimitReached
            If that is more than the trial may use.
        """
        _report_lost(session, reply.lost)
        used = reply.usage
        parts = {"cached_tokens": used.cached_tokens, "reasoning_tokens": used.reasoning_tokens}
        session.report_usage(
            turns=1,
            input_tokens=used.input_tokens,
            output_tokens=used.output_tokens,
            cost=used.cost,
            **{name: count for name, count in parts.items() if count is not None},
            **({"retries": reply.retries} if reply.retries else {}),
        )

    def _request(self, body: Mapping[str, Any]) -> Received:
        """Send one request and receive its reply.

        Raises
        ------
        BrokenOff
            If the reply began and did not end.
        ModelFailure
            If there is no reply.
        """
        errors = self._openai
        ask = self._client.chat.completions.with_streaming_response.create
        began = time.monotonic()
        try:
            with ask(messages=[], **body) as raw:
                if raw.retries_taken:
                    self._tell(f"the reply came at attempt {raw.retries_taken + 1}")
                # Of attempts that failed before it, one that waited for the whole time may be
                # charged.
                late = time.monotonic() - began >= self.settings.timeout
                received = receive(raw, self.settings.stream)
                received.overdue = int(raw.retries_taken > 0 and late)
                return received
        except errors.APIStatusError as error:
            raise self._refused(error) from None
        except errors.APIConnectionError as error:
            why = self.veil.short(error.__cause__ or error)
            late = isinstance(error, errors.APITimeoutError)
            raise ModelFailure(
                f"the model's server cannot be reached at {self.settings.base_url} "
                f"({self.settings.retries + 1} attempts): {why}",
                self.settings.retries + 1 if late else 0,
            ) from None
        except errors.OpenAIError as error:
            raise ModelFailure(f"the model cannot be asked: {self.veil.short(error)}") from None

    def _refused(self, error: Any) -> ModelFailure:
        """Return the failure that a status other than success is."""
        said = self.veil.short(error)
        if error.status_code in (400, 413) and any(each in said.lower() for each in _TOO_LONG):
            return ContextOverflow(f"the model's server says: {said}")
        if place := self.veil.short(error.response.headers.get("location", "")):
            return ModelFailure(f"the model's server sends on to {place}, which is not followed")
        return ModelFailure(f"the model's server refuses: {said}")

    def _reply(self, received: Received, lost: int) -> Reply:
        used = received.usage
        read, written, cached, reasoning = (
            None if (count := used.get(name)) is None else int(count)
            for name in ("read", "written", "cached", "reasoning")
        )
        price = self.settings.price
        cost = used.get("cost")
        if cost is None and price is not None:
            cost = price.of(read, written, cached)
        return Reply(
            self.veil.over(received.text),
            tuple(
                ToolUse(*map(self.veil.over, (call.id, call.name, call.arguments)))
                for call in received.calls
            ),
            received.finish and self.veil.short(received.finish, 80),
            Usage(read, written, cached, reasoning, cost),
            received.retries,
            lost,
        )

    def _tell(self, what: str) -> None:
        """Write a line into the agent's log."""
        sys.stderr.write(f"{self.settings.model}: {what}\n")


def _report_lost(session: Session, count: int) -> None:
    """Report replies that may have to be paid, of which nothing is known."""
    if count:
        session.report_usage(lost_replies=count, input_tokens=None, output_tokens=None, cost=None)


__all__ = [
    "AgentUnusable", "Client", "ContextOverflow", "ModelFailure", "Reply", "ToolUse", "Usage",
]  # fmt: skip
