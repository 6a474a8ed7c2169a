from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from braino_registry import __version__
from braino_registry.datasets import Store
from braino_registry.datasets.content import hash_file
from braino_registry.datasets.layout import source_path
from braino_registry.errors import HostError
from braino_registry.registry.entries import PublicDataset
from tests.datasets import tiny


@pytest.fixture
def server(httpserver: HTTPServer) -> HTTPServer:
    return httpserver


@pytest.fixture
def bytes_of(tiny_mirror: Path) -> dict[str, bytes]:
    return {
        path: (tiny_mirror / f"somewhere/file-{i}.bin").read_bytes()
        for i, path in enumerate(tiny.RUNS)
    }


@pytest.fixture
def entry(server: HTTPServer, tiny_mirror: Path) -> PublicDataset:
    return tiny.entry(tiny.document(tiny_mirror, server.url_for("/a/")))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache", environ={})


def _serve(server: HTTPServer, bodies: dict[str, bytes], folder: str = "/a/") -> None:
    for path, body in bodies.items():
        server.expect_request(folder + path).respond_with_data(body)


def _cached(store: Store) -> list[Path]:
    return [path for path in store.root.rglob("*") if path.is_file()]


def test_fetched_files_are_verified_and_build(
    server: HTTPServer, entry: PublicDataset, store: Store, bytes_of: dict[str, bytes]
) -> None:
    _serve(server, bytes_of)
    seen: list[tuple[str, int, int]] = []
    fetched = store.fetch(entry, lambda *step: seen.append(step))
    assert [file.path for file in fetched] == list(tiny.RUNS)
    for pin in entry.doc["files"]:
        path = source_path(store.root, pin["hashes"]["sha256"])
        assert hash_file(path)["sha256"] == pin["hashes"]["sha256"]
        assert (pin["path"], pin["size"], pin["size"]) in seen
        assert all(0 < done <= size for name, done, size in seen if name == pin["path"])
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
        (_flip, "other bytes came: sha256"),
        (lambda body: body[:-5], "other bytes came: "),
        (lambda body: body + b"x", "other bytes came: "),
        (lambda body: b"", "0 bytes instead of"),
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
        store.fetch(entry)
    assert server.url_for("/a/S001/S001R01.edf") in str(caught.value)
    assert caught.value.exit_code == 3
    assert _cached(store) == []


def test_every_address_is_tried_and_named(
    server: HTTPServer, tiny_mirror: Path, store: Store, bytes_of: dict[str, bytes]
) -> None:
    doc = tiny.document(tiny_mirror)
    folders = ("/gone/", "/page/", "/good/")
    doc["mirrors"] = [{"name": name, "base": server.url_for(name)} for name in folders]
    _serve(server, dict.fromkeys(bytes_of, b"<html>"), "/page/")
    for path in bytes_of:
        server.expect_request("/gone/" + path).respond_with_data("no", status=404)
    with pytest.raises(HostError) as caught:
        store.fetch(tiny.entry({**doc, "mirrors": doc["mirrors"][:2]}))
    assert "/gone/S001/S001R01.edf: the server answered 404 NOT FOUND" in str(caught.value)
    assert "/page/S001/S001R01.edf: a web page came" in str(caught.value)
    assert "BRAINO_MIRRORS" in str(caught.value)
    _serve(server, bytes_of, "/good/")
    fetched = store.fetch(tiny.entry(doc))
    assert [file.url for file in fetched] == [server.url_for("/good/" + path) for path in bytes_of]


def test_a_body_that_is_cut_off_is_refused(
    server: HTTPServer, entry: PublicDataset, store: Store, bytes_of: dict[str, bytes]
) -> None:
    def cut(request: Request) -> Response:
        body = bytes_of["S001/S001R01.edf"]
        return Response(iter([body[:100]]), headers={"Content-Length": str(len(body))})

    server.expect_request("/a/S001/S001R01.edf").respond_with_handler(cut)
    with pytest.raises(HostError, match="the connection failed"):
        store.fetch(entry)
    assert _cached(store) == []


def test_silence_ends_in_an_error(
    server: HTTPServer, entry: PublicDataset, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    from braino_registry.datasets import fetching

    release = threading.Event()

    def wait(request: Request) -> Response:
        release.wait(10)
        return Response(b"late")

    monkeypatch.setattr(fetching, "SILENCE_SECONDS", 0.2)
    server.expect_request("/a/S001/S001R01.edf").respond_with_handler(wait)
    try:
        with pytest.raises(HostError, match="no answer in time"):
            store.fetch(entry)
    finally:
        release.set()


def test_nobody_listening_is_an_error(tiny_mirror: Path, store: Store) -> None:
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{free.getsockname()[1]}/"
        with pytest.raises(HostError, match="the connection failed"):
            store.fetch(tiny.entry(tiny.document(tiny_mirror, base)))


def test_a_body_compressed_on_the_way_gives_the_right_bytes(
    server: HTTPServer, entry: PublicDataset, store: Store, bytes_of: dict[str, bytes]
) -> None:
    for path, body in bytes_of.items():
        server.expect_request("/a/" + path).respond_with_data(
            gzip.compress(body), headers={"Content-Encoding": "gzip"}
        )
    assert len(store.fetch(entry)) == 2


def test_what_was_fetched_before_a_failure_stays(
    server: HTTPServer, entry: PublicDataset, store: Store, bytes_of: dict[str, bytes]
) -> None:
    _serve(server, {"S001/S001R01.edf": bytes_of["S001/S001R01.edf"]})
    server.expect_request("/a/S001/S001R03.edf").respond_with_data("", status=503)
    with pytest.raises(HostError, match=r"S001R03\.edf .* could not be fetched"):
        store.fetch(entry)
    assert store.status(entry).missing == ("S001/S001R03.edf",)


def test_offline_asks_nobody_and_says_what_to_do(
    server: HTTPServer, entry: PublicDataset, tmp_path: Path, bytes_of: dict[str, bytes]
) -> None:
    _serve(server, bytes_of)
    store = Store(tmp_path / "cache", environ={"BRAINO_OFFLINE": "1"})
    with pytest.raises(HostError) as caught:
        store.fetch(entry)
    text = str(caught.value)
    for pin in entry.doc["files"]:
        assert f"{pin['path']} ({pin['size']} bytes)" in text
        assert f"curl -LO {server.url_for('/a/' + pin['path'])}" in text
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
