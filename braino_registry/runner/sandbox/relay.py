"""Inside a sandbox: a proxy on the loopback interface that leads to the trusted side's socket.

This file is shown to the agent's interpreter alone, under another name, and uses the standard
library only.
"""

from __future__ import annotations

import socket
import socketserver
import threading
from contextlib import suppress

PORT = 3128
SOCKET = "/agent/endpoint.socket"


class _Connection(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as out:
            out.connect(SOCKET)
            back = threading.Thread(target=_pass, args=(out, self.request), daemon=True)
            back.start()
            _pass(self.request, out)
            back.join()


def _pass(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def start() -> None:
    """Listen on the loopback interface, in a thread."""
    socketserver.ThreadingTCPServer.allow_reuse_address = True
    socketserver.ThreadingTCPServer.daemon_threads = True
    server = socketserver.ThreadingTCPServer(("127.0.0.1", PORT), _Connection)
    threading.Thread(target=server.serve_forever, daemon=True).start()
