"""How files are fetched: resumed, in turn, politely, and what is kept of wrong ones."""

from __future__ import annotations

import errno
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.datasets.lines import Patience
from braino_registry.datasets.looking import stranger
from braino_registry.datasets.pins import Pin, Variant
from braino_registry.errors import HostError
from tests.datasets import tiny
from tests.datasets.conftest import Write
from tests.datasets.faulty import Exchange, FaultyServer, serving
from tests.datasets.served import (
    ERROR,
    PAGE,
    QUICK,
    assert_never_bad,
    entry_at,
    fetchable,
    once,
    right,
    sources,
)


def _ranges(server: FaultyServer) -> list[str]:
    return [each.headers["range"] for each in server.asked if "range" in each.headers]


def test_what_broke_off_is_gone_on_with_by_the_next_process(
    written: Write, empty_store: Store, served_bytes: dict[str, bytes]
) -> None:
    """The second fetch asks for the rest only, and only of the same ETag."""
    short = Patience(tries=1, backoff=0, silence_seconds=0.2)
    with serving(served_bytes, lambda x: x.part(upto=1000)) as server:
        entry = entry_at(written, server.base)
        with pytest.raises(HostError):
            empty_store.fetch(entry, patience=short)
        parts = len(list((empty_store.root / "parts").glob("*.part")))
        server.fault = right
        begun = len(server.asked)
        empty_store.fetch(entry, patience=short)
        asked = server.asked[begun:]
    resumed = [each for each in asked if each.headers.get("range") == "bytes=1000-"]
    assert len(resumed) == parts > 0
    assert {each.headers.get("if-range") for each in resumed} == {'"one"'}
    assert list((empty_store.root / "parts").iterdir()) == []
    assert_never_bad(empty_store)


def test_a_part_that_went_bad_is_thrown_away_once(
    written: Write, empty_store: Store, served_bytes: dict[str, bytes]
) -> None:
    """Bits of a part flip on the disk: the joined file is wrong, and is fetched whole."""
    short = Patience(tries=1, backoff=0, silence_seconds=0.2)
    with serving(served_bytes, lambda x: x.part(upto=1000)) as server:
        entry = entry_at(written, server.base)
        with pytest.raises(HostError):
            empty_store.fetch(entry, patience=short)
        for part in (empty_store.root / "parts").glob("*.part"):
            part.write_bytes(bytes(1000))
        server.fault = right
        empty_store.fetch(entry, patience=short)
    assert len(sources(empty_store)) == 2
    assert_never_bad(empty_store)


def test_without_an_etag_nothing_is_joined(
    written: Write, empty_store: Store, served_bytes: dict[str, bytes]
) -> None:
    def fault(x: Exchange) -> None:
        if x.count == 0:
            x.send(x.body[:800], length=len(x.body), ETag='W/"weak"')
        else:
            x.send(x.body)

    with serving(served_bytes, fault) as server:
        empty_store.fetch(entry_at(written, server.base), patience=QUICK)
    assert _ranges(server) == []
    assert_never_bad(empty_store)


def test_an_address_that_names_a_version_is_resumed_without_an_etag(
    written: Write, empty_store: Store, served_bytes: dict[str, bytes]
) -> None:
    def fault(x: Exchange) -> None:
        body, whole = x.body[x.begin :], len(x.body)
        if x.begin == 0:
            x.send(body[:800], length=whole)
        else:
            place = f"bytes {x.begin}-{whole - 1}/{whole}"
            x.send(body, "206 Partial Content", Content_Range=place)

    doc = tiny.document()
    with serving(served_bytes, fault) as server:
        doc["mirrors"] = [{"id": "s", "name": "s", "base": server.base, "query": "versionId=7.x"}]
        empty_store.fetch(written(doc), patience=QUICK)
    assert _ranges(server) == ["bytes=800-"] * 2
    assert_never_bad(empty_store)


