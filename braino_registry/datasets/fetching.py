"""Fetch pinned files over HTTP: the right bytes under their name, or nothing and the reason.

The addresses of a file are tried in order. What arrives is judged by its content (size, a look at
the first bytes, then every pinned hash), never by the status code: servers do send error pages
with status 200. Bytes get their name in the cache only after that. Several processes may fetch
one dataset into one cache: each takes the files in an order of its own and passes over what
another one has brought meanwhile.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from braino_registry.datasets.content import Judgement, judge, judge_passed
from braino_registry.datasets.keeping import Keep
from braino_registry.datasets.lines import Patience, StoppedError
from braino_registry.datasets.looking import LOOKED_AT, page_or_pointer, unlike
from braino_registry.datasets.members import store_members
from braino_registry.datasets.parts import Part, claim
from braino_registry.datasets.pins import Pin
from braino_registry.datasets.settling import Settling
from braino_registry.datasets.transfer import Client, RefusedError
from braino_registry.errors import BrainoError, HostError

Progress = Callable[[str, int, int], None]
"""Called with logical path, bytes so far and bytes in all (0 where that is not known)."""


@dataclass(frozen=True)
class Fetched:
    """One file that was fetched.

    Parameters
    ----------
    path : str
        Logical path.
    url : str
        The address that gave the right bytes.
    bytes : int
        Its length.
    sha256 : str
        Its SHA-256.
    """

    path: str
    url: str
    bytes: int
    sha256: str


def fetch_files(
    pins: Sequence[Pin],
    keep: Keep,
    work: Path,
    *,
    members: Mapping[str, Sequence[Pin]] | None = None,
    progress: Progress | None = None,
    patience: Patience | None = None,
) -> tuple[Fetched, ...]:
    """Fetch files into the content store.

    Parameters
    ----------
    pins : sequence of Pin
        What to fetch.
    keep : Keep
        The content store.
    work : Path
        An empty folder in the same filesystem for what is not verified yet.
    members : mapping, optional
        By path of an archive, the files that are wanted out of it instead of the archive itself.
    progress : callable, optional
        See `Progress`.
    patience : Patience, optional
        When to give up.

    Returns
    -------
    tuple of Fetched
        What this process fetched, sorted by path; another one may have brought the rest.

    Raises
    ------
    HostError
        If no address of a file gave its bytes; names each address and what came instead.
        Files that were fetched before it stay, and of others the bytes so far.
    """
    return _Fetch(keep, work, dict(members or {}), progress, patience or Patience()).run(pins)


class StopEvent(threading.Event):
    """Ends a fetch: whoever waits, be it for a busy server, waits for this."""


class _Fetch:
    """One run of `fetch_files`."""

    def __init__(
        self,
        keep: Keep,
        work: Path,
        members: Mapping[str, Sequence[Pin]],
        progress: Progress | None,
        patience: Patience,
    ) -> None:
        self._keep = keep
        self._work = work
        self._members = members
        self._progress = progress
        self._telling = threading.Lock()
        self._stop = StopEvent()
        self._silent: set[str] = set()
        self._client = Client(patience, self._stop)
        self._settling = Settling(keep, self._stop)
        self._patience = patience

    def run(self, pins: Sequence[Pin]) -> tuple[Fetched, ...]:
        workers = _useful_workers(pins, self._patience)
        order = iter(shuffled(pins))
        with (
            self._settling,
            ThreadPoolExecutor(workers, thread_name_prefix="fetch") as pool,
        ):
            waiting = [pool.submit(self._in_turn, order) for _ in range(workers)]
            try:
                wait(waiting, return_when=FIRST_EXCEPTION)
            finally:
                # Ctrl-C arrives here, too: nobody waits for the end of a large file.
                failed = any(each.done() and each.exception() for each in waiting)
                if failed or not all(each.done() for each in waiting):
                    self._stop.set()
                    self._client.abort()
        self._settling.check()
        return _results(waiting)

    def _in_turn(self, order: Iterator[Pin]) -> list[Fetched]:
        """Fetch what no other thread has taken yet."""
        found = []
        for pin in order:
            if self._stop.is_set():
                raise StoppedError
            one = self._one(pin)
            if one is not None:
                found.append(one)
        return found

    def _one(self, pin: Pin) -> Fetched | None:
        """Fetch one file; None if it is there already."""
        if self._there(pin):
            return None
        reasons = []
        urls: Sequence[str] = pin.urls
        if self._silent:
            # A host that did not answer at all is asked last, so that it delays no file twice.
            urls = sorted(urls, key=lambda url: urlsplit(url).netloc in self._silent)
        for url in urls:
            try:
                return self._from(url, pin)
            except RefusedError as error:
                if error.silent_host:
                    self._silent.add(urlsplit(url).netloc)
                reasons.append(f"{url}: {error}")
        size = "size not known" if pin.size is None else f"{pin.size} bytes"
        raise HostError(
            f"{pin.path} ({size}) could not be fetched",
            where="; ".join(reasons) or "no address is known",
            hint="Try again later, or put a copy into a folder and name that folder in "
            "BRAINO_MIRRORS; its name does not matter.",
        )

    def _from(self, url: str, pin: Pin) -> Fetched:
        part = claim(self._keep.root, self._work, url, pin.path)
        judged = self._brought(part, pin)
        if judged.variant is None:
            reason = f"{_said(part.data, pin.path)} ({judged.reason})"
            self._refuse(part, pin, reason)
            raise RefusedError(reason)
        if pin.path in self._members:
            self._unpack(part, pin)
        else:
            self._settling.put(part.data, judged, pin)
        return Fetched(pin.path, url, judged.size, judged.hashes["sha256"])

    def _brought(self, part: Part, pin: Pin) -> Judgement:
        """Bring the bytes of an address and judge them, those of a joined part once anew."""

        def tell(done: int) -> None:
            if self._progress is not None:
                with self._telling:
                    self._progress(pin.path, done, pin.size or 0)

        while True:
            try:
                joined = self._client.bring(pin, part, tell)
            except RefusedError as error:
                if error.wrong:
                    self._refuse(part, pin, str(error))
                raise
            if part.passed is None:
                judged = judge(part.data, pin.variants)
            else:
                judged = judge_passed(part.passed, pin.variants)
            if judged.variant is not None or not joined:
                return judged
            part.restart()

    def _unpack(self, part: Part, pin: Pin) -> None:
        try:
            wrong = store_members(part.data, self._members[pin.path], self._settling, self._work)
        except BrainoError as error:
            raise RefusedError(error.problem) from error
        finally:
            part.restart()
        if wrong:
            raise RefusedError(f"the archive does not hold {wrong[0]}")

    def _refuse(self, part: Part, pin: Pin, reason: str) -> None:
        self._keep.set_aside(part.data, {"path": pin.path, "url": part.url, "reason": reason})
        part.restart()

    def _there(self, pin: Pin) -> bool:
        wanted = self._members.get(pin.path, (pin,))
        return all(self._keep.find(each) is not None for each in wanted)


def shuffled(pins: Sequence[Pin]) -> list[Pin]:
    """Return files in an order that differs from process to process, so that they share them."""
    order = list(pins)
    random.Random(os.getpid()).shuffle(order)
    return order


def _useful_workers(pins: Sequence[Pin], patience: Patience) -> int:
    """Return how many files to fetch at once: more would only stand in line at their hosts."""
    hosts = {urlsplit(pin.urls[0]).netloc for pin in pins if pin.urls}
    return max(1, min(patience.workers, patience.per_host * len(hosts), len(pins)))


def _results(waiting: Sequence[Future[list[Fetched]]]) -> tuple[Fetched, ...]:
    """Return what was fetched, or raise the first real failure."""
    errors = [each.exception() for each in waiting]
    real = [error for error in errors if error is not None and not isinstance(error, StoppedError)]
    if real:
        # Which of several failures comes first is chance; their number and the first one help.
        first = min(real, key=str)
        raise first
    found = [one for each in waiting for one in each.result()]
    return tuple(sorted(found, key=lambda one: one.path))


def _said(data: Path, path: str) -> str:
    """Return in words what came instead of a file."""
    with data.open("rb") as file:
        start = file.read(LOOKED_AT)
    other = page_or_pointer(start)
    if other is not None and not path.endswith((".json", ".html", ".xml")):
        return f"{other} came instead of the file"
    strange = unlike(start, path)
    return "other bytes came" if strange is None else f"other bytes came, {strange}"
