from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from braino_registry import __version__
from braino_registry.datasets import Store, fetching
from braino_registry.datasets.content import hash_file
from braino_registry.datasets.entries import pins_of
from braino_registry.datasets.layout import source_path
from braino_registry.datasets.lines import Patience
from braino_registry.datasets.pins import Pin
from braino_registry.errors import HostError
from braino_registry.registry.entries import PublicDataset
from tests.datasets import tiny
from tests.datasets.conftest import Write


@pytest.fixture
def server(httpserver: HTTPServer) -> HTTPServer:
    return httpserver


patience = Patience(tries=2, backoff=0)


@pytest.fixture
def bytes_of(tiny_mirror: Path) -> dict[str, bytes]:
    return {
        path: (tiny_mirror / f"somewhere/file-{i}.bin").read_bytes()
        for i, path in enumerate(tiny.RUNS)
    }


@pytest.fixture
def entry(server: HTTPServer, written: Write) -> PublicDataset:
    return written(_at(server.url_for("/a/")))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache", environ={})


def _at(*bases: str) -> dict[str, Any]:
    doc = tiny.document()
    rows = [{"id": f"m{i}", "name": base, "base": base} for i, base in enumerate(bases)]
    return {**doc, "mirrors": rows}


def _serve(server: HTTPServer, bodies: dict[str, bytes], folder: str = "/a/") -> None:
    for path, body in bodies.items():
        server.expect_request(folder + path).respond_with_data(body)


def test_fetched_files_are_verified_and_build(
    server: HTTPServer, entry: PublicDataset, store: Store, bytes_of: dict[str, bytes]
) -> None:
    _serve(server, bytes_of)
    seen: list[tuple[str, int, int]] = []
    fetched = store.fetch(entry, lambda *step: seen.append(step))
    assert [file.path for file in fetched] == list(tiny.RUNS)
    for pin in pins_of(entry):
        sha256 = pin.variants[0].hashes["sha256"]
        assert hash_file(source_path(store.root, sha256))["sha256"] == sha256
        assert (pin.path, pin.size, pin.size) in seen
        assert all(0 < done <= size for name, done, size in seen if name == pin.path)
    assert store.status(entry).present
    assert store.build_or_find(entry).bids.is_dir()
    assert store.fetch(entry) == ()
    assert len(server.log) == 2


def test_requests_say_who_asks(
    server: HTTPServer, entry: PublicDataset, store: Store, bytes_of: dict[str, bytes]
) -> None:
    _serve(server, bytes_of)
    store.fetch(entry)
    headers = server.log[0][0].headers
    assert headers["User-Agent"].startswith(f"braino-registry/{__version__}")
    assert headers["Accept-Encoding"] == "identity"


def test_only_what_is_missing_is_fetched(
    server: HTTPServer, entry: PublicDataset, tmp_path: Path, bytes_of: dict[str, bytes]
) -> None:
    _serve(server, bytes_of)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "renamed.dat").write_bytes(bytes_of["S001/S001R01.edf"])
    store = Store(tmp_path / "cache", environ={"BRAINO_MIRRORS": str(tmp_path / "mine")})
    assert [file.path for file in store.fetch(entry)] == ["S001/S001R03.edf"]


def _flip(body: bytes) -> bytes:
    return body[:-1] + bytes([body[-1] ^ 1])


def _page(body: bytes) -> bytes:
    return b"<!DOCTYPE html><html>Sign in</html>"


def _message(body: bytes) -> bytes:
    return json.dumps({"error": "rate limited"}).encode()


def _page_of_the_right_size(body: bytes) -> bytes:
    return b"\n <html>".ljust(len(body))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (_page, "a web page came instead of the file"),
        (_page_of_the_right_size, "a web page came instead of the file"),
        (_message, "a JSON message came instead of the file"),
        (_flip, r"other bytes came"),
        (lambda body: body[:-5], "other bytes came"),
        (lambda body: body + b"x", "more than the"),
        (lambda body: b"", "other bytes came"),
    ],
)
def test_wrong_bytes_with_status_200_are_refused(
    server: HTTPServer,
    entry: PublicDataset,
    store: Store,
    bytes_of: dict[str, bytes],
    spoil: Any,
    reason: str,
) -> None:
    _serve(server, {path: spoil(body) for path, body in bytes_of.items()})
    with pytest.raises(HostError, match=reason) as caught:
        store.fetch(entry, patience=patience)
    assert server.url_for("/a/S001/") in str(caught.value)
    assert caught.value.exit_code == 3
    assert not (store.root / "sources").exists()
    notes = [json.loads(p.read_text("utf-8")) for p in (store.root / "aside").glob("*.json")]
    assert reason.split(":")[0] in {note["reason"][: len(reason.split(":")[0])] for note in notes}


