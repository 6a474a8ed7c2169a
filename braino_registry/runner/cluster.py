"""A crew on a Dask cluster: each trial is a task, and none is ever run twice.

The parent stays what it is: it plans, supervises with one thread per trial in flight, and writes
the journal. Only the trusted worker, with its agent, runs in a process of the cluster. The run
folder, the dataset cache and the folders of entries must lie where all of them see them.
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from braino_registry.errors import HostError, UsageError
from braino_registry.reports.files import make_folder, write_atomic
from braino_registry.runner import computer, outpost, trees
from braino_registry.runner.settings import RunSettings
from braino_registry.runner.supervise import (
    CrewGone,
    Roster,
    WorkerDied,
    WorkerFailed,
    WorkerSilent,
)
from braino_registry.runner.wire import init_message

if TYPE_CHECKING:
    from distributed import Client, Future

    from braino_registry.runner.sources import Sources

Message = dict[str, Any]
LOCAL = "local"
#: Processes of a cluster on this computer, where nothing else is asked for.
LOCAL_SIZE = 2
#: Seconds to wait for a scheduler, for its first worker, and for any worker to come back.
_CONNECT_SECONDS = 10.0
_FIRST_SECONDS = 60.0
_LOOK_SECONDS = 1.0
#: Seconds that an orphaned worker gets to clean up.
_LEAVE_SECONDS = 10.0
#: How often a trial is handed out anew that a dying process had not yet begun.
_MOST_ROUNDS = 10


class Patient(Roster):
    """What a lost process of a cluster on this computer leaves comes here as an orphan.

    It is a trusted worker, which ends its agent and removes what it has made before it goes.
    """

    def stop_strays(self) -> int:
        """Give strays the time to end by themselves, then kill them; return how many."""
        import psutil

        left = []
        for pid in trees.strangers(self.mine()):
            with suppress(psutil.NoSuchProcess):
                left.append(psutil.Process(pid))
        psutil.wait_procs(left, timeout=_LEAVE_SECONDS)
        return super().stop_strays()


class Cluster:
    """A connection to a scheduler; see `Crew`.

    Parameters
    ----------
    client : Client
        The connection.
    size : int
        Trials at a time.
    init : dict
        The first message to a worker.
    closing : ExitStack
        What has to be closed at the end.
    patience : float
        Seconds to wait for a worker when the last one has gone.
    """

    def __init__(
        self, client: Client, size: int, init: Message, closing: ExitStack, patience: float
    ) -> None:
        self.client = client
        self.size = size
        self.roster: Roster = Patient()
        self._closing = closing
        here = computer.describe()
        self.terms = (
            init,
            {name: here[name] for name in ("python", "packages")},
            {name: value for name, value in os.environ.items() if name.startswith("BRAINO_")},
        )
        self._patience = patience
        self._lock = threading.Lock()
        self._looked = self._seen = time.monotonic()

    def hire(self, run_dir: Path) -> FarHand:
        """Return one more hand; it starts nothing before its first trial."""
        mark = claims(run_dir) / "mark"
        if not mark.exists():
            make_folder(mark.parent)
            write_atomic(mark, b"")
        return FarHand(self, run_dir)

    def dismiss(self, run_dir: Path) -> None:
        """Remove the claims of a run that has come to its end: nothing of it is run any more."""
        trees.remove_tree(claims(run_dir))

    def look(self) -> None:
        """Notice when the cluster is gone; called again and again while a trial is waited for.

        Raises
        ------
        CrewGone
            If the scheduler is, or has had no worker for a long time.
        """
        with self._lock:
            now = time.monotonic()
            if now - self._looked < _LOOK_SECONDS:
                return
            self._looked = now
            if self.client.status not in ("running", "connecting"):
                raise _gone(f"its scheduler has gone ({self.client.status})")
            try:
                there = bool(self.client.nthreads())
            except (OSError, ValueError) as error:
                raise _gone(f"its scheduler does not answer: {error}") from error
            if there:
                self._seen = now
            elif now - self._seen > self._patience:
                raise _gone(f"it has had no worker for {self._patience:.0f} s")

    def __enter__(self) -> Cluster:
        """Return the crew."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the cluster free."""
        # Nobody waits for what it answers; a cluster that is gone has nothing to dismiss.
        with suppress(Exception):
            if self.client.status == "running":
                self.client.run(outpost.dismiss, on_error="ignore")
        self._closing.close()


class FarHand:
    """One trial at a time, somewhere on the cluster; see `Hand`.

    Parameters
    ----------
    cluster : Cluster
        Where.
    run_dir : Path
        The folder of the run.
    """

    def __init__(self, cluster: Cluster, run_dir: Path) -> None:
        self._cluster = cluster
        self._run_dir = run_dir
        self._future: Future[Any] | None = None
        self._left = threading.Event()

    def request(self, message: Message) -> Message:
        """Have a trial run, and return the result; see `Worker.request`.

        Raises
        ------
        CrewGone
            If the whole cluster is; the trial is in flight then.
        HostError
            If the process that it was given to is unfit for it.
        """
        claim = claim_of(self._run_dir, message["spec"])
        for _ in range(_MOST_ROUNDS):
            reply = self._round(message, claim)
            if reply is not None:
                return _taken(reply)
        raise WorkerDied("one process of the cluster after the other has died before it began")

    def _round(self, message: Message, claim: Path) -> Message | None:
        """Hand a trial out once; return None if it was lost before it had begun."""
        from distributed import CancelledError
        from distributed.scheduler import KilledWorker

        init, expected, environ = self._cluster.terms
        future = self._cluster.client.submit(
            outpost.work, init, message, str(claim), expected, environ,
            key=f"braino-{secrets.token_hex(16)}", pure=False, retries=0,
        )  # fmt: skip
        self._future = future
        try:
            return self._wait(future)
        except KilledWorker as death:
            if claim.exists():
                raise WorkerDied(_lost(str(death.last_worker.address))) from death
            return None
        except CancelledError as error:
            if self._left.is_set():
                raise WorkerDied("stopped") from error
            raise _gone("it has dropped the trial") from error
        finally:
            self._future = None
            # Held no longer than needed: what is released is never computed again.
            future.release()

    def _wait(self, future: Future[Any]) -> Message:
        while True:
            if self._left.is_set():
                raise WorkerDied("stopped")
            try:
                return dict(future.result(timeout=_LOOK_SECONDS))
            except TimeoutError:
                self._cluster.look()
            except (ImportError, AttributeError) as error:
                raise HostError(
                    f"a process of the cluster cannot run trials: {error}",
                    where="--cluster",
                    hint="Install the same version of braino-registry there as here.",
                ) from error

    def leave(self) -> None:
        """Stop the trial that is being run, if any; from any thread."""
        self._left.set()
        future = self._future
        if future is not None:
            # The cluster may be gone already, and then there is nothing to stop.
            with suppress(Exception):
                future.cancel()

    def close(self) -> None:
        """Nothing is held here."""


