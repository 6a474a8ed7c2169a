"""An agent in a process of its own, watched from outside and removed with all it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, cast

from braino_registry.runner import cgroups, trees
from braino_registry.runner.disk import Disk
from braino_registry.runner.holdings import Holdings, Rooms
from braino_registry.runner.isolation import Measured, Seen, Start, on_host
from braino_registry.runner.printed import Printed
from braino_registry.runner.tiers import Tier
from braino_registry.runner.watch import Watch

COMMAND = ("-P", "-c", "from braino.agent import main; main()")
_GRAPHICS = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")


class ProcessIsolation:
    """The default: a new process group per trial."""

    name = "process"
    shows_read_only = False

    def start(self, start: Start) -> AgentProcess:
        """Start the agent's interpreter; see `Isolation`."""
        return AgentProcess(
            [sys.executable, *COMMAND],
            start,
            environment(start.tier, start.scratch, os.environ),
            on_host(start),
            group=cgroups.make(start.tier),
        )

    def enforcement(self, tier: Tier) -> Mapping[str, str]:
        """Say by which means each limit is held."""
        linux = sys.platform.startswith("linux")
        memory = "rlimit per process, watcher on the tree" if linux else "watcher on the tree"
        return {
            "seconds": "process tree killed",
            "memory": memory if tier.memory_bytes is not None else "none",
            "processes": "watcher on the tree",
            "file_size": "rlimit per process" if linux else "none",
            "disk": "watcher on the trial's folder",
            "output": "counted, process tree killed",
            "gpu": "environment variables" if not tier.gpu else "none",
            "network": "none",
            "files": "none",
            **by_groups(tier),
        }


def by_groups(tier: Tier) -> dict[str, str]:
    """Return which limits a control group holds; none where no group can be made."""
    if cgroups.place() is None:
        return {}
    held = {"processes": "cgroup"}
    return held if tier.memory_bytes is None else {**held, "memory": "cgroup, rlimit per process"}


def environment(tier: Tier, scratch: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the agent's environment: the caller's without what tells of the registry.

    Model keys and endpoints must reach the agent; where datasets, mirrors and entries lie need
    not. Graphics processors are hidden where the tier has none.
    """
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith("BRAINO_") and name != "MNE_DATA"
    }
    kept["TMPDIR"] = str(scratch)
    if not tier.gpu:
        kept.update(dict.fromkeys(_GRAPHICS, ""))
    return kept


class AgentProcess:
    """One agent's process tree.

    Only one may run at a time in the process that starts it: what is not known to this process
    when the agent starts is taken for the agent's.

    Parameters
    ----------
    command : list of str
        Interpreter and arguments.
    start : Start
        Its folders and what its tree may use.
    environ : mapping
        Its environment.
    seen : Seen
        Paths as the agent knows them.
    pass_fds : tuple of int
        File descriptors that the command needs.
    limited : bool
        Whether the command itself limits the processes that it starts.
    group : Group | None
        The control group that it runs in; closed when it is stopped.
    rooms : Rooms | None
        File systems in memory that are its own.
    """

    def __init__(
        self,
        command: list[str],
        start: Start,
        environ: Mapping[str, str],
        seen: Seen,
        *,
        pass_fds: tuple[int, ...] = (),
        limited: bool = False,
        group: cgroups.Group | None = None,
        rooms: Rooms | None = None,
    ) -> None:
        self.seen = seen
        self._group = group
        trees.adopt_orphans()
        self._others = frozenset(trees.children())
        self._process = subprocess.Popen(
            command if group is None else group.entering(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=start.workspace,
            env=dict(environ),
            pass_fds=pass_fds,
            start_new_session=True,
        )
        disk = Disk(start.workspace.parent, start.tier, start.data_bytes)
        # Set before the agent hears its first message, hence before any of its code runs.
        if not limited:
            limit(self._process.pid, start.tier, disk.bytes)
        self.reader = cast(BinaryIO, self._process.stdout)
        self.writer = cast(BinaryIO, self._process.stdin)
        self._output_bytes = start.output_bytes
        self._disk = disk
        self._printed = Printed()
        self._stopped_for: str | None = None
        holdings = Holdings(start.tier, disk.bytes, start.workspace.parent, rooms)
        self._watch = Watch(self._process.pid, start.tier, self._end, disk, holdings)
        self._drain = threading.Thread(target=self._read_prints, daemon=True)
        self._drain.start()

    @property
    def pid(self) -> int:
        """Process id of the agent's interpreter."""
        return self._process.pid

    def alive(self) -> bool:
        """Tell whether the agent's interpreter still runs."""
        return self._process.poll() is None

    def stop(self, *, grace: float) -> Measured:
        """End the tree and say what was seen of it; see `RunningAgent`."""
        if grace > 0:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(grace)
        ended_itself = self._process.poll() is not None
        peak, over = self._watch.finish()
        free = self._disk.free_bytes()
        self._kill_group()
        exit_code = self._process.wait()
        strangers = trees.stop_descendants(keep=self._others)
        peak, over = self._leave_group(peak, over)
        if over is None:
            over = self._disk.given_back(free)
        for stream in (self.writer, self.reader):
            with suppress(OSError):
                stream.close()
        self._drain.join(timeout=5.0)
        return Measured(
            exit_code=exit_code if ended_itself else None,
            peak_memory_bytes=peak,
            printed_bytes=self._printed.count,
            left_behind=strangers,
            stopped_for=self._stopped_for,
            found_over=over,
            log=self._printed.log(),
        )

    def _leave_group(self, peak: int | None, over: str | None) -> tuple[int | None, str | None]:
        """Close the control group; return what it tells of memory, else what is known already."""
        if self._group is None:
            return peak, over
        measured, passed = self._group.peak_bytes(), self._group.passed()
        self._group.close()
        if passed is not None and self._stopped_for is None:
            self._stopped_for = passed
        return max(filter(None, (peak, measured)), default=None), over

    def _end(self, reason: str) -> None:
        """Stop the tree because a limit was passed; the session then sees the closed pipe."""
        if self._stopped_for is None:
            self._stopped_for = reason
        self._kill_group()

    def _kill_group(self) -> None:
        if self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _read_prints(self) -> None:
        """Take everything the agent prints, so that it never blocks; keep only both ends."""
        stream = cast(BinaryIO, self._process.stderr)
        with stream:
            while piece := os.read(stream.fileno(), 65536):
                self._printed.take(piece)
                if self._printed.count > self._output_bytes:
                    self._end(f"printed more than {self._output_bytes} bytes")


def limit(pid: int, tier: Tier, file_bytes: int) -> None:
    """Lower the limits of a process that has just been started."""
    if not sys.platform.startswith("linux"):
        return
    import resource

    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: min(tier.file_bytes, file_bytes),
        resource.RLIMIT_AS: tier.memory_bytes,
    }
    for which, value in wanted.items():
        with suppress(ProcessLookupError):
            _, hard = resource.prlimit(pid, which)
            if value is None:
                value = hard  # the worker's own limit, which it has inherited, is not its own
            elif hard != resource.RLIM_INFINITY:
                value = min(value, hard)
            resource.prlimit(pid, which, (value, value))
