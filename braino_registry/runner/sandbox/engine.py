"""Engines that can hold an agent in a sandbox, and how one is found that works here."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from braino_registry.runner.sandbox.view import View
from braino_registry.runner.tiers import Tier


@dataclass(frozen=True)
class Probe:
    """Whether an engine works on this computer, found out by running it.

    Parameters
    ----------
    engine : str
        Its name.
    works : bool
        Whether a program ran in it, and could not do what a sandbox must refuse.
    detail : str
        Its version where it works, else what happened.
    fix : str
        What to do where it does not; empty where it does.
    """

    engine: str
    works: bool
    detail: str
    fix: str = ""


def why_not(error: OSError | subprocess.TimeoutExpired) -> str:
    """Say in words why an engine's program brought no answer."""
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it did not answer within {error.timeout:.0f} s"
    return f"it cannot be started: {error.strerror or error}"


@dataclass(frozen=True)
class Launch:
    """One start of an agent in an engine.

    Parameters
    ----------
    command : list of str
        Program and arguments, to be run on the host.
    pass_fds : tuple of int
        File descriptors that it needs.
    environ : mapping
        Environment of the engine's own program; the agent's stands in the command.
    """

    command: list[str]
    pass_fds: tuple[int, ...] = ()
    environ: Mapping[str, str] | None = None


class Engine(Protocol):
    """One way to hold a process in a sandbox.

    Attributes
    ----------
    joins_groups : bool
        Whether its processes are children of this one, so that they stay in a control group that
        is made here; container engines make their own.
    """

    name: str
    joins_groups: bool

    def probe(self) -> Probe:
        """Run the smallest program in the engine and say whether that works."""
        ...

    def launch(
        self, view: View, tier: Tier, temporary_bytes: int
    ) -> AbstractContextManager[Launch]:
        """Give what starts an agent; what it holds open is closed when the block ends."""
        ...

    def prepare(self, workspace: Path) -> None:
        """Make the workspace writable for the user that the agent gets."""
        ...

    def enforcement(self, tier: Tier) -> Mapping[str, str]:
        """Say for each resource by which means its limit is held."""
        ...
