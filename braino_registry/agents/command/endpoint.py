"""A session as HTTP on loopback, for programs in any language.

``GET ADDRESS`` returns what a session starts with: request, tools, decisions, limits, folders.
``POST ADDRESS/KIND`` with a JSON object is one request of the protocol ``session/1``: ``call``,
``ask``, ``decide``, ``execute``, ``review``, ``usage``, and ``answer`` at the end. The reply is the
protocol's: ``{"ok": true, "result": …}`` or ``{"ok": false, "error": {"problem", "instead"}}``.

Whatever comes is handed to the session of the agent in whose process this runs, so the trusted
side sees, limits and records the very same requests as from any other agent. The address holds a
secret, for on loopback anybody on the computer may knock.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from braino.agent import AgentAnswer, LimitReached, RequestRefused, Session, SessionEnded

Body = dict[str, Any]
_REQUESTS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "call": (frozenset({"tool"}), frozenset({"args"})),
    "ask": (frozenset({"question"}), frozenset({"options"})),
    "decide": (frozenset({"kind", "proposal"}), frozenset({"why"})),
    "execute": (frozenset({"code"}), frozenset()),
    "review": (frozenset({"data"}), frozenset()),
    "usage": (frozenset({"usage"}), frozenset()),
    "answer": (frozenset({"text"}), frozenset({"data", "artifacts"})),
}


class Malformed(Exception):
    """What was sent is no request; the text says what to send instead."""


def described(request: str, session: Session) -> Body:
    """Return what a session starts with, as JSON values; never a reference solution."""
    about: Body = {
        "protocol": "session/1",
        "request": request,
        "paradigm": session.paradigm,
        "seed": session.seed,
        "inputs": str(session.inputs),
        "workspace": str(session.workspace),
        "tools": [
            {name: getattr(spec, name) for name in type(spec).__annotations__}
            for spec in session.tools()
        ],
        "decisions": [
            {name: getattr(spec, name) for name in type(spec).__annotations__}
            for spec in session.decisions()
        ],
        "limits": session.limits,
    }
    told = {"fields": session.fields, "code": session.code}
    return {**about, **{name: value for name, value in told.items() if value is not None}}


class Exchange:
    """Requests that arrive as JSON, done by a session, until one of them is the answer.

    Parameters
    ----------
    request : str
        What the researcher asks.
    session : Session
        Who does it.
    """

    def __init__(self, request: str, session: Session) -> None:
        self._session = session
        self._lock = threading.Lock()
        self.about = described(request, session)
        self.answer: AgentAnswer | None = None
        self.ended: SessionEnded | None = None
        self.over = threading.Event()

    def do(self, kind: str, body: Any) -> Body:
        """Do one request and return the reply.

        Raises
        ------
        Malformed
            If it is none.
        SessionEnded
            If the session is over, by its answer or otherwise.
        """
        _check(kind, body)
        with self._lock:
            if self.ended is not None:
                raise self.ended
            # What a model has used is often known only after its last words.
            if self.answer is not None and kind != "usage":
                raise SessionEnded("the answer has been given, which ended the session")
            try:
                return self._do(kind, body)
            except RequestRefused as error:
                return _refused(str(error))
            except SessionEnded as error:
                self.ended = error
                self.over.set()
                raise
            except (TypeError, ValueError) as error:  # what JSON allows and a session does not
                raise Malformed(f"this {kind} cannot be sent on: {error}") from error

    def _do(self, kind: str, body: Body) -> Body:
        session = self._session
        if kind == "call":
            outcome = session.call(body["tool"], body.get("args") or {})
            return _done(outcome.result) if outcome.ok else _refused(outcome.error)
        if kind == "ask":
            return _done({"reply": session.ask(body["question"], body.get("options"))})
        if kind == "decide":
            made = session.decide(body["kind"], body["proposal"], body.get("why", ""))
            if made.error is not None:
                return _refused(made.error)
            return _done({"status": made.status, "applied": made.applied, "say": made.say})
        if kind == "execute":
            ran = session.execute(body["code"])
            return _done({"ok": ran.ok, "output": ran.output, "error": ran.error})
        if kind == "review":
            return _done({"problems": session.review(body["data"])})
        if kind == "usage":
            session.report_usage(**body["usage"])
            return _done({})
        data, listed = body.get("data"), body.get("artifacts") or ()
        self.answer = AgentAnswer(body["text"], data, tuple(listed))
        self.over.set()
        return _done({})


def _check(kind: str, body: Any) -> None:
    """Raise Malformed unless the parts that this side reads are there and of their kind."""
    if kind not in _REQUESTS:
        raise Malformed(f"there is no request {kind[:60]!r}; there are {', '.join(_REQUESTS)}")
    needed, further = _REQUESTS[kind]
    if not isinstance(body, dict):
        raise Malformed(f"a {kind} is a JSON object with {', '.join(sorted(needed))}")
    if missing := sorted(needed - set(body)):
        raise Malformed(f"this {kind} has no {missing[0]!r}")
    if unknown := sorted(set(body) - needed - further):
        takes = ", ".join(sorted(needed | further))
        raise Malformed(f"a {kind} has no {unknown[0][:60]!r}; it has {takes}")
    try:
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise Malformed(f"this {kind} holds letters or numbers that cannot be sent on") from None
    if kind == "answer":
        _check_answer(body)
    elif kind == "usage" and not isinstance(body["usage"], dict):
        raise Malformed("the usage is an object of numbers by name, such as input_tokens")


def _check_answer(body: Body) -> None:
    listed = body.get("artifacts") or []
    if not isinstance(body["text"], str):
        raise Malformed("the text of an answer is a string")
    if not (body.get("data") is None or isinstance(body["data"], dict)):
        raise Malformed("the data of an answer are an object, by the names of its fields")
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise Malformed("the artifacts of an answer are a list of paths below the workspace")


def _done(result: Mapping[str, Any]) -> Body:
    return {"ok": True, "result": dict(result)}


def _refused(text: str | None) -> Body:
    problem, _, instead = (text or "").partition("\n")
    return {"ok": False, "error": {"problem": problem, "instead": instead}}


class Endpoint:
    """An `Exchange` behind an address, for as long as the ``with`` block lasts.

    Parameters
    ----------
    exchange : Exchange
        What requests are handed to.
    most : int
        Bytes of the largest request.
    """

    def __init__(self, exchange: Exchange, most: int) -> None:
        self._server = _Server(("127.0.0.1", 0), _handler(exchange, most, secrets.token_urlsafe()))
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="endpoint", daemon=True
        )

    @property
    def address(self) -> str:
        """Where the session is, without a slash at the end."""
        handler: Any = self._server.RequestHandlerClass
        return f"http://127.0.0.1:{self._server.server_address[1]}/{handler.secret}"

    def __enter__(self) -> Endpoint:
        """Take requests from now on."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take no more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Of five, the default, a program with more requests at once loses some on a busy computer.
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Leave alone a client that has gone away in the middle of something."""


def _handler(exchange: Exchange, most: int, word: str) -> type[BaseHTTPRequestHandler]:
    """Return the class that answers one connection."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body leave together and at once: waiting for more would cost 40 ms per reply.
        wbufsize = -1
        disable_nagle_algorithm = True
        secret = word

        def log_message(self, format: str, *args: Any) -> None:
            """Print nothing: the transcript has it all."""

        def do_GET(self) -> None:
            """Tell what the session starts with."""
            if self._inside() == "":
                self._reply(HTTPStatus.OK, exchange.about)

        def do_POST(self) -> None:
            """Do one request."""
            kind = self._inside()
            if kind is None:
                return
            self._answer(lambda: exchange.do(kind, self._body()))

        def _inside(self) -> str | None:
            """Return what follows the secret in the path; None if the secret is wrong."""
            _, first, *rest = [*self.path.split("/"), ""]
            if secrets.compare_digest(first.encode(), word.encode()):
                return "/".join(rest).rstrip("/")
            self.close_connection = True
            self._reply(HTTPStatus.NOT_FOUND, _refused("there is nothing at this address"))
            return None

        def _body(self) -> Any:
            try:
                size = int(self.headers.get("Content-Length", ""))
            except ValueError:
                self.close_connection = True
                raise Malformed("the request does not tell its Content-Length") from None
            if not 0 <= size <= most:
                self.close_connection = True
                raise Malformed(f"a request has at most {most} bytes")
            try:
                return json.loads(self.rfile.read(size) or b"{}")
            except (ValueError, RecursionError) as error:
                raise Malformed(f"the request is no JSON: {error}") from None

        def _answer(self, do: Callable[[], Body]) -> None:
            try:
                self._reply(HTTPStatus.OK, do())
            except Malformed as error:
                self._reply(HTTPStatus.BAD_REQUEST, _refused(str(error)))
            except SessionEnded as error:
                limit = {"limit": error.limit} if isinstance(error, LimitReached) else {}
                self.close_connection = True
                self._reply(HTTPStatus.GONE, {**_refused(str(error)), **limit})

        def _reply(self, status: HTTPStatus, body: Body) -> None:
            text = json.dumps(body, ensure_ascii=False).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    return Handler
