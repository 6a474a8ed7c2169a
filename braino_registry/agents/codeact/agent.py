"""The conversation: the model writes code, sees what it prints, and ends with a report."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from braino.agent import AgentAnswer, Execution, RequestRefused, Session
from braino_registry.agents.codeact.actions import Action, read_action
from braino_registry.agents.codeact.audit import Audit, digest
from braino_registry.agents.codeact.controls import Controls
from braino_registry.agents.codeact.prompts import Message, opening, say, words
from braino_registry.agents.llm.client import ContextOverflow
from braino_registry.agents.llm.driven import ModelDriven
from braino_registry.agents.llm.offer import read_arguments
from braino_registry.agents.llm.settings import Settings
from braino_registry.agents.texts import is_sound

MOST_FILES = 200
_NOTHING = "(nothing)"
_BRIEF = 200
_LEFT_OUT = "\n[the rest is left out to save room; print again what is needed]"
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL)


class Reply(Protocol):
    """What a model replied."""

    @property
    def text(self) -> str:
        """The reply."""

    @property
    def finish(self) -> str | None:
        """Why it ended: ``"stop"``, ``"length"``, …."""


class Model(Protocol):
    """A language model."""

    def ask(self, session: Session, messages: list[Message]) -> Reply:
        """Return its reply to a conversation, and report to the session what it took."""
        ...


class CodeAct(ModelDriven):
    """An agent of the paradigm ``code``.

    Parameters
    ----------
    settings : Settings
        Which model, and how it is asked.
    controls : Controls
        What ends a conversation.
    """

    name = "codeact"

    def __init__(self, settings: Settings, controls: Controls) -> None:
        self._controls = controls
        super().__init__(settings, controls=asdict(controls), prompt=words()["version"])

    def work(self, client: Model, request: str, session: Session) -> AgentAnswer:
        """Converse with the model until it reports, or a control ends it."""
        if session.paradigm != "code":
            raise RuntimeError("codeact works by code: run it with --paradigm code")
        return _Conversation(client, self._controls, session).hold(request)


class _Conversation:
    """One conversation, in one session."""

    def __init__(self, client: Model, controls: Controls, session: Session) -> None:
        self._client, self._controls, self._session = client, controls, session
        self._rounds = int(min(controls.rounds, session.limits.get("turns", controls.rounds)))
        self._messages: list[Message] = []
        self._audit = Audit()
        self._idle = 0  # replies without an action
        self._failures: list[tuple[str, str]] = []  # code and error, of one row

    def hold(self, request: str) -> AgentAnswer:
        """Return the answer; an empty one if the model gives no report in the end."""
        self._messages = opening(request, self._session, self._controls, self._rounds)
        ending = None
        for number in range(1, self._rounds + 1):
            ending = self._must_end() or ("rounds" if number == self._rounds else None)
            if ending is not None:
                self._tell(say("final"))
            action = self._next()
            if action.kind == "solution":
                self._audit.note("solution", action.body, "")
                self._audit.end("solution" if ending is None else f"solution after {ending}")
                return self._answer(action.body)
            if ending is not None:
                self._audit.note(action.kind, action.body, "")
                break
            self._tell(say("observation", text=self._do(action)))
        self._audit.end(f"no solution: {ending}")
        return AgentAnswer("")

    def _must_end(self) -> str | None:
        """Return the control, or the limit, that allows nothing but a report any more."""
        if not self._session.limits.get("tool_calls", 1):
            return "tool_calls"  # a question about no data: one execution would end the session
        if self._idle >= self._controls.non_actions:
            return "non_actions"
        if len(self._failures) >= self._controls.repeated_failures:
            return "repeated_failures"
        return None

    def _tell(self, text: str) -> None:
        """Say something as the user; turns in a row become one, as some templates demand."""
        last = self._messages[-1]
        if last["role"] == "user":
            self._messages[-1] = {**last, "content": f"{last['content']}\n\n{text}"}
        else:
            self._messages.append({"role": "user", "content": text})

    def _next(self) -> Action:
        reply = self._reply()
        # An empty turn is refused by many endpoints.
        self._messages.append({"role": "assistant", "content": reply.text or _NOTHING})
        return read_action(reply.text, cut=reply.finish == "length")

    def _reply(self) -> Reply:
        """Ask the model; where the conversation is too long for it, shorten what it has seen.

        Raises
        ------
        ContextOverflow
            If nothing is left to be shortened.
        """
        while True:
            try:
                return self._client.ask(self._session, self._messages)
            except ContextOverflow:
                if not self._shorten():
                    raise

    def _shorten(self) -> bool:
        """Shorten the oldest long message but the last; tell whether there was one.

        What was observed goes before what the model has said itself.
        """
        for role in ("user", "assistant"):
            for number, message in enumerate(self._messages[2:-1], start=2):
                text = message["content"]
                if message["role"] == role and len(text) > _BRIEF + len(_LEFT_OUT):
                    self._messages[number] = {**message, "content": f"{text[:_BRIEF]}{_LEFT_OUT}"}
                    return True
        return False

    def _do(self, action: Action) -> str:
        """Carry out an action and return what the model is shown of it."""
        if action.kind == "execute":
            return self._execute(action)
        dialogue = {"ask": self._ask, "decide": self._decide} if self._controls.dialogue else {}
        if action.kind in dialogue:
            observed = dialogue[action.kind](action)
        else:
            self._idle += 1
            observed = say("no_action")
        self._audit.note(action.kind, action.body, observed)
        return observed

    def _execute(self, action: Action) -> str:
        try:
            done = self._session.execute(action.body)
        except RequestRefused as refused:
            done = Execution(False, "", str(refused))
        observed = _shortened(_observed(done), self._controls.observation_chars)
        self._audit.note("execute", action.body, observed, ok=done.ok)
        self._count(action.body, done)
        return observed

    def _count(self, code: str, done: Execution) -> None:
        """Keep the row of failures that are alike."""
        if done.ok:
            self._failures = []
            return
        error = (done.error or "").strip().rpartition("\n")[2]
        now = (digest(code), error)
        if self._failures and not set(now) & set(self._failures[-1]):
            self._failures = []
        self._failures.append(now)

    def _ask(self, action: Action) -> str:
        try:
            return f"The researcher says: {self._session.ask(action.body)}"
        except RequestRefused as refused:
            return f"That could not be asked: {refused}"

    def _decide(self, action: Action) -> str:
        try:
            proposal = read_arguments(action.body)
        except ValueError as error:
            return f"The contents {error}. Write one JSON object in the block."
        try:
            ruling = self._session.decide(action.about, proposal, action.why)
        except RequestRefused as refused:
            return f"That could not be decided: {refused}"
        told = {"status": ruling.status, "applied": ruling.applied}
        told |= {"say": ruling.say} if ruling.say else {}
        told |= {"error": ruling.error} if ruling.error else {}
        return f"The decision: {json.dumps(told, ensure_ascii=False)}"

    def _answer(self, report: str) -> AgentAnswer:
        fields = self._session.fields
        return AgentAnswer(
            report,
            None if fields is None else data_of(report, fields),
            files_of(self._session.workspace, report),
        )


def _observed(done: Execution) -> str:
    """Return output and error as one text, as at a prompt."""
    parts = [part for part in (done.output.rstrip("\n"), done.error or "") if part]
    return "\n".join(parts) if parts else say("silent")


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = max(1, most // 2)
    return f"{text[:half]}\n[… the middle is left out …]\n{text[-half:]}"


def data_of(report: str, fields: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the values of known fields that a report gives as JSON; None if it gives none.

    Parameters
    ----------
    report : str
        The solution.
    fields : mapping
        The answer's fields by name.
    """
    for text in [*reversed(_FENCED.findall(report)), report]:
        try:
            found = read_arguments(text)
        except ValueError:
            continue
        if known := {name: found[name] for name in found if name in fields}:
            return known
    return None


def files_of(workspace: Path, report: str) -> list[str]:
    """Return the files of the workspace, those that the report names first.

    Parameters
    ----------
    workspace : Path
        Where code has written.
    report : str
        The solution.
    """
    found = []
    for folder, inner, names in os.walk(workspace):
        inner[:] = sorted(
            name for name in inner if not name.startswith((".", "__pycache__")) and is_sound(name)
        )
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink() and is_sound(name):
                found.append(path.relative_to(workspace).as_posix())
        if len(found) > 10 * MOST_FILES:
            break
    found.sort(key=lambda name: (name not in report, Path(name).name not in report, name))
    return found[:MOST_FILES]
