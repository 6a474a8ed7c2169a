"""Faults of servers: each ends in the right bytes or a clear error, never in a bad cache."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest

from braino_registry.datasets import Store
from braino_registry.errors import HostError
from tests.datasets.conftest import Write
from tests.datasets.faulty import Exchange, serving
from tests.datasets.served import (
    ERROR,
    PAGE,
    QUICK,
    assert_never_bad,
    entry_at,
    once,
    right,
    sources,
)


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
    "none": (right, None),
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
    "429 once": (once(_too_many), None),
    "429 once, for no known time": (
        once(lambda x: x.send(ERROR, "429 Too Many Requests", Retry_After="soon")),
        None,
    ),
    "429 for ever": (_too_many, "the server answered 429 Too Many Requests"),
    "503 once": (once(lambda x: x.send(b"", "503 Service Unavailable")), None),
    "503 storm": (
        lambda x: x.send(PAGE, "503 Service Unavailable"),
        "the server answered 503 Service Unavailable",
    ),
    "reset in mid-body": (_reset_midway, None),
    "reset before the head": (once(lambda x: x.reset()), None),
    "reset always": (lambda x: x.reset(), "the connection failed"),
    "stalled once": (once(_stall), None),
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


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_ends_in_right_bytes_or_a_clear_error(
    written: Write, empty_store: Store, served_bytes: dict[str, bytes], name: str
) -> None:
    fault, expected = FAULTS[name]
    with serving(served_bytes, fault) as server:
        entry = entry_at(written, server.base)
        if expected is None:
            empty_store.fetch(entry, patience=QUICK)
            assert len(sources(empty_store)) == 2
        else:
            with pytest.raises(HostError, match=expected) as caught:
                empty_store.fetch(entry, patience=QUICK)
            assert caught.value.exit_code == 3
            assert server.base in caught.value.where
            assert sources(empty_store) == []
    assert_never_bad(empty_store)
    # Whatever was left of it does not stand in the way of a server that has mended.
    with serving(served_bytes, right) as server:
        empty_store.fetch(entry_at(written, server.base), patience=QUICK)
    assert len(sources(empty_store)) == 2
    assert_never_bad(empty_store)
    assert empty_store.status(entry).present


@pytest.mark.parametrize("name", [name for name, (_, text) in FAULTS.items() if text])
def test_a_second_mirror_makes_up_for_the_first(
    written: Write, empty_store: Store, served_bytes: dict[str, bytes], name: str
) -> None:
    with serving(served_bytes, FAULTS[name][0]) as bad, serving(served_bytes, right) as good:
        fetched = empty_store.fetch(entry_at(written, bad.base, good.base), patience=QUICK)
    assert {file.url.startswith(good.base) for file in fetched} == {True}
    assert_never_bad(empty_store)
