"""A folder of runs in a browser, for this computer only.

Standard library: four addresses, read only, no state. ``/`` lists the runs and follows those that
go on, ``/state`` is what it asks for, ``/run/NAME`` is the page of a run as it is now. Names are
looked up in the list of runs, never joined to a path. Requests that name another host are refused,
so that no page of the web reads the reports by way of the reader's browser.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from braino_registry.errors import BrainoError, HostError
from braino_registry.reports.html.album import Locate
from braino_registry.reports.html.page import build
from braino_registry.reports.html.rendering import page_of
from braino_registry.reports.html.sources import with_sources
from braino_registry.reports.html.watching import Watched

HOST = "127.0.0.1"
_NAMES = frozenset({"127.0.0.1", "localhost"})
#: Seconds after which the page of a run that goes on is loaded again.
AGAIN = 30


class Server(ThreadingHTTPServer):
    """Serves a folder of runs.

    Parameters
    ----------
    root : Path
        The folder.
    port : int
        0 for one that is free.
    locate : callable or None
        Finds datasets for pictures, see `page.build`.

    Raises
    ------
    HostError
        If the port is taken.
    """

    daemon_threads = True

    def __init__(self, root: Path, *, port: int = 0, locate: Locate | None = None) -> None:
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            raise HostError(
                f"cannot listen on port {port}: {error.strerror}",
                where=f"{HOST}:{port}",
                hint="Give another --port, or 0 for any that is free.",
            ) from error
        self.watched = Watched(root)
        self.locate = locate
        self._pages: dict[Path, tuple[tuple[int, ...], bytes]] = {}
        self._building = threading.Lock()

    @property
    def url(self) -> str:
        """Where it can be seen."""
        return f"http://{HOST}:{self.server_address[1]}/"

    def page(self, path: Path) -> bytes:
        """Return the page of a run, made anew if the run has gone on; one at a time."""
        with self._building:
            stamp = self.watched.stamp(path)
            kept = self._pages.get(path)
            if kept is None or kept[0] != stamp:
                made = with_sources([path], lambda found: build(found, locate=self.locate))
                kept = (stamp, made)
                self._pages = {path: kept}  # one is enough, and they are large
            return kept[1]


class _Handler(BaseHTTPRequestHandler):
    server: Server
    server_version = "braino"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer a request."""
        if not self._is_local():
            self._send(403, b"This is for 127.0.0.1 only.\n", "text/plain; charset=utf-8")
            return
        path = unquote(urlsplit(self.path).path)
        watched = self.server.watched
        if path == "/":
            rows = [state.document() for state in watched.states()]
            page = page_of("runs.html.j2", script="runs.js", root=watched.root.name, runs=rows)
            self._send(200, page, "text/html; charset=utf-8")
        elif path == "/state":
            body = json.dumps([state.document() for state in watched.states()]).encode()
            self._send(200, body, "application/json")
        elif path.startswith("/run/"):
            self._run(path.removeprefix("/run/"))
        else:
            self._missing()

    do_HEAD = do_GET

    def _run(self, name: str) -> None:
        folder = self.server.watched.runs().get(name)
        if folder is None:
            self._missing()
            return
        try:
            page = self.server.page(folder)
        except BrainoError as error:
            self._send(500, f"{error}\n".encode("utf-8", "replace"), "text/plain; charset=utf-8")
            return
        states = [each for each in self.server.watched.states() if each.name == name]
        again = any(state.status == "running" for state in states)
        self._send(200, page, "text/html; charset=utf-8", {"Refresh": str(AGAIN)} if again else {})

    def _is_local(self) -> bool:
        host = self.headers.get("Host", "")
        return host.rpartition(":")[0] in _NAMES or host in _NAMES

    def _missing(self) -> None:
        self._send(404, b"There is no such run here.\n", "text/plain; charset=utf-8")

    def _send(self, code: int, body: bytes, kind: str, more: dict[str, str] | None = None) -> None:
        self.send_response(code)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
            **(more or {}),
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing; the terminal belongs to the command."""
