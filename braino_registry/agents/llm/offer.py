"""What a model can do in a session: tools, the user, decisions, the answer, pages of results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from braino.agent import AgentAnswer, RequestRefused, Session
from braino_registry.agents import wire
from braino_registry.agents.llm.answering import answer_schema
from braino_registry.agents.llm.pages import Pages

ASK, ANSWER, PAGE, DECIDE = "ask_user", "submit_answer", "read_page", "decide"


@dataclass(frozen=True)
class Offered:
    """Something that can be called.

    Parameters
    ----------
    name : str
        Its name here, perhaps with a dot.
    description : str
        What it does.
    arguments : dict
        JSON Schema.
    """

    name: str
    description: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What came of a call.

    Parameters
    ----------
    text : str
        For the model: JSON, whole.
    ok : bool
        Whether it was done.
    answer : AgentAnswer | None
        The answer, if the call has given it.
    """

    text: str
    ok: bool
    answer: AgentAnswer | None = None


class Offer:
    """What is on offer in a session, and the carrying out of calls.

    Parameters
    ----------
    session : Session
        Where calls are carried out.
    pages : Pages
        Where results are kept.

    Raises
    ------
    ValueError
        If a tool has a name that cannot be offered, or that of something else on offer.
    """

    def __init__(self, session: Session, pages: Pages) -> None:
        self._session, self._pages = session, pages
        self._reviews = int(session.limits.get("repairs", 0)) if session.fields else 0
        self.tools = [Offered(t.name, t.description, t.arguments) for t in session.tools()]
        self.others = _others(session)
        self._kinds = {f"{DECIDE}.{kind.kind}": kind.kind for kind in session.decisions()}
        self.wires: dict[str, str] = {}
        for each in self.all:
            wired = wire.to_wire(each.name)
            if wired in self.wires:
                raise ValueError(f"two tools are called {wired!r}")
            self.wires[wired] = each.name

    @property
    def all(self) -> list[Offered]:
        """Everything that can be called, the session's tools first."""
        return [*self.tools, *self.others]

    def name_of(self, called: str) -> str:
        """Return what a model means by a name; its own spelling if that is nothing on offer."""
        return self.wires.get(called.strip(), called.strip())

    def carry_out(self, called: str, arguments: str | Mapping[str, Any]) -> Outcome:
        """Carry out a call.

        Parameters
        ----------
        called : str
            The name as the model wrote it; with dots or as on the wire.
        arguments : str | mapping
            JSON as the model wrote it, or read already.

        Raises
        ------
        LimitReached, SessionEnded
            If the session is over.
        """
        name = self.name_of(called)
        try:
            args = read_arguments(arguments)
        except ValueError as error:
            return _refusal(f"the arguments of {name[:80]} {error}", "Pass one JSON object.")
        try:
            if name == ASK:
                return self._ask(args)
            if name == ANSWER:
                return self._answer(args)
            if name == PAGE:
                return self._page(args)
            if name in self._kinds:
                return self._decide(self._kinds[name], args)
            return self._call(name, args)
        except RequestRefused as error:
            return _refusal(str(error), "")

    def _call(self, name: str, args: dict[str, Any]) -> Outcome:
        if not name or len(name) > 200:
            return _refusal("there is no such tool", "Call one of those on offer.")
        done = self._session.call(name, args)
        if done.ok:
            return Outcome(_json(done.result), True)
        return _refusal(done.error or "the call failed", "")

    def _ask(self, args: Mapping[str, Any]) -> Outcome:
        question, options = args.get("question"), args.get("options")
        if not isinstance(question, str) or not question.strip():
            return _refusal("a question is missing", 'Pass {"question": "…"}.')
        if options is not None and not _texts(options):
            return _refusal("the options are no list of texts", "Leave them out, or list texts.")
        return Outcome(_json({"reply": self._session.ask(question, options)}), True)

    def _decide(self, kind: str, args: Mapping[str, Any]) -> Outcome:
        proposal = args.get("proposal")
        if not isinstance(proposal, dict):
            return _refusal("the proposal is missing", 'Pass {"proposal": {…}, "why": "…"}.')
        why = args.get("why", "")
        decision = self._session.decide(kind, proposal, why if isinstance(why, str) else "")
        if decision.error is not None:
            return _refusal(decision.error, "")
        told = {"status": decision.status, "applied": decision.applied, "say": decision.say}
        return Outcome(_json(told), True)

    def _page(self, args: Mapping[str, Any]) -> Outcome:
        number = args.get("page", 1)
        if not isinstance(number, int) or isinstance(number, bool):
            return _refusal("the page is no whole number", "Pages are counted from 1.")
        try:
            return Outcome(self._pages.page(str(args.get("result", "")), number), True)
        except KeyError as error:
            return _refusal(str(error.args[0]), "")

    def _answer(self, args: Mapping[str, Any]) -> Outcome:
        text, data, files = args.get("text"), args.get("data"), args.get("artifacts") or []
        if not isinstance(text, str):
            return _refusal("the answer has no text", 'Pass {"text": "…", "data": {…}}.')
        if data is not None and not isinstance(data, dict):
            return _refusal("the data are no object", "Pass the values by the fields' names.")
        if not _texts(files):
            return _refusal("the artifacts are no list of paths", "List files of the workspace.")
        if data and self._reviews > 0:
            self._reviews -= 1
            if problems := self._session.review(data):
                return _refusal("; ".join(problems), "Mend the data and submit the answer again.")
        return Outcome("{}", True, AgentAnswer(text, data or None, files))


