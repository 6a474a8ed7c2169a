from __future__ import annotations

import stat
import struct
import zipfile
from pathlib import Path

import pytest

from braino_registry.datasets import Selection, Store, archives
from braino_registry.datasets.archives import members, open_zip, opened, unpack_all
from braino_registry.datasets.content import hash_file
from braino_registry.datasets.keeping import Keep
from braino_registry.datasets.lines import Patience
from braino_registry.datasets.members import store_members
from braino_registry.datasets.pins import Pin
from braino_registry.errors import EntryError, HostError, UsageError
from braino_registry.registry.entries import PublicDataset
from tests.datasets import tiny
from tests.datasets.faulty import serving

BODIES = {"d/Z001.txt": b"1\n2\n" * 50, "d/Z002.txt": b"3\n4\n" * 50}


def write(path: Path, bodies: dict[str, bytes], **attributes: int) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in bodies.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            for key, value in attributes.items():
                setattr(info, key, value)
            archive.writestr(info, body)
    return path


def test_members_are_unpacked_below_a_folder(tmp_path: Path) -> None:
    path = write(tmp_path / "a.zip", {**BODIES, "other/x": b"x", "d/sub/": b""})
    with opened(path) as found:
        assert sorted(found) == ["d/Z001.txt", "d/Z002.txt", "other/x"]
    (tmp_path / "out").mkdir()
    assert unpack_all(path, tmp_path / "out", "d") == ["Z001.txt", "Z002.txt"]
    assert (tmp_path / "out" / "Z001.txt").read_bytes() == BODIES["d/Z001.txt"]
    assert not (tmp_path / "out" / "x").exists()


LINK, DEVICE, PIPE = (kind << 16 for kind in (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO))


@pytest.mark.parametrize(
    ("name", "attributes", "part"),
    [
        ("../evil.txt", {}, "leaves the dataset"),
        ("d/../../evil.txt", {}, "leaves the dataset"),
        ("/etc/evil.txt", {}, "is absolute"),
        ("C:/evil.txt", {}, "is absolute"),
        ("d\\..\\evil.txt", {}, "characters"),
        ("NUL", {}, "names a device"),
        ("d/com1.txt", {}, "names a device"),
        ("link", {"external_attr": LINK}, "is a link, a device"),
        ("device", {"external_attr": DEVICE}, "is a link, a device"),
        ("pipe", {"external_attr": PIPE}, "is a link, a device"),
    ],
)
def test_members_that_are_not_plain_files_inside_are_refused(
    tmp_path: Path, name: str, attributes: dict[str, int], part: str
) -> None:
    path = write(tmp_path / "a.zip", {"good.txt": b"x", name: b"/etc/passwd"}, **attributes)
    (tmp_path / "out").mkdir()
    with pytest.raises(EntryError) as caught:
        unpack_all(path, tmp_path / "out")
    assert part in str(caught.value)
    assert list((tmp_path / "out").iterdir()) == []
    assert not (tmp_path / "evil.txt").exists()


def test_two_members_that_one_system_takes_for_one_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.zip", {"a.txt": b"1", "A.TXT": b"2"})
    with pytest.raises(EntryError, match="stands there twice"), opened(path):
        pass


def test_a_bomb_is_refused_by_what_it_says_of_itself(tmp_path: Path) -> None:
    path = write(tmp_path / "bomb.zip", {"zeros": bytes(archives.SMALL + 1)})
    assert path.stat().st_size * archives.LARGEST_RATIO < archives.SMALL
    with pytest.raises(EntryError, match="would unpack to"), opened(path):
        pass


def _patched(path: Path, field: int, value: int) -> Path:
    """Change a number of the first entry of the central directory."""
    data = bytearray(path.read_bytes())
    begin = data.index(b"PK\x01\x02")
    data[begin + field : begin + field + 4] = struct.pack("<I", value)
    path.write_bytes(data)
    return path


def test_a_bomb_that_lies_about_its_size_ends_where_it_said(tmp_path: Path) -> None:
    path = _patched(write(tmp_path / "a.zip", {"zeros": bytes(1 << 20)}), 24, 1000)
    (tmp_path / "out").mkdir()
    with pytest.raises(EntryError, match="the archive is refused"):
        unpack_all(path, tmp_path / "out")
    assert (tmp_path / "out" / "zeros").stat().st_size <= 1000


def test_overlapping_members_are_refused(tmp_path: Path) -> None:
    path = _patched(write(tmp_path / "a.zip", {"a": b"abc", "b": b"d"}), 20, 1 << 20)
    with pytest.raises(EntryError, match="overlap"), opened(path):
        pass


