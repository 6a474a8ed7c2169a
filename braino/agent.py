"""What an agent author imports, and the program that runs an agent in its own process.

An agent is any object with a ``name``, a ``model`` and a method ``solve(request, session)`` that
returns an :class:`AgentAnswer`. It is started with ``python -P -c "from braino.agent import main;
main()"`` and speaks the protocol ``session/1``: one JSON object per line over a pair of pipes.

This module uses the standard library only and imports little of it, because it is loaded afresh
for every trial: no ``dataclasses``, ``typing`` or ``pathlib`` before somebody needs them.
"""

from __future__ import annotations

import json
import os
import sys
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Any, Protocol, dataclass_transform
else:
    Protocol = object

    def dataclass_transform(**_options):
        """Stand in for the mark that tells type checkers how values are made."""
        return lambda decorated: decorated


PROTOCOL = "session/1"
_TEXT_CAP = 4_000  # characters of an error message
_TRACE_CAP = 16_000  # characters of a traceback, its end being the telling part


class SessionError(Exception):
    """Base of all errors that a session raises in the agent."""


class RequestRefused(SessionError):
    """The session could not take a request as it was; the text says what to pass instead."""


class SessionEnded(SessionError):
    """The other side has closed the session."""


class LimitReached(SessionEnded):
    """A limit of the trial was reached, which ends it.

    Parameters
    ----------
    limit : str
        Name of the limit, for example ``"tool_calls"``.
    message : str
        What happened.
    """

    def __init__(self, limit: str, message: str) -> None:
        super().__init__(message)
        self.limit = limit


class AgentUnusable(Exception):
    """An agent that cannot be made from what was given.

    Parameters
    ----------
    kind : {"import", "factory", "unready"}
        Which step failed; ``"unready"`` if it is made and lacks something of this computer, such
        as a key or a server that answers. An agent may have a method ``preflight()`` that raises
        this; it is called once, before the first trial of a run.
    problem, where, hint : str
        What is wrong, what was looked for and where, and what to do next.
    """

    def __init__(self, kind: str, problem: str, where: str = "", hint: str = "") -> None:
        super().__init__("\n".join(line for line in (problem, where, hint) if line))
        self.kind, self.problem, self.where, self.hint = kind, problem, where, hint


@dataclass_transform(frozen_default=True)
class _Value:
    """A value with named fields that does not change.

    Fields are the annotations of the class, in their order; class attributes are defaults.
    """

    def __init__(self, *args: Any, **named: Any) -> None:
        fields = list(type(self).__annotations__)
        given = dict(zip(fields, args, strict=False))
        wrong = len(args) > len(fields) or any(n in given or n not in fields for n in named)
        missing = [n for n in fields if n not in {**given, **named} and not hasattr(self, n)]
        if wrong or missing:
            raise TypeError(f"{type(self).__name__} takes {', '.join(fields)}; {missing=}")
        self.__dict__.update(given, **named)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} does not change; make a new one")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._values() == other._values()

    __hash__ = None  # type: ignore[assignment]  # the fields hold dictionaries

    def __repr__(self) -> str:
        fields = (f"{name}={value!r}" for name, value in self._values().items())
        return f"{type(self).__name__}({', '.join(fields)})"

    def _values(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in type(self).__annotations__}


class AgentAnswer(_Value):
    """What an agent returns.

    Parameters
    ----------
    text : str
        The answer in words, as for the researcher who asked.
    data : dict | None
        The same answer by field name; plain JSON values, finite numbers only.
    artifacts : iterable of str or Path
        Files below the session's ``workspace`` that belong to the answer.
    """

    text: str
    data: dict[str, Any] | None = None
    artifacts: Iterable[str | Path] = ()


class ToolSpec(_Value):
    """A tool that the session offers.

    Parameters
    ----------
    name, version, description : str
        Its name (``"dataset.inspect"``), version, and what it does.
    arguments, result : dict
        JSON Schemas.
    """

    name: str
    version: str
    description: str
    arguments: dict[str, Any]
    result: dict[str, Any]


