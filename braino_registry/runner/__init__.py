"""Plan, trial, journal, report: the runner.

Three kinds of process share the work. The *parent* plans, supervises and writes the journal; a
trusted *worker* per slot holds data, tools, scripted user and scorer; the untrusted *agent*
talks to its worker through the session protocol only.
"""

from __future__ import annotations

from braino_registry.runner.checking import check_task
from braino_registry.runner.continuing import rescore, resume
from braino_registry.runner.merging import merge
from braino_registry.runner.result import RunResult, check_bound
from braino_registry.runner.run import plan, run
from braino_registry.runner.settings import RunSettings
from braino_registry.runner.trying import run_counterexample, try_task

__all__ = [
    "RunResult",
    "RunSettings",
    "check_bound",
    "check_task",
    "merge",
    "plan",
    "rescore",
    "resume",
    "run",
    "run_counterexample",
    "try_task",
]
