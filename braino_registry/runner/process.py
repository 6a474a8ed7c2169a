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

from braino_registry.runner import trees
from braino_registry.runner.isolation import Measured
from braino_registry.runner.printed import Printed
from braino_registry.runner.tiers import Tier
from braino_registry.runner.watch import Watch

COMMAND = ("-P", "-c", "from braino.agent import main; main()")
_GRAPHICS = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")


class ProcessIsolation:
    """The default: a new process group per trial."""

    name = "process"

    def start(self, workspace: Path, scratch: Path, tier: Tier, output_bytes: int) -> AgentProcess:
        """Start the agent's interpreter; see `Isolation`."""
        return AgentProcess(
            [sys.executable, *COMMAND],
            workspace,
            environment(tier, scratch, os.environ),
            tier,
            output_bytes,
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
            "output": "counted, process tree killed",
            "gpu": "environment variables" if not tier.gpu else "none",
            "network": "none",
            "files": "none",
        }


def environment(tier: Tier, scratch: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the agent's environment: the caller's without what tells of the registry.

    Model keys and endpoints must reach the agent; where datasets, mirrors and entries lie need
    not. Graphics processors are hidden where the tier has none.
    """
    kept = {name: value for name, value in environ.items() if not name.startswith("BRAINO_")}
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
    workspace : Path
        Current directory of the process.
    environ : mapping
        Its environment.
    tier : Tier
        What the tree may use.
    output_bytes : int
        How much it may print before it is stopped.
    """

    def __init__(
        self,
        command: list[str],
        workspace: Path,
        environ: Mapping[str, str],
        tier: Tier,
        output_bytes: int,
    ) -> None:
        trees.adopt_orphans()
        self._others = frozenset(trees.children())
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=workspace,
            env=dict(environ),
            start_new_session=True,
        )
        # Set before the agent hears its first message, hence before any of its code runs.
        _limit(self._process.pid, tier)
        self.reader = cast(BinaryIO, self._process.stdout)
        self.writer = cast(BinaryIO, self._process.stdin)
        self._output_bytes = output_bytes
        self._printed = Printed()
        self._stopped_for: str | None = None
        self._watch = Watch(self._process.pid, tier, self._end)
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
        peak = self._watch.finish()
        ended_itself = self._process.poll() is not None
        self._kill_group()
        exit_code = self._process.wait()
        strangers = trees.stop_descendants(keep=self._others)
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
            log=self._printed.log(),
        )

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


def _limit(pid: int, tier: Tier) -> None:
    """Lower the limits of a process that has just been started."""
    if not sys.platform.startswith("linux"):
        return
    import resource

    wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: tier.file_bytes}
    if tier.memory_bytes is not None:
        wanted[resource.RLIMIT_AS] = tier.memory_bytes
    for which, value in wanted.items():
        with suppress(ProcessLookupError):
            _, hard = resource.prlimit(pid, which)
            if hard != resource.RLIM_INFINITY:
                value = min(value, hard)
            resource.prlimit(pid, which, (value, value))