class DecisionSpec(_Value):
    """A kind of decision that can be requested of the user.

    Parameters
    ----------
    kind, description : str
        Its name (``"mark-bad-channels"``) and what an approval changes.
    proposal : dict
        JSON Schema of the proposal.
    """

    kind: str
    description: str
    proposal: dict[str, Any]


class ToolOutcome(_Value):
    """What came of a tool call.

    Parameters
    ----------
    ok : bool
        Whether the tool ran.
    result : dict
        Its result; empty if it did not run.
    error : str | None
        What was wrong and what to pass instead.
    """

    ok: bool
    result: dict[str, Any]
    error: str | None = None


class Decision(_Value):
    """What the user decided on a proposal.

    Parameters
    ----------
    status : {"approved", "edited", "rejected", "invalid"}
        ``"invalid"``: the proposal never reached the user, ``error`` says why.
    applied : dict
        What was applied, which may differ from what was proposed; empty after a rejection.
    say : str
        The user's words, if any.
    error : str | None
        What was wrong with the proposal and what to pass instead.
    """

    status: str
    applied: dict[str, Any]
    say: str = ""
    error: str | None = None


class Execution(_Value):
    """What came of running code (paradigm ``"code"``).

    Parameters
    ----------
    ok : bool
        Whether the code ran to its end.
    output : str
        What it printed, bounded.
    error : str | None
        The exception and where it was raised.
    """

    ok: bool
    output: str
    error: str | None = None


class Session(Protocol):
    """The agent's access to data, tools and user."""

    @property
    def inputs(self) -> Path:
        """The BIDS dataset, read-only; nothing, or one EDF file for code, in some suites."""

    @property
    def workspace(self) -> Path:
        """The folder for files that belong to the answer."""

    @property
    def paradigm(self) -> str:
        """``"tools"`` or ``"code"``."""

    @property
    def seed(self) -> int:
        """Seed for whatever is drawn at random; another one in every repeat of a trial."""

    @property
    def fields(self) -> dict[str, Any] | None:
        """The fields that ``AgentAnswer.data`` may hold, where the suite tells them."""

    @property
    def code(self) -> dict[str, Any] | None:
        """Where code runs (paradigm ``"code"`` only): its ``inputs``, ``workspace``, ``packages``.

        Beside these ``seconds`` of one execution, ``case_seconds`` of all, and ``output_chars``.
        """

    @property
    def limits(self) -> dict[str, float]:
        """What may be used, such as ``tool_calls`` and ``questions``; passing one ends it."""

    def tools(self) -> list[ToolSpec]:
        """Return the tools on offer."""

    def decisions(self) -> list[DecisionSpec]:
        """Return the kinds of decision that can be requested."""

    def call(self, tool: str, args: dict[str, Any] | None = None) -> ToolOutcome:
        """Run a tool."""

    def ask(self, question: str, options: Sequence[str] | None = None) -> str:
        """Ask the user a question and return the reply."""

    def decide(self, kind: str, proposal: dict[str, Any], why: str = "") -> Decision:
        """Ask the user to decide on a change of the data; nothing else changes them."""

    def execute(self, code: str) -> Execution:
        """Run Python code beside the data (paradigm ``"code"`` only)."""

    def review(self, data: dict[str, Any]) -> list[str]:
        """Return what keeps ``AgentAnswer.data`` from being read; never whether it is right.

        An empty list if nothing does, or if ``limits["repairs"]`` reviews have told problems.
        """

    def report_usage(self, **tokens_and_cost: float | None) -> None:
        """Report what a model call took, such as ``input_tokens``; None where unknown, never 0."""