def test_a_damaged_member_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.zip", {"a": bytes(range(256)) * 40})
    data = bytearray(path.read_bytes())
    data[60] ^= 0xFF
    path.write_bytes(data)
    (tmp_path / "out").mkdir()
    with pytest.raises(EntryError, match="cannot be unpacked"):
        unpack_all(path, tmp_path / "out")


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"<html>")
    with pytest.raises(EntryError, match="cannot be read"):
        open_zip(tmp_path / "a.zip")


def test_too_little_room_is_said_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.zip", BODIES)
    (tmp_path / "out").mkdir()
    monkeypatch.setattr("braino_registry.datasets.layout.free_bytes", lambda folder: 100)
    with pytest.raises(HostError, match="400 bytes, and 100 are free"):
        unpack_all(path, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def _pins(archive: Path) -> list[Pin]:
    holder = tiny.pin_of("Z.zip", archive.read_bytes())
    inner = [
        Pin(f"set/{name[2:]}", tiny.pin_of(name, body).variants, (), "Z.zip", name)
        for name, body in BODIES.items()
    ]
    return [holder, *inner]


def test_pinned_members_are_stored_and_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path / "a.zip", {**BODIES, "more.txt": b"more"})
    keep = Keep(tmp_path / "cache")
    _, *inner = _pins(path)
    (tmp_path / "cache").mkdir()
    assert store_members(path, inner, keep, tmp_path / "cache") == []
    assert all(keep.find(pin) is not None for pin in inner)
    assert len(list((tmp_path / "cache" / "sources").rglob("*/*"))) == 2
    missing = Pin("x", inner[0].variants, (), "Z.zip", "gone.txt")
    other = Pin("y", inner[0].variants, (), "Z.zip", "more.txt")
    wrong = store_members(path, [missing, other], keep, tmp_path / "cache")
    assert wrong[0] == "'gone.txt'"
    assert wrong[1].startswith("the pinned 'more.txt': 4 bytes instead of")


def test_members_are_found_in_any_archive_of_a_mirror(tmp_path: Path) -> None:
    """The archive of the mirror has other bytes, another name and another folder in it."""
    original = write(tmp_path / "Z.zip", BODIES)
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    bodies = {f"B/{name[2:]}": body for name, body in BODIES.items()}
    write(mirror / "all.zip", {"readme": b"hello", **bodies})
    (mirror / "broken.zip").write_bytes(b"PK\x03\x04nothing")
    store = Store(tmp_path / "cache", environ={"BRAINO_MIRRORS": str(mirror)})
    pins = _pins(original)
    found = store.finder.find(pins)
    assert found.missing == ()
    assert set(found.zipped) == {"set/Z001.txt", "set/Z002.txt"}
    from braino_registry.datasets.sources import stage

    staged = stage(found, tmp_path / "staged")
    assert {name: path.read_bytes() for name, path in staged.items()} == {
        f"set/{name[2:]}": body for name, body in BODIES.items()
    }
    empty = Store(tmp_path / "cache", environ={})
    assert [pin.path for pin in empty.finder.find(pins).missing] == ["Z.zip"]
    assert empty.finder.find(pins, ["set/Z001.txt"]).bytes_missing == original.stat().st_size


def test_the_members_of_an_archive_are_read_with_a_bound(tmp_path: Path) -> None:
    path = write(tmp_path / "a.zip", BODIES)
    with open_zip(path) as archive:
        assert set(members(archive, path)) == set(BODIES)


def _entry(folder: Path, base: str, pins: list[Pin]) -> PublicDataset:
    doc = tiny.document()
    doc["mirrors"] = [{"id": "m", "name": "m", "base": base}]
    doc["recordings"] = [
        {"bids": {"bids_subject": name, "bids_task": "rest"}, "files": [f"set/Z{name}.txt"]}
        for name in ("001", "002")
    ]
    doc["labels"] = {"dataset": {}, "recordings": {}}
    return tiny.entry(doc, folder, pins)


def test_an_archive_is_fetched_for_its_members_and_not_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "Z.zip", BODIES)
    with serving({"Z.zip": path.read_bytes()}, lambda x: x.part()) as server:
        entry = _entry(tmp_path / "e", server.base, _pins(path))
        store = Store(tmp_path / "cache", environ={})
        need = store.need(entry)
        assert (need.files, need.bytes) == (("Z.zip",), path.stat().st_size)
        assert need.disk_needed == need.bytes + 2 * sum(map(len, BODIES.values()))
        fetched = store.fetch(entry, patience=Patience(backoff=0))
        assert [(file.path, file.bytes) for file in fetched] == [("Z.zip", need.bytes)]
        assert store.fetch(entry) == ()
        assert len(server.asked) == 1
    assert store.status(entry).present
    kept = [file.read_bytes() for file in (store.root / "sources").rglob("*/*")]
    assert sorted(kept) == sorted(BODIES.values())
    assert store.need(entry).files == ()


