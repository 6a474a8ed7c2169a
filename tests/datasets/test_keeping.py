from __future__ import annotations

import os
from pathlib import Path

import pytest

from braino_registry.datasets import Selection, Store, layout
from braino_registry.datasets.content import NEUTRAL_NS, judge
from braino_registry.datasets.entries import pins_of
from braino_registry.datasets.keeping import Keep
from braino_registry.datasets.pins import Pin, Variant
from braino_registry.datasets.repairing import verify_and_repair
from braino_registry.registry.entries import PublicDataset
from tests.datasets import small_bids, tiny
from tests.datasets.faulty import Exchange, serving

BODY = b"MATLAB 5.0" + bytes(range(200))


def put(keep: Keep, pin: Pin, body: bytes = BODY) -> Path:
    with layout.work_folder(keep.root) as work:
        file = work / "x"
        file.write_bytes(body)
        return keep.put(file, judge(file, pin.variants), pin)


@pytest.mark.parametrize("kind", ["sha256", "sha1", "md5", "git-blob"])
def test_a_file_is_found_by_whatever_pins_it(tmp_path: Path, kind: str) -> None:
    keep, pin = Keep(tmp_path), tiny.pin_of("a.set", BODY, [kind])
    assert keep.find(pin) is None
    path = put(keep, pin)
    assert keep.find(pin) == path == keep.find(tiny.pin_of("b.set", BODY))
    assert path.stat().st_mode & 0o777 == 0o444
    notes = [note.name for note in (tmp_path / "strengthened").glob("*")]
    assert notes == ([] if kind == "sha256" else [f"{kind}-{pin.variants[0].hashes[kind]}"])


def test_any_declared_variant_is_accepted_and_every_hash_of_it_must_match(tmp_path: Path) -> None:
    other = tiny.pin_of("a", b"something else").variants[0]
    mine = tiny.pin_of("a", BODY, ["md5", "git-blob"]).variants[0]
    pin = Pin("a.set", (other, mine))
    keep = Keep(tmp_path)
    assert keep.find(pin) is None
    put(keep, pin)
    assert keep.find(pin) is not None
    lying = Variant({**mine.hashes, "git-blob": "0" * 40}, mine.size)
    with pytest.raises(ValueError, match="git-blob"):
        put(keep, Pin("a.set", (other, lying)))
    mixed = Variant({"md5": mine.hashes["md5"], "sha256": other.hashes["sha256"]}, None)
    with pytest.raises(ValueError, match="sha256"):
        put(keep, Pin("a.set", (mixed,)))


def test_a_note_that_is_broken_or_says_another_size_is_no_note(tmp_path: Path) -> None:
    keep, pin = Keep(tmp_path), tiny.pin_of("a.set", BODY, ["md5"])
    put(keep, pin)
    (note,) = (tmp_path / "strengthened").iterdir()
    good = note.read_text()
    for bad in ("", "abc\n", good[:-3], good + good, good.replace(str(len(BODY)), "7")):
        note.write_text(bad)
        assert keep.find(pin) is None
    note.write_text(good)
    assert keep.find(pin) is not None


def test_a_file_that_was_written_to_is_hashed_before_it_is_used(tmp_path: Path) -> None:
    keep, pin = Keep(tmp_path), tiny.pin_of("a.set", BODY)
    path = put(keep, pin)
    os.utime(path)
    assert keep.find(pin) == path  # touched, and right
    assert path.stat().st_mtime_ns == NEUTRAL_NS  # the next look is quick again
    os.utime(path)
    path.chmod(0o644)
    path.write_bytes(BODY[:-1] + b"x")
    assert keep.find(pin) is None
    assert not path.exists()
    assert len(list((tmp_path / "aside").glob("*.json"))) == 1


