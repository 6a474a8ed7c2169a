from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.datasets.names import problem_of_path, same_name
from braino_registry.datasets.pins import (
    DIGITS,
    Mirror,
    Pin,
    Variant,
    content_digest,
    parse,
    render,
)
from braino_registry.errors import EntryError

S, M, G = "a" * 64, "b" * 32, "c" * 40
MIRRORS = [Mirror("one", "https://a.org/x/"), Mirror("two", "https://b.org/", "version=3")]
HEAD = "path\tsize\thashes\tin\tone\ttwo"
GOOD = f"a.edf\t12\tsha256:{S}\tn/a\t=\tn/a"


def table(*rows: str) -> str:
    return "\n".join([HEAD, *rows]) + "\n"


def one(row: str) -> Pin:
    (pin,) = parse(table(row), MIRRORS, "t")
    return pin


def test_a_row_is_a_file_with_its_contents_and_addresses() -> None:
    pin = one(f"b c/é.set\t12\tsha256:{S} md5:{M}\tn/a\t=\tQ7?versionId=x")
    assert pin == Pin(
        "b c/é.set",
        (Variant({"sha256": S, "md5": M}, 12),),
        ("https://a.org/x/b%20c/%C3%A9.set", "https://b.org/Q7?versionId=x"),
    )
    assert one(f"a.edf\t12\tmd5:{M}\tn/a\tn/a\tid").urls == ("https://b.org/id?version=3",)
    assert one(GOOD).variants[0].strong
    assert not one(f"a.edf\tn/a\tgit-blob:{G}\tn/a\t=\tn/a").variants[0].strong


def test_variants_have_hashes_and_sizes_of_their_own() -> None:
    pin = one(f"a.set\t12|7\tsha256:{S} | md5:{M} git-blob:{G}\tn/a\t=\t=")
    assert pin.variants == (
        Variant({"sha256": S}, 12),
        Variant({"md5": M, "git-blob": G}, 7),
    )
    assert (pin.size, pin.sizes) == (12, frozenset({7, 12}))
    half = one(f"a.set\t12|n/a\tsha256:{S} | md5:{M}\tn/a\t=\t=")
    assert (half.size, half.sizes) == (None, None)


def test_an_annex_key_is_a_size_and_a_hash() -> None:
    pin = one(f"a.edf\tn/a\tannex:SHA256E-s345--{S}.edf\tn/a\t=\tn/a")
    assert pin.variants == (Variant({"sha256": S}, 345),)
    pin = one(f"a.edf\t345\tannex:MD5E-s345--{M}.tar.gz sha256:{S}\tn/a\t=\tn/a")
    assert pin.variants == (Variant({"md5": M, "sha256": S}, 345),)


def test_members_of_archives_are_files_of_their_own() -> None:
    rows = (
        f"Z.zip\t9\tsha256:{S}\tn/a\t=\tn/a",
        f"Z/001.txt\t3\tmd5:{M}\tZ.zip!d/Z1.TXT\tn/a\tn/a",
    )
    archive, member = parse(table(*rows), MIRRORS, "t")
    assert (archive.archive, archive.member) == (None, None)
    assert (member.archive, member.member, member.urls) == ("Z.zip", "d/Z1.TXT", ())