def claims(run_dir: Path) -> Path:
    """Return the folder that says which trials were begun on a cluster."""
    return run_dir / "claims"


def claim_of(run_dir: Path, spec: Message) -> Path:
    """Return the file that says that one attempt at a trial was begun."""
    name = f"{spec['repeat']}.{spec['attempt']}"
    return claims(run_dir) / str(spec["task"]) / str(spec["instance"]) / name


def _taken(reply: Message) -> Message:
    """Return the result of a trial, or say as a local worker would why there is none."""
    kind = reply["type"]
    if kind == "failed":
        raise WorkerFailed(reply)
    if kind == "silent":
        raise WorkerSilent(reply["seconds"], reply["step"])
    if kind == "died":
        raise WorkerDied(reply["text"])
    if kind == "claimed":
        raise WorkerDied(_lost("that ran it"))
    if kind == "unfit":
        raise HostError(
            f"a process of the cluster {reply['text']}",
            where="--cluster",
            hint="Mend it, and finish the run with `braino eval resume`.",
        )
    return reply


def _lost(which: str) -> str:
    return f"the cluster has lost the process {which}; a trial is never run again by itself"


def _gone(how: str) -> CrewGone:
    return CrewGone(
        f"the cluster is gone: {how}",
        where="--cluster",
        hint="Start one, and finish the run with `braino eval resume DIR --cluster ADDRESS`.",
    )


def connect(settings: RunSettings, sources: Sources) -> Cluster:
    """Return the crew on a cluster that is there, or on one that is started here.

    Raises
    ------
    UsageError
        If there is no such scheduler.
    HostError
        If Dask is not installed, or no worker comes.
    """
    try:
        from distributed import Client
        from distributed.comm.addressing import get_address_host_port
    except ImportError as error:
        raise HostError(
            f"--cluster needs the package distributed ({error})",
            where=f"--cluster {settings.cluster}",
            hint="Install it: pip install 'braino-registry[cluster]'.",
        ) from error
    address = str(settings.cluster)
    with ExitStack() as closing:
        target: Any = address
        if address == LOCAL:
            target = closing.enter_context(_here(settings.jobs or LOCAL_SIZE))
        try:
            if address != LOCAL:
                get_address_host_port(address)  # a client of no address would not end quietly
            client = closing.enter_context(
                Client(target, timeout=_CONNECT_SECONDS, set_as_default=False)
            )
        # Whatever a person can type instead of an address.
        except (OSError, ValueError, TypeError) as error:
            raise UsageError(
                f"there is no Dask scheduler: {str(error).splitlines()[0]}",
                where=f"--cluster {address}",
                hint="Give `local`, or an address such as tcp://HOST:8786.",
            ) from error
        size = settings.jobs or _threads(client, address)
        init = init_message(
            registry=tuple(path.absolute() for path in settings.registry),
            cache=sources.store.root.absolute(),
            salt=sources.salt.material or None,
            scratch=Path(),
        )
        return Cluster(client, size, init, closing.pop_all(), _FIRST_SECONDS)


def _threads(client: Client, address: str) -> int:
    """Return how many trials a cluster can run at a time, once its first worker is there."""
    try:
        client.wait_for_workers(1, timeout=_FIRST_SECONDS)
    except TimeoutError as error:
        raise HostError(
            f"the cluster has no worker after {_FIRST_SECONDS:.0f} s",
            where=f"--cluster {address}",
            hint="Start workers, or give --jobs N where they come later.",
        ) from error
    return max(1, sum(int(number) for number in client.nthreads().values()))


@contextmanager
def _here(size: int) -> Iterator[Any]:
    """Start a cluster on this computer that nobody else can speak to; stop it in the end."""
    import dask
    from distributed import LocalCluster

    # No pages for people: what is served there needs no certificate to be read.
    quiet: dict[str, list[str]] = {
        f"distributed.{side}.http.routes": [] for side in ("scheduler", "worker")
    }
    with tempfile.TemporaryDirectory(prefix="braino-dask-") as folder, dask.config.set(quiet):
        with _deaf_to_ctrl_c():
            cluster = LocalCluster(
                n_workers=size, threads_per_worker=1, processes=True, memory_limit=0,
                host="127.0.0.1", dashboard_address="127.0.0.1:0", security=True,
                local_directory=folder,
            )  # fmt: skip
        with cluster:
            yield cluster


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach: the parent ends them in order."""
    if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
        yield
        return
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
