"""A sandbox reaches declared endpoints through the trusted side, and nothing else."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from braino_registry.errors import UsageError
from braino_registry.runner.endpoints import Endpoint, read_endpoint
from braino_registry.runner.sandbox.network import Forwarder


class _Model(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.upper())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def model() -> Iterator[Endpoint]:
    server = HTTPServer(("127.0.0.1", 0), _Model)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield Endpoint("127.0.0.1", server.server_port)
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def forwarder(tmp_path: Path, model: Endpoint) -> Iterator[Forwarder]:
    with Forwarder(tmp_path / "s", [model]) as running:
        yield running


def talk(forwarder: Forwarder, text: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as out:
        out.settimeout(10)
        out.connect(str(forwarder.path))
        out.sendall(text)
        out.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: out.recv(65536), b""))


def test_a_tunnel_to_a_declared_endpoint(forwarder: Forwarder, model: Endpoint) -> None:
    inner = f"POST /v1 HTTP/1.0\r\nHost: {model}\r\nContent-Length: 2\r\n\r\nhi".encode()
    reply = talk(forwarder, f"CONNECT {model} HTTP/1.1\r\nHost: {model}\r\n\r\n".encode() + inner)
    assert reply.startswith(b"HTTP/1.1 200 Connection established\r\n\r\n")
    assert reply.endswith(b"HI")


def test_a_plain_request_to_a_declared_endpoint(forwarder: Forwarder, model: Endpoint) -> None:
    head = f"POST http://{model}/v1 HTTP/1.0\r\nHost: {model}\r\nContent-Length: 2\r\n\r\n"
    assert talk(forwarder, head.encode() + b"hi").endswith(b"HI")


@pytest.mark.parametrize(
    "line",
    [
        "CONNECT 127.0.0.1:1 HTTP/1.1",
        "CONNECT example.org:443 HTTP/1.1",
        "GET http://example.org/ HTTP/1.1",
        "GET http://127.0.0.1@example.org/ HTTP/1.1",
    ],
)
def test_another_place_is_refused_by_name(forwarder: Forwarder, line: str) -> None:
    reply = talk(forwarder, f"{line}\r\n\r\n".encode())
    assert reply.startswith(b"HTTP/1.1 403 Forbidden")
    assert b"no declared endpoint" in reply
    assert len(forwarder.refused) == 1


@pytest.mark.parametrize(
    "text", [b"", b"\x16\x03\x01", b"GET / HTTP/1.1\r\n\r\n", b"CONNECT : HTTP/1.1\r\n\r\n",
             b"CONNECT [:99999999 HTTP/1.1\r\n\r\n", b"x" * 60_000]
)  # fmt: skip
def test_rubbish_is_refused(forwarder: Forwarder, text: bytes) -> None:
    assert talk(forwarder, text).startswith(b"HTTP/1.1 400")


def test_an_endpoint_that_is_down_is_said(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        goal = Endpoint("127.0.0.1", unused.getsockname()[1])
        with Forwarder(tmp_path / "s", [goal]) as forwarder:
            reply = talk(forwarder, f"CONNECT {goal} HTTP/1.1\r\n\r\n".encode())
    assert reply.startswith(b"HTTP/1.1 502")
    assert b"cannot be reached" in reply


def test_addresses_are_read() -> None:
    assert read_endpoint("https://API.example.org/v1") == Endpoint("api.example.org", 443)
    assert read_endpoint("http://127.0.0.1:11434") == Endpoint("127.0.0.1", 11434)


@pytest.mark.parametrize(
    "text", ["", "api.example.org", "ftp://x", "https://", "https://u:p@x/", "http://x:99999"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no model endpoint"):
        read_endpoint(text)