class Agent(Protocol):
    """What an agent must have."""

    @property
    def name(self) -> str:
        """A short name for reports."""

    @property
    def model(self) -> str | None:
        """The model behind it, None if there is none."""

    # Optional: ``settings``, a dict of plain JSON values that reports tell of it, no secret
    # among them; ``preflight()``, see `AgentUnusable`.

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Work on the request and return the answer."""


class _Connection:
    """JSON lines over two file descriptors.

    Parameters
    ----------
    reader, writer : int
        File descriptors, blocking.
    """

    def __init__(self, reader: int, writer: int) -> None:
        self.reader, self.writer = reader, writer
        self._buffer = bytearray()

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message; raises TypeError, ValueError for what is not JSON."""
        self.write(_line(message))

    def write(self, line: bytes) -> None:
        """Send one encoded line."""
        view = memoryview(line)
        try:
            while view:
                view = view[os.write(self.writer, view) :]
        except OSError as error:
            raise SessionEnded("the session has been closed") from error

    def receive(self) -> dict[str, Any]:
        """Wait for the next message."""
        seen = 0
        while (end := self._buffer.find(b"\n", seen)) < 0:
            seen = len(self._buffer)
            try:
                piece = os.read(self.reader, 1 << 16)
            except OSError as error:
                raise SessionEnded("the session has been closed") from error
            if not piece:
                raise SessionEnded("the session has been closed")
            self._buffer += piece
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        message: dict[str, Any] = json.loads(line)
        return message


