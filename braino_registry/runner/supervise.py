"""The parent's side of the workers: one thread per slot, each with one worker process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Protocol, cast

from braino_registry.errors import BrainoError, HostError
from braino_registry.runner import trees, wire
from braino_registry.runner.spec import TrialSpec

Message = dict[str, Any]
_START_SECONDS = 120.0
_ANSWER_SECONDS = 600.0
_LEAVE_SECONDS = 5.0
_LOG_LINES = 40
#: How often a slot tries to start a worker before the run is given up.
_MOST_STARTS = 3
#: Analyses must not depend on how many threads a machine has, nor may slots fight for cores.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class WorkerDied(Exception):
    """A worker is gone; the text says how."""


class WorkerSilent(WorkerDied):
    """A worker had to be stopped, for it took longer than it said it would need.

    Parameters
    ----------
    seconds : float
        For how long it gave no sign of life.
    step : str
        The step of the walk that it was at, empty if at none.
    """

    def __init__(self, seconds: float, step: str) -> None:
        super().__init__(f"the worker gave no sign of life for {seconds:.0f} s")
        self.seconds = seconds
        self.step = step


class WorkerFailed(Exception):
    """A worker could not do what it was asked, and says so.

    Parameters
    ----------
    message : dict
        Its reply.
    """

    def __init__(self, message: Message) -> None:
        super().__init__(message["problem"])
        self.message = message

    def as_error(self) -> BrainoError:
        """Return it as an error for a person."""
        kind = HostError if self.message["exit_code"] == 3 else BrainoError
        return kind(self.message["problem"], where=self.message["where"], hint=self.message["hint"])


class CrewGone(HostError):
    """Nobody is left to run a trial; what has finished is in the journal."""


class Roster:
    """The processes that this run has started, so that they are not taken for strays."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pids: set[int] = set(trees.children())

    def start(self, command: list[str], environ: dict[str, str]) -> subprocess.Popen[bytes]:
        """Start a process; it is on the roster before anybody can miss it there."""
        with self._lock:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environ,
                # Ctrl-C reaches the parent alone, which then ends its workers in order.
                start_new_session=True,
            )
            self._pids.add(process.pid)
            return process

    def mine(self) -> frozenset[int]:
        """Return the processes that are on the roster."""
        with self._lock:
            return frozenset(self._pids)

    def stop_strays(self) -> int:
        """Kill what agents have left to this process; return how many."""
        with self._lock:
            return trees.stop_descendants(keep=self._pids)


