"""Plan, trial, journal, report: the runner.

Three kinds of process share the work. The *parent* plans, supervises and writes the journal; a
trusted *worker* per slot holds data, tools, scripted user and scorer; the untrusted *agent*
talks to its worker through the session protocol only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from braino_registry.runner.continuing import rescore, resume
from braino_registry.runner.merging import merge
from braino_registry.runner.result import RunResult, check_bound
from braino_registry.runner.run import plan, run
from braino_registry.runner.settings import RunSettings
from braino_registry.runner.trying import run_counterexample, try_task

if TYPE_CHECKING:
    from braino_registry.runner.contributing import check_task

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


def __getattr__(name: str) -> Any:
    """Import what checks a task when it is asked for: no worker and no run needs it."""
    if name != "check_task":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from braino_registry.runner.contributing import check_task

    return check_task