def test_every_address_is_tried_and_named(
    server: HTTPServer, written: Write, store: Store, bytes_of: dict[str, bytes]
) -> None:
    bases = [server.url_for(name) for name in ("/gone/", "/page/", "/good/")]
    _serve(server, dict.fromkeys(bytes_of, b"<html>"), "/page/")
    for path in bytes_of:
        server.expect_request("/gone/" + path).respond_with_data("no", status=404)
    with pytest.raises(HostError) as caught:
        store.fetch(written(_at(*bases[:2])), patience=patience)
    text = str(caught.value)
    name = text.split()[0]
    assert name in bytes_of
    assert f"/gone/{name}: the server answered 404 NOT FOUND" in text
    assert f"/page/{name}: a web page came" in text
    assert "BRAINO_MIRRORS" in str(caught.value)
    _serve(server, bytes_of, "/good/")
    fetched = store.fetch(written(_at(*bases)), patience=patience)
    assert [file.url for file in fetched] == [server.url_for("/good/" + path) for path in bytes_of]


def test_nobody_listening_is_an_error(written: Write, store: Store) -> None:
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{free.getsockname()[1]}/"
        with pytest.raises(HostError, match="the connection failed"):
            store.fetch(written(_at(base)), patience=patience)


def test_a_body_compressed_on_the_way_gives_the_right_bytes(
    server: HTTPServer, entry: PublicDataset, store: Store, bytes_of: dict[str, bytes]
) -> None:
    for path, body in bytes_of.items():
        server.expect_request("/a/" + path).respond_with_data(
            gzip.compress(body), headers={"Content-Encoding": "gzip"}
        )
    assert len(store.fetch(entry)) == 2


def test_what_was_fetched_before_a_failure_stays(
    server: HTTPServer,
    entry: PublicDataset,
    store: Store,
    bytes_of: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fetching, "shuffled", list)
    _serve(server, {"S001/S001R01.edf": bytes_of["S001/S001R01.edf"]})
    server.expect_request("/a/S001/S001R03.edf").respond_with_data("", status=503)
    with pytest.raises(HostError, match=r"S001R03\.edf .* could not be fetched"):
        store.fetch(entry, patience=Patience(tries=2, backoff=0, workers=1))
    assert store.status(entry).missing == ("S001/S001R03.edf",)


def test_processes_take_files_in_different_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    pins = [Pin(str(number), ()) for number in range(100)]
    first = fetching.shuffled(pins)
    monkeypatch.setattr(os, "getpid", lambda: 1 << 30)
    assert fetching.shuffled(pins) != first
    assert sorted(first, key=str) == sorted(pins, key=str)


def test_offline_asks_nobody_and_says_what_to_do(
    server: HTTPServer, entry: PublicDataset, tmp_path: Path, bytes_of: dict[str, bytes]
) -> None:
    _serve(server, bytes_of)
    store = Store(tmp_path / "cache", environ={"BRAINO_OFFLINE": "1"})
    with pytest.raises(HostError) as caught:
        store.fetch(entry)
    text = str(caught.value)
    for pin in pins_of(entry):
        assert f"{pin.path} ({pin.size} bytes)" in text
        assert f"curl -LO {server.url_for('/a/' + pin.path)}" in text
    assert "braino data fetch tiny" in text
    assert server.log == []


def test_offline_does_not_matter_when_everything_is_here(
    entry: PublicDataset, tiny_mirror: Path, tmp_path: Path
) -> None:
    environ = {"BRAINO_OFFLINE": "1", "BRAINO_MIRRORS": str(tiny_mirror)}
    store = Store(tmp_path / "cache", environ=environ)
    assert store.fetch(entry) == ()
    assert store.build_or_find(entry).bids.is_dir()


def test_a_full_cache_is_a_host_error(
    server: HTTPServer, entry: PublicDataset, tmp_path: Path, bytes_of: dict[str, bytes]
) -> None:
    _serve(server, bytes_of)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(HostError, match=r"while fetching tiny@1\.0\.0"):
        Store(tmp_path / "file" / "cache", environ={}).fetch(entry)
