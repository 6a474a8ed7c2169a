"""What code may use. The numbers stand in ``limits.json``; most are those of BrainBench."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from braino_registry.runner.tiers import Tier


@dataclass(frozen=True)
class CodeLimits:
    """What the code of one session may use.

    Parameters
    ----------
    seconds, case_seconds : float
        Of one execution, and of all executions of a session together.
    output_chars : int
        Characters of what was printed that the agent is shown, half from either end.
    printed_bytes : int
        What one execution may print; more ends the worker.
    memory_bytes, processes, file_bytes, disk_bytes : int
        Of its process tree, of one file, and of all that it leaves in the trial's folder. A tier
        that allows less holds.
    temporary_bytes : int
        Size of its folder for temporary files, where a sandbox gives it one.
    """

    seconds: float
    case_seconds: float
    output_chars: int
    printed_bytes: int
    memory_bytes: int
    processes: int
    file_bytes: int
    disk_bytes: int
    temporary_bytes: int

    def within(self, tier: Tier) -> Tier:
        """Return what the worker's process tree may use on a computer of this class."""
        memory = tier.memory_bytes
        return replace(
            tier,
            memory_bytes=self.memory_bytes if memory is None else min(memory, self.memory_bytes),
            processes=min(tier.processes, self.processes),
            file_bytes=min(tier.file_bytes, self.file_bytes),
            disk_bytes=min(tier.disk_bytes, self.disk_bytes),
        )


@cache
def standard() -> CodeLimits:
    """Return the limits that sessions have."""
    text = files("braino_registry.runner.coding").joinpath("limits.json").read_text("utf-8")
    return CodeLimits(**json.loads(text))