def test_one_recording_out_of_an_archive_needs_the_archive_once(tmp_path: Path) -> None:
    path = write(tmp_path / "Z.zip", BODIES)
    part = Selection(("002",))
    with serving({"Z.zip": path.read_bytes()}, lambda x: x.part()) as server:
        entry = _entry(tmp_path / "e", server.base, _pins(path))
        store = Store(tmp_path / "cache", environ={})
        store.fetch(entry, selection=part, patience=Patience(backoff=0))
    assert store.status(entry, None, part).present
    assert [file.read_bytes() for file in (store.root / "sources").rglob("*/*")] == [
        BODIES["d/Z002.txt"]
    ]


@pytest.mark.parametrize(
    ("bodies", "said"),
    [
        ({"d/Z001.txt": BODIES["d/Z001.txt"]}, "does not hold 'd/Z002.txt'"),
        ({**BODIES, "d/Z002.txt": b"x" * 200}, "does not hold the pinned 'd/Z002.txt': sha256"),
        ({**BODIES, "../evil": b"x"}, "leaves the dataset"),
    ],
)
def test_an_archive_with_the_right_hash_and_the_wrong_members_is_refused(
    tmp_path: Path, bodies: dict[str, bytes], said: str
) -> None:
    path = write(tmp_path / "Z.zip", bodies)
    with serving({"Z.zip": path.read_bytes()}, lambda x: x.part()) as server:
        entry = _entry(tmp_path / "e", server.base, _pins(path))
        store = Store(tmp_path / "cache", environ={})
        with pytest.raises(HostError, match=r"Z\.zip .* could not be fetched") as caught:
            store.fetch(entry, patience=Patience(backoff=0))
    assert said in str(caught.value)
    assert not store.status(entry).present
    for file in (store.root / "sources").rglob("*/*"):
        assert hash_file(file)["sha256"] == file.name
    assert not list(tmp_path.rglob("evil"))


def _tree_in_a_zip(tmp_path: Path) -> tuple[PublicDataset, Path]:
    """Write an entry whose one file is the archive of a BIDS tree, and the archive."""
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    path = mirror / "renamed.bin"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("dataset_description.json", "sub-01/eeg/sub-01_task-rest_eeg.edf",
                     "sub-02/eeg/sub-02_task-rest_eeg.edf"):  # fmt: skip
            archive.writestr(f"T/{name}", name)
    doc = tiny.document()
    del doc["recordings"]
    doc["labels"], doc["invariants"] = {"dataset": {}, "recordings": {}}, []
    doc["conversion"] = {"use": "bids-zip@1.0.0", "parameters": {"archive": "t.zip"}}
    pins = [tiny.pin_of("t.zip", path.read_bytes())]
    return tiny.entry(doc, tmp_path / "entries", pins), mirror


def test_a_subject_of_a_zipped_tree_is_laid_out_alone(tmp_path: Path) -> None:
    entry, mirror = _tree_in_a_zip(tmp_path)
    store = Store(tmp_path / "cache", environ={"BRAINO_MIRRORS": str(mirror)})
    part = Selection(bids_subjects=("sub-02",))
    built = store.build_or_find(entry, None, part)
    files = {file.relative_to(built.bids).as_posix() for file in built.bids.rglob("*.*")}
    assert files == {"dataset_description.json", "sub-02/eeg/sub-02_task-rest_eeg.edf"}
    assert store.verify(entry, deep=True, selection=part).ok
    whole = store.build_or_find(entry)
    assert len(list(whole.bids.glob("sub-*"))) == 2
    with pytest.raises(UsageError, match="has no bids_subject '3'"):
        store.build_or_find(entry, None, Selection(bids_subjects=("3",)))
    assert list((store.root / "work").iterdir()) == []


def test_a_plan_says_that_an_archive_is_fetched_whole(tmp_path: Path) -> None:
    from braino_registry.datasets import commands

    entry, mirror = _tree_in_a_zip(tmp_path)
    size = (mirror / "renamed.bin").stat().st_size
    store = Store(tmp_path / "cache", environ={})
    plan = commands.plan(entry, store, Selection(bids_subjects=("02",)))
    assert (plan["whole"], plan["bytes"], plan["files"]) == (["t.zip"], size, ("t.zip",))
    assert plan["command"].startswith("braino data fetch tiny --bids-subject 02")
    assert commands.plan(entry, store)["whole"] == []
