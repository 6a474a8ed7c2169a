"""Many runs as one: agents, models and suites under one budget, and one comparison."""

from __future__ import annotations

from braino_registry.runner.sweeps.cells import Cell, Sweep, read_sweep
from braino_registry.runner.sweeps.running import SweepResult, sweep

__all__ = ["Cell", "Sweep", "SweepResult", "read_sweep", "sweep"]
