from __future__ import annotations

import hashlib
import io
import os
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.datasets.content import (
    NEUTRAL_NS,
    FileRecord,
    Hasher,
    content_digest,
    hash_file,
    hash_stream,
    judge,
    judge_passed,
    settle_tree,
    tree_records,
)
from braino_registry.datasets.marker import Marker, read_through
from braino_registry.datasets.pins import Variant
from braino_registry.datasets.scaffold import pins_of_tree
from braino_registry.errors import UsageError
from braino_registry.registry.documents import UnfitFileError

NAMES = st.text("abc/_.-", min_size=1, max_size=8)
RECORDS = st.dictionaries(NAMES, st.tuples(st.integers(0, 99), st.sampled_from("abc")), max_size=5)


def _records(tree: dict[str, tuple[int, str]]) -> list[FileRecord]:
    return [FileRecord(name, size, letter * 64) for name, (size, letter) in tree.items()]


def test_hashes_are_those_of_the_tools(tmp_path: Path) -> None:
    file = tmp_path / "hello"
    file.write_bytes(b"hello\n")
    found = hash_file(file, ("sha256", "sha1", "md5", "git-blob"))
    assert found == {
        "sha256": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
        "sha1": "f572d396fae9206628714fb2ce00f72e94f2258f",
        "md5": "b1946ac92492d2347c6235b4d2611184",
        "git-blob": "ce013625030ba8dba906f756967f9e9ca394464a",
    }


def test_hash_of_a_file_longer_than_a_piece(tmp_path: Path) -> None:
    data = os.urandom((1 << 20) + 17)
    (tmp_path / "long").write_bytes(data)
    assert hash_file(tmp_path / "long")["sha256"] == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    ("size", "algorithm", "part"),
    [(5, None, "6 bytes instead of 5"), (6, "md5", "md5 "), (6, "git-blob", "git-blob ")],
)
def test_mismatch_says_what_differs(
    tmp_path: Path, size: int, algorithm: str | None, part: str
) -> None:
    file = tmp_path / "hello"
    file.write_bytes(b"hello\n")
    hashes = hash_file(file, ("sha256", "md5", "git-blob"))
    assert judge(file, [Variant(dict(hashes), 6)]).variant is not None
    if algorithm is not None:
        hashes[algorithm] = "0" * len(hashes[algorithm])
    found = judge(file, [Variant(hashes, size)])
    assert found.variant is None
    assert found.reason.startswith(part)


@given(RECORDS, RECORDS)
def test_digest_tells_trees_apart(
    one: dict[str, tuple[int, str]], other: dict[str, tuple[int, str]]
) -> None:
    same = content_digest(_records(one)) == content_digest(reversed(_records(other)))
    assert same == (one == other)


def test_digest_is_that_of_the_synthesis_engine(tmp_path: Path) -> None:
    from braino_registry.synthesis import tree_digest

    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b").write_bytes(b"b")
    (tmp_path / "sub-1").write_bytes(b"")
    assert content_digest(tree_records(tmp_path)) == tree_digest(tmp_path)


def test_settling_hides_when_files_arose(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "file").write_bytes(b"x")
    settle_tree(tmp_path)
    for path in (tmp_path, tmp_path / "sub", tmp_path / "sub" / "file"):
        assert path.stat().st_mtime_ns == NEUTRAL_NS
    assert (tmp_path / "sub" / "file").stat().st_mode & 0o777 == 0o444


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnfitFileError, match="a pipe, not a regular file"):
        hash_file(tmp_path / "pipe")
    with pytest.raises(UnfitFileError):
        tree_records(tmp_path)
    accepted = [Variant({"sha256": "0" * 64}, None)]
    assert judge(tmp_path / "pipe", accepted).reason == "no regular file"
    with pytest.raises(UsageError, match="'pipe' is no regular file"):
        pins_of_tree(tmp_path)
    one = hashlib.sha256(b"1").hexdigest()
    records = (FileRecord("file", 1, one), FileRecord("pipe", 0, "0" * 64))
    marker = Marker("x@1.0.0", "", None, "", records)
    assert read_through(tmp_path, marker) == {"pipe": "no regular file"}


@given(body=st.binary(max_size=600), cuts=st.lists(st.integers(0, 600), max_size=4))
def test_what_passed_by_is_judged_as_what_lies_there(body: bytes, cuts: list[int]) -> None:
    kinds = ("sha256", "sha1", "md5", "git-blob")
    right = hash_stream(io.BytesIO(body), len(body), kinds)
    passed = Hasher(len(body), kinds)
    edges = sorted({0, len(body), *(cut for cut in cuts if cut < len(body))})
    for begin, end in pairwise(edges):
        passed.update(body[begin:end])
    assert passed.hashes() == right
    good, other = Variant(right, len(body)), Variant({"md5": "0" * 32}, len(body))
    assert judge_passed(passed, [other, good]).variant is good
    refused = judge_passed(passed, [other])
    assert (refused.variant, refused.reason[:4]) == (None, "md5 ")
    size = judge_passed(passed, [Variant(right, len(body) + 1)])
    assert size.reason == f"{len(body)} bytes instead of {len(body) + 1}"