BAD = {
    "bad hash": (f"a.edf\t12\tsha256:{S[1:]}\tn/a\t=\tn/a", 2, "is no sha256"),
    "upper-case hash": (f"a.edf\t12\tsha256:{S.upper()}\tn/a\t=\tn/a", 2, "is no sha256"),
    "unknown hash": (f"a.edf\t12\tcrc32:{S}\tn/a\t=\tn/a", 2, "is no hash"),
    "no hash": ("a.edf\t12\tn/a\tn/a\t=\tn/a", 2, "is no hash"),
    "empty hash": ("a.edf\t12\t\tn/a\t=\tn/a", 2, "is no hash"),
    "two values": (f"a.edf\t12\tmd5:{M} md5:{'d' * 32}\tn/a\t=\tn/a", 2, "two values of md5"),
    "annex says otherwise": (
        f"a.edf\t12\tannex:SHA256E-s13--{S}.edf\tn/a\t=\tn/a", 2, "13 bytes, the size 12",
    ),
    "no annex key": ("a.edf\t12\tannex:WORM-s1--x\tn/a\t=\tn/a", 2, "is no git-annex key"),
    "duplicate": (GOOD, 3, "pinned twice"),
    "duplicate by case": (GOOD.replace("a.edf", "A.EDF"), 3, "pinned twice"),
    "absolute": (GOOD.replace("a.edf", "/etc/passwd"), 2, "is absolute"),
    "drive": (GOOD.replace("a.edf", "C:/x.edf"), 2, "is absolute"),
    "parent": (GOOD.replace("a.edf", "x/../../a.edf"), 2, "leaves the dataset"),
    "backslash": (GOOD.replace("a.edf", "x\\a.edf"), 2, "characters"),
    "empty step": (GOOD.replace("a.edf", "x//a.edf"), 2, "empty step"),
    "control": (GOOD.replace("a.edf", "x\x07a.edf"), 2, "control"),
    "device": (GOOD.replace("a.edf", "x/NUL.edf"), 2, "names a device"),
    "file and folder": (GOOD.replace("a.edf", "a.edf/b"), 2, "a file and a folder"),
    "no size": (GOOD.replace("\t12\t", "\t-1\t"), 2, "is no size"),
    "too many sizes": (GOOD.replace("\t12\t", "\t1|2\t"), 2, "2 sizes for 1 variants"),
    "too few cells": (GOOD.removesuffix("\tn/a"), 2, "5 cells instead of 6"),
    "address with a space": (GOOD.replace("\t=\t", "\ta b\t"), 2, "no part of an address"),
    "address above the base": (GOOD.replace("\t=\t", "\t../b\t"), 2, "leaves the mirror's base"),
    "member with an address": (GOOD.replace("n/a\t=", "Z.zip!x\t="), 2, "no address of its own"),
    "member of nothing": (GOOD.replace("n/a\t=", "Z.zip!x\tn/a"), 2, "'Z.zip' is not pinned"),
    "member of a tar": (GOOD.replace("n/a\t=", "Z.tar!x\tn/a"), 2, "no zip archive"),
    "member outside": (GOOD.replace("n/a\t=", "Z.zip!../x\tn/a"), 2, "leaves the dataset"),
    "no member": (GOOD.replace("n/a\t=", "Z.zip\tn/a"), 2, "does not say which member"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_fault_is_refused_with_its_line(name: str) -> None:
    row, line, part = BAD[name]
    rows = (GOOD, row) if line == 3 or name == "file and folder" else (row,)
    with pytest.raises(EntryError) as caught:
        parse(table(*rows), MIRRORS, "x.pins.tsv")
    assert part in str(caught.value)
    assert caught.value.where == f"x.pins.tsv: line {line}"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (table(GOOD).replace("one\ttwo", "two\tone"), "the header is not that of this entry"),
        (table(GOOD)[:-1], "does not end"),
        (table(), "no rows"),
        (table(GOOD).replace("\n", "\r\n"), "the header"),
        ("\ufeff" + table(GOOD), "the header"),
        (table(GOOD.replace("a.edf", "b.edf"), GOOD), "not in its place"),
        (table(GOOD, ""), "1 cells instead of 6"),
    ],
)
def test_a_table_of_another_form_is_refused(text: str, part: str) -> None:
    with pytest.raises(EntryError, match=r"line \d") as caught:
        parse(text, MIRRORS, "x.pins.tsv")
    assert part in str(caught.value)


HASHES = st.sampled_from(sorted(DIGITS)).flatmap(
    lambda kind: st.tuples(st.just(kind), st.text("0123456789abcdef", min_size=DIGITS[kind],
                                                  max_size=DIGITS[kind]))
)  # fmt: skip
VARIANTS = st.builds(
    lambda pairs, size: Variant(dict(pairs), size),
    st.lists(HASHES, min_size=1, max_size=4),
    st.none() | st.integers(0, 10**15),
)
PATHS = st.lists(
    st.lists(st.text("abXé-_ 1", min_size=1, max_size=5), min_size=1, max_size=3).map("/".join),
    min_size=1,
    max_size=6,
).filter(
    lambda paths: (
        all(problem_of_path(path) is None for path in paths)
        and len({same_name(path) for path in paths}) == len(paths)
        and not {same_name(path) for path in paths}
        & {same_name(step) for path in paths for step in _steps(path)[:-1]}
    )
)


def _steps(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]


@given(PATHS, st.lists(st.lists(VARIANTS, min_size=1, max_size=3), min_size=6, max_size=6))
def test_what_is_written_is_read(paths: list[str], variants: list[list[Variant]]) -> None:
    pins = [Pin(path, tuple(each)) for path, each in zip(sorted(paths), variants, strict=False)]
    text = render(pins, MIRRORS, {})
    assert list(parse(text, MIRRORS, "t")) == pins


def test_the_content_digest_covers_contents_and_not_addresses() -> None:
    before = content_digest(table(GOOD))
    assert content_digest(table(GOOD.replace("\t=\t", "\tother\t"))) == before
    assert content_digest(table(GOOD.replace("a.edf", "b.edf"))) != before
    assert content_digest(table(GOOD.replace("\t12\t", "\t13\t"))) != before
    assert content_digest(table(GOOD.replace(S, "e" * 64))) != before


@pytest.mark.parametrize(
    "path", ["aux", "x/CON.txt", "com1.edf", "LPT9", "a/b.", "a/b ", "nul.tar.gz", "con .x", "a?b"]
)
def test_names_that_some_system_cannot_hold_are_refused(path: str) -> None:
    assert problem_of_path(path) is not None


@pytest.mark.parametrize(
    "path", ["a", ".bidsignore", "sub-01/eeg/x_eeg.set", "console/aux1", "é/ü"]
)
def test_other_names_are_not(path: str) -> None:
    assert problem_of_path(path) is None
