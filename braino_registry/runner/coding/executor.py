"""What `Session.execute` does: code in a worker that is started when needed, and again if it ends.

The seconds of one execution and of the whole session are counted here, on the trusted side.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from braino_registry.runner import trees
from braino_registry.runner.coding.housing import Housing, OpenHousing
from braino_registry.runner.coding.limits import CodeLimits
from braino_registry.runner.coding.packages import packages
from braino_registry.runner.coding.worker import CodeWorker, Outcome, WorkerSilent
from braino_registry.runner.disk import Disk
from braino_registry.runner.holdings import Holdings
from braino_registry.runner.tiers import Tier
from braino_registry.runner.watch import Watch

AGAIN = "Python starts anew with the next execution: variables are gone, files are still there."


class CodeExecutor:
    """Runs the code of one session.

    Parameters
    ----------
    housing : Housing
        Where it runs.
    limits : CodeLimits
        What it may use.
    tier : Tier
        What a process tree of the run may use at most.
    folder : Path
        The trial's folder, whose size is watched.
    until : float
        ``time.monotonic()`` at which the session is over in any case.
    data_bytes : int
        How much of what is in the folder is the data.
    """

    def __init__(
        self,
        housing: Housing,
        limits: CodeLimits,
        tier: Tier,
        folder: Path,
        until: float,
        data_bytes: int = 0,
    ) -> None:
        self._housing, self._limits = housing, limits
        self._tier = limits.within(tier)
        self._folder, self._until, self._data_bytes = folder, until, data_bytes
        self._others = frozenset(trees.children())
        self._worker: CodeWorker | None = None
        self._watch: Watch | None = None
        self._used = 0.0
        self.starts = 0

    def __call__(self, code: str) -> Mapping[str, Any]:
        """Run a piece of code and return ``ok``, ``output`` and ``error``.

        Raises
        ------
        WorkerSilent
            If no worker can be started.
        """
        left = self._limits.case_seconds - self._used
        if left <= 0:
            most = self._limits.case_seconds
            why = f"the {most:.0f} s that code may take in this session are used up"
            return {"ok": False, "output": "", "error": f"{why}. Answer with what you have."}
        before = self._ended_meanwhile()
        began = time.monotonic()
        seconds = max(0.0, min(self._limits.seconds, left, self._until - began))
        outcome = self._run(code, seconds)
        self._used += time.monotonic() - began
        error = outcome.error
        if outcome.ended:
            self._leave()
            error = f"{error}\n{AGAIN}"
        output = f"[{before}]\n{outcome.output}" if before else outcome.output
        return {"ok": outcome.ok, "output": output, "error": error}

    def describe(self) -> dict[str, Any]:
        """Return what the agent is told of the place where its code runs."""
        return {
            "inputs": self._housing.inputs,
            "workspace": self._housing.workspace,
            "seconds": self._limits.seconds,
            "case_seconds": self._limits.case_seconds,
            "output_chars": self._limits.output_chars,
            "packages": packages(),
        }

    def close(self) -> None:
        """End the worker with everything that its code has started."""
        self._leave()
        if self.starts and isinstance(self._housing, OpenHousing):
            # A sandbox takes its processes with it; here a daemon has to be looked for.
            trees.stop_descendants(keep=self._others)

    def _ended_meanwhile(self) -> str:
        """Return what to tell of a worker that has ended since the last execution."""
        if self._worker is None or (why := self._worker.ended) is None:
            return ""
        self._leave()
        return f"Since the last execution {why}; Python was started anew, without variables."

    def _run(self, code: str, seconds: float) -> Outcome:
        try:
            worker = self._working()
        except WorkerSilent as silent:
            if not self.starts:
                raise
            # Once it did start here, so what keeps it from starting now is what the code has left.
            return Outcome(False, "", f"Python could not be started again: {silent}", ended=True)
        return worker.run(code, seconds)

    def _working(self) -> CodeWorker:
        if self._worker is None:
            trees.adopt_orphans()
            self._worker = CodeWorker(self._housing.start(self._tier), self._limits)
            self.starts += 1
            disk = Disk(self._folder, self._tier, self._data_bytes)
            holdings = Holdings(self._tier, disk.bytes, self._folder)
            self._watch = Watch(self._worker.pid, self._tier, self._worker.end, disk, holdings)
        return self._worker

    def _leave(self) -> None:
        worker, watch = self._worker, self._watch
        self._worker = self._watch = None
        if worker is not None:
            worker.stop()
        if watch is not None:
            watch.finish()
