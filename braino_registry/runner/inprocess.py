"""An agent in a thread of this process, spoken to through the same protocol as any other."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from braino_registry.runner.isolation import Measured
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

    def __init__(self, agent: Agent | None = None) -> None:
        self._agent = agent

    def start(self, workspace: Path, scratch: Path, tier: Tier, output_bytes: int) -> AgentThread:
        """Start a thread; the workspace is told to the agent by the session's first message."""
        return AgentThread(self._agent)

    def enforcement(self, tier: Tier) -> Mapping[str, str]:
        """Say by which means each limit is held."""
        return {
            "seconds": "session closed; a thread that goes on is abandoned",
            "memory": "none",
            "processes": "none",
            "file_size": "none",
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
    """

    def __init__(self, agent: Agent | None) -> None:
        from braino.agent import converse

        ours, theirs = socket.socketpair()
        self._ours = ours
        self.reader = cast(BinaryIO, ours.makefile("rb", buffering=0))
        self.writer = cast(BinaryIO, ours.makefile("wb", buffering=0))

        def run() -> None:
            with theirs:
                converse(theirs.fileno(), theirs.fileno(), agent)

        self._thread = threading.Thread(target=run, name="agent", daemon=True)
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
        return Measured(spent=self._thread.is_alive())
