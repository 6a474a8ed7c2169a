"""One session as the trusted side sees it: it takes requests and keeps all state.

Whatever a request asks, the answer is decided here: tools run here, the user's script is read
here, and data change here. The agent's side holds identifiers only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from braino_registry import __version__
from braino_registry.errors import EntryError, HostError, UsageError
from braino_registry.numbers.transcripts import enter_event
from braino_registry.registry.canary import CANARY
from braino_registry.session import messages
from braino_registry.session.artifacts import sort_artifacts
from braino_registry.session.decision import KINDS, DecisionError, DecisionKind, Place, specs
from braino_registry.session.held import HeldData
from braino_registry.session.interfaces import StateLike, ToolsetLike
from braino_registry.session.limits import Answer, Ending, LimitReached, Limits
from braino_registry.session.reviewing import Reviewer
from braino_registry.session.spending import Spending
from braino_registry.session.transcript import Transcript
from braino_registry.session.user import ScriptedUser
from braino_registry.tools.errors import ToolError

ARGUMENT_BYTES = 1 << 20  # of one call's arguments, or of one proposal


Executor = Callable[[str], Mapping[str, Any]]


class TrialSession:
    """The requests of one agent, handled one after the other.

    Parameters
    ----------
    toolset : Toolset
        The tools on offer.
    state : ToolState
        Recordings, views, results and ledger of the trial.
    user : ScriptedUser
        Who answers and decides.
    transcript : Transcript
        Where every event goes.
    limits : Limits
        What the agent may use.
    inputs, workspace : Path
        The BIDS copy and the folder for files, as the agent sees them.
    paradigm : {"tools", "code"}
        How the agent works.
    held : HeldData
        The copy that the tools read and decisions change.
    recording_id : str | None
        The trial's recording.
    executor : callable | None
        Runs code and returns ``ok, output, error`` (paradigm ``"code"``).
    fields : mapping | None
        The answer's fields, whose form a review looks at; None to find no fault in any.
    """

    def __init__(
        self,
        toolset: ToolsetLike,
        state: StateLike,
        user: ScriptedUser,
        transcript: Transcript,
        limits: Limits,
        inputs: Path,
        workspace: Path,
        paradigm: str,
        held: HeldData,
        recording_id: str | None = None,
        *,
        executor: Executor | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        self.limits, self.paradigm = limits, paradigm
        self.inputs, self.workspace = inputs, workspace
        self.transcript = transcript
        self._toolset, self._state, self._user, self._executor = toolset, state, user, executor
        self._versions = {spec.name: spec.version for spec in toolset.specs()}
        self._place = Place(held.root, state.tree, recording_id)
        self._held = held
        self._spending = Spending(limits)
        self._handlers: Mapping[str, Callable[[Any], dict[str, Any]]] = {
            "call": self._call,
            "ask": self._ask,
            "decide": self._decide,
            "execute": self._execute,
            "review": self._review,
            "usage": self._report_usage,
        }
        self._reviewer = Reviewer(fields or {}, limits.repairs, state.tree, recording_id)

    @property
    def usage(self) -> dict[str, Any]:
        """What was used: requests by limit, and reported sums (None where a part is unknown)."""
        return self._spending.total

    def start_message(
        self,
        request: str,
        *,
        factory: str,
        model: str | None,
        options: Mapping[str, Any] | None = None,
        path: Sequence[str] = (),
        workspace: str | None = None,
        fields: Mapping[str, Any] | None = None,
        reference: Mapping[str, Any] | None = None,
        seed: int = 0,
        code: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the message that starts the session on the agent's side.

        Parameters
        ----------
        request : str
            What the researcher asks.
        factory : str
            ``module:factory``; unused where the agent object exists already.
        model : str | None
            Model asked for.
        options : Mapping | None
            Named arguments of the factory.
        path : sequence of str
            Folders that become importable.
        workspace : str | None
            The folder for files as the agent knows it, where it sees other paths.
        fields : Mapping | None
            The answer's fields, where the suite tells them.
        reference : Mapping | None
            The reference solution with its ``context``: for the oracle only, by the caller's
            choice.
        seed : int
            For whatever the agent draws.
        code : Mapping | None
            What is to be known of the place where code runs (paradigm ``"code"``).
        """
        tool_keys = ("name", "version", "description", "arguments", "result")
        message: dict[str, Any] = {
            "type": "start",
            "protocol": messages.PROTOCOL,
            "request": request,
            "paradigm": self.paradigm,
            "seed": seed,
            "inputs": str(self.inputs),
            "workspace": workspace or str(self.workspace),
            "tools": [{k: getattr(spec, k) for k in tool_keys} for spec in self._toolset.specs()],
            "decisions": specs(),
            "limits": self._stated_limits(),
            "agent": {"factory": factory, "model": model, "path": list(path)},
        }
        if options:
            message["agent"]["options"] = dict(options)
        if fields is not None:
            message["fields"] = dict(fields)
        if reference is not None:
            message["reference"] = dict(reference)
        if code is not None:
            message["code"] = dict(code)
        return message

    def begin(self, start: Mapping[str, Any]) -> None:
        """Record that the session starts; neither reference nor tool schemas are recorded."""
        self._record(
            "start",
            request=start["request"],
            protocol=start["protocol"],
            harness=__version__,
            canary=CANARY,
            paradigm=start["paradigm"],
            recording=self._place.recording_id,
            toolset=[f"{name}@{version}" for name, version in self._versions.items()],
            limits=self._stated_limits(),
        )

    def handle(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Do what a request asks and return the reply.

        Parameters
        ----------
        message : Mapping
            A request with a known ``type`` and a valid ``id``; all else is checked here.

        Returns
        -------
        reply : dict
            ``ok`` with the result, or the problem and what to pass instead. A fault of ours is
            one more reason why a request could not be done: no request ends a trial unscored.

        Raises
        ------
        LimitReached
            If the request is one too many.
        HostError
            If the transcript cannot be written.
        """
        kind, number = message["type"], message["id"]
        self._spending.count(kind)
        try:
            request = messages.as_request(message)
        except msgspec.ValidationError as error:
            self.log("agent", f"a malformed {kind} was refused: {error}")
            return messages.refused(number, f"this is no {kind}: {error}", "See session/1.")
        size = len(msgspec.json.encode(getattr(request, "args", getattr(request, "proposal", 0))))
        if size > ARGUMENT_BYTES:
            self.log("agent", f"a {kind} with {size} bytes of arguments was refused")
            problem = f"the arguments take {size} bytes"
            return messages.refused(number, problem, f"Pass at most {ARGUMENT_BYTES} bytes.")
        try:
            return self._handlers[kind](request)
        except (LimitReached, HostError):
            raise
        except Exception as caught:
            return messages.refused(number, **self.fault(kind, caught))

    def fault(self, what: str, caught: Exception) -> dict[str, str]:
        """Record a fault of ours for people, and return as much of it as the agent is told."""
        name = type(caught).__name__
        self.log("harness", self._held.veiled(f"{what} failed: {name}: {caught}"), fault=name)
        return {
            "problem": f"{what} failed unexpectedly ({name})",
            "instead": "This is a fault of the harness. Pass other values, or go on without it.",
        }

    def accept(self, message: messages.AnswerMessage) -> Answer:
        """Record the answer and return it; files that are not there are left out."""
        artifacts, refused = sort_artifacts(self.workspace, message.artifacts)
        self._record(
            "answer",
            text=message.text,
            data=message.data,
            artifacts=list(artifacts),
            refused=refused,
        )
        return Answer(message.text, message.data, artifacts)

    def finish(self, ending: Ending) -> Ending:
        """Record how the session ended, and return it.

        An agent that has changed the tools' copy of the data has got its numbers from itself.
        """
        if ending.outcome != "agent_error" and not self._held.untouched():
            ending = Ending("agent_error", "the data that the tools read were changed from outside")
        self._record("end", outcome=ending.outcome, reason=ending.reason)
        return ending

    def log(self, source: str, message: str, **data: Any) -> None:
        """Record something that is no request: ``source`` is ``agent`` or ``harness``."""
        self._record("log", source=source, message=message[:4000], data=data)

    def _stated_limits(self) -> dict[str, float]:
        return {name: most for name, most in asdict(self.limits).items() if most is not None}

    def _record(self, type_: str, /, **fields: Any) -> dict[str, Any]:
        event = self.transcript.add(type_, **fields)
        enter_event(self._state.ledger, event)
        return event

    def _call(self, request: messages.CallRequest) -> dict[str, Any]:
        began = time.monotonic()
        error: dict[str, str] | None = None
        result: Mapping[str, Any] = {}
        name = self._toolset.resolve(request.tool)
        try:
            if self.paradigm == "code":
                raise ToolError(
                    "this session has the paradigm 'code' and no tools",
                    "Run Python code instead: session.execute(code), the message execute.",
                )
            result = self._toolset.run(name, request.args, self._state)
        except ToolError as caught:
            error = self._error(caught.problem, caught.instead)
        except Exception as caught:
            error = self.fault(name, caught)
        event = self._record(
            "call",
            tool=name,
            version=self._versions.get(name),
            args=request.args,
            ok=error is None,
            **({"result": result} if error is None else {"error": error}),
            seconds=round(time.monotonic() - began, 6),
        )
        if error is not None:
            return messages.refused(request.id, error["problem"], error["instead"])
        return messages.succeeded(request.id, event["result"])

    def _error(self, problem: str, instead: str) -> dict[str, str]:
        return {"problem": self._held.veiled(problem), "instead": self._held.veiled(instead)}

    def _ask(self, request: messages.AskRequest) -> dict[str, Any]:
        reply = self._user.reply(request.question, request.options)
        self._record(
            "ask",
            question=request.question,
            options=request.options,
            reply=reply.text,
            about=reply.about,
        )
        return messages.succeeded(request.id, {"reply": reply.text})

    def _decide(self, request: messages.DecideRequest) -> dict[str, Any]:
        about = {"kind": request.kind, "proposal": request.proposal, "why": request.why}
        try:
            done = self._rule(request)
        except (DecisionError, UsageError) as caught:
            instead = caught.instead if isinstance(caught, DecisionError) else caught.hint
            error = self._error(caught.problem, instead)
        except Exception as caught:
            error = self.fault(f"the decision {request.kind}", caught)
        else:
            self._record("decide", **about, **done)
            result = {name: done[name] for name in ("status", "applied", "say")}
            return messages.succeeded(request.id, result)
        nothing: dict[str, Any] = {"applied": {}, "recording": None, "written": []}
        self._record("decide", **about, status="invalid", **nothing, error=error)
        return messages.refused(request.id, **error)

    def _rule(self, request: messages.DecideRequest) -> dict[str, Any]:
        """Put a proposal to the user, apply the ruling, and return what the transcript tells."""
        kind = KINDS.get(request.kind)
        kind.read(request.proposal, self._place)
        ruling = self._user.decide(request.kind, request.proposal)
        applied = kind.tidy(ruling.applied) if ruling.status == "edited" else ruling.applied
        recording, written = self._apply(kind, applied, request.proposal)
        return {
            "status": ruling.status,
            "applied": applied,
            "say": ruling.say,
            "rule": ruling.rule,
            "recording": recording,
            "written": written,
        }

    def _apply(
        self, kind: DecisionKind, applied: Mapping[str, Any], proposed: Mapping[str, Any]
    ) -> tuple[str | None, list[str]]:
        """Apply a ruling; return the recording it is about and the files written."""
        source = applied or proposed
        try:
            value = kind.read(source, self._place)
        except DecisionError as error:
            raise EntryError(
                f"the scripted user edits a {kind.name} into one that cannot be applied: "
                f"{error.problem}",
                where="user.decisions",
                hint=error.instead,
            ) from error
        recording = None
        if hasattr(value, "recording"):
            recording = self._place.recording_of(value.recording).id
        if not applied:
            return recording, []
        with self._held.changing():
            paths = kind.apply(value, self._place)
        written = [path.relative_to(self._place.root).as_posix() for path in paths]
        for problem in self._held.publish(written):
            self.log("harness", f"not repeated in the agent's copy of the data: {problem}")
        return recording, written

    def _execute(self, request: messages.ExecuteRequest) -> dict[str, Any]:
        if self._executor is None:
            problem = f"this session has the paradigm {self.paradigm!r} and runs no code"
            error = {"problem": problem, "instead": "Use the tools."}
            self._record(
                "execute", code=request.code, ok=False, output="", error=problem, seconds=0.0
            )
            return messages.refused(request.id, **error)
        began = time.monotonic()
        done = self._executor(request.code)
        result = {key: done.get(key) for key in ("ok", "output", "error")}
        seconds = round(time.monotonic() - began, 6)
        self._record("execute", code=request.code, **result, seconds=seconds)
        return messages.succeeded(request.id, result)

    def _review(self, request: messages.ReviewRequest) -> dict[str, Any]:
        result = self._reviewer.review(request.data)
        self._record("review", **result)
        return messages.succeeded(request.id, result)

    def _report_usage(self, request: messages.UsageRequest) -> dict[str, Any]:
        self._record("usage", usage=request.usage)
        self._spending.add(request.usage)
        return messages.succeeded(request.id, {})
