"""Where an agent runs: the seam behind which the levels of isolation stand.

``none`` runs it in a thread of the worker, for notebooks and for speed. ``process`` gives it a
process of its own: a crash, a flood, a fork or a hang stays there, but little is hidden from it.
``sandbox`` hides everything but its task, and is refused where it cannot be enforced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from braino_registry.runner.tiers import Tier


@dataclass(frozen=True)
class Start:
    """What a level of isolation is told of the agent that it starts.

    Parameters
    ----------
    inputs, workspace, scratch : Path
        Its copy of the data, its current directory where it may write, and a folder for its
        temporary files. All exist.
    tier : Tier
        What its process tree may use.
    output_bytes : int
        How much it may print.
    factory : str
        The agent as ``module:factory``.
    path : tuple of str
        Folders that are importable for it.
    data_bytes : int
        How much of what will lie beside the workspace is the data, not the agent's doing.
    endpoints : tuple of str
        Addresses of models that it may reach where it has no other network.
    passed : tuple of str
        Environment variables that it needs, by name, where it has no others.
    kept : Path | None
        A folder that outlives the trial and is gone with its worker, where a level may keep what
        is the same for all trials; no agent in a sandbox reaches it.
    """

    inputs: Path
    workspace: Path
    scratch: Path
    tier: Tier
    output_bytes: int
    factory: str
    path: tuple[str, ...] = ()
    data_bytes: int = 0
    endpoints: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    kept: Path | None = None


@dataclass(frozen=True)
class Seen:
    """The paths by which an agent knows its folders.

    Parameters
    ----------
    inputs, workspace : str
        Its copy of the data, and its current directory.
    path : tuple of str
        Folders that are importable for it.
    """

    inputs: str
    workspace: str
    path: tuple[str, ...]


def on_host(start: Start) -> Seen:
    """Return the paths of an agent that sees what this process sees."""
    return Seen(str(start.inputs), str(start.workspace), start.path)


@dataclass(frozen=True)
class Measured:
    """What was seen of an agent from outside.

    Parameters
    ----------
    exit_code : int | None
        Of its process; negative for a signal; None for a thread.
    peak_memory_bytes : int | None
        Highest resident memory of the whole tree; None if not measured.
    printed_bytes : int
        Bytes printed to standard output and error.
    left_behind : int
        Processes that had to be killed after the agent had ended.
    stopped_for : str | None
        The limit of the tier or the suite for which it was stopped.
    found_over : str | None
        The limit that it was found to have passed only when it was stopped anyway.
    log : bytes
        Beginning and end of what it printed.
    spent : bool
        Whether code of the agent may still be running in this very process.
    flags : tuple of str
        What it tried that it may not do; for people, never for the score.
    """

    exit_code: int | None = None
    peak_memory_bytes: int | None = None
    printed_bytes: int = 0
    left_behind: int = 0
    stopped_for: str | None = None
    found_over: str | None = None
    log: bytes = b""
    spent: bool = False
    flags: tuple[str, ...] = ()


class RunningAgent(Protocol):
    """An agent that has been started and waits for its first message."""

    reader: BinaryIO
    writer: BinaryIO
    seen: Seen

    def alive(self) -> bool:
        """Tell whether the agent still runs, even if somebody else holds its pipes."""
        ...

    def stop(self, *, grace: float) -> Measured:
        """End the agent with everything it has started; give it ``grace`` seconds to go itself."""
        ...


class Isolation(Protocol):
    """One level of isolation.

    Attributes
    ----------
    shows_read_only : bool
        Whether an agent cannot write to the inputs it is shown, so that no copy of its own is
        needed for it.
    """

    name: str
    shows_read_only: bool

    def start(self, start: Start) -> RunningAgent:
        """Start the agent's side of the protocol."""
        ...

    def enforcement(self, tier: Tier) -> Mapping[str, str]:
        """Say for each resource by which means its limit is held."""
        ...
