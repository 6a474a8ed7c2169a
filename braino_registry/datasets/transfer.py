"""Bytes over HTTP: one address into one part, patiently, and never more than is wanted.

requests and urllib3 do the talking: proxies and certificates from the environment, TLS always
verified, and retries that honour ``Retry-After``. What stands here is what they leave open: going
on after a body broke off, bound to the ETag or the version of what was begun.
"""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from braino_registry import __version__
from braino_registry.datasets.layout import free_bytes
from braino_registry.datasets.looking import LOOKED_AT, stranger
from braino_registry.datasets.parts import Part

if TYPE_CHECKING:
    from types import TracebackType

    import requests
    from urllib3.connectionpool import ConnectionPool
    from urllib3.response import BaseHTTPResponse
    from urllib3.util.retry import Retry

    from braino_registry.datasets.pins import Pin

USER_AGENT = f"braino-registry/{__version__} (dataset fetch; python-requests)"
#: Answers after which asking again may help.
BUSY = (429, 500, 502, 503, 504)
_PIECE = 1 << 16
SPARE = 1 << 30
"""Bytes that a file of unknown size leaves free on the disk."""
NOTED_FROM = 1 << 18
"""From so many bytes on it is worth going on with what a killed process had."""
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")

Tell = Callable[[int], None]
"""Called with the number of bytes that are there now."""


@dataclass(frozen=True)
class Patience:
    """How long to wait, and how often to ask.

    Parameters
    ----------
    connect_seconds, silence_seconds : float
        How long a server may take to accept a connection, and to send the next byte.
    tries : int
        How often a busy server is asked, and a body that broke off without getting on is resumed.
    backoff : float
        Seconds before the first repetition; each further one waits twice as long.
    longest_wait : float
        A server that asks for more seconds than this is given up.
    redirects : int
        How many are followed.
    per_host, workers : int
        Files that are fetched at once, from one host and in all.
    """

    connect_seconds: float = 10.0
    silence_seconds: float = 60.0
    tries: int = 5
    backoff: float = 0.5
    longest_wait: float = 120.0
    redirects: int = 10
    per_host: int = 4
    workers: int = 8


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


class StoppedError(Exception):
    """The whole fetch has been given up meanwhile."""


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
        self._own = threading.local()
        self._turns: dict[str, threading.Semaphore] = defaultdict(
            lambda: threading.Semaphore(patience.per_host)
        )
        self._guard = threading.Lock()
        self._open: set[requests.Response] = set()

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
        with self._guard:
            turn = self._turns[urlsplit(part.url).netloc]
        with turn:
            return self._bring(pin, part, tell)

    def _bring(self, pin: Pin, part: Part, tell: Tell) -> bool:
        joined, left, wait = part.resumable, self.patience.tries, self.patience.backoff
        while True:
            before = part.size
            try:
                self._once(pin, part, tell)
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

    def _once(self, pin: Pin, part: Part, tell: Tell) -> None:
        """Ask once, from the end of what is there if that is possible."""
        import requests

        if not part.resumable:
            part.restart()
        begin = part.size
        headers = {"Range": f"bytes={begin}-"} if begin else {}
        if begin and part.etag is not None:
            headers["If-Range"] = part.etag
        try:
            answer = self._session.get(
                part.url,
                headers=headers,
                stream=True,
                timeout=(self.patience.connect_seconds, self.patience.silence_seconds),
            )
        except requests.TooManyRedirects as error:
            many = f"more than {self.patience.redirects} redirects"
            raise RefusedError(many) from error
        except requests.RequestException as error:
            silent = isinstance(error, requests.ConnectionError | requests.Timeout)
            raise RefusedError(_cause(error), silent_host=silent) from error
        with self._guard:
            self._open.add(answer)
        try:
            begin = _begin(answer, part, begin, pin)
            self._body(answer, part, begin, pin, tell)
        finally:
            with self._guard:
                self._open.discard(answer)
            answer.close()

    def _body(
        self, answer: requests.Response, part: Part, begin: int, pin: Pin, tell: Tell
    ) -> None:
        from urllib3.exceptions import HTTPError

        encoded = answer.headers.get("Content-Encoding", "identity").lower() != "identity"
        largest = free_bytes(part.data.parent) - SPARE if pin.sizes is None else max(pin.sizes)
        # A body of the right length costs no more than the file: its hash is the better judge.
        length = answer.headers.get("Content-Length", "")
        odd = pin.sizes is None or length not in map(str, pin.sizes)
        done = begin
        try:
            with part.data.open("ab" if begin else "wb") as file:
                # Not `iter_content`: it drops the last bytes before a break.
                while piece := answer.raw.read1(_PIECE, decode_content=True):
                    if self._stop.is_set():
                        raise StoppedError
                    other = stranger(piece[:LOOKED_AT], pin.path) if done == 0 and odd else None
                    if other is not None:
                        file.write(piece)
                        raise RefusedError(f"{other} came instead of the file", wrong=True)
                    before, done = done, done + len(piece)
                    if before < NOTED_FROM <= done:
                        part.note()  # whoever is killed from here on leaves a part of use
                    if done > largest:
                        what = "that fit on the disk" if pin.sizes is None else "of the file"
                        many = f"more than the {max(0, largest)} bytes {what} came"
                        raise RefusedError(many, wrong=True)
                    file.write(piece)
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
                return  # everything is there, whatever length was announced
            raise _BrokenError(_cause(error)) from error
        if pin.sizes is not None and done < min(pin.sizes) and part.resumable and not encoded:
            raise _BrokenError(f"{done} bytes instead of {min(pin.sizes)}")

    @property
    def _session(self) -> requests.Session:
        """Return this thread's session."""
        if not hasattr(self._own, "session"):
            self._own.session = _session(self.patience, self._stop)
        session: requests.Session = self._own.session
        return session


