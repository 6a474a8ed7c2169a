"""The released files of EEGAgentBench: scenarios, answer keys, runtime maps and runs."""

from __future__ import annotations

from braino_registry.imports.eegagentbench.reading import Release, Scenario, read_release
from braino_registry.imports.eegagentbench.rows import find_runs, read_rows
from braino_registry.imports.eegagentbench.scoring import score_run

__all__ = ["Release", "Scenario", "find_runs", "read_release", "read_rows", "score_run"]