def test_a_shared_cache_is_read_and_never_written(tmp_path: Path) -> None:
    theirs, pin = Keep(tmp_path / "theirs"), tiny.pin_of("a.set", BODY, ["md5"])
    put(theirs, pin)
    before = sorted(path.stat().st_mtime_ns for path in theirs.root.rglob("*"))
    mine = Keep(tmp_path / "mine", [tmp_path / "nowhere", theirs.root])
    found = mine.find(pin)
    assert found is not None
    assert found.is_relative_to(theirs.root)
    found.chmod(0o644)
    found.write_bytes(b"spoilt")
    assert mine.find(pin) is None
    assert found.exists()
    put(mine, pin)
    again = mine.find(pin)
    assert again is not None
    assert again.is_relative_to(tmp_path / "mine")
    assert before


def test_a_cache_that_may_only_be_read_moves_nothing_aside(tmp_path: Path) -> None:
    keep, pin = Keep(tmp_path / "cache"), tiny.pin_of("a.set", BODY)
    path = put(keep, pin)
    path.chmod(0o644)
    path.write_bytes(b"spoilt")
    path.chmod(0o444)
    root = os.geteuid() == 0
    path.parent.chmod(0o555)
    if root:
        for above in (tmp_path, *tmp_path.parents[:3]):
            above.chmod(above.stat().st_mode | 0o555)
        os.seteuid(65534)
    try:
        assert keep.find(pin) is None
        path_is_there = path.exists()
    finally:
        if root:
            os.seteuid(0)
        path.parent.chmod(0o755)
    assert path_is_there


@pytest.fixture
def entry(tmp_path: Path) -> PublicDataset:
    return small_bids.entry(tmp_path / "entries", kinds=("md5",))


def test_a_build_of_others_is_used_and_a_damaged_one_is_not(
    entry: PublicDataset, tmp_path: Path
) -> None:
    mirror = str(small_bids.write(tmp_path / "mirror"))
    theirs = Store(tmp_path / "theirs", environ={"BRAINO_MIRRORS": mirror})
    built = theirs.build_or_find(entry).bids
    environ = {"BRAINO_SHARED_DATA": str(theirs.root), "BRAINO_MIRRORS": mirror}
    mine = Store(tmp_path / "mine", environ=environ)
    assert mine.status(entry).built
    assert mine.build_or_find(entry).bids == built
    assert not mine.root.exists()
    readme = built / "README"
    readme.chmod(0o644)
    readme.write_text("spoilt")
    assert mine.build_or_find(entry).bids.is_relative_to(mine.root)
    assert readme.read_text() == "spoilt"


def _fetched(entry: PublicDataset, root: Path) -> Store:
    store = Store(root, environ={})
    with serving(small_bids.bodies(), lambda x: x.part()) as server:
        moved = small_bids.entry(entry.file.parent, server.base, kinds=("md5",))
        store.fetch(moved)
    return store


