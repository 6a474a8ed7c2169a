"""What a session offers to a client of the Model Context Protocol, each with a JSON Schema.

Tools keep their schemas and get names without dots. Beside them stand ``read_request``,
``ask_user``, ``request_decision``, ``submit_answer`` and the files. All but the files go through
`Exchange`, hence through the one protocol of every agent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from braino.agent import LimitReached, Session, SessionEnded
from braino_registry.agents import wire
from braino_registry.agents.command.endpoint import Exchange, Malformed
from braino_registry.agents.llm.answering import answer_schema
from braino_registry.agents.mcp.files import FileRefused, Folders

_TEXT = {"type": "string"}
_FOLDER = {"type": "string", "enum": ["inputs", "workspace"]}
_BRIEF = ("request", "paradigm", "inputs", "workspace", "limits", "fields", "code")


@dataclass(frozen=True)
class Offer:
    """Something that a client can call.

    Parameters
    ----------
    name : str
        Letters, digits, hyphens and underscores.
    description : str
        What it does.
    schema : dict
        JSON Schema of its arguments.
    do : callable
        Takes the arguments and returns a reply of the protocol.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    do: Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Reply:
    """What came of a call.

    Parameters
    ----------
    text : str
        JSON, or what was wrong.
    ok : bool
        Whether it was done.
    """

    text: str
    ok: bool


class Offers:
    """All that a session offers, by name.

    Parameters
    ----------
    exchange : Exchange
        Who carries out requests.
    session : Session
        The session, for what it offers and for its folders.
    """

    def __init__(self, exchange: Exchange, session: Session) -> None:
        self._exchange = exchange
        self._folders = Folders(
            session.inputs, session.workspace, int(session.limits["message_bytes"])
        )
        offers = [*self._tools(session), *self._others(session), *self._files()]
        self.by_name = {offer.name: offer for offer in offers}
        if len(self.by_name) < len(offers):
            names = [offer.name for offer in offers]
            twice = sorted({name for name in names if names.count(name) > 1})
            raise ValueError(f"two tools would be called {twice[0]}")

    def do(self, name: str, args: Any) -> Reply:
        """Carry out a call; whatever is wrong with it is told, and the session goes on."""
        offer = self.by_name.get(name)
        if offer is None:
            return Reply(f"there is no tool {name[:100]!r}\nCall one of those listed.", False)
        if not isinstance(args, dict):
            return Reply("the arguments are no JSON object", False)
        try:
            reply = offer.do(args)
        except (Malformed, FileRefused) as error:
            return Reply(str(error), False)
        except SessionEnded as error:
            what = f"the limit {error.limit} is reached" if isinstance(error, LimitReached) else ""
            return Reply("\n".join(filter(None, (what, str(error), "The session is over."))), False)
        if reply["ok"]:
            return Reply(json.dumps(reply["result"], ensure_ascii=False), True)
        told = reply["error"]
        return Reply("\n".join(filter(None, (told["problem"], told["instead"]))), False)

    def _tools(self, session: Session) -> list[Offer]:
        if session.paradigm != "tools":
            about = "Run Python code beside the data; its variables stay for the next execution."
            run = Offer("execute", about, _object({"code": _TEXT}, ["code"]), self._by("execute"))
            return [run]
        return [
            Offer(wire.to_wire(tool.name), tool.description, tool.arguments, self._tool(tool.name))
            for tool in session.tools()
        ]

    def _tool(self, name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
        return lambda args: self._exchange.do("call", {"tool": name, "args": args})

    def _by(self, kind: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
        return lambda args: self._exchange.do(kind, args)

    def _others(self, session: Session) -> list[Offer]:
        options = {"type": "array", "items": _TEXT, "description": "Replies to choose from."}
        question = _object({"question": _TEXT, "options": options}, ["question"])
        kinds = {each.kind: each for each in session.decisions()}
        listed = "\n".join(
            f"- {kind}: {each.description} Proposal: {json.dumps(each.proposal)}"
            for kind, each in kinds.items()
        )
        decision = _object(
            {
                "kind": {"type": "string", "enum": list(kinds)},
                "proposal": {"type": "object", "description": "As its kind has it, see above."},
                "why": {"type": "string", "description": "The reason, for the user."},
            },
            ["kind", "proposal"],
        )
        offers = [
            Offer(
                "read_request",
                "Return what the researcher asks for, the folders, the limits, and the fields of "
                "the answer. Call it first.",
                _object({}, []),
                self._brief,
            ),
            Offer("ask_user", "Ask the researcher a question that only they can answer.", question,
                  self._by("ask")),
            Offer("submit_answer", "Give the answer, which ends the session. Say what was applied "
                  "and what tools reported.", answer_schema(session.fields), self._submit),
        ]  # fmt: skip
        if not kinds:
            return offers
        about = (
            "Ask the user to decide on a change of the data; nothing else changes them. The reply "
            f"tells what was applied, which may differ from the proposal. Kinds:\n{listed}"
        )
        return [*offers, Offer("request_decision", about, decision, self._by("decide"))]

    def _brief(self, args: dict[str, Any]) -> dict[str, Any]:
        about = self._exchange.about
        return {"ok": True, "result": {name: about[name] for name in _BRIEF if name in about}}

    def _submit(self, args: dict[str, Any]) -> dict[str, Any]:
        self._exchange.do("answer", args)
        return {"ok": True, "result": {"done": "The answer is taken, and the session is over."}}

    def _files(self) -> list[Offer]:
        path = {"type": "string", "description": "Relative to the folder, with slashes."}
        coded = {"type": "string", "description": "The content, if it is no text."}
        offset = {"type": "integer", "minimum": 0, "default": 0}
        return [
            Offer("list_files", "List the files of the dataset (inputs) or of the workspace.",
                  _object({"folder": _FOLDER}, ["folder"]), self._list),
            Offer("read_file", "Read a piece of a file, from a byte offset on.",
                  _object({"folder": _FOLDER, "path": path, "offset": offset}, ["folder", "path"]),
                  self._read),
            Offer("write_file", "Write a file of the workspace; name it in the answer's artifacts "
                  "if it belongs to the answer.",
                  _object({"path": path, "text": _TEXT, "base64": coded}, ["path"]), self._write),
        ]  # fmt: skip

    def _list(self, args: dict[str, Any]) -> dict[str, Any]:
        return {"ok": True, "result": self._folders.list(_text(args, "folder"))}

    def _read(self, args: dict[str, Any]) -> dict[str, Any]:
        offset = args.get("offset", 0)
        if not isinstance(offset, int):
            raise Malformed("the offset is a whole number")
        piece = self._folders.read(_text(args, "folder"), _text(args, "path"), offset)
        return {"ok": True, "result": piece}

    def _write(self, args: dict[str, Any]) -> dict[str, Any]:
        return {"ok": True, "result": self._folders.write(_text(args, "path"), args)}


def _text(args: Mapping[str, Any], name: str) -> str:
    value = args.get(name)
    if not isinstance(value, str) or "\0" in value:
        raise Malformed(f"{name} is a text")
    return value


def _object(properties: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": required,
        "additionalProperties": False,
    }
