"""Connections to hosts that are kept open: one request after the other, patiently.

requests knows the environment (proxies, certificates, credentials of a ``.netrc``) and follows
redirects; urllib3 keeps connections, repeats, and honours ``Retry-After``. What a host needs is
asked of requests once. Its plain files are then asked for on urllib3's connection itself, which
takes half the time where files are small and many.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from braino_registry import __version__

if TYPE_CHECKING:
    from types import TracebackType

    import requests
    from urllib3.connectionpool import ConnectionPool, HTTPConnectionPool
    from urllib3.response import BaseHTTPResponse
    from urllib3.util.retry import Retry

USER_AGENT = f"braino-registry/{__version__} (dataset fetch; python-requests)"
#: Answers after which asking again may help.
BUSY = (429, 500, 502, 503, 504)


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


class StoppedError(Exception):
    """The whole fetch has been given up meanwhile."""


class NoAnswerError(Exception):
    """Nobody answered as HTTP has it.

    Parameters
    ----------
    reason : str
        Why.
    silent_host : bool
        Whether the host did not answer at all.
    """

    def __init__(self, reason: str, *, silent_host: bool) -> None:
        super().__init__(reason)
        self.silent_host = silent_host


@dataclass(frozen=True, eq=False)
class Answer:
    """The head of an answer; the body is still to be read.

    Parameters
    ----------
    status : int
        Its code.
    reason : str
        What the server calls it.
    headers : Mapping
        By name; upper and lower case are the same.
    url : str
        Where it came from, after all redirects.
    raw : BaseHTTPResponse
        Where its body is read from.
    """

    status: int
    reason: str
    headers: Mapping[str, str]
    url: str
    raw: BaseHTTPResponse

    def close(self) -> None:
        """Give the connection back; one with an unread body is of no use and is ended."""
        self.raw.close()
        self.raw.release_conn()


class Line:
    """A connection to one host, for one transfer at a time.

    Parameters
    ----------
    patience : Patience
        When to give up.
    stop : threading.Event
        Ends every wait once it is set.
    """

    def __init__(self, patience: Patience, stop: threading.Event) -> None:
        self._patience = patience
        self._stop = stop
        self._session: requests.Session | None = None
        self._known: dict[tuple[str, str], _Host] = {}

    def get(self, url: str, headers: Mapping[str, str]) -> Answer:
        """Ask for an address.

        Raises
        ------
        NoAnswerError
            If nobody answers, or an answer is no HTTP.
        StoppedError
            If the fetch is given up while this waits.
        """
        import requests

        try:
            host = self._host(url)
            direct = None if host.pool is None else self._directly(host.pool, host, url, headers)
            return direct or self._redirected(host, url, headers)
        except requests.TooManyRedirects as error:
            many = f"more than {self._patience.redirects} redirects"
            raise NoAnswerError(many, silent_host=False) from error
        except requests.RequestException as error:
            silent = isinstance(error, requests.ConnectionError | requests.Timeout)
            raise NoAnswerError(cause(error), silent_host=silent) from error

    def _directly(
        self, pool: HTTPConnectionPool, host: _Host, url: str, headers: Mapping[str, str]
    ) -> Answer | None:
        """Ask on the connection itself; None if the host sends us elsewhere."""
        from urllib3 import Timeout
        from urllib3.exceptions import HTTPError

        address = urlsplit(url)
        target = (address.path or "/") + (f"?{address.query}" if address.query else "")
        waits = Timeout(connect=self._patience.connect_seconds, read=self._patience.silence_seconds)
        try:
            raw = pool.urlopen(
                "GET", target, headers={**host.headers, **headers}, retries=host.retry,
                redirect=False, assert_same_host=False, timeout=waits,
                preload_content=False, decode_content=False,
            )  # fmt: skip
        except (HTTPError, OSError) as error:
            raise NoAnswerError(cause(error), silent_host=True) from error
        answer = Answer(raw.status, raw.reason or "", raw.headers, url, raw)
        if not raw.get_redirect_location():
            return answer
        answer.close()
        host.pool = None  # it will do so for its other files, too
        return None

    def _redirected(self, host: _Host, url: str, headers: Mapping[str, str]) -> Answer:
        request = host.like.copy()
        request.prepare_url(url, None)
        request.headers.update(headers)
        waits = (self._patience.connect_seconds, self._patience.silence_seconds)
        assert self._session is not None
        given = self._session.send(
            request, timeout=waits, allow_redirects=True, stream=True, **host.settings
        )
        return Answer(given.status_code, given.reason, given.headers, given.url, given.raw)

    def _host(self, url: str) -> _Host:
        """Return what requests says of a host, asked once."""
        scheme, name = urlsplit(url)[:2]
        if (scheme, name) not in self._known:
            if self._session is None:
                self._session = _session(self._patience, self._stop)
            self._known[scheme, name] = _asked(self._session, url)
        return self._known[scheme, name]


@dataclass
class _Host:
    """What requests to a host are like.

    Parameters
    ----------
    like : PreparedRequest
        A request of which all are copies.
    headers : dict
        Its headers.
    settings : dict
        Proxies and certificates.
    retry : Retry
        When to ask again.
    pool : HTTPConnectionPool | None
        The connection; None where a proxy or a redirect lies between.
    """

    like: requests.PreparedRequest
    headers: dict[str, str]
    settings: dict[str, Any]
    retry: Retry
    pool: HTTPConnectionPool | None


def _asked(session: requests.Session, url: str) -> _Host:
    from requests import Request
    from requests.adapters import HTTPAdapter
    from requests.utils import select_proxy

    like = session.prepare_request(Request("GET", url))
    settings = dict(session.merge_environment_settings(url, {}, None, None, None))
    del settings["stream"]
    adapter = session.get_adapter(url)
    assert isinstance(adapter, HTTPAdapter)
    headers = {
        name: value if isinstance(value, str) else value.decode("latin-1")
        for name, value in like.headers.items()
    }
    host = _Host(like, headers, settings, adapter.max_retries, None)
    if select_proxy(str(like.url), settings["proxies"]) is None:
        verify, cert = settings["verify"], settings["cert"]
        host.pool = adapter.get_connection_with_tls_context(like, verify, cert=cert)
        adapter.cert_verify(host.pool, str(like.url), verify, cert)
    return host


def _session(patience: Patience, stop: threading.Event) -> requests.Session:
    """Return a session of requests that asks patiently and tells who asks."""
    import requests
    from requests.adapters import HTTPAdapter

    session = requests.Session()
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


def cause(error: BaseException) -> str:
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
