"""Bytes over HTTP: one address into one part, patiently, and never more than is wanted.

requests and urllib3 do the talking: proxies and certificates from the environment, TLS always
verified, and retries that honour ``Retry-After``. What stands here is what they leave open: going
on after a body broke off, bound to the ETag or the version of what was begun.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import LifoQueue
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urlsplit

from braino_registry.datasets.content import Hasher, asked_kinds
from braino_registry.datasets.layout import free_bytes
from braino_registry.datasets.lines import (
    BUSY,
    Answer,
    Line,
    NoAnswerError,
    Patience,
    StoppedError,
    cause,
)
from braino_registry.datasets.looking import LOOKED_AT, stranger
from braino_registry.datasets.parts import Part

if TYPE_CHECKING:
    from braino_registry.datasets.pins import Pin

_PIECE = 1 << 16
SPARE = 1 << 30
"""Bytes that a file of unknown size leaves free on the disk."""
NOTED_FROM = 1 << 18
"""From so many bytes on it is worth going on with what a killed process had."""
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")

Tell = Callable[[int], None]
"""Called with the number of bytes that are there now."""


class RefusedError(Exception):
    """An address that does not give the file, with the reason.

    Parameters
    ----------
    reason : str
        What came instead, or why nothing did.
    silent_host : bool
        Whether the host did not answer at all.
    wrong : bool
        Whether the part holds something that is not the file.
    """

    def __init__(self, reason: str, *, silent_host: bool = False, wrong: bool = False) -> None:
        super().__init__(reason)
        self.silent_host = silent_host
        self.wrong = wrong


class _BrokenError(Exception):
    """A body that ended too early, or changed while it was fetched."""


class Client:
    """Fetches addresses, several at once.

    Parameters
    ----------
    patience : Patience
        When to give up.
    stop : threading.Event
        Ends every transfer at its next byte once it is set, and every wait.
    """

    def __init__(self, patience: Patience, stop: threading.Event) -> None:
        self.patience = patience
        self._stop = stop
        self._turns: dict[str, LifoQueue[Line]] = {}
        self._guard = threading.Lock()
        self._open: set[Answer] = set()

    def abort(self) -> None:
        """End the transfers that wait for a next byte; the others see that they are to stop."""
        with self._guard:
            for answer in self._open:
                # Its connection may be at its end already, or come to it this very moment.
                with suppress(RuntimeError, ValueError, OSError):
                    answer.raw.shutdown()

    def bring(self, pin: Pin, part: Part, tell: Tell) -> bool:
        """Bring what an address gives into a part.

        Returns
        -------
        bool
            Whether it was put together from several answers.

        Raises
        ------
        RefusedError
            If the address does not give the file.
        StoppedError
            If the fetch was given up.
        """
        turns = self._turns_at(urlsplit(part.url).netloc)
        line = turns.get()
        try:
            return self._bring(line, pin, part, tell)
        finally:
            turns.put(line)

    def _turns_at(self, host: str) -> LifoQueue[Line]:
        """Return the lines to a host that nobody speaks on, the last used one first."""
        with self._guard:
            if host not in self._turns:
                self._turns[host] = LifoQueue()
                for _ in range(self.patience.per_host):
                    self._turns[host].put(Line(self.patience, self._stop))
            return self._turns[host]

    def _bring(self, line: Line, pin: Pin, part: Part, tell: Tell) -> bool:
        joined, left, wait = part.resumable, self.patience.tries, self.patience.backoff
        while True:
            before = part.size
            try:
                self._once(line, pin, part, tell)
                return joined
            except _BrokenError as error:
                enough = 1 << 20 if pin.size is None else min(1 << 20, pin.size // 20 + 1)
                left = self.patience.tries if part.size - before >= enough else left - 1
                if left <= 0:
                    raise RefusedError(str(error)) from error
            if self._stop.wait(wait):
                raise StoppedError
            wait = min(2 * wait, self.patience.longest_wait)
            joined = joined or part.resumable

    def _once(self, line: Line, pin: Pin, part: Part, tell: Tell) -> None:
        """Ask once, from the end of what is there if that is possible."""
        if not part.resumable:
            part.restart()
        begin = part.size
        headers = {"Range": f"bytes={begin}-"} if begin else {}
        if begin and part.etag is not None:
            headers["If-Range"] = part.etag
        try:
            answer = line.get(part.url, headers)
        except NoAnswerError as error:
            raise RefusedError(str(error), silent_host=error.silent_host) from error
        with self._guard:
            self._open.add(answer)
        try:
            begin = _begin(answer, part, begin, pin)
            self._body(answer, part, begin, pin, tell)
        finally:
            with self._guard:
                self._open.discard(answer)
            answer.close()

    def _body(self, answer: Answer, part: Part, begin: int, pin: Pin, tell: Tell) -> None:
        from urllib3.exceptions import HTTPError

        encoded = answer.headers.get("Content-Encoding", "identity").lower() != "identity"
        largest = free_bytes(part.data.parent) - SPARE if pin.sizes is None else max(pin.sizes)
        # A body of the right length costs no more than the file: its hash is the better judge.
        length = answer.headers.get("Content-Length", "")
        odd = pin.sizes is None or length not in map(str, pin.sizes)
        done = begin
        passing = None if begin else _hasher(pin)
        try:
            with part.data.open("ab" if begin else "wb", buffering=0) as file:
                # Not `iter_content`: it drops the last bytes before a break.
                while piece := answer.raw.read1(_PIECE, decode_content=True):
                    if self._stop.is_set():
                        raise StoppedError
                    other = stranger(piece[:LOOKED_AT], pin.path) if done == 0 and odd else None
                    if other is not None:
                        _write(file, piece)
                        raise RefusedError(f"{other} came instead of the file", wrong=True)
                    before, done = done, done + len(piece)
                    if before < NOTED_FROM <= done:
                        part.note()  # whoever is killed from here on leaves a part of use
                    if done > largest:
                        what = "that fit on the disk" if pin.sizes is None else "of the file"
                        many = f"more than the {max(0, largest)} bytes {what} came"
                        raise RefusedError(many, wrong=True)
                    _write(file, piece)
                    if passing is not None:
                        passing.update(piece)
                    tell(done)
        except StoppedError:
            part.note()
            raise
        except HTTPError as error:
            part.note()
            if self._stop.is_set():
                raise StoppedError from error
            if encoded:
                # What is there was unpacked on the way: no server could be asked for the rest.
                part.restart()
            elif pin.sizes is not None and done in pin.sizes:
                part.passed = passing
                return  # everything is there, whatever length was announced
            raise _BrokenError(cause(error)) from error
        if pin.sizes is not None and done < min(pin.sizes) and part.resumable and not encoded:
            raise _BrokenError(f"{done} bytes instead of {min(pin.sizes)}")
        part.passed = passing


def _write(file: BinaryIO, piece: bytes) -> None:
    """Write all of it; an unbuffered file may take less than it is given."""
    while piece:
        piece = piece[file.write(piece) :]


def _hasher(pin: Pin) -> Hasher | None:
    """Return what hashes a file as it comes; None if its size has to be known for that."""
    kinds = asked_kinds(pin.variants)
    sizes = pin.sizes or frozenset()
    if "git-blob" in kinds and len(sizes) != 1:
        return None
    return Hasher(max(sizes, default=0), kinds)


def _begin(answer: Answer, part: Part, begin: int, pin: Pin) -> int:
    """Return at which byte the body of an answer begins, and bind the part to the answer."""
    etag = answer.headers.get("ETag")
    strong = etag if etag is not None and not etag.startswith("W/") else None
    if answer.status == 200:
        encoded = answer.headers.get("Content-Encoding", "identity").lower() != "identity"
        part.begin(None if encoded else strong)
        return 0
    if answer.status == 206 and begin:
        match = _RANGE.fullmatch(answer.headers.get("Content-Range", "").strip())
        total = match[3] if match else "*"
        changed = part.etag is not None and etag is not None and etag != part.etag
        longer = total != "*" and pin.sizes is not None and int(total) not in pin.sizes
        if match is None or int(match[1]) != begin or changed or longer:
            part.restart()
            raise _BrokenError("the file changed on the server while it was fetched")
        return begin
    if answer.status == 416 and begin:
        part.restart()
        raise _BrokenError("the server no longer has the rest of the file")
    raise RefusedError(_refusal(answer))


def _refusal(answer: Answer) -> str:
    said = f"the server answered {answer.status} {answer.reason}"
    if answer.status in BUSY and "Retry-After" in answer.headers:
        return f"{said}, to be asked again after {answer.headers['Retry-After'][:40]}"
    host = urlsplit(answer.url).hostname or ""
    if answer.status == 403 and host.endswith("amazonaws.com"):
        return f"{said}: a store that cannot be listed says so of what it has not got"
    return said