def _flip(path: Path) -> None:
    """Change one bit, and nothing that a look would notice."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o644)
    path.write_bytes(data)
    path.chmod(0o444)
    os.utime(path, ns=(NEUTRAL_NS, NEUTRAL_NS))


def test_one_flipped_bit_of_a_tree_is_found_and_mended(
    entry: PublicDataset, tmp_path: Path
) -> None:
    store = _fetched(entry, tmp_path / "cache")
    tree = store.build_or_find(entry).bids
    inode = tree.stat().st_ino
    target = tree / "sub-002" / "eeg" / "sub-002_task-rest_eeg.fdt"
    (tree / "foreign.txt").write_text("x")
    _flip(target)
    (tree / "README").unlink()
    found = verify_and_repair(store, entry)
    assert found.ok
    assert {text.split(":")[0] for text in found.repaired} == {
        "sub-002/eeg/sub-002_task-rest_eeg.fdt", "README", "foreign.txt",
    }  # fmt: skip
    assert target.read_bytes() == small_bids.bodies()[str(target.relative_to(tree))]
    assert tree.stat().st_ino == inode  # the rest was left alone
    assert verify_and_repair(store, entry).repaired == ()


def test_one_flipped_bit_of_a_fetched_file_is_found_and_fetched_again(
    entry: PublicDataset, tmp_path: Path
) -> None:
    root = tmp_path / "cache"
    store = _fetched(entry, root)
    with serving(small_bids.bodies(), lambda x: x.part()) as server:
        entry = small_bids.entry(entry.file.parent, server.base, kinds=("md5",))
        store.build_or_find(entry)
        (pin,) = [pin for pin in pins_of(entry) if pin.path.endswith("sub-001_task-P3_eeg.fdt")]
        path = store.keep.find(pin)
        assert path is not None
        _flip(path)
        assert store.verify(entry).ok  # a look does not see it
        assert not store.verify(entry, deep=True).ok
        found = verify_and_repair(store, entry)
        assert [exchange.path for exchange in server.asked] == [pin.path]
    assert found.ok
    assert len(found.repaired) == 1
    assert pin.path in found.repaired[0]
    assert store.keep.damaged(pin) is None


def test_what_cannot_be_mended_is_said(entry: PublicDataset, tmp_path: Path) -> None:
    store = _fetched(entry, tmp_path / "cache")
    store.environ = {"BRAINO_OFFLINE": "1"}
    tree = store.build_or_find(entry).bids
    for path in (tmp_path / "cache" / "sources").rglob("*/*"):
        if path.read_bytes() == small_bids.bodies()["README"]:
            path.unlink()
    _flip(tree / "README")
    found = verify_and_repair(store, entry)
    assert not found.ok
    assert any("BRAINO_OFFLINE" in problem for problem in found.problems)


def test_a_part_is_mended_as_well(entry: PublicDataset, tmp_path: Path) -> None:
    store, part = _fetched(entry, tmp_path / "cache"), Selection(("010",))
    tree = store.build_or_find(entry, None, part).bids
    _flip(tree / "participants.tsv")
    found = verify_and_repair(store, entry, selection=part)
    assert (found.ok, len(found.repaired)) == (True, 1)


def test_weak_pins_are_strengthened_at_the_first_fetch(
    entry: PublicDataset, tmp_path: Path
) -> None:
    store = _fetched(entry, tmp_path / "cache")
    notes = list((tmp_path / "cache" / "strengthened").iterdir())
    assert len(notes) == len({body for body in small_bids.used().values()})
    for pin in pins_of(entry):
        path = store.keep.find(pin)
        assert (path is not None) == (pin.path in small_bids.used())
        assert path is None or path.read_bytes() == small_bids.bodies()[pin.path]


def test_files_of_unknown_size_are_fetched_and_looked_for_by_name(tmp_path: Path) -> None:
    doc = tiny.document()
    bodies = {"S001/S001R01.edf": b"0       x", "S001/S001R03.edf": b"0       yy"}
    pins = [
        Pin(path, (Variant(tiny.pin_of(path, body, ["sha1"]).variants[0].hashes, None),))
        for path, body in bodies.items()
    ]

    def gone(x: Exchange) -> None:
        x.send(x.body)

    with serving(bodies, gone) as server:
        doc["mirrors"][0]["base"] = server.base
        entry = tiny.entry(doc, tmp_path / "e", pins)
        store = Store(tmp_path / "c", environ={})
        status = store.status(entry)
        assert (status.bytes_to_get, status.sizes_unknown) == (0, 2)
        assert "2 files of unknown size" in status.reason
        assert [file.bytes for file in store.fetch(entry)] == [9, 10]
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "S001R01.edf").write_bytes(bodies["S001/S001R01.edf"])
    (mirror / "S001R03.edf").write_bytes(b"another")
    (mirror / "renamed.edf").write_bytes(bodies["S001/S001R03.edf"])
    other = Store(tmp_path / "d", environ={"BRAINO_MIRRORS": str(mirror)})
    assert other.status(entry).missing == ("S001/S001R03.edf",)
