"""One Python that runs an agent's code, seen from the trusted side.

Requests and replies go over a pair of pipes, what is printed over a third. A reply is untrusted
data: its line has a bound, and nothing but ``ok`` and ``error`` is taken from it. Whatever the code
does to its own process (it ends, hangs, floods, closes the pipes) is an `Outcome` that says so.
"""

from __future__ import annotations

import json
import os
import secrets
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, cast

from braino_registry.runner import trees
from braino_registry.runner.coding.limits import CodeLimits
from braino_registry.runner.coding.printed import Output, decoded

#: Seconds beyond those of an execution, for an interpreter that is interrupted.
GRACE = 2.0
#: Seconds in which a new worker must say that it is there.
START_SECONDS = 60.0
#: Seconds to wait, after a reply, for the rest of what was printed.
_REST_SECONDS = 1.0
_LINE_BYTES = 1 << 20
_PIECE = 1 << 16
_ERROR_CHARS = 6_000


@dataclass(frozen=True)
class Outcome:
    """What came of one execution.

    Parameters
    ----------
    ok : bool
        Whether the code ran to its end.
    output : str
        What was printed, bounded.
    error : str | None
        What was wrong, for the agent.
    ended : bool
        Whether the worker is gone, with all variables.
    """

    ok: bool
    output: str
    error: str | None
    ended: bool = False


class _Gone(Exception):
    """The worker cannot be used any more; the text says why."""