def test_retry_after_is_kept_to(
    written: Write,
    empty_store: Store,
    served_bytes: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[Any] = []

    def wait(self: threading.Event, timeout: float | None = None) -> bool:
        waits.append(timeout)
        return self.is_set()

    busy = once(lambda x: x.send(b"", "429 Too Many Requests", Retry_After="17"))
    with serving(served_bytes, busy) as server:
        entry = entry_at(written, server.base)
        monkeypatch.setattr("braino_registry.datasets.fetching.StopEvent.wait", wait)
        empty_store.fetch(entry, patience=QUICK)
        monkeypatch.undo()
    assert waits.count(17) == 2


def test_a_server_that_asks_for_hours_is_left(
    written: Write, empty_store: Store, served_bytes: dict[str, bytes]
) -> None:
    with serving(
        served_bytes, lambda x: x.send(b"", "503 Service Unavailable", Retry_After="7200")
    ) as server:
        with pytest.raises(HostError, match=r"503 .* asked again after 7200"):
            empty_store.fetch(entry_at(written, server.base), patience=QUICK)
        assert len(server.asked) <= 2


def test_a_file_of_unknown_size_leaves_room_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from braino_registry.datasets import transfer

    body = bytes(range(256)) * 40
    doc = tiny.document()
    for row in doc["recordings"]:
        row["files"] = ["a.bin"]
    hashes = tiny.pin_of("a.bin", body).variants[0].hashes
    monkeypatch.setattr(transfer, "free_bytes", lambda folder: transfer.SPARE + 5000)
    with serving({"a.bin": body}, right) as server:
        doc["mirrors"] = [{"id": "m", "name": "m", "base": server.base}]
        entry = tiny.entry(doc, tmp_path / "e", [Pin("a.bin", (Variant(hashes, None),))])
        with pytest.raises(HostError, match="more than the 5000 bytes that fit on the disk came"):
            Store(tmp_path / "cache", environ={}).fetch(entry, patience=QUICK)


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
    with serving({"a.fdt": body}, right) as server:
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


@pytest.mark.parametrize("error", [OSError(9, "Bad file descriptor"), ValueError(), RuntimeError()])
def test_a_transfer_that_ends_while_it_is_aborted_is_no_error(error: Exception) -> None:
    from types import SimpleNamespace

    from braino_registry.datasets.transfer import Client

    asked: list[str] = []

    def shutdown() -> None:
        asked.append("shutdown")
        raise error

    client = Client(QUICK, threading.Event())
    answers: Any = {1: SimpleNamespace(raw=SimpleNamespace(shutdown=shutdown))}
    client._open = answers.values()
    client.abort()
    assert asked == ["shutdown"]


def test_two_files_of_one_address_do_not_share_a_part(tmp_path: Path) -> None:
    body = bytes(range(256)) * 300
    pins = [tiny.pin_of(name, body) for name in ("a.bin", "b.bin")]
    with serving({"one.bin": body}, right) as server:
        cells = {pin.path: ["one.bin"] for pin in pins}
        entry = fetchable(tmp_path, server.base, pins, cells)
        store = Store(tmp_path / "cache", environ={})
        store.fetch(entry, patience=QUICK)
    assert len(sources(store)) == 1
    assert store.status(entry).present
    assert_never_bad(store)


def test_a_disk_that_fails_ends_the_fetch_and_leaves_nothing_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from braino_registry.datasets import layout

    bodies = {f"f{i}.bin": bytes([i]) * 200 for i in range(30)}
    real, seen = layout.sync_file, []

    def sync(path: Path) -> None:
        seen.append(path)
        if len(seen) > 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(path)

    with serving(bodies, right) as server:
        entry = fetchable(
            tmp_path, server.base, [tiny.pin_of(path, bodies[path]) for path in sorted(bodies)]
        )
        store = Store(tmp_path / "cache", environ={})
        monkeypatch.setattr(layout, "sync_file", sync)
        with pytest.raises(HostError, match="no room left while fetching tiny"):
            store.fetch(entry, patience=QUICK)
        monkeypatch.undo()
        assert len(sources(store)) == 3
        assert_never_bad(store)
        store.fetch(entry, patience=QUICK)
    assert len(sources(store)) == 30
    assert_never_bad(store)


@pytest.mark.parametrize("sizes", [(None,), (1, 2560)])
def test_a_git_blob_of_a_size_that_is_not_known_before_is_fetched(
    tmp_path: Path, sizes: tuple[int | None, ...]
) -> None:
    """Its hash begins with the size, so that it cannot be computed while the bytes pass."""
    body = bytes(range(256)) * 10
    hashes = tiny.pin_of("a.bin", body, ("git-blob",)).variants[0].hashes
    with serving({"a.bin": body}, right) as server:
        pin = Pin("a.bin", tuple(Variant(hashes, size) for size in sizes))
        store = Store(tmp_path / "cache", environ={})
        assert len(store.fetch(fetchable(tmp_path, server.base, [pin]), patience=QUICK)) == 1
    assert_never_bad(store)
