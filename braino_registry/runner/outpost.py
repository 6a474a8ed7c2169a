"""The far side of a cluster: what one of its processes does for a run elsewhere.

A cluster may run a task again whenever it has lost sight of the process that ran it, whether or
not that process has come to its end. So a trial is *claimed* before it begins, by a file that can
be made only once; whoever comes second runs nothing. What the first has brought to an end stands
beside the claim, and is told instead.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from braino_registry.errors import HostError
from braino_registry.reports.files import write_atomic
from braino_registry.runner import computer, trees
from braino_registry.runner.supervise import (
    Roster,
    Worker,
    WorkerDied,
    WorkerFailed,
    WorkerSilent,
)
from braino_registry.runner.wire import new_scratch

Message = dict[str, Any]
#: Seconds after which a worker is stopped that nothing was asked of, and between two looks at
#: whether the trial is still wanted.
IDLE_SECONDS = 60.0
_LOOK_SECONDS = 0.5


class Pool:
    """The workers of one process of the cluster: those that wait for their next trial."""

    def __init__(self) -> None:
        trees.adopt_orphans()
        self._roster = Roster()
        self._lock = threading.Lock()
        self._idle: dict[str, list[Worker]] = {}
        self._timer: threading.Timer | None = None

    def take(self, name: str, init: Message, environ: Mapping[str, str]) -> Worker:
        """Return a worker of a run, a new one if none waits; those of other runs may go."""
        with self._lock:
            others = [self._idle.pop(each) for each in list(self._idle) if each != name]
            mine = self._idle.get(name, [])
            worker = mine.pop() if mine else None
        for waiting in others:
            for each in waiting:
                self.dismiss(each)
        return worker or Worker({**init, "scratch": str(new_scratch())}, self._roster, environ)

    def give_back(self, name: str, worker: Worker) -> None:
        """Let a worker wait for the next trial, for a while."""
        with self._lock:
            self._idle.setdefault(name, []).append(worker)
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(IDLE_SECONDS, self.dismiss_all)
            self._timer.daemon = True
            self._timer.start()

    def dismiss(self, worker: Worker) -> None:
        """Close a worker and stop whatever of its agent outlived it."""
        worker.close()
        self._roster.stop_strays()

    def dismiss_all(self) -> None:
        """Close every worker that waits."""
        with self._lock:
            idle, self._idle = self._idle, {}
            if self._timer is not None:
                self._timer.cancel()
        for waiting in idle.values():
            for worker in waiting:
                self.dismiss(worker)


_pool: Pool | None = None
_making = threading.Lock()


def pool() -> Pool:
    """Return the pool of this process."""
    global _pool
    with _making:
        _pool = _pool or Pool()
        return _pool


def work(
    init: Message, message: Message, claim: str, expected: Message, environ: Mapping[str, str]
) -> Message:
    """Run one trial, unless that was begun before.

    Parameters
    ----------
    init : dict
        The first message to a worker, but for the folder for temporary files.
    message : dict
        The trial, as a worker is told of it.
    claim : str
        The file that says that it was begun; its folder is one that all processes share.
    expected : dict
        Python and packages of the process that writes the report.
    environ : mapping
        What of its environment matters to a worker.

    Returns
    -------
    dict
        What the worker answered, or how it ended: ``died``, ``silent``, ``claimed``, or ``unfit``
        if this process cannot run the trial; ``failed`` if the worker said so.
    """
    unfit = _unfit(Path(claim), expected)
    if unfit:
        return {"type": "unfit", "text": unfit}
    mine, name = pool(), _name_of(init)
    try:
        # Before the claim: what cannot even start has begun nothing.
        worker = mine.take(name, init, environ)
    except WorkerFailed as failure:
        return failure.message
    except WorkerDied as death:
        return {"type": "unfit", "text": f"no worker starts: {death}"}
    done = Path(f"{claim}.done")
    try:
        first = _claim(Path(claim))
    except OSError as error:
        mine.give_back(name, worker)
        return {"type": "unfit", "text": f"cannot write to {claim}: {error.strerror}"}
    if not first:
        mine.give_back(name, worker)
        return dict(json.loads(done.read_bytes())) if done.exists() else {"type": "claimed"}
    reply, keep = _ask(worker, message)
    if keep:
        mine.give_back(name, worker)
    else:
        mine.dismiss(worker)
    # Without this file a second run of the task is refused all the same; only the result is not
    # told again, and that is no reason to withhold it now.
    with suppress(HostError):
        write_atomic(done, json.dumps(reply).encode())
    return reply


def _ask(worker: Worker, message: Message) -> tuple[Message, bool]:
    """Let a worker run a trial; return the reply, and whether it can run another one."""
    over = threading.Event()
    watch = threading.Thread(target=_watch, args=(_wanted(), worker, over), daemon=True)
    watch.start()
    try:
        reply = worker.request(message)
        return reply, not reply["spent"]
    except WorkerFailed as failure:
        return failure.message, True
    except WorkerSilent as silence:
        return {"type": "silent", "seconds": silence.seconds, "step": silence.step}, False
    except WorkerDied as death:
        return {"type": "died", "text": str(death)}, False
    finally:
        over.set()
        watch.join()


def _watch(wanted: Callable[[], bool], worker: Worker, over: threading.Event) -> None:
    """Stop a trial that nobody waits for any more.

    When the parent is gone, killed or not, the trial may be begun again elsewhere: it must not go
    on here and write into the same folder.
    """
    while not over.wait(_LOOK_SECONDS):
        if not wanted():
            worker.leave()
            return


def _wanted() -> Callable[[], bool]:
    """Return what tells whether the task of this thread is still wanted by the cluster."""
    from distributed import get_worker
    from distributed.core import Status

    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        if worker.status not in (Status.running, Status.paused):
            return False  # it has lost its scheduler, or is being stopped
        task = worker.state.tasks.get(key)
        return task is not None and task.state in ("executing", "long-running")

    return wanted


def _claim(path: Path) -> bool:
    """Make the file that can be made only once; return whether it was made now."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    except FileExistsError:
        return False
    return True


def _unfit(claim: Path, expected: Message) -> str:
    """Say why this process cannot run a trial of the run, empty if it can."""
    here = computer.describe()
    if not (claim.parents[2] / "mark").exists():
        return f"does not see {claim.parents[3]}, which must be on a file system that all share"
    if here["python"] != expected["python"]:
        return f"runs {here['python']}, not {expected['python']}"
    other = [
        f"{name} {version} instead of {expected['packages'].get(name)}"
        for name, version in here["packages"].items()
        if version != expected["packages"].get(name)
    ]
    return f"has {', '.join(other)}" if other else ""


def _name_of(init: Message) -> str:
    """Return what tells the workers of one run from those of another."""
    return hashlib.sha256(json.dumps(init, sort_keys=True).encode()).hexdigest()


def dismiss() -> None:
    """Close the workers of this process that wait."""
    if _pool is not None:
        _pool.dismiss_all()
