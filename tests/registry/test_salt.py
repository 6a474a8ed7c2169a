"""A salt is long, not guessable, and never printed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from braino_registry.errors import UsageError
from braino_registry.registry import Salt


def test_without_a_salt_there_is_no_hash() -> None:
    assert Salt.none() == Salt(b"")
    assert Salt.none().hash is None


@pytest.mark.parametrize("around", [b"%s", b"%s\n", b" \t%s\r\n"])
def test_white_space_around_a_salt_does_not_count(tmp_path: Path, around: bytes) -> None:
    secret = b"3f9c1be07a5d4862e8b0c7d6a4f21933"
    file = tmp_path / "salt"
    file.write_bytes(around % secret)
    salt = Salt.read(file)
    assert salt.material == secret
    assert salt.hash == f"sha256:{hashlib.sha256(secret).hexdigest()}"
    assert "3f9c" not in repr(salt)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", "too short: 0 of at least 16"),
        (b"  fifteen bytes!  ", "too short: 14 of at least 16"),
        (b"3f9c1be07a5d4862e8b0c7d6a4f2193", "too short: 31 of at least 32"),
        (b"a" * 64, "repeats itself"),
        (b"ab!" * 20, "repeats itself"),
        (bytes(range(256)) * 17, "too long"),
    ],
)
def test_a_salt_that_could_be_guessed_is_refused(tmp_path: Path, raw: bytes, problem: str) -> None:
    file = tmp_path / "salt"
    file.write_bytes(raw)
    with pytest.raises(UsageError, match=problem) as caught:
        Salt.read(file)
    assert caught.value.where == str(file)
    assert "openssl rand -hex 32" in caught.value.hint


def test_a_missing_salt_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        Salt.read(tmp_path / "none")


def test_the_hint_never_overwrites_a_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "salt").write_text("short")
    with pytest.raises(UsageError) as caught:
        Salt.read(tmp_path / "salt")
    assert caught.value.hint.endswith("> NEW_FILE")
    with pytest.raises(UsageError) as caught:
        Salt.read(tmp_path / "missing")
    assert caught.value.hint.endswith(f"> {tmp_path / 'missing'}")