def _plain(value: Any) -> Any:
    """Turn numpy scalars and arrays, and paths, into JSON values."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "__fspath__"):
        return os.fspath(value)
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def _line(message: Mapping[str, Any]) -> bytes:
    """Return the message as one line of strict JSON in UTF-8."""
    text = json.dumps(
        message, allow_nan=False, ensure_ascii=False, separators=(",", ":"), default=_plain
    )
    return text.encode() + b"\n"


class _Client:
    """The :class:`Session` of an agent, spoken over a connection."""

    def __init__(self, connection: _Connection, start: Mapping[str, Any]) -> None:
        self._connection, self._start = connection, start
        self._lock = allocate_lock()  # agents may call tools from several threads
        self._id = 0
        self.paradigm: str = start["paradigm"]
        self.seed: int = start.get("seed", 0)
        self.limits: dict[str, float] = start["limits"]
        self.fields: dict[str, Any] | None = start.get("fields")
        self.reference: dict[str, Any] | None = start.get("reference")
        self.code: dict[str, Any] | None = start.get("code")

    @property
    def inputs(self) -> Path:
        from pathlib import Path

        return Path(self._start["inputs"])

    @property
    def workspace(self) -> Path:
        from pathlib import Path

        return Path(self._start["workspace"])

    def tools(self) -> list[ToolSpec]:
        return [ToolSpec(**spec) for spec in self._start["tools"]]

    def decisions(self) -> list[DecisionSpec]:
        return [DecisionSpec(**spec) for spec in self._start["decisions"]]

    def call(self, tool: str, args: dict[str, Any] | None = None) -> ToolOutcome:
        reply = self._request("call", tool=tool, args={} if args is None else args)
        return ToolOutcome(reply["ok"], reply.get("result") or {}, _error(reply))

    def ask(self, question: str, options: Sequence[str] | None = None) -> str:
        listed = None if options is None else list(options)
        reply = self._result("ask", question=question, options=listed)
        return str(reply["reply"])

    def decide(self, kind: str, proposal: dict[str, Any], why: str = "") -> Decision:
        reply = self._request("decide", kind=kind, proposal=proposal, why=why)
        if not reply["ok"]:
            return Decision("invalid", {}, error=_error(reply))
        return Decision(**reply["result"])

    def execute(self, code: str) -> Execution:
        return Execution(**self._result("execute", code=code))

    def review(self, data: dict[str, Any]) -> list[str]:
        found: list[str] = self._result("review", data=data)["problems"]
        return found

    def report_usage(self, **tokens_and_cost: float | None) -> None:
        self._result("usage", usage=tokens_and_cost)

    def _result(self, type_: str, /, **body: Any) -> dict[str, Any]:
        reply = self._request(type_, **body)
        if not reply["ok"]:
            raise RequestRefused(_error(reply))
        result: dict[str, Any] = reply["result"]
        return result

    def _request(self, type_: str, /, **body: Any) -> dict[str, Any]:
        with self._lock:
            line = _line({"type": type_, "id": self._id + 1, **body})
            cap = self.limits["message_bytes"]
            if len(line) > cap:
                raise RequestRefused(f"a {type_} of {len(line)} bytes is too large: at most {cap}")
            self._id += 1
            self._connection.write(line)
            reply = self._connection.receive()
        if reply["type"] == "limit":
            raise LimitReached(reply["limit"], reply["message"])
        return reply


def _error(reply: Mapping[str, Any]) -> str | None:
    """Return problem and remedy of a reply that is not ok."""
    if reply["ok"]:
        return None
    error = reply["error"]
    return "\n".join(part for part in (error["problem"], error["instead"]) if part)


def check_factory(
    spec: str,
    model: str | None = None,
    path: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
) -> Agent:
    """Make an agent from ``module:factory``, or say exactly what is missing.

    Parameters
    ----------
    spec : str
        ``"package.module:factory"``; the factory may be an attribute of an attribute.
    model : str | None
        Passed to the factory as ``model=`` if it accepts that, else set on the agent.
    path : sequence of str
        Folders that are searched before ``sys.path``.
    options : mapping | None
        Further named arguments of the factory.

    Returns
    -------
    agent : Agent
        An object with ``name``, ``model`` and a callable ``solve``.

    Raises
    ------
    AgentUnusable
        If it cannot be imported, made, given the model, or has no ``solve``.
    """
    agent = _make(_find(spec, path), spec, model, options or {})
    if not callable(getattr(agent, "solve", None)):
        made = f"{spec} made a {type(agent).__name__}, which has no solve(request, session)"
        has = [name for name in dir(agent) if not name.startswith("_")]
        raise AgentUnusable("factory", made, f"it has: {', '.join(has) or 'nothing public'}")
    found: Agent = agent
    return found


def _find(spec: str, path: Sequence[str]) -> Any:
    """Import the module of ``module:factory`` and return the factory."""
    module_name, colon, attribute = spec.partition(":")
    if not (colon and module_name and attribute) or "/" in spec or module_name.endswith(".py"):
        hint = "Write module:factory, for example mypkg.agent:make."
        raise AgentUnusable("import", f"{spec!r} does not name a factory", hint=hint)
    sys.path[:0] = [folder for folder in path if folder not in sys.path]
    try:
        __import__(module_name)
        found: Any = sys.modules[module_name]
    except ModuleNotFoundError as error:
        if not f"{module_name}.".startswith(f"{error.name}."):
            problem = f"{module_name} needs the module {error.name}, which is not installed"
            raise AgentUnusable("import", problem, _looked_in(path)) from error
        problem = f"there is no module called {error.name!r} (for the agent {spec})"
        hint = _near(str(error.name), path) + "Install it, or start from the folder that holds it."
        raise AgentUnusable("import", problem, _looked_in(path), hint) from None
    except BaseException as error:  # its module-level code may do anything
        problem = f"importing {module_name} failed: {type(error).__name__}: {error}"
        raise AgentUnusable("import", problem) from error
    where = f"looked in {getattr(found, '__file__', None) or module_name}"
    for part in attribute.split("."):
        if not hasattr(found, part):
            import difflib

            near = difflib.get_close_matches(part, dir(found), n=3)
            hint = f"Did you mean {' or '.join(near)}?" if near else ""
            raise AgentUnusable("import", f"{module_name} has no {part!r}", where, hint)
        found = getattr(found, part)
    return found


def _looked_in(path: Sequence[str]) -> str:
    """Say where a module was looked for; where Python keeps its own helps nobody."""
    folders = ", ".join(dict.fromkeys([*path, *_added()]))
    installed = "among the installed packages"
    return f"looked in {folders}, and {installed}" if folders else f"looked {installed}"


def _added() -> list[str]:
    """Return the folders on Python's path that do not belong to Python or to its environment."""
    own = tuple(os.path.join(each, "") for each in {sys.prefix, sys.base_prefix, sys.exec_prefix})
    return [folder for folder in sys.path if folder and not folder.startswith(own)]


