"""A person at work on a task."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from braino.agent import AgentAnswer, LimitReached, RequestRefused, Session
from braino_registry.agents.human.commands import Mistyped, read_arguments
from braino_registry.agents.human.terminal import Terminal
from braino_registry.errors import UsageError, close_matches

HELP = """\
  tools [WORD]            list the tools (whose name or description has the word)
  show NAME               what a tool or a decision takes, and what it does
  TOOL name=value …       call a tool; or TOOL {"name": value}
  ask QUESTION            ask the researcher
  decisions               list what the researcher can be asked to decide
  decide KIND name=value … [why: REASON]
                          ask for a decision; nothing else changes the data
  fields                  what the answer should hold, if the suite tells
  data name=value …       values of the answer by field, checked for their form
  attach FILE             a file of the workspace that belongs to the answer
  answer TEXT             give the answer, which ends the task
  more                    the rest of what was too long
  quit                    give up: an empty answer"""


class Desk:
    """A person's conversation with a session.

    Parameters
    ----------
    terminal : Terminal
        Where the person is.
    session : Session
        What they work with.
    """

    def __init__(self, terminal: Terminal, session: Session) -> None:
        self._terminal, self._session = terminal, session
        self._data: dict[str, Any] = {}
        self._files: list[str] = []
        self._does: dict[str, Callable[[str], None]] = {
            "help": lambda rest: terminal.say(HELP),
            "tools": self._tools,
            "show": self._show,
            "ask": self._ask,
            "decisions": self._decisions,
            "decide": self._decide,
            "fields": self._fields,
            "data": self._set,
            "attach": self._attach,
            "more": lambda rest: terminal.more(),
        }

    def work(self, request: str) -> AgentAnswer:
        """Do what is typed until there is an answer."""
        session = self._session
        self._terminal.say(
            f"\n{request}\n\nData: {session.inputs}\nWorkspace: {session.workspace}\n"
            f"{len(session.tools())} tools; type `help`."
        )
        while True:
            typed = self._terminal.line()
            if typed is None or typed.strip() == "quit":
                return AgentAnswer("")
            word, _, rest = typed.strip().partition(" ")
            if word == "answer" and rest.strip():
                return AgentAnswer(rest.strip(), self._data or None, tuple(self._files))
            try:
                self._do(word, rest.strip())
            except (Mistyped, RequestRefused) as error:
                self._terminal.say(str(error))

    def _do(self, word: str, rest: str) -> None:
        if not word:
            return
        tools = {tool.name: tool.arguments for tool in self._session.tools()}
        if word == "answer":
            raise Mistyped("Type the answer behind the word: answer TEXT")
        if word in self._does:
            self._does[word](rest)
        elif word in tools:
            outcome = self._session.call(word, read_arguments(rest, tools[word]))
            self._terminal.say(_json(outcome.result) if outcome.ok else str(outcome.error))
        else:
            near = close_matches(word, sorted({*tools, *self._does, "answer", "quit"}))
            raise Mistyped(f"There is no {word!r}. {near} Or type `help`.")

    def _tools(self, word: str) -> None:
        chosen = [
            f"  {tool.name:30} {tool.description.splitlines()[0]}"
            for tool in self._session.tools()
            if word.casefold() in f"{tool.name} {tool.description}".casefold()
        ]
        self._terminal.say("\n".join(chosen) or f"No tool speaks of {word!r}.")

    def _show(self, name: str) -> None:
        tools = {tool.name: tool for tool in self._session.tools()}
        kinds = {each.kind: each for each in self._session.decisions()}
        if name in tools:
            self._terminal.say(f"{tools[name].description}\n{_takes(tools[name].arguments)}")
        elif name in kinds:
            self._terminal.say(f"{kinds[name].description}\n{_takes(kinds[name].proposal)}")
        else:
            raise Mistyped(f"There is no {name!r}. {close_matches(name, [*tools, *kinds])}")

    def _ask(self, question: str) -> None:
        if not question:
            raise Mistyped("Type the question behind the word: ask QUESTION")
        self._terminal.say(self._session.ask(question))

    def _decisions(self, rest: str) -> None:
        kinds = self._session.decisions()
        self._terminal.say("\n".join(f"  {each.kind:22} {each.description}" for each in kinds))

    def _decide(self, rest: str) -> None:
        kind, _, rest = rest.partition(" ")
        given, _, why = rest.partition("why:")
        known = {each.kind: each.proposal for each in self._session.decisions()}
        proposal = read_arguments(given, known.get(kind))
        decision = self._session.decide(kind, proposal, why.strip())
        if decision.error is not None:
            raise Mistyped(decision.error)
        said = f" “{decision.say}”" if decision.say else ""
        self._terminal.say(f"{decision.status}{said}\napplied: {_json(decision.applied)}")

    def _fields(self, rest: str) -> None:
        fields = self._session.fields
        self._terminal.say("The suite does not tell them." if fields is None else _json(fields))

    def _set(self, rest: str) -> None:
        new = {**self._data, **read_arguments(rest)}
        problems = self._session.review(new) if new else []
        self._data = new
        self._terminal.say("\n".join([_json(new), *problems]))

    def _attach(self, name: str) -> None:
        if not name or not os.path.isfile(os.path.join(self._session.workspace, name)):
            raise Mistyped(f"There is no file {name!r} in {self._session.workspace}.")
        self._files.append(name)
        self._terminal.say(", ".join(self._files))


class Human:
    """A person at a terminal.

    Parameters
    ----------
    terminal : str
        Its path.
    name : str
        What reports call the person.
    """

    model = None

    def __init__(self, terminal: str, name: str = "human") -> None:
        self._path, self.name = terminal, name

    def preflight(self) -> None:
        """Look for the terminal before the first trial."""
        with Terminal(self._path):
            return

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Let the person work.

        Raises
        ------
        SessionEnded
            If the session has ended; the person is told.
        """
        with Terminal(self._path) as terminal:
            try:
                return Desk(terminal, session).work(request)
            except LimitReached as error:
                terminal.say(f"The task is over: {error}")
                raise


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False)


def _takes(schema: dict[str, Any]) -> str:
    """Return one line for each property of a schema."""
    needed = set(schema.get("required", ()))
    return "\n".join(
        f"  {name if name in needed else f'[{name}]':20} {_kind(sub)}  {sub.get('description', '')}"
        for name, sub in schema.get("properties", {}).items()
    )


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return "|".join(str(each) for each in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_kind(each) for each in schema["anyOf"])
    kinds = schema.get("type", "any")
    if kinds == "array" and "items" in schema:
        return f"list of {_kind(schema['items'])}"
    return kinds if isinstance(kinds, str) else " or ".join(kinds)


def prepare(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the options of a person at the terminal from which this process was started.

    Parameters
    ----------
    text : str
        What reports are to call them; may be empty.

    Raises
    ------
    UsageError
        If standard input is no terminal.
    """
    try:
        terminal = os.ttyname(sys.stdin.fileno())
    except (OSError, ValueError):
        raise UsageError(
            "there is no terminal at which a person could work",
            where="--agent human",
            hint="Start braino in a terminal, without redirecting its input.",
        ) from None
    return ({"terminal": terminal, "name": text} if text else {"terminal": terminal}), ()


def make(terminal: str, name: str = "human") -> Human:
    """Return a person at a terminal; parameters as for `Human`."""
    return Human(terminal, name)
