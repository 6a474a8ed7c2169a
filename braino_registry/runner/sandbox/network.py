"""The one way out of a sandbox: to the model endpoints that were declared, and nowhere else.

The sandbox has no network. Its agent's HTTP library is told of a proxy on the loopback interface
inside (`relay`), which hands every connection over a Unix socket to the `Forwarder` here, on the
trusted side. It reads the first line, and connects only if that names a declared host and port.
An ``https`` connection stays encrypted from end to end.
"""

from __future__ import annotations

import os
import re
import socket
import socketserver
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import cast
from urllib.parse import urlsplit

from braino_registry.runner.endpoints import PORTS, Endpoint

_HEAD_BYTES = 65536
_PIECE = 65536
_CONNECT_SECONDS = 30.0
_LINE = re.compile(rb"^([A-Z]+) (\S+) HTTP/1\.[01]\r?\n")


class Forwarder:
    """Takes connections on a Unix socket and passes on those to declared endpoints.

    Parameters
    ----------
    path : Path
        Where the socket is made; it must be short, as the system demands (about 100 bytes).
    endpoints : iterable of Endpoint
        What may be reached.
    """

    def __init__(self, path: Path, endpoints: Iterable[Endpoint]) -> None:
        self.path = path
        self.allowed = frozenset(endpoints)
        self.refused: list[str] = []
        self._server = _Server(str(path), _Connection)
        self._server.forwarder = self
        os.chmod(path, 0o777)  # the agent has another user id
        # so often it looks whether the trial is over, which would else wait half a second for it
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()

    def __enter__(self) -> Forwarder:
        """Return this forwarder."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take no more connections."""
        self._server.shutdown()
        self._server.server_close()
        with suppress(FileNotFoundError):
            self.path.unlink()

    def target(self, head: bytes) -> Endpoint | None:
        """Return where the first line of a connection wants to go, or None if that is no request.

        A ``CONNECT host:port`` opens an encrypted connection; any other method names the whole
        address, as clients of a proxy do.
        """
        found = _LINE.match(head)
        if found is None:
            return None
        method, target = found[1], found[2].decode("latin-1")
        try:
            parts = urlsplit(f"//{target}" if method == b"CONNECT" else target)
            port = parts.port or PORTS.get(parts.scheme)
        except ValueError:
            return None
        return Endpoint(parts.hostname.lower(), port) if parts.hostname and port else None


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    forwarder: Forwarder


class _Connection(socketserver.BaseRequestHandler):
    """One connection of the agent."""

    def handle(self) -> None:
        forwarder = cast(_Server, self.server).forwarder
        head = self._head()
        goal = forwarder.target(head)
        if goal is None:
            self._answer("400 Bad Request", "The first line is no request of a proxy's client.")
            return
        if goal not in forwarder.allowed:
            forwarder.refused.append(str(goal))
            self._answer("403 Forbidden", f"{goal} is no declared endpoint of this run.")
            return
        try:
            far = socket.create_connection((goal.host, goal.port), timeout=_CONNECT_SECONDS)
        except OSError as error:
            self._answer("502 Bad Gateway", f"{goal} cannot be reached: {error}")
            return
        with far:
            far.settimeout(None)
            if head.startswith(b"CONNECT "):
                self.request.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                _, _, rest = head.partition(b"\r\n\r\n")
                far.sendall(rest)
            else:
                far.sendall(head)
            join(self.request, far)

    def _head(self) -> bytes:
        """Return what arrives up to the end of the request's head."""
        head = b""
        self.request.settimeout(_CONNECT_SECONDS)
        with suppress(OSError):
            while b"\r\n\r\n" not in head and len(head) < _HEAD_BYTES:
                piece = self.request.recv(_PIECE)
                if not piece:
                    break
                head += piece
        self.request.settimeout(None)
        return head

    def _answer(self, status: str, why: str) -> None:
        text = f"HTTP/1.1 {status}\r\nContent-Length: {len(why.encode())}\r\n"
        text += "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
        with suppress(OSError):
            self.request.sendall(text.encode() + why.encode())


def join(one: socket.socket, other: socket.socket) -> None:
    """Pass bytes between two connections in both ways until both have ended."""
    back = threading.Thread(target=_pass, args=(other, one), daemon=True)
    back.start()
    _pass(one, other)
    back.join()


def _pass(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(_PIECE):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
