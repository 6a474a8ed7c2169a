"""An OpenAI-compatible server on loopback that says what a script tells it, over real HTTP.

A script is a function of the request's body. `Brain` is one that carries out a task's reference as
a model would: one call per reply, going by the results that the conversation brings.
"""

from __future__ import annotations

import json
import queue
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from braino.agent import Decision, ToolOutcome
from braino_registry.agents.oracle import Oracle
from braino_registry.agents.wire import to_wire

Body = Mapping[str, Any]


@dataclass
class Say:
    """A reply.

    Parameters
    ----------
    text : str
        Words.
    calls : sequence of (name, arguments)
        Tool calls; arguments are JSON values, or a text that is sent as it is.
    finish : str | None
        By default what fits.
    usage : dict | None | "counted"
        What the server says that the reply took; counted from the characters by default.
    cut : int | None
        After how many pieces the connection breaks.
    status : int
        Anything but 200 is an error.
    body : str | None
        Sent in place of a reply.
    headers : dict
        Further headers.
    raw : iterable of bytes | None
        Sent as it is in place of everything, status line included; then the connection is closed.
    """

    text: str = ""
    calls: Sequence[tuple[str, Any]] = ()
    finish: str | None = None
    usage: Any = "counted"
    cut: int | None = None
    status: int = 200
    body: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: Iterable[bytes] | None = None


def fail(status: int, text: str = "it is broken", code: str | None = None) -> Say:
    """Return an error that asks to be tried again at once."""
    error = {"error": {"message": text, "type": "test", "code": code}}
    return Say(status=status, body=json.dumps(error), headers={"retry-after-ms": "1"})


Script = Callable[[Body], Say]