def _near(name: str, path: Sequence[str]) -> str:
    """Return which modules that can be imported have a name like one that is not there."""
    import difflib

    there = set()
    for folder in [*path, *_added()]:
        try:
            files = os.listdir(folder)
        except OSError:  # a folder on the path need not be there
            continue
        there |= {each.removesuffix(".py") for each in files if each.endswith(".py")}
        there |= {e for e in files if os.path.isfile(os.path.join(folder, e, "__init__.py"))}
    near = difflib.get_close_matches(name, sorted(there), n=3)
    return f"Did you mean {' or '.join(near)}? " if near else ""


def _make(factory: Any, spec: str, model: str | None, options: Mapping[str, Any]) -> Any:
    """Call the factory and hand it the model and the options."""
    if not callable(factory):
        problem = f"{spec} is a {type(factory).__name__}, not a factory"
        raise AgentUnusable("factory", problem, hint="Name a function that makes the agent.")
    takes_model = model is not None and "model" in _taken(factory, ["model"])
    if refused := sorted({*options} - _taken(factory, options)):
        problem = f"the agent of {spec} takes no option {refused[0]!r}"
        takes = ", ".join(_parameters(factory)) or "none"
        raise AgentUnusable("factory", problem, hint=f"Its factory takes: {takes}.")
    try:
        agent = factory(**options, **({"model": model} if takes_model else {}))
    except AgentUnusable:
        raise
    except BaseException as error:  # a factory may do anything
        problem = f"the factory {spec} failed: {type(error).__name__}: {error}"
        raise AgentUnusable("factory", problem) from error
    if model is not None and not takes_model:
        if not _give_model(agent, model):
            problem = f"the agent of {spec} cannot be given the model {model!r}"
            hint = "Let the factory accept model=…, or give the agent an attribute `model`."
            raise AgentUnusable("factory", problem, hint=hint)
    return agent


def _give_model(agent: Any, model: str) -> bool:
    """Set an agent's ``model`` where it has one that can be set; tell whether it stuck."""
    if not hasattr(agent, "model"):
        return False
    try:
        agent.model = model
    except AttributeError:
        return bool(agent.model == model)  # a property without a setter may say the same already
    return bool(agent.model == model)


def _taken(factory: Any, names: Iterable[str]) -> set[str]:
    """Return which of the names a callable accepts as named arguments."""
    wanted = set(names)
    if not wanted:
        return wanted  # what looks at signatures takes as long to import as all of this module
    known = _parameters(factory)
    return {name for name in wanted if name in known or "**" in known}


def _parameters(factory: Any) -> list[str]:
    """Return the named arguments of a callable, with ``**`` where it accepts any."""
    import inspect

    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):  # some built-in callables have no signature
        return []
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [
        "**" if each.kind is each.VAR_KEYWORD else each.name
        for each in parameters
        if each.kind is each.VAR_KEYWORD or each.kind in named
    ]


def converse(reader: int, writer: int, agent: Agent | None = None) -> int:
    """Run one agent over a pair of file descriptors: load, solve, send the answer.

    Parameters
    ----------
    reader, writer : int
        File descriptors; both may be the same socket.
    agent : Agent | None
        An agent that exists already (notebooks); otherwise the start message names the factory.

    Returns
    -------
    status : int
        0 if an answer was sent (or a check passed), 1 otherwise.
    """
    connection = _Connection(reader, writer)
    try:
        start = connection.receive()
        return _run(connection, start, agent)
    except SessionEnded:
        return 1  # nobody listens any more


