"""Fetch pinned files over HTTP: the right bytes under their name, or nothing and the reason.

The addresses of a file are tried in order. What arrives is judged by its content (size, then a
look at the first bytes, then every pinned hash), never by the status code: servers do send
error pages with status 200. Bytes get their name in the cache only after that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry import __version__
from braino_registry.datasets.content import mismatch
from braino_registry.datasets.entries import Pin
from braino_registry.datasets.layout import publish_file, source_path
from braino_registry.errors import HostError

USER_AGENT = f"braino-registry/{__version__} (dataset fetch; python-requests)"
CONNECT_SECONDS, SILENCE_SECONDS = 10.0, 60.0

Progress = Callable[[str, int, int], None]
"""Called with logical path, bytes so far and bytes in all."""


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
    """

    path: str
    url: str
    bytes: int


class _Meter:
    """The progress object that pooch's downloader drives; passes bytes on to a callable."""

    def __init__(self, pin: Pin, progress: Progress | None) -> None:
        self.total = pin.size
        self._pin = pin
        self._progress = progress
        self._done = 0

    def update(self, amount: int) -> None:
        """Count bytes; pooch counts whole pieces, so the end is capped."""
        self._done = min(self._done + amount, self._pin.size)
        if self._progress is not None:
            self._progress(self._pin.path, self._done, self._pin.size)

    def reset(self) -> None:
        """Start counting again."""
        self._done = 0

    def close(self) -> None:
        """Nothing is held."""


def fetch_files(
    pins: Iterable[Pin], root: Path, work: Path, progress: Progress | None = None
) -> tuple[Fetched, ...]:
    """Fetch files into the cache's sources.

    Parameters
    ----------
    pins : iterable of Pin
        What to fetch.
    root : Path
        The cache folder.
    work : Path
        An empty folder in the same filesystem for what is not verified yet.
    progress : callable, optional
        See `Progress`.

    Returns
    -------
    tuple of Fetched
        One per file.

    Raises
    ------
    HostError
        If no address of a file gave its bytes; names each address and what came instead.
        Files that were fetched before it stay.
    """
    return tuple(_fetch_one(pin, root, work, progress) for pin in pins)


def _fetch_one(pin: Pin, root: Path, work: Path, progress: Progress | None) -> Fetched:
    reasons = []
    part = work / pin.hashes["sha256"]
    for url in pin.urls:
        reason = _download(url, part, pin, progress) or _judge(part, pin)
        if reason is None:
            publish_file(part, source_path(root, pin.hashes["sha256"]))
            return Fetched(pin.path, url, pin.size)
        reasons.append(f"{url}: {reason}")
    raise HostError(
        f"{pin.path} ({pin.size} bytes) could not be fetched",
        where="; ".join(reasons) or "no address is known",
        hint="Try again later, or put a copy into a folder and name that folder in "
        "BRAINO_MIRRORS; its name does not matter.",
    )


def _download(url: str, part: Path, pin: Pin, progress: Progress | None) -> str | None:
    """Bring the body of ``url`` to ``part``; return why that failed, or None."""
    import requests
    from pooch import HTTPDownloader

    options: dict[str, Any] = {
        "timeout": (CONNECT_SECONDS, SILENCE_SECONDS),
        # A compressed body would be unpacked on the way and no longer be what was pinned.
        "headers": {"User-Agent": USER_AGENT, "Accept-Encoding": "identity"},
    }
    download = HTTPDownloader(progressbar=_Meter(pin, progress), chunk_size=1 << 16, **options)
    try:
        download(url=url, output_file=str(part), pooch=None)
    except requests.HTTPError as error:
        answer = error.response
        if answer is None:
            return str(error)
        return f"the server answered {answer.status_code} {answer.reason}"
    except requests.Timeout:
        return "no answer in time"
    except requests.RequestException as error:
        return f"the connection failed ({_cause(error)})"
    return None


def _judge(part: Path, pin: Pin) -> str | None:
    """Return why the arrived bytes are not the pinned ones, or None."""
    reason = mismatch(part, pin.size, pin.hashes)
    if reason is None:
        return None
    with part.open("rb") as file:
        start = file.read(512).lstrip()
    if start[:1] == b"<":
        return f"a web page came instead of the file ({reason})"
    if start[:1] in (b"{", b"["):
        return f"a JSON message came instead of the file ({reason})"
    return f"other bytes came: {reason}"


def _cause(error: BaseException) -> str:
    """Return the innermost reason of a chain of wrapped connection errors."""
    while True:
        inner = next((a for a in error.args if isinstance(a, BaseException)), None)
        inner = inner or getattr(error, "reason", None)
        if not isinstance(inner, BaseException):
            return str(error)[:200]
        error = inner
