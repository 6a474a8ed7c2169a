"""A server on loopback that serves files faultily: what it sends is written byte by byte.

Each connection carries one request. A fault is a function that takes the `Exchange` and sends
what it likes; it may look at how often the path was asked for.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Exchange:
    """One request and the means to answer it.

    Parameters
    ----------
    path : str
        The path that was asked for.
    headers : dict
        Lower-case names.
    body : bytes
        The right bytes.
    count : int
        How often the path was asked for before.
    connection : socket
        Where the answer goes.
    """

    path: str
    headers: dict[str, str]
    body: bytes
    count: int
    connection: socket.socket

    @property
    def begin(self) -> int:
        """The first byte that was asked for."""
        text = self.headers.get("range", "bytes=0-")
        return int(text.removeprefix("bytes=").partition("-")[0])

    def send(
        self, body: bytes, status: str = "200 OK", length: int | None = None, **headers: str
    ) -> None:
        """Send an answer; ``length`` is what it says of its length."""
        said = {"Content-Length": str(len(body) if length is None else length)}
        said |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in said.items())
        text = f"HTTP/1.1 {status}\r\nConnection: close\r\n{head}\r\n"
        self.connection.sendall(text.encode() + body)

    def part(self, etag: str = '"one"', upto: int | None = None) -> None:
        """Send what was asked for, from its first byte on; ``upto`` breaks it off."""
        begin = self.begin
        body = self.body[begin:upto]
        whole = len(self.body)
        if begin:
            place = f"bytes {begin}-{whole - 1}/{whole}"
            self.send(body, "206 Partial Content", whole - begin, ETag=etag, Content_Range=place)
        else:
            self.send(body, "200 OK", whole, ETag=etag)

    def reset(self) -> None:
        """End the connection by a reset, not by a close."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


Fault = Callable[[Exchange], None]


@dataclass
class FaultyServer:
    """A running server.

    Parameters
    ----------
    base : str
        Its address, ending with a slash.
    bodies : Mapping
        Right bytes by path.
    fault : callable
        How every request is answered.
    asked : list of Exchange
        All requests so far.
    finished : threading.Event
        Set when the server ends; a fault that stalls waits for it.
    """

    base: str
    bodies: Mapping[str, bytes]
    fault: Fault
    finished: threading.Event
    asked: list[Exchange] = field(default_factory=list)


@contextmanager
def serving(bodies: Mapping[str, bytes], fault: Fault) -> Iterator[FaultyServer]:
    """Run a faulty server for the length of a block."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        base = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        server = FaultyServer(base, bodies, fault, threading.Event())
        threads: list[threading.Thread] = []
        accepting = threading.Thread(target=_accept, args=(listening, server, threads))
        accepting.start()
        try:
            yield server
        finally:
            server.finished.set()
            with suppress(OSError):  # wakes the thread that accepts
                socket.create_connection(listening.getsockname(), 1).close()
            accepting.join(10)
            for thread in threads:
                thread.join(10)


def _accept(
    listening: socket.socket, server: FaultyServer, threads: list[threading.Thread]
) -> None:
    while True:
        connection, _ = listening.accept()
        if server.finished.is_set():
            connection.close()
            return
        thread = threading.Thread(target=_answer, args=(connection, server))
        threads.append(thread)
        thread.start()


def _answer(connection: socket.socket, server: FaultyServer) -> None:
    with connection, suppress(OSError):  # the client may leave whenever it likes
        connection.settimeout(10)
        head = b""
        while b"\r\n\r\n" not in head:
            piece = connection.recv(4096)
            if not piece:
                return
            head += piece
        first, *lines = head.decode("latin-1").split("\r\n")
        path = first.split(" ")[1].lstrip("/").partition("?")[0]
        named = (line.partition(":") for line in lines if ":" in line)
        headers = {name.strip().lower(): value.strip() for name, _, value in named}
        count = sum(each.path == path for each in server.asked)
        exchange = Exchange(path, headers, server.bodies.get(path, b""), count, connection)
        server.asked.append(exchange)
        server.fault(exchange)