def in_turn(*replies: Say | Script) -> Script:
    """Return a script that gives one reply after the other, the last one for ever."""
    left = list(replies)
    lock = threading.Lock()

    def script(body: Body) -> Say:
        with lock:
            now = left.pop(0) if len(left) > 1 else left[0]
        return now(body) if callable(now) else now

    return script


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Leave alone a client that has gone away, as one does that is ended after its trial."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class ScriptedServer:
    """The server; a context manager.

    Parameters
    ----------
    script : callable
        What it replies.
    models : sequence of str | None
        The models that it lists; None if it has no list.
    key : str | None
        The only key that it takes.
    """

    def __init__(
        self,
        script: Script,
        *,
        models: Sequence[str] | None = ("scripted",),
        key: str | None = None,
    ) -> None:
        self.script, self.models, self.key = script, models, key
        self.requests: list[Body] = []
        self.keys: list[str | None] = []
        self.told: list[dict[str, Any] | None] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *args: Any) -> None:
                """Say nothing."""

            def do_GET(self) -> None:
                server._list(self)

            def do_POST(self) -> None:
                server._complete(self)

        self._http = _Http(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def total(self, name: str) -> float:
        """Return the sum of what all replies said that they took."""
        return sum(told[name] for told in self.told if told is not None)

    def _allowed(self, handler: BaseHTTPRequestHandler) -> bool:
        given = handler.headers.get("Authorization")
        self.keys.append(given)
        if self.key is None or given == f"Bearer {self.key}":
            return True
        said = f"Incorrect API key provided: {given}"
        _send(handler, 401, json.dumps({"error": {"message": said, "code": "invalid_api_key"}}))
        return False

    def _list(self, handler: BaseHTTPRequestHandler) -> None:
        if not self._allowed(handler):
            return
        if self.models is None or not handler.path.endswith("/v1/models"):
            _send(handler, 404, json.dumps({"error": {"message": "Not Found"}}))
            return
        rows = [
            {"id": name, "object": "model", "created": 0, "owned_by": ""} for name in self.models
        ]
        _send(handler, 200, json.dumps({"object": "list", "data": rows}))

    def _complete(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        if not self._allowed(handler):
            return
        if not handler.path.endswith("/v1/chat/completions"):
            _send(handler, 404, json.dumps({"error": {"message": "Not Found"}}))
            return
        if self.models and body["model"] not in self.models:
            missing = {"message": f"The model `{body['model']}` does not exist", "code": "x"}
            _send(handler, 404, json.dumps({"error": missing}))
            return
        self.requests.append(body)
        say = self.script(body)
        if say.raw is not None:
            handler.close_connection = True
            handler.wfile.writelines(say.raw)
            return
        if say.body is not None:
            _send(handler, say.status, say.body, say.headers)
            return
        usage = _counted(body, say) if say.usage == "counted" else say.usage
        if say.cut is None:
            self.told.append(usage)
        if body.get("stream"):
            _stream(handler, say, usage)
        else:
            _send(handler, 200, json.dumps(_whole(say, usage)))


def _counted(body: Body, say: Say) -> dict[str, Any]:
    read = len(json.dumps(body["messages"])) // 4 + len(json.dumps(body.get("tools", []))) // 4
    written = max(1, (len(say.text) + len(json.dumps(list(say.calls)))) // 4)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _calls(say: Say) -> list[dict[str, Any]]:
    return [
        {
            "id": f"c{number}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": args if isinstance(args, str) else json.dumps(args),
            },
        }
        for number, (name, args) in enumerate(say.calls)
    ]


def _finish(say: Say) -> str:
    return say.finish or ("tool_calls" if say.calls else "stop")


def _whole(say: Say, usage: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": say.text or None}
    if say.calls:
        message["tool_calls"] = _calls(say)
    choice = {"index": 0, "message": message, "finish_reason": _finish(say)}
    found = {"id": "x", "object": "chat.completion", "created": 0, "model": "scripted"}
    return {**found, "choices": [choice], **({"usage": usage} if usage else {})}


def _pieces(say: Say, usage: Any) -> Iterator[dict[str, Any]]:
    head = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}

    def piece(delta: Any, finish: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield piece({"role": "assistant", "content": ""})
    step = max(20, len(say.text) // 40)
    for start in range(0, len(say.text), step):
        yield piece({"content": say.text[start : start + step]})
    for index, call in enumerate(_calls(say)):
        arguments = call["function"]["arguments"]
        named = {**call, "index": index, "function": {**call["function"], "arguments": ""}}
        yield piece({"tool_calls": [named]})
        half = len(arguments) // 2
        for part in (arguments[:half], arguments[half:]):
            yield piece({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    yield piece({}, _finish(say))
    if usage:
        yield {**head, "choices": [], "usage": usage}


def _stream(handler: BaseHTTPRequestHandler, say: Say, usage: Any) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for number, piece in enumerate(_pieces(say, usage)):
        if number == say.cut:
            handler.close_connection = True
            return
        _chunk(handler, f"data: {json.dumps(piece)}\n\n")
    _chunk(handler, "data: [DONE]\n\n")
    handler.wfile.write(b"0\r\n\r\n")


def _chunk(handler: BaseHTTPRequestHandler, text: str) -> None:
    data = text.encode()
    handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def _send(
    handler: BaseHTTPRequestHandler, status: int, text: str, headers: Mapping[str, str] = {}
) -> None:
    data = text.encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(data)))
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data)


class Brain:
    """A script that carries out references, as a model would: call by call, result by result.

    Parameters
    ----------
    reference : dict
        A task's reference solution with its context.
    protocol : {"native", "text"}
        How calls are written.
    """

    def __init__(self, reference: Mapping[str, Any], protocol: str = "native") -> None:
        self._reference, self._protocol = reference, protocol
        self._hand: _Hand | None = None

    def __call__(self, body: Body) -> Say:
        """Return the next call of the trial; a request without a turn begins another trial."""
        last = body["messages"][-1]
        if not any(message["role"] == "assistant" for message in body["messages"]):
            self._hand = _Hand(self._reference)
        elif self._hand is not None:
            self._hand.results.put(result_in(last))
        assert self._hand is not None
        name, args = self._hand.next()
        if self._protocol == "native":
            return Say(calls=[(to_wire(name), args)])
        return Say(f"I go on.\n<call>{json.dumps({'tool': name, 'arguments': args})}</call>")


def result_in(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result that a message brings."""
    text = message["content"]
    if message["role"] != "tool":
        found = re.search(r"<result of=[^>]*>\n(.*)\n</result>", text, re.DOTALL)
        assert found is not None, text[:500]
        text = found[1]
    result: dict[str, Any] = json.loads(text)
    return result


class _Hand:
    """The oracle, at work in a thread, whose every request becomes a call of the model."""

    inputs = workspace = None

    def __init__(self, reference: Mapping[str, Any]) -> None:
        self.reference = reference
        self.results: queue.Queue[dict[str, Any]] = queue.Queue()
        self._calls: queue.Queue[tuple[str, Any]] = queue.Queue()
        threading.Thread(target=self._work, daemon=True).start()

    def next(self) -> tuple[str, Any]:
        name, args = self._calls.get(timeout=120)
        if name == "failed":
            raise AssertionError(args)
        return name, args

    def _work(self) -> None:
        try:
            answer = Oracle().solve("", self)  # type: ignore[arg-type]
        except Exception as error:
            self._calls.put(("failed", f"{type(error).__name__}: {error}"))
            return
        data = {} if answer.data is None else {"data": answer.data}
        given = {"text": answer.text, **data, "artifacts": [str(each) for each in answer.artifacts]}
        self._calls.put(("submit_answer", given))

    def _do(self, name: str, args: Any) -> dict[str, Any]:
        self._calls.put((name, args))
        return self.results.get(timeout=120)

    def call(self, tool: str, args: Any) -> ToolOutcome:
        result = self._do(tool, args)
        error = result.get("error") if set(result) == {"error"} else None
        return ToolOutcome(error is None, result, error)

    def ask(self, question: str, options: Any = None) -> str:
        more = {} if options is None else {"options": options}
        return str(self._do("ask_user", {"question": question, **more})["reply"])

    def decide(self, kind: str, proposal: Any, why: str = "") -> Decision:
        done = self._do(f"decide.{kind}", {"proposal": proposal, "why": why})
        if "error" in done:
            return Decision("invalid", {}, error=done["error"])
        return Decision(done["status"], done["applied"], done["say"])