def _run(connection: _Connection, start: Mapping[str, Any], agent: Agent | None) -> int:
    """Do one agent's work and send what came of it; an error is sent as a typed message."""
    kind = "factory"
    try:
        if start["protocol"] != PROTOCOL:
            problem = f"the session speaks {start['protocol']}, this agent {PROTOCOL}"
            raise AgentUnusable("factory", problem, __file__, "Install the same version for both.")
        if agent is None:
            given = start["agent"]
            options = given.get("options")
            agent = check_factory(given["factory"], given["model"], given["path"], options)
        if start["type"] == "check" and callable(ready := getattr(agent, "preflight", None)):
            ready()
        if start["type"] == "check":
            connection.send({**_hello(agent), **_settings(agent)})
            return 0
        connection.send(_hello(agent))
        kind = "solve"
        answer = agent.solve(start["request"], _Client(connection, start))
        kind = "answer"
        connection.send(_answer(answer, start["workspace"]))
        return 0
    except SessionEnded:
        raise
    except AgentUnusable as error:
        details = {"where": error.where, "hint": error.hint}
        connection.send(_failure(error.kind, error.problem, error.__cause__, details))
    except BaseException as error:  # whatever an agent raises is its own, and is reported
        what = str(error) if isinstance(error, _BadAnswer) else f"{type(error).__name__}: {error}"
        connection.send(_failure(kind, what, error, {}))
    return 1


class _BadAnswer(Exception):
    """What ``solve`` returned cannot be sent."""


def _hello(agent: Agent) -> dict[str, Any]:
    """Return the message that says who is speaking."""
    model = getattr(agent, "model", None)
    name = getattr(agent, "name", None) or type(agent).__name__
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "name": _clean(str(name))[:200],
        "model": None if model is None else _clean(str(model))[:200],
    }


def _settings(agent: Agent) -> dict[str, Any]:
    """Return what an agent says of how it works, where that can be sent."""
    said = {"settings": getattr(agent, "settings", None)}
    try:
        _line(said)
    except (TypeError, ValueError, RecursionError):
        return {}
    return said if isinstance(said["settings"], dict) and said["settings"] else {}


def _answer(answer: Any, workspace: str) -> dict[str, Any]:
    """Return the answer's message; raises _BadAnswer with what is wrong."""
    hint = "solve must return AgentAnswer(text=…, data=…, artifacts=…)"
    if answer is None:
        raise _BadAnswer(f"solve returned nothing (None); {hint}")
    if not hasattr(answer, "text"):
        raise _BadAnswer(f"solve returned a {type(answer).__name__}; {hint}")
    if not isinstance(answer.text, str):
        raise _BadAnswer(f"the answer's text is a {type(answer.text).__name__}, not a str")
    data = getattr(answer, "data", None)
    if data is not None and not isinstance(data, dict):
        raise _BadAnswer(f"the answer's data is a {type(data).__name__}, not a dict")
    listed = getattr(answer, "artifacts", ())
    if isinstance(listed, (str, bytes)) or hasattr(listed, "__fspath__"):
        raise _BadAnswer("the answer's artifacts must be a list of paths, not one path")
    try:
        artifacts = [_artifact_name(os.fspath(each), workspace) for each in listed]
        message = {"type": "answer", "text": answer.text, "data": data, "artifacts": artifacts}
        _line(message)
    except (TypeError, ValueError, RecursionError) as error:
        raise _BadAnswer(f"the answer cannot be sent as JSON: {error}") from error
    return message


def _artifact_name(path: str, workspace: str) -> str:
    """Return a path relative to the workspace where it lies inside."""
    inside = os.path.isabs(path) and os.path.normpath(path).startswith(workspace.rstrip("/") + "/")
    return os.path.relpath(path, workspace) if inside else path


def _failure(
    kind: str, message: str, error: BaseException | None, details: Mapping[str, str]
) -> dict[str, Any]:
    """Return the message for an error of the agent."""
    trace = ""
    if error is not None:
        import traceback

        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    parts = {key: _clean(text)[:_TEXT_CAP] for key, text in details.items() if text}
    shown = {"message": _clean(message)[:_TEXT_CAP], "traceback": _clean(trace)[-_TRACE_CAP:]}
    return {"type": "error", "kind": kind, **shown, **parts}


