"""Lines over file descriptors with a deadline and caps: the only way bytes reach an agent.

Reading and writing never block for longer than the deadline allows, so an agent that hangs, does
not read or keeps a pipe open through a forked child costs its trial and nothing else.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from typing import Protocol

from braino_registry.session.limits import AgentFault, LimitReached, Limits

_PIECE = 1 << 16
_TICK = 0.1  # seconds between looks at whether the agent's process still lives
_LATE = "no answer within the time limit"


class HasFileno(Protocol):
    """A pipe's end, a socket, or anything else that select can wait for."""

    def fileno(self) -> int:
        """Return the file descriptor."""


class Channel:
    """Lines to and from one agent.

    Parameters
    ----------
    reader, writer : object with a fileno
        Unbuffered ends; both may be the same socket. They become non-blocking and stay open.
    deadline : float
        ``time.monotonic()`` after which waiting ends.
    limits : Limits
        ``message_bytes`` and ``output_bytes`` are enforced here.
    alive : callable | None
        Tells whether the agent's process still runs; without it only an end of file counts.
    """

    def __init__(
        self,
        reader: HasFileno,
        writer: HasFileno,
        *,
        deadline: float,
        limits: Limits,
        alive: Callable[[], bool] | None = None,
    ) -> None:
        self._in, self._out = reader.fileno(), writer.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._deadline = deadline
        self._limits = limits
        self._alive = alive
        self._buffer = bytearray()
        self._scanned = 0
        self._closed = False  # for writing
        self._ended = False  # for reading
        self.received = 0

    @property
    def unread(self) -> int:
        """Bytes that have arrived and belong to no line that was taken."""
        return len(self._buffer)

    def extend(self, deadline: float) -> None:
        """Wait until a new deadline from now on."""
        self._deadline = deadline

    def grant(self, seconds: float, latest: float) -> None:
        """Wait so much longer, for that time was not the agent's, but never beyond ``latest``."""
        self._deadline = max(self._deadline, min(self._deadline + seconds, latest))

    def receive(self) -> bytes:
        """Return the next line, without its end.

        Raises
        ------
        LimitReached
            ``seconds``, ``message_bytes`` or ``output_bytes``.
        AgentFault
            If the agent is gone.
        """
        if time.monotonic() >= self._deadline:  # a flood must not get round the waiting
            raise LimitReached("seconds", _LATE)
        while True:
            end = self._buffer.find(b"\n", self._scanned)
            size = len(self._buffer) if end < 0 else end
            if size > self._limits.message_bytes:
                most = self._limits.message_bytes
                raise LimitReached("message_bytes", f"a message of more than {most} bytes")
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                self._scanned = 0
                return line
            self._scanned = len(self._buffer)
            self._fill()

    def send(self, line: bytes) -> None:
        """Send a line; an agent that has gone away is noticed by the next ``receive``.

        What arrives while the agent does not read is taken in, up to ``output_bytes``: two sides
        that both wait for the other to read would wait for ever.
        """
        view = memoryview(line)
        while view and not self._closed:
            try:
                view = view[os.write(self._out, view) :]
            except BlockingIOError:
                # A dead process whose child holds the pipe will never read it.
                self._closed = not self._wait(writing=True)
                self._take()
            except (BrokenPipeError, ConnectionResetError):
                self._closed = True

    def _fill(self) -> None:
        """Add what has arrived to the buffer, waiting for it."""
        lives = self._ended or self._wait(writing=False)
        if not self._take() and (self._ended or not lives):
            middle = " in the middle of a message" if self._buffer else ""
            raise AgentFault(f"ended without an answer{middle}")

    def _take(self) -> bool:
        """Add one piece of what has arrived to the buffer; tell whether there was one."""
        if self._ended:
            return False
        try:
            piece = os.read(self._in, _PIECE)
        except BlockingIOError:
            return False
        except ConnectionResetError:
            piece = b""
        self._ended = not piece
        self._buffer += piece
        self.received += len(piece)
        if self.received > self._limits.output_bytes:
            most = self._limits.output_bytes
            raise LimitReached("output_bytes", f"the agent sent more than {most} bytes")
        return bool(piece)

    def _wait(self, *, writing: bool) -> bool:
        """Wait until there is something to do or the process has died; tell whether it lives."""
        poll = select.poll()
        if not self._ended:
            poll.register(self._in, select.POLLIN)
        if writing:  # one socket may be both ends
            both = self._in == self._out and not self._ended
            poll.register(self._out, select.POLLOUT | (select.POLLIN if both else 0))
        while True:
            lives = self._alive is None or self._alive()
            left = self._deadline - time.monotonic()
            if left <= 0:
                raise LimitReached("seconds", _LATE)
            pause = left if self._alive is None else min(left, _TICK)
            # Read the state of the process before waiting: what it wrote last is not missed.
            if poll.poll(0 if not lives else max(1, int(pause * 1000))) or not lives:
                return lives
