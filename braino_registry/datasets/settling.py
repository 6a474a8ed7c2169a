"""Verified files get their names on threads of their own, while the next ones arrive.

Every file is flushed to the disk before it gets its name. One after the other that is the slowest
step of fetching small files; a file system flushes many at once in little more time than one.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

from braino_registry.datasets.content import Judgement
from braino_registry.datasets.keeping import Keep
from braino_registry.datasets.layout import SYNCED_AT_ONCE
from braino_registry.datasets.pins import Pin

MOST_WAITING = 4 * SYNCED_AT_ONCE
"""So many verified files at most wait for their names: what a killed process fetches again."""


class Settling:
    """Puts verified files into a content store, several at once.

    As a context manager it ends when every file that was given to it has its name or has failed.

    Parameters
    ----------
    keep : Keep
        The content store.
    stop : threading.Event
        Set when a file could not be stored: then nothing more need be fetched.
    """

    def __init__(self, keep: Keep, stop: threading.Event) -> None:
        self._keep = keep
        self._stop = stop
        self._room = threading.BoundedSemaphore(MOST_WAITING)
        self._pool = ThreadPoolExecutor(SYNCED_AT_ONCE, thread_name_prefix="settle")
        self._failed: list[BaseException] = []

    def __enter__(self) -> Settling:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown()

    def put(self, file: Path, judged: Judgement, pin: Pin) -> None:
        """Take a verified file over, as `Keep.put` does, and do it soon.

        Nobody else may use ``file`` from now on.

        Raises
        ------
        ValueError
            If it was not verified.
        """
        if judged.variant is None:
            raise ValueError(f"{pin.path} was not verified: {judged.reason}")
        self._room.acquire()
        self._pool.submit(self._keep.put, file, judged, pin).add_done_callback(self._settled)

    def check(self) -> None:
        """Raise the first error that a file could not be stored for; call it after the end."""
        if self._failed:
            raise self._failed[0]

    def _settled(self, done: Future[Path]) -> None:
        self._room.release()
        error = done.exception()
        if error is not None:
            self._failed.append(error)
            self._stop.set()