class CodeWorker:
    """A worker that has been started.

    Parameters
    ----------
    process : Popen
        Its process, the leader of a session, with pipes for all three streams.
    limits : CodeLimits
        What an execution may use.

    Raises
    ------
    WorkerSilent
        If it does not come up.
    """

    def __init__(self, process: subprocess.Popen[bytes], limits: CodeLimits) -> None:
        self._process, self._limits = process, limits
        streams = (process.stdin, process.stdout, process.stderr)
        self._in, self._replies, self._prints = (cast("IO[bytes]", each) for each in streams)
        for stream in (self._in, self._replies, self._prints):
            os.set_blocking(stream.fileno(), False)
        self._output = Output(limits.output_chars)
        self._buffer = b""
        self._number = 0
        self._stopped_for: str | None = None
        self._below: list[int] = []
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._replies, selectors.EVENT_READ)
        self._selector.register(self._prints, selectors.EVENT_READ)
        try:
            self._greet()
        except _Gone as gone:
            self._kill()
            self._read_rest(time.monotonic() + _REST_SECONDS)
            printed = self._output.text().strip()
            self.stop()
            raise WorkerSilent(f"{gone}; it printed: {printed[-300:] or 'nothing'}") from None
        # What a sandbox consists of: once killed, it is this process that has to wait for it.
        self._below = trees.descendants(process.pid)[1:]

    @property
    def pid(self) -> int:
        """Process id of the first process of the worker's tree."""
        return self._process.pid

    @property
    def ended(self) -> str | None:
        """Why the worker has ended, for people; None while it runs."""
        if self._process.poll() is None:
            return None
        return self._stopped_for or self._how_it_ended()

    def end(self, reason: str) -> None:
        """End the tree because a limit was passed; may be called by another thread."""
        if self._stopped_for is None:
            self._stopped_for = reason
        self._kill()

    def run(self, code: str, seconds: float) -> Outcome:
        """Run a piece of code.

        Parameters
        ----------
        code : str
            Python source.
        seconds : float
            How long it may take.

        Returns
        -------
        Outcome
            Whatever the code does.
        """
        self._number += 1
        mark = f"\0{secrets.token_hex(8)}\0"
        self._output.begin(mark.encode())
        try:
            reply = self._exchange(code, seconds, mark)
        except _Gone as gone:
            self._kill()
            self._read_rest(time.monotonic() + _REST_SECONDS)
            self.stop()
            return Outcome(False, self._output.text(), self._stopped_for or str(gone), ended=True)
        ok, error = reply.get("ok") is True, reply.get("error")
        if not ok and not isinstance(error, str):
            error = "the code failed and did not say why"
        return Outcome(ok, self._output.text(), None if ok else _bounded(str(error)))

    def stop(self) -> None:
        """End the worker with everything below it."""
        self._kill()
        self._process.wait()
        for pid in self._below:
            _wait_for(pid, time.monotonic() + _REST_SECONDS)
        self._below = []
        self._selector.close()
        for stream in (self._in, self._replies, self._prints):
            with suppress(OSError):
                stream.close()

    def _kill(self) -> None:
        if self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _greet(self) -> None:
        until = time.monotonic() + START_SECONDS
        while b"\n" not in self._buffer:
            self._pump(until, f"it did not start within {START_SECONDS:.0f} s")
        line, _, self._buffer = self._buffer.partition(b"\n")
        if not line.startswith(b'{"ready":'):
            raise _Gone(f"it began with {line[:80]!r}")

    def _exchange(self, code: str, seconds: float, mark: str) -> dict[str, Any]:
        """Send a request and return the reply to it, when all that was printed has been read."""
        until = time.monotonic() + seconds + GRACE
        late = (
            f"stopped after {seconds:.0f} s, and could not be interrupted: Python was ended"
            if seconds >= 1
            else "stopped: no time was left, and Python was ended"
        )
        request = {"id": self._number, "code": code, "seconds": max(seconds, 0.001), "mark": mark}
        self._send(json.dumps(request).encode() + b"\n", until, late)
        reply = None
        while reply is None:
            reply = self._reply()
            if reply is None:
                self._pump(until, late)
        self._read_rest(time.monotonic() + _REST_SECONDS)
        return reply

    def _send(self, data: bytes, until: float, late: str) -> None:
        while data:
            try:
                data = data[os.write(self._in.fileno(), data) :]
            except BlockingIOError:
                self._wait_to_write(until, late)
            except OSError:
                raise _Gone(self._how_it_ended()) from None

    def _wait_to_write(self, until: float, late: str) -> None:
        self._selector.register(self._in, selectors.EVENT_WRITE)
        try:
            self._pump(until, late)
        finally:
            self._selector.unregister(self._in)

    def _reply(self) -> dict[str, Any] | None:
        """Return the reply to the last request, if it has arrived; any other line is no reply."""
        while b"\n" in self._buffer:
            line, _, self._buffer = self._buffer.partition(b"\n")
            try:
                reply = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(reply, dict) and reply.get("id") == self._number:
                return reply
        return None

    def _pump(self, until: float, late: str) -> None:
        """Wait for anything to arrive, and take it.

        Raises
        ------
        _Gone
            If nothing does in time, the worker has ended, or it says or prints too much.
        """
        left = until - time.monotonic()
        ready = self._selector.select(max(0.0, left)) if left > 0 else []
        if not ready:
            raise _Gone(late)
        for key, _ in ready:
            if key.fileobj is self._prints:
                self._take_prints()
            elif key.fileobj is self._replies:
                self._take_reply()
        most = self._limits.printed_bytes
        if self._output.count > most:
            raise _Gone(f"printed more than {most} bytes: Python was ended. Print less.")

    def _take_reply(self) -> None:
        try:
            piece = os.read(self._replies.fileno(), _PIECE)
        except BlockingIOError:
            return
        if not piece:
            raise _Gone(self._how_it_ended())
        self._buffer += piece
        if len(self._buffer) > _LINE_BYTES:
            raise _Gone("the code wrote to Python's own pipes: Python was ended")

    def _take_prints(self) -> bool:
        """Take a piece of what was printed; tell whether there was one."""
        try:
            piece = os.read(self._prints.fileno(), _PIECE)
        except BlockingIOError:
            return False
        if not piece:
            self._selector.unregister(self._prints)
            return False
        self._output.take(piece)
        return True

    def _read_rest(self, until: float) -> None:
        """Read what has been printed so far: up to the mark, or what is there without it."""
        while not self._output.complete and time.monotonic() < until:
            if self._prints not in self._selector.get_map():
                return
            if not self._take_prints() and not self._more_to_come(until):
                return

    def _more_to_come(self, until: float) -> bool:
        if self._process.poll() is not None:
            return False
        left = max(0.0, until - time.monotonic())
        with selectors.DefaultSelector() as one:
            one.register(self._prints, selectors.EVENT_READ)
            return bool(one.select(left))

    def _how_it_ended(self) -> str:
        """Say in words how the worker's process has ended."""
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return "the code closed Python's own pipes: Python was ended"
        if code > 128:  # as a shell, and the sandbox, report a signal
            code = 128 - code
        if code < 0:
            return f"Python was ended by {_signal_name(-code)}"
        return f"Python ended itself (exit code {code})"


class WorkerSilent(Exception):
    """A worker that was started and did not come up."""


def _wait_for(pid: int, until: float) -> None:
    """Wait for a killed process, if it has become a child of this one: it must not linger."""
    with suppress(ChildProcessError):
        while os.waitpid(pid, os.WNOHANG) == (0, 0) and time.monotonic() < until:
            time.sleep(0.002)


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def _bounded(text: str) -> str:
    text = decoded(text.encode("utf-8", "replace"))  # JSON can escape what no text can hold
    return text if len(text) <= _ERROR_CHARS else f"…{text[1 - _ERROR_CHARS :]}"