def _begin(answer: requests.Response, part: Part, begin: int, pin: Pin) -> int:
    """Return at which byte the body of an answer begins, and bind the part to the answer."""
    etag = answer.headers.get("ETag")
    strong = etag if etag is not None and not etag.startswith("W/") else None
    if answer.status_code == 200:
        part.restart()
        encoded = answer.headers.get("Content-Encoding", "identity").lower() != "identity"
        part.bind(None if encoded else strong)
        return 0
    if answer.status_code == 206 and begin:
        match = _RANGE.fullmatch(answer.headers.get("Content-Range", "").strip())
        total = match[3] if match else "*"
        changed = part.etag is not None and etag is not None and etag != part.etag
        longer = total != "*" and pin.sizes is not None and int(total) not in pin.sizes
        if match is None or int(match[1]) != begin or changed or longer:
            part.restart()
            raise _BrokenError("the file changed on the server while it was fetched")
        return begin
    if answer.status_code == 416 and begin:
        part.restart()
        raise _BrokenError("the server no longer has the rest of the file")
    raise RefusedError(_refusal(answer))


def _refusal(answer: requests.Response) -> str:
    said = f"the server answered {answer.status_code} {answer.reason}"
    if answer.status_code in BUSY and "Retry-After" in answer.headers:
        return f"{said}, to be asked again after {answer.headers['Retry-After'][:40]}"
    host = urlsplit(answer.url).hostname or ""
    if answer.status_code == 403 and host.endswith("amazonaws.com"):
        return f"{said}: a store that cannot be listed says so of what it has not got"
    return said


def _session(patience: Patience, stop: threading.Event) -> requests.Session:
    """Return a session that reads proxies and certificates once per host, not per request."""
    import requests
    from requests.adapters import HTTPAdapter

    class _Session(requests.Session):
        def merge_environment_settings(
            self, url: Any, proxies: Any, stream: Any, verify: Any, cert: Any
        ) -> Any:
            key = urlsplit(str(url))[:2]
            if key not in known:
                merge = super().merge_environment_settings
                known[key] = merge(url, proxies, stream, verify, cert)
            return dict(known[key])

    known: dict[tuple[str, str], Any] = {}
    session = _Session()
    # A compressed body would be unpacked on the way and could not be gone on with.
    session.headers.update({"User-Agent": USER_AGENT, "Accept-Encoding": "identity"})
    session.max_redirects = patience.redirects
    adapter = HTTPAdapter(pool_maxsize=2, max_retries=_retry(patience, stop))
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    return session


def _retry(patience: Patience, stop: threading.Event) -> Retry:
    """Return urllib3's rule of repetition, which waits no longer than the fetch goes on."""
    from urllib3.exceptions import InvalidHeader, MaxRetryError
    from urllib3.util.retry import Retry

    class Patient(Retry):
        def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
            try:
                return super().get_retry_after(response)
            except InvalidHeader:  # the server says something, but not how long
                return None

        def sleep(self, response: Any = None) -> None:
            asked = self.get_retry_after(response) if response is not None else None
            if stop.wait(self.get_backoff_time() if asked is None else asked):
                raise StoppedError

        def increment(
            self,
            method: str | None = None,
            url: str | None = None,
            response: BaseHTTPResponse | None = None,
            error: Exception | None = None,
            _pool: ConnectionPool | None = None,
            _stacktrace: TracebackType | None = None,
        ) -> Patient:
            asked = self.get_retry_after(response) if response is not None else None
            if asked is not None and asked > patience.longest_wait and _pool is not None:
                raise MaxRetryError(_pool, str(url))
            return super().increment(method, url, response, error, _pool, _stacktrace)

    return Patient(
        total=patience.tries,
        connect=min(2, patience.tries),
        read=min(2, patience.tries),
        redirect=False,
        backoff_factor=patience.backoff,
        backoff_max=patience.longest_wait,
        status_forcelist=BUSY,
        allowed_methods=("GET",),
        raise_on_status=False,
    )


def _cause(error: BaseException) -> str:
    """Return in words the innermost reason of a chain of wrapped connection errors."""
    from urllib3.exceptions import NewConnectionError
    from urllib3.exceptions import TimeoutError as HTTPTimeout

    while True:
        inner = next((a for a in error.args if isinstance(a, BaseException)), None)
        inner = inner or getattr(error, "reason", None)
        if not isinstance(inner, BaseException):
            break
        error = inner
    late = isinstance(error, HTTPTimeout | TimeoutError)
    if late and not isinstance(error, NewConnectionError):  # it counts a refusal as a timeout
        return "no answer in time"
    return f"the connection failed ({str(error)[:200]})"