def _clean(text: str) -> str:
    """Return text that UTF-8 can carry."""
    return text.encode("utf-8", "replace").decode()


def _take_over_stdio() -> tuple[int, int]:
    """Move the protocol to private descriptors, so that prints cannot corrupt it."""
    reader, writer = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return reader, writer


class _Watch:
    """Notes what code of the agent opens or reaches beside its task, on standard error.

    The notes are for people, and change no score: an agent that wants to can get round them.
    """

    MOST = 6  # of each kind
    MARK = "braino-watch: "
    _CODE = (".py", ".pyc", ".so", ".pth", ".pyd", ".dylib")
    _SCORERS = ("scoring", "expected", "synthesis", "datasets", "runner", "workflows")

    def __init__(self) -> None:
        home = os.path.expanduser("~")
        settings = (".config", ".mne", ".cache/matplotlib", ".cache/fontconfig", ".netrc")
        own = (os.getcwd(), os.environ.get("TMPDIR") or "/tmp", sys.prefix, sys.base_prefix)
        system = ("/usr/", "/lib", "/etc/", "/dev/", "/sys/", "/proc/self/", "/proc/cpuinfo",
                  "/proc/meminfo", "/proc/stat", f"/proc/{os.getpid()}/", "/input/", "/System/",
                  "/Library/", "/private/var/db/")  # fmt: skip
        beside = os.path.join(os.path.dirname(os.getcwd()), "inputs")
        kept = (*own, beside, *(os.path.join(home, name) for name in settings))
        self._allowed = (*system, *kept, *{os.path.realpath(place) for place in kept})
        self._noted: dict[str, set[str]] = {}
        self._named: set[str] = set()  # ports that were asked for with a name

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        """Take one event of the interpreter."""
        try:
            if event == "open":
                self._open(args[0])
            elif event == "import":
                self._import(args[0])
            elif event in ("socket.connect", "socket.sendto", "socket.getaddrinfo"):
                self._network(event, args)
        except Exception:
            return  # whatever is odd about an event is the business of whoever has caused it

    def _open(self, path: Any) -> None:
        if isinstance(path, (str, bytes)) or hasattr(path, "__fspath__"):
            name = os.path.abspath(os.fsdecode(path))
            own = name.startswith(self._allowed) or name.endswith(self._CODE)
            if not own and not self._beside_code(os.path.dirname(name)):
                process = name.startswith("/proc/") and name[6:7].isdigit()
                self._note("opened", "/proc of other processes" if process else name)

    def _beside_code(self, folder: str) -> bool:
        """Tell whether a folder is that of a package in use, whose data files belong to it."""
        return any(
            os.path.dirname(file) == folder
            for each in list(sys.modules.values())
            if getattr(each, "__package__", None) and (file := getattr(each, "__file__", None))
        )

    def _import(self, module: str) -> None:
        package, part, *_ = (*module.split("."), "")
        if package == "braino_registry" and part in self._SCORERS:
            self._note("imported", f"{package}.{part}")

    def _network(self, event: str, args: tuple[Any, ...]) -> None:
        named = event == "socket.getaddrinfo"
        address = args[:2] if named else args[1]
        if not isinstance(address, tuple):
            return
        if named:
            self._named.add(str(address[1]))
        if named or str(address[1]) not in self._named:  # else a number of what was noted by name
            self._note("network", f"{address[0]}:{address[1]}")

    def _note(self, kind: str, what: str) -> None:
        noted = self._noted.setdefault(kind, set())
        if what not in noted and len(noted) < self.MOST:
            noted.add(what)
            line = f"{self.MARK}{kind} {' '.join(_clean(what).split())[:300]}\n"
            os.write(2, line.encode())


def main(take_over: Callable[[], tuple[int, int]] = _take_over_stdio) -> None:
    """Run one agent over standard input and output, and exit."""
    reader, writer = take_over()
    sys.addaudithook(_Watch())
    # The current directory is importable only when the session says so.
    if sys.path[0] == "":
        del sys.path[0]
    sys.exit(converse(reader, writer))