class Worker:
    """One worker process.

    Parameters
    ----------
    init : dict
        Its first message.
    roster : Roster
        The processes of this run.
    environ : mapping
        What of its environment differs from that of this process.
    """

    def __init__(
        self, init: Message, roster: Roster, environ: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._scratch = Path(init["scratch"])
        self._process = roster.start(
            [sys.executable, "-P", "-m", "braino_registry.runner.worker"],
            {**os.environ, **environ, **dict.fromkeys(_THREADS, "1")},
        )
        self._input = cast(BinaryIO, self._process.stdin)
        self._output = wire.LineReader(cast(BinaryIO, self._process.stdout).fileno())
        self._log: deque[str] = deque(maxlen=_LOG_LINES)
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        try:
            self._ask(init, _START_SECONDS)
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def request(self, message: Message) -> Message:
        """Send a message and return the result.

        Raises
        ------
        WorkerDied
            If the worker ends.
        WorkerSilent
            If it stays silent for longer than it said it would need.
        WorkerFailed
            If it answers that it could not do it.
        """
        return self._ask(message, _ANSWER_SECONDS)

    def leave(self) -> None:
        """Make the worker end at once, with its agent; may be called from any thread."""
        with suppress(OSError):
            self._input.close()
        try:
            self._process.wait(_LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """Make the worker end and remove all that it had; called by the thread that uses it."""
        self.leave()
        self._reader.join(_LEAVE_SECONDS)
        cast(BinaryIO, self._process.stdout).close()
        trees.remove_tree(self._scratch)

    def _ask(self, message: Message, seconds: float) -> Message:
        step = ""
        try:
            self._input.write(wire.encode(message))
            self._input.flush()
            while (reply := self._output.next(seconds))["type"] == "phase":
                step, seconds = str(reply["name"]), float(reply["seconds"])
        except TimeoutError:
            self._process.kill()
            raise WorkerSilent(seconds, step) from None
        except (wire.Closed, OSError, ValueError) as error:
            self._process.kill()
            raise WorkerDied(self._obituary(error)) from error
        if reply["type"] == "failed":
            raise WorkerFailed(reply)
        return reply

    def _obituary(self, error: Exception) -> str:
        code = self._process.wait()
        self._reader.join(_LEAVE_SECONDS)
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        if isinstance(error, ValueError):
            how = f"sent something that is no message ({error})"
        said = f": {self._log[-1]}" if self._log else ""
        return f"the worker {how}{said}"

    def _read_log(self) -> None:
        with cast(BinaryIO, self._process.stderr) as stream:
            for line in stream:
                self._log.append(line.decode(errors="replace").rstrip()[:500])


class Hand(Protocol):
    """Whoever runs one trial after the other: a `Worker`, or what stands for one elsewhere."""

    def request(self, message: Message) -> Message:
        """Send a message and return the result."""
        ...

    def leave(self) -> None:
        """Stop at once; may be called from any thread."""
        ...

    def close(self) -> None:
        """Stop and remove all that it had; called by the thread that uses it."""
        ...


@dataclass
class Hooks:
    """What the supervisor tells, from its threads.

    Parameters
    ----------
    started, finished : callable
        Called when a trial begins, and with its record when it has ended.
    """

    started: Callable[[TrialSpec], None]
    finished: Callable[[TrialSpec, dict[str, Any]], None]


@dataclass
class Supervisor:
    """Runs trials on a number of slots.

    Parameters
    ----------
    trials : sequence of TrialSpec
        In the order in which they are to be begun.
    jobs : int
        Number of slots.
    start_worker : callable
        Given the number of a slot, returns a new worker.
    hooks : Hooks
        What is told.
    roster : Roster
        The processes of this run.
    lost : callable
        Given a trial and why its worker is gone, returns its record.
    """

    trials: Sequence[TrialSpec]
    jobs: int
    start_worker: Callable[[], Hand]
    hooks: Hooks
    roster: Roster
    lost: Callable[[TrialSpec, Exception], dict[str, Any]]
    _waiting: deque[TrialSpec] = field(default_factory=deque, init=False)
    _workers: dict[int, Hand] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _error: BaseException | None = field(default=None, init=False)

    def run(self) -> bool:
        """Run all trials.

        Returns
        -------
        bool
            False if a person interrupted it.

        Raises
        ------
        BrainoError
            If the run cannot go on: no worker starts, or the journal cannot be written.
        """
        trees.adopt_orphans()
        self._waiting.extend(self.trials)
        slots = [
            threading.Thread(target=self._serve, args=(slot,), name=f"slot-{slot}", daemon=True)
            for slot in range(min(self.jobs, len(self.trials)))
        ]
        interrupted = False
        try:
            for thread in slots:
                thread.start()
            for thread in slots:
                thread.join()
        except KeyboardInterrupt:
            interrupted = True
            self._end(slots)
        if self._error is not None:
            raise self._error
        return not interrupted

    def _end(self, slots: list[threading.Thread]) -> None:
        """Stop the workers; a second Ctrl-C must not leave them behind, so it is ignored here."""
        import signal

        self._stop.set()
        former = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with self._lock:
                workers = list(self._workers.values())
            for worker in workers:
                worker.leave()
            for thread in slots:
                if thread.ident is not None:
                    thread.join()
        finally:
            signal.signal(signal.SIGINT, former)

    def _serve(self, slot: int) -> None:
        worker: Hand | None = None
        try:
            while not self._stop.is_set() and (spec := self._next()) is not None:
                if worker is None:
                    worker = self._hire(slot)
                worker = self._run_one(slot, worker, spec)
        # The first error of any slot ends the run; it is raised again by `run`.
        except BaseException as error:
            with self._lock:
                self._error = self._error or error
            self._stop.set()
        finally:
            if worker is not None:
                self._dismiss(slot, worker)

    def _next(self) -> TrialSpec | None:
        with self._lock:
            return self._waiting.popleft() if self._waiting else None

    def _hire(self, slot: int) -> Hand:
        """Start a worker; one that is killed meanwhile must not take the run with it."""
        for left in reversed(range(_MOST_STARTS)):
            try:
                worker = self.start_worker()
                break
            except WorkerFailed as failure:
                raise failure.as_error() from failure
            except WorkerDied as death:
                if not left or self._stop.is_set():
                    raise HostError(
                        str(death),
                        where="starting a worker",
                        hint="Run `python -m braino_registry.runner.worker` to see what it says.",
                    ) from death
                self.roster.stop_strays()
        with self._lock:
            self._workers[slot] = worker
        return worker

    def _run_one(self, slot: int, worker: Hand, spec: TrialSpec) -> Hand | None:
        """Run one trial and return the worker for the next one, if it can go on."""
        self.hooks.started(spec)
        try:
            reply = worker.request({"type": "trial", "spec": spec.document()})
        except WorkerDied as death:
            self._dismiss(slot, worker)
            if not self._stop.is_set():
                self.hooks.finished(spec, self.lost(spec, death))
            return None
        except WorkerFailed as failure:
            self.hooks.finished(spec, self.lost(spec, failure.as_error()))
            return worker
        self.hooks.finished(spec, reply["record"])
        if reply["spent"]:
            self._dismiss(slot, worker)
            return None
        return worker

    def _dismiss(self, slot: int, worker: Hand) -> None:
        """Close a worker and stop whatever of its agent outlived it."""
        worker.close()
        with self._lock:
            self._workers.pop(slot, None)
        self.roster.stop_strays()
