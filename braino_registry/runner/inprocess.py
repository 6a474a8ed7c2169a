"""An agent in a thread of this process, spoken to through the same protocol as any other."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, cast

from braino_registry.runner.isolation import Measured, Seen, Start, on_host
from braino_registry.runner.printed import Printed
from braino_registry.runner.tiers import Tier

if TYPE_CHECKING:
    from braino.agent import Agent


class NoIsolation:
    """No isolation: fast, good for notebooks, and nothing is hidden or limited but time.

    Parameters
    ----------
    agent : Agent | None
        An agent that exists already; otherwise the session's first message names its factory.
    """

    name = "none"
    shows_read_only = False

    def __init__(self, agent: Agent | None = None) -> None:
        self._agent = agent

    def start(self, start: Start) -> AgentThread:
        """Start a thread; the workspace is told to the agent by the session's first message."""
        return AgentThread(self._agent, on_host(start))

    def enforcement(self, tier: Tier) -> Mapping[str, str]:
        """Say by which means each limit is held."""
        return {
            "seconds": "session closed; a thread that goes on is abandoned",
            "memory": "none",
            "processes": "none",
            "file_size": "none",
            "disk": "none",
            "output": "none",
            "gpu": "none",
            "network": "none",
            "files": "none",
        }


class AgentThread:
    """One agent's thread, at the other end of a pair of sockets.

    Parameters
    ----------
    agent : Agent | None
        See `NoIsolation`.
    seen : Seen
        Paths as it knows them.
    """

    def __init__(self, agent: Agent | None, seen: Seen) -> None:
        from braino.agent import converse

        self.seen = seen

        ours, theirs = socket.socketpair()
        self._ours = ours
        self.reader = cast(BinaryIO, ours.makefile("rb", buffering=0))
        self.writer = cast(BinaryIO, ours.makefile("wb", buffering=0))

        def run() -> None:
            with theirs:
                converse(theirs.fileno(), theirs.fileno(), agent)

        self._thread = threading.Thread(target=run, name="agent", daemon=True)
        self._prints = _Prints()
        self._thread.start()

    def alive(self) -> bool:
        """Tell whether the agent's thread still runs."""
        return self._thread.is_alive()

    def stop(self, *, grace: float) -> Measured:
        """Close the session; a thread cannot be killed, so one that goes on is reported."""
        # Shutting down wakes an agent that waits for a reply; closing alone would not.
        with suppress(OSError):
            self._ours.shutdown(socket.SHUT_RDWR)
        self._thread.join(max(grace, 0.25))
        self.reader.close()
        self.writer.close()
        self._ours.close()
        printed = self._prints.finish()
        return Measured(
            printed_bytes=printed.count, log=printed.log(), spent=self._thread.is_alive()
        )


class _Prints:
    """Takes what is printed by threads that are younger than itself: the agent and its own."""

    def __init__(self) -> None:
        self._printed = Printed()
        others = frozenset(threading.enumerate())
        self._former = (sys.stdout, sys.stderr)
        self._own = tuple(_Stream(each, others, self._printed) for each in self._former)
        sys.stdout, sys.stderr = (cast(TextIO, each) for each in self._own)

    def finish(self) -> Printed:
        """Let everybody print as before and return what was taken."""
        # Whoever has replaced the streams in the meantime is not to be robbed of them.
        if sys.stdout is self._own[0]:
            sys.stdout = self._former[0]
        if sys.stderr is self._own[1]:
            sys.stderr = self._former[1]
        return self._printed


class _Stream:
    """A text stream from which only some threads write on to the stream that it stands for."""

    def __init__(
        self, stream: TextIO, others: frozenset[threading.Thread], printed: Printed
    ) -> None:
        self._stream = stream
        self._others = others
        self._printed = printed

    def write(self, text: str) -> int:
        """Write a text, or take it."""
        if threading.current_thread() in self._others:
            return self._stream.write(text)
        self._printed.take(text.encode("utf-8", "replace"))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        """Be the other stream in everything else."""
        return getattr(self._stream, name)
