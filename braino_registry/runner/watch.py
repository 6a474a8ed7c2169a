"""Watching what an agent's process tree uses: memory, processes, and the disk."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from braino_registry.runner.disk import Disk
from braino_registry.runner.holdings import Holdings
from braino_registry.runner.tiers import Tier
from braino_registry.runner.trees import descendants

INTERVAL = 0.1


class Watch:
    """Samples a process tree until it is finished, and calls out when it uses too much.

    Parameters
    ----------
    pid : int
        Root of the tree.
    tier : Tier
        What the tree may use.
    stop : callable
        Called with the reason when a limit is passed.
    disk : Disk | None
        What watches the folders that the tree may write to.
    holdings : Holdings | None
        What looks at what the tree holds beside its own memory.
    """

    def __init__(
        self,
        pid: int,
        tier: Tier,
        stop: Callable[[str], None],
        disk: Disk | None = None,
        holdings: Holdings | None = None,
    ) -> None:
        self._pid = pid
        self._tier = tier
        self._stop = stop
        self._disk = disk
        self._holdings = holdings
        self._peaks: dict[int, int] = {}
        self._peak = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def finish(self) -> tuple[int | None, str | None]:
        """Take a last sample and end the watch.

        Returns
        -------
        peak : int | None
            The tree's peak memory in bytes.
        over : str | None
            Which limit it passes even now.
        """
        self._done.set()
        self._thread.join()
        over = self._sample()
        if over is None and self._disk is not None:
            over = self._disk.measure()
        return self._peak or None, over

    def _run(self) -> None:
        while not self._done.wait(INTERVAL):
            reason = self._sample()
            if reason is not None:
                self._stop(reason)

    def _sample(self) -> str | None:
        """Measure the tree once; return which limit it passes, if any."""
        pids = descendants(self._pid)
        now = 0
        for pid in pids:
            resident, peak = memory(pid)
            now += resident
            self._peaks[pid] = max(peak, self._peaks.get(pid, 0))
        # The kernel keeps each process's own highest mark, so a spike between two samples of a
        # single process is not missed; over the tree the sum at one time counts.
        alone = max(self._peaks.values(), default=0)
        self._peak = max(self._peak, now, alone)
        limit = self._tier.memory_bytes
        if limit is not None and now > limit:
            return f"used {now} bytes of memory, more than the tier's {limit}"
        if len(pids) > self._tier.processes:
            return f"ran {len(pids)} processes, more than the tier's {self._tier.processes}"
        over = None if self._holdings is None else self._holdings.look(pids)
        return over if over or self._disk is None else self._disk.look()


def memory(pid: int) -> tuple[int, int]:
    """Return resident bytes of a process now and at its highest; zeros once it is gone."""
    status = Path(f"/proc/{pid}/status")
    try:
        if status.exists():
            return _from_status(status.read_text())
        import psutil

        try:
            resident = int(psutil.Process(pid).memory_info().rss)
        except psutil.Error:
            return 0, 0
        return resident, resident
    except OSError:
        return 0, 0


def _from_status(text: str) -> tuple[int, int]:
    kilobytes = {"VmRSS": 0, "VmHWM": 0}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name in kilobytes:
            kilobytes[name] = int(value.split()[0])
    return kilobytes["VmRSS"] * 1024, kilobytes["VmHWM"] * 1024
