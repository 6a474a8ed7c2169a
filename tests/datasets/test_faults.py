"""Faults of servers: each ends in the right bytes or a clear error, never in a bad cache."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.datasets.content import hash_file
from braino_registry.datasets.looking import stranger
from braino_registry.datasets.transfer import Patience
from braino_registry.errors import HostError
from braino_registry.registry.entries import PublicDataset
from tests.datasets import tiny
from tests.datasets.conftest import Write
from tests.datasets.faulty import Exchange, FaultyServer, serving

#: Waits of nothing, so that no test sleeps; a stalled server is left after a fifth of a second.
QUICK = Patience(tries=4, backoff=0, silence_seconds=0.2, connect_seconds=2)
ERROR = json.dumps({"error": "rate limited"}).encode()
PAGE = b"<!DOCTYPE html><html><body>Sign in</body></html>"


def _right(x: Exchange) -> None:
    x.part()


def _once(fault: Callable[[Exchange], None]) -> Callable[[Exchange], None]:
    """Return a fault of the first request only."""
    return lambda x: fault(x) if x.count == 0 else x.part()


def _reset_midway(x: Exchange) -> None:
    """Twice in a row, the second time while the rest is sent."""
    x.part(upto=None if x.count > 1 else x.begin + (len(x.body) - x.begin) // 2)
    if x.count <= 1:
        x.reset()


def _stall(x: Exchange) -> None:
    x.part(upto=x.begin + 100)
    x.connection.settimeout(5)
    x.connection.recv(1)  # the client leaves


def _changed(x: Exchange) -> None:
    """Another file while it is resumed, from a server that does not know If-Range."""
    if x.count == 0:
        x.part('"old"', upto=700)
    elif x.count == 1:
        assert x.headers["if-range"] == '"old"'
        x.part('"new"')
    else:
        assert "range" not in x.headers
        x.part('"new"')


def _ignores_range(x: Exchange) -> None:
    if x.count == 0:
        x.part(upto=700)
    else:
        x.send(x.body, ETag='"one"')


def _loop(x: Exchange) -> None:
    x.send(b"", "302 Found", Location=f"/{x.path}?again")


def _moved(x: Exchange) -> None:
    if "moved" in x.path:
        x.send(x.body)
    else:
        x.send(b"", "302 Found", Location=f"/moved/{x.path}")


def _too_many(x: Exchange) -> None:
    x.send(ERROR, "429 Too Many Requests", Retry_After="0")


def _flipped(x: Exchange) -> None:
    x.send(x.body[:-1] + bytes([x.body[-1] ^ 1]), ETag='"one"')


def _pointer(x: Exchange) -> None:
    x.send(b"/annex/objects/SHA256E-s12--" + b"0" * 64 + b".edf\n")


#: Fault, and whether the fetch succeeds (None) or what its error says.
FAULTS: dict[str, tuple[Callable[[Exchange], None], str | None]] = {
    "none": (_right, None),
    "html with 200": (lambda x: x.send(PAGE), "a web page came instead of the file"),
    "json error with 200": (lambda x: x.send(ERROR), "a JSON message came instead of the file"),
    "annex pointer with 200": (_pointer, "a git-annex pointer came instead of the file"),
    "truncated body, resumed": (lambda x: x.part(upto=x.begin + 900), None),
    "truncated body, no etag": (
        lambda x: x.send(x.body[:500], length=len(x.body)),
        "the connection failed",
    ),
    "truncated file": (lambda x: x.send(x.body[:-5]), "other bytes came"),
    "wrong bytes of the right size": (_flipped, "other bytes came"),
    "403": (lambda x: x.send(PAGE, "403 Forbidden"), "the server answered 403 Forbidden"),
    "404": (lambda x: x.send(PAGE, "404 Not Found"), "the server answered 404 Not Found"),
    "429 once": (_once(_too_many), None),
    "429 for ever": (_too_many, "the server answered 429 Too Many Requests"),
    "503 once": (_once(lambda x: x.send(b"", "503 Service Unavailable")), None),
    "503 storm": (
        lambda x: x.send(PAGE, "503 Service Unavailable"),
        "the server answered 503 Service Unavailable",
    ),
    "reset in mid-body": (_reset_midway, None),
    "reset before the head": (_once(lambda x: x.reset()), None),
    "reset always": (lambda x: x.reset(), "the connection failed"),
    "stalled once": (_once(_stall), None),
    "stalled before the head": (lambda x: x.connection.recv(1) and None, "no answer in time"),
    "changed etag during resume": (_changed, None),
    "redirect": (_moved, None),
    "redirect loop": (_loop, "more than 10 redirects"),
    "gzip-encoded body": (
        lambda x: x.send(gzip.compress(x.body), Content_Encoding="gzip", ETag='"z"'),
        None,
    ),
    "gzip-encoded body, broken off": (
        lambda x: x.send(gzip.compress(x.body)[:300], Content_Encoding="gzip", ETag='"z"'),
        "other bytes came",
    ),
    "not gzip though said": (
        lambda x: x.send(x.body, Content_Encoding="gzip"),
        "the connection failed",
    ),
    "content-length too long": (lambda x: x.send(x.body, length=len(x.body) + 100), None),
    "content-length too short": (
        lambda x: x.send(x.body[x.begin :], length=len(x.body) - 100),
        "other bytes came",
    ),
    "more bytes than pinned": (lambda x: x.send(x.body + b"more"), "more than the"),
    "ignored range": (_ignores_range, None),
    "partial content nobody asked for": (
        lambda x: x.send(x.body, "206 Partial Content"),
        "the server answered 206",
    ),
    "nonsense instead of HTTP": (
        lambda x: x.connection.sendall(b"SSH-2.0-OpenSSH_9.9\r\n"),
        "the connection failed",
    ),
}


@pytest.fixture
def bytes_of(tiny_mirror: Path) -> dict[str, bytes]:
    bodies = {
        path: (tiny_mirror / f"somewhere/file-{i}.bin").read_bytes()
        for i, path in enumerate(tiny.RUNS)
    }
    return bodies | {f"moved/{path}": body for path, body in bodies.items()}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache", environ={})


def _entry(written: Write, *bases: str) -> PublicDataset:
    doc = tiny.document()
    doc["mirrors"] = [{"id": f"m{i}", "name": base, "base": base} for i, base in enumerate(bases)]
    return written(doc)


def _sources(store: Store) -> list[Path]:
    return [path for path in (store.root / "sources").rglob("*") if path.is_file()]


def _assert_never_bad(store: Store) -> None:
    """Whatever has a real name in the cache holds what its name says; no work is left."""
    for path in _sources(store):
        assert hash_file(path)["sha256"] == path.name
    work = store.root / "work"
    assert not work.exists() or list(work.iterdir()) == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_ends_in_right_bytes_or_a_clear_error(
    written: Write, store: Store, bytes_of: dict[str, bytes], name: str
) -> None:
    fault, expected = FAULTS[name]
    with serving(bytes_of, fault) as server:
        entry = _entry(written, server.base)
        if expected is None:
            store.fetch(entry, patience=QUICK)
            assert len(_sources(store)) == 2
        else:
            with pytest.raises(HostError, match=expected) as caught:
                store.fetch(entry, patience=QUICK)
            assert caught.value.exit_code == 3
            assert server.base in caught.value.where
            assert _sources(store) == []
    _assert_never_bad(store)
    # Whatever was left of it does not stand in the way of a server that has mended.
    with serving(bytes_of, _right) as server:
        store.fetch(_entry(written, server.base), patience=QUICK)
    assert len(_sources(store)) == 2
    _assert_never_bad(store)
    assert store.status(entry).present


@pytest.mark.parametrize("name", [name for name, (_, text) in FAULTS.items() if text])
def test_a_second_mirror_makes_up_for_the_first(
    written: Write, store: Store, bytes_of: dict[str, bytes], name: str
) -> None:
    with serving(bytes_of, FAULTS[name][0]) as bad, serving(bytes_of, _right) as good:
        fetched = store.fetch(_entry(written, bad.base, good.base), patience=QUICK)
    assert {file.url.startswith(good.base) for file in fetched} == {True}
    _assert_never_bad(store)


def _ranges(server: FaultyServer) -> list[str]:
    return [each.headers["range"] for each in server.asked if "range" in each.headers]


def test_what_broke_off_is_gone_on_with_by_the_next_process(
    written: Write, store: Store, bytes_of: dict[str, bytes]
) -> None:
    """The second fetch asks for the rest only, and only of the same ETag."""
    once = Patience(tries=1, backoff=0, silence_seconds=0.2)
    with serving(bytes_of, lambda x: x.part(upto=1000)) as server:
        entry = _entry(written, server.base)
        with pytest.raises(HostError):
            store.fetch(entry, patience=once)
        parts = len(list((store.root / "parts").glob("*.part")))
        server.fault = _right
        begun = len(server.asked)
        store.fetch(entry, patience=once)
        asked = server.asked[begun:]
    resumed = [each for each in asked if each.headers.get("range") == "bytes=1000-"]
    assert len(resumed) == parts > 0
    assert {each.headers.get("if-range") for each in resumed} == {'"one"'}
    assert list((store.root / "parts").iterdir()) == []
    _assert_never_bad(store)


def test_a_part_that_went_bad_is_thrown_away_once(
    written: Write, store: Store, bytes_of: dict[str, bytes]
) -> None:
    """Bits of a part flip on the disk: the joined file is wrong, and is fetched whole."""
    once = Patience(tries=1, backoff=0, silence_seconds=0.2)
    with serving(bytes_of, lambda x: x.part(upto=1000)) as server:
        entry = _entry(written, server.base)
        with pytest.raises(HostError):
            store.fetch(entry, patience=once)
        for part in (store.root / "parts").glob("*.part"):
            part.write_bytes(bytes(1000))
        server.fault = _right
        store.fetch(entry, patience=once)
    assert len(_sources(store)) == 2
    _assert_never_bad(store)


def test_without_an_etag_nothing_is_joined(
    written: Write, store: Store, bytes_of: dict[str, bytes]
) -> None:
    def fault(x: Exchange) -> None:
        if x.count == 0:
            x.send(x.body[:800], length=len(x.body), ETag='W/"weak"')
        else:
            x.send(x.body)

    with serving(bytes_of, fault) as server:
        store.fetch(_entry(written, server.base), patience=QUICK)
    assert _ranges(server) == []
    _assert_never_bad(store)


def test_an_address_that_names_a_version_is_resumed_without_an_etag(
    written: Write, store: Store, bytes_of: dict[str, bytes]
) -> None:
    def fault(x: Exchange) -> None:
        body, whole = x.body[x.begin :], len(x.body)
        if x.count == 0:
            x.send(body[:800], length=whole)
        else:
            place = f"bytes {x.begin}-{whole - 1}/{whole}"
            x.send(body, "206 Partial Content", Content_Range=place)

    doc = tiny.document()
    with serving(bytes_of, fault) as server:
        doc["mirrors"] = [{"id": "s", "name": "s", "base": server.base, "query": "versionId=7.x"}]
        store.fetch(written(doc), patience=QUICK)
    assert _ranges(server) == ["bytes=800-"] * 2
    _assert_never_bad(store)


def test_retry_after_is_kept_to(
    written: Write, store: Store, bytes_of: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[Any] = []

    def wait(self: threading.Event, timeout: float | None = None) -> bool:
        waits.append(timeout)
        return self.is_set()

    busy = _once(lambda x: x.send(b"", "429 Too Many Requests", Retry_After="17"))
    with serving(bytes_of, busy) as server:
        entry = _entry(written, server.base)
        monkeypatch.setattr("braino_registry.datasets.fetching.StopEvent.wait", wait)
        store.fetch(entry, patience=QUICK)
        monkeypatch.undo()
    assert waits.count(17) == 2


def test_a_server_that_asks_for_hours_is_left(
    written: Write, store: Store, bytes_of: dict[str, bytes]
) -> None:
    later = time.monotonic() + 60
    with serving(
        bytes_of, lambda x: x.send(b"", "503 Service Unavailable", Retry_After="7200")
    ) as server:
        with pytest.raises(HostError, match=r"503 .* asked again after 7200"):
            store.fetch(_entry(written, server.base), patience=QUICK)
        assert len(server.asked) <= 2
    assert time.monotonic() < later


def test_no_more_than_so_many_at_once_from_one_host(
    written: Write, tmp_path: Path, tiny_mirror: Path
) -> None:
    bodies = {f"f{i}.bin": bytes([i]) * 200 for i in range(12)}
    now, most, guard = 0, 0, threading.Lock()

    def count(x: Exchange) -> None:
        nonlocal now, most
        with guard:
            now += 1
            most = max(most, now)
        server.finished.wait(0.02)
        with guard:
            now -= 1
        x.send(x.body)

    doc = tiny.document()
    for row in doc["recordings"]:
        row["files"] = ["f0.bin"]
    with serving(bodies, count) as server:
        doc["mirrors"] = [{"id": "m", "name": "m", "base": server.base}]
        pins = [tiny.pin_of(path, body) for path, body in bodies.items()]
        entry = tiny.entry(doc, tmp_path / "e", sorted(pins, key=lambda pin: pin.path))
        store = Store(tmp_path / "cache", environ={})
        store.fetch(entry, patience=Patience(per_host=3, workers=8))
    assert 1 < most <= 3


@pytest.mark.parametrize(
    "start", [b"<html><body>Hello there, sign in", b'{"error": "rate limited, sorry"}', b"<"]
)
def test_a_recording_may_begin_as_a_page_does(tmp_path: Path, start: bytes) -> None:
    """Random samples begin with any byte; whatever has the pinned hash is the file."""
    body = start + bytes(300)
    doc = tiny.document()
    for row in doc["recordings"]:
        row["files"] = ["a.fdt"]
    with serving({"a.fdt": body}, _right) as server:
        doc["mirrors"] = [{"id": "m", "name": "m", "base": server.base}]
        entry = tiny.entry(doc, tmp_path / "e", [tiny.pin_of("a.fdt", body)])
        store = Store(tmp_path / "cache", environ={})
        assert len(store.fetch(entry, patience=QUICK)) == 1


@pytest.mark.parametrize(
    ("start", "path", "told"),
    [
        (PAGE, "a.edf", "a web page"),
        (b"<?xml version='1.0'?><Error><Code>AccessDenied", "a.set", "a web page"),
        (b"\xef\xbb\xbf\r\n <!doctype html><html>", "a.edf", "a web page"),
        (ERROR, "a.edf", "a JSON message"),
        (b"[]" + b" " * 20, "a.edf", "a JSON message"),
        (b"../../.git/annex/objects/Xq/7Z/SHA256E-s1--aa.edf", "a.edf", "a git-annex pointer"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "a.edf", "a Git LFS pointer"),
        (PAGE, "README", None),
        (ERROR, "x_eeg.json", None),
        (b"<html>\x00\x01\x02" + bytes(40), "a.fdt", None),
        (b"<\x80\x81\x82" * 8, "a.fdt", None),
        (b"<html>", "a.fdt", None),
        (b"0       X X X X" + b" " * 60, "a.edf", None),
    ],
)
def test_only_what_is_surely_something_else_is_told_early(
    start: bytes, path: str, told: str | None
) -> None:
    assert stranger(start, path) == told


def test_only_the_last_wrong_files_are_kept_aside(tmp_path: Path) -> None:
    from braino_registry.datasets import keeping

    keep = keeping.Keep(tmp_path / "cache")
    for number in range(keeping.MOST_ASIDE + 5):
        file = tmp_path / "wrong"
        file.write_bytes(b"x" * (keeping.LARGEST_ASIDE + 1))
        keep.set_aside(file, {"path": "a.edf", "reason": f"number {number}"})
        assert not file.exists()
    notes = sorted((tmp_path / "cache" / "aside").glob("*.json"))
    assert len(notes) == keeping.MOST_ASIDE
    assert len(list((tmp_path / "cache" / "aside").iterdir())) == 2 * keeping.MOST_ASIDE
    note = json.loads(notes[0].read_text(encoding="utf-8"))
    assert note["bytes"] == keeping.LARGEST_ASIDE + 1
    assert notes[0].with_suffix("").stat().st_size == keeping.LARGEST_ASIDE
