"""Connections to hosts: what the environment says of them, and hosts that send elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.errors import HostError
from tests.datasets import tiny
from tests.datasets.conftest import Write
from tests.datasets.faulty import Exchange, serving
from tests.datasets.served import QUICK, entry_at, fetchable, sources


def test_proxies_come_from_the_environment(
    written: Write,
    empty_store: Store,
    served_bytes: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def answer(x: Exchange) -> None:
        assert x.path.startswith("http://data.example.org/")
        x.send(served_bytes[x.path.removeprefix("http://data.example.org/")])

    with serving(served_bytes, answer) as proxy:
        monkeypatch.setenv("http_proxy", proxy.base)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        empty_store.fetch(entry_at(written, "http://data.example.org/"), patience=QUICK)
    assert len(sources(empty_store)) == 2


def test_certificates_are_always_verified_by_the_authorities_of_the_environment(
    written: Write, empty_store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from urllib3.connectionpool import HTTPSConnectionPool
    from urllib3.exceptions import ProtocolError

    asked: list[tuple[Any, Any]] = []

    def urlopen(self: HTTPSConnectionPool, *args: Any, **options: Any) -> None:
        asked.append((self.cert_reqs, self.ca_certs))
        raise ProtocolError("not today")

    monkeypatch.setattr(HTTPSConnectionPool, "urlopen", urlopen)
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    entry = entry_at(written, "https://data.example.org/")
    with pytest.raises(HostError, match="not today"):
        empty_store.fetch(entry, patience=QUICK)
    assert {required for required, _ in asked} == {"CERT_REQUIRED"}
    asked.clear()
    authorities = tmp_path / "our-authorities.pem"
    authorities.write_text("")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authorities))
    with pytest.raises(HostError, match="not today"):
        empty_store.fetch(entry, patience=QUICK)
    assert set(asked) == {("CERT_REQUIRED", str(authorities))}


def test_a_host_that_sends_elsewhere_is_asked_twice_only_once(tmp_path: Path) -> None:
    bodies = {f"f{i}.bin": bytes([i]) * 200 for i in range(4)}

    def elsewhere(x: Exchange) -> None:
        if x.path.startswith("there/"):
            x.send(bodies[x.path.removeprefix("there/")])
        else:
            x.send(b"", "302 Found", Location=f"/there/{x.path}")

    with serving(bodies, elsewhere) as server:
        pins = [tiny.pin_of(path, body) for path, body in bodies.items()]
        entry = fetchable(tmp_path, server.base, pins)
        store = Store(tmp_path / "cache", environ={})
        store.fetch(entry, patience=replace(QUICK, per_host=1))
        asked = [x.path for x in server.asked]
    assert len([path for path in asked if path.startswith("there/")]) == 4
    assert len([path for path in asked if not path.startswith("there/")]) == 5


def test_credentials_come_from_the_netrc_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret\n")
    (tmp_path / "netrc").chmod(0o600)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    body = b"0       " + bytes(300)
    with serving({"a b.edf": body}, lambda x: x.send(body)) as server:
        entry = fetchable(tmp_path, server.base, [tiny.pin_of("a b.edf", body)])
        Store(tmp_path / "cache", environ={}).fetch(entry, patience=QUICK)
    assert [x.path for x in server.asked] == ["a%20b.edf"]
    assert server.asked[0].headers["authorization"] == "Basic bWU6c2VjcmV0"