def read_arguments(arguments: str | Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments as an object that can be sent on.

    Raises
    ------
    ValueError
        If they are no JSON object, or hold what UTF-8 cannot carry; the text goes on a sentence.
    """
    if isinstance(arguments, str):
        try:
            read = json.loads(arguments or "{}", parse_constant=_no_number)
        except RecursionError:
            raise ValueError("are nested too deep") from None
        except ValueError as error:
            raise ValueError(f"are no JSON ({error})") from None
    else:
        read = dict(arguments)
    if isinstance(read, str):  # some models quote the object once more
        try:
            read = json.loads(read, parse_constant=_no_number)
        except (ValueError, RecursionError):
            raise ValueError("are a text, not an object") from None
    if not isinstance(read, dict):
        raise ValueError(f"are a {type(read).__name__}, not an object")
    try:
        json.dumps(read, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise ValueError("hold letters or numbers that cannot be sent") from None
    return read


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _others(session: Session) -> list[Offered]:
    """Return what is on offer beside the tools."""
    limits = session.limits
    found = [
        Offered(
            f"{DECIDE}.{each.kind}",
            f"Ask the user to decide: {each.description} Nothing else changes the data. The reply "
            "tells what was applied, which may differ from the proposal.",
            {
                "type": "object",
                "additionalProperties": False,
                "required": ["proposal"],
                "properties": {"proposal": each.proposal, "why": {"type": "string"}},
            },
        )
        for each in session.decisions()
        if limits.get("decisions", 1) > 0
    ]
    if limits.get("questions", 1) > 0:
        found.append(
            Offered(
                ASK,
                "Ask the researcher a question that only they can answer.",
                {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["question"],
                    "properties": {
                        "question": {"type": "string"},
                        "options": {"type": "array", "items": {"type": "string"}},
                    },
                },
            )
        )
    page = {
        "type": "object",
        "additionalProperties": False,
        "required": ["result", "page"],
        "properties": {
            "result": {"type": "string", "description": "Name of a result, as r3."},
            "page": {"type": "integer", "minimum": 1},
        },
    }
    found.append(Offered(PAGE, "Show a page of a result that was shown in part.", page))
    about = "Give the answer; this ends the work. Say what was applied and what tools reported."
    return [*found, Offered(ANSWER, about, answer_schema(session.fields))]


def _refusal(problem: str, instead: str) -> Outcome:
    return Outcome(_json({"error": " ".join(part for part in (problem, instead) if part)}), False)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
