from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from braino_registry.datasets import Store, content
from braino_registry.datasets.content import NEUTRAL_NS
from braino_registry.datasets.entries import pins_of
from braino_registry.errors import EntryError, HostError
from braino_registry.registry.salt import Salt
from tests.datasets import tiny
from tests.datasets.conftest import Tiny, Write

REPOSITORY = Path(__file__).parents[2]


def _names(root: Path) -> list[str]:
    return sorted(path.name for path in root.glob("*")) if root.exists() else []


def _run(tiny_dataset: Tiny, prelude: str = "") -> subprocess.Popen[bytes]:
    """Start a process that builds the tiny dataset, after the Python code ``prelude``."""
    code = f"""
import sys
from pathlib import Path
from tests.datasets import tiny
from braino_registry.datasets import Store
{prelude}
entry = tiny.opened(Path({str(tiny_dataset.entry.file)!r}))
store = Store(Path({str(tiny_dataset.store.root)!r}), environ={dict(tiny_dataset.store.environ)!r})
print(store.build_or_find(entry).digest)
"""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=REPOSITORY,
    )


def test_a_build_is_whole_and_found_again(tiny_dataset: Tiny) -> None:
    entry, _, store = tiny_dataset
    first = store.build_or_find(entry)
    assert first.entry_ref == "tiny@1.0.0"
    assert (first.bids / "dataset_description.json").is_file()
    assert first.labels["recordings"]["sub-001_task-eyesopen"] == {"sfreq": 160}
    assert first.truth == {"recordings": {}, "dataset": {}}
    assert first.bytes == sum(p.stat().st_size for p in first.bids.rglob("*") if p.is_file())
    inode = first.bids.stat().st_ino
    again = Store(store.root, environ={}).build_or_find(entry)
    assert again == first
    assert again.bids.stat().st_ino == inode
    assert _names(store.root / "work") == []


def test_only_a_recorded_digest_makes_a_build_verified(tiny_dataset: Tiny, written: Write) -> None:
    _, _mirror, store = tiny_dataset
    doc = tiny.document()
    plain = store.build_or_find(written(doc))
    assert not plain.verified
    doc["expects"]["digest"] = plain.digest
    good = store.build_or_find(written(doc))
    assert good.verified
    assert good.digest == plain.digest
    doc["expects"]["digest"] = "sha256:" + "0" * 64
    other = store.build_or_find(written(doc))
    assert not other.verified
    assert other.bids.is_dir()
    assert not store.verify(written(doc)).ok


def test_an_edited_entry_is_another_build(tiny_dataset: Tiny, written: Write) -> None:
    entry, _mirror, store = tiny_dataset
    doc = tiny.document()
    doc["licence"]["statement"] = "Something else."  # prose, but it stands in the README
    assert store.location(written(doc)) != store.location(entry)
    assert store.location(written(tiny.document())) == store.location(entry)
    readme = store.build_or_find(written(doc)).bids / "README.md"
    assert "Something else." in readme.read_text(encoding="utf-8")


def test_a_salt_does_not_change_public_data(tiny_dataset: Tiny) -> None:
    entry, _, store = tiny_dataset
    assert store.location(entry, Salt(b"a" * 32)) == store.location(entry)


def test_missing_sources_are_named_with_the_command(tiny_dataset: Tiny, tmp_path: Path) -> None:
    entry = tiny_dataset.entry
    store = Store(tmp_path / "empty", environ={"BRAINO_MIRRORS": str(tmp_path / "nowhere")})
    status = store.status(entry)
    assert not status.present
    assert status.missing == ("S001/S001R01.edf", "S001/S001R03.edf")
    assert status.bytes_to_get == sum(pin.size or 0 for pin in pins_of(entry))
    assert status.command == f"braino data fetch tiny --cache {tmp_path / 'empty'}"
    assert str(tmp_path / "nowhere") in status.reason
    with pytest.raises(HostError, match=r"S001R01\.edf \(\d+ bytes\)") as caught:
        store.build_or_find(entry)
    assert "braino data fetch tiny" in str(caught.value)
    assert _names(tmp_path / "empty" / "built") == []


def test_one_missing_file_is_told_from_the_others(tiny_dataset: Tiny, tmp_path: Path) -> None:
    half = tmp_path / "half"
    half.mkdir()
    shutil.copyfile(tiny_dataset.mirror / "somewhere" / "file-1.bin", half / "x")
    status = Store(tmp_path / "c", environ={"BRAINO_MIRRORS": str(half)}).status(tiny_dataset.entry)
    assert status.missing == ("S001/S001R01.edf",)


def test_a_mirror_file_of_the_right_size_and_wrong_content_is_not_taken(
    tiny_dataset: Tiny, tmp_path: Path
) -> None:
    mirror = tmp_path / "mirror"
    shutil.copytree(tiny_dataset.mirror, mirror)
    file = mirror / "somewhere" / "file-0.bin"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    store = Store(tmp_path / "cache", environ={"BRAINO_MIRRORS": str(mirror)})
    assert store.status(tiny_dataset.entry).missing == ("S001/S001R01.edf",)
    both = os.pathsep.join([str(mirror), str(tiny_dataset.mirror)])
    assert (
        Store(tmp_path / "cache", environ={"BRAINO_MIRRORS": both})
        .status(tiny_dataset.entry)
        .present
    )


def test_a_dangling_link_in_a_mirror_is_passed_over(tiny_dataset: Tiny, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    shutil.copytree(tiny_dataset.mirror, mirror)
    (mirror / "a-link").symlink_to(tmp_path / "gone")
    store = Store(tmp_path / "cache", environ={"BRAINO_MIRRORS": str(mirror)})
    assert store.status(tiny_dataset.entry).present


def test_a_changed_file_is_noticed_and_rebuilt(tiny_dataset: Tiny) -> None:
    entry, _, store = tiny_dataset
    realised = store.build_or_find(entry)
    events = next(realised.bids.rglob("*events.tsv"))
    text = events.read_text(encoding="utf-8")
    events.chmod(0o644)
    events.write_text(text.replace("T1", "T2"), encoding="utf-8")
    report = store.verify(entry)
    assert not report.ok
    assert any("was written to" in problem for problem in report.problems)
    assert store.build_or_find(entry) == realised
    assert events.read_text(encoding="utf-8") == text
    assert store.verify(entry, deep=True).ok


@pytest.mark.parametrize("damage", ["gone", "extra"])
def test_a_missing_or_foreign_file_is_noticed_and_rebuilt(tiny_dataset: Tiny, damage: str) -> None:
    entry, _, store = tiny_dataset
    realised = store.build_or_find(entry)
    target = realised.bids / ("README.md" if damage == "gone" else "truth.json")
    target.unlink() if damage == "gone" else target.write_bytes(b"{}")
    assert not store.verify(entry).ok
    assert store.build_or_find(entry) == realised
    assert target.exists() == (damage == "gone")


def test_only_deep_verification_finds_a_flip_that_keeps_size_and_time(tiny_dataset: Tiny) -> None:
    entry, _, store = tiny_dataset
    signal_file = next(store.build_or_find(entry).bids.rglob("*.eeg"))
    data = bytearray(signal_file.read_bytes())
    data[7] ^= 1
    signal_file.chmod(0o644)
    signal_file.write_bytes(data)
    os.utime(signal_file, ns=(NEUTRAL_NS, NEUTRAL_NS))
    assert store.verify(entry).ok
    deep = store.verify(entry, deep=True)
    assert not deep.ok
    assert signal_file.name in deep.problems[0]


def test_a_touched_file_with_equal_content_stays_trusted(tiny_dataset: Tiny) -> None:
    entry, _, store = tiny_dataset
    realised = store.build_or_find(entry)
    os.utime(realised.bids / "README.md")
    inode = realised.bids.stat().st_ino
    assert store.build_or_find(entry).bids.stat().st_ino == inode


def test_verifying_what_is_not_built_says_how_to_build_it(tiny_dataset: Tiny) -> None:
    with pytest.raises(HostError, match="braino data build tiny"):
        tiny_dataset.store.verify(tiny_dataset.entry)


def test_a_broken_invariant_stops_the_build(tiny_dataset: Tiny, written: Write) -> None:
    _, _mirror, store = tiny_dataset
    doc = tiny.document()
    doc["invariants"][-1]["equals"] = 2
    with pytest.raises(EntryError, match="1 'T1' events instead of 2"):
        store.build_or_find(written(doc))
    assert _names(store.root / "built") == []
    assert _names(store.root / "work") == []


def test_two_processes_building_at_once_both_succeed(tiny_dataset: Tiny) -> None:
    processes = [_run(tiny_dataset) for _ in range(2)]
    results = [process.communicate(timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], results
    assert results[0][0] == results[1][0]
    assert len(_names(tiny_dataset.store.root / "built")) == 1
    assert _names(tiny_dataset.store.root / "work") == []
    assert tiny_dataset.store.verify(tiny_dataset.entry, deep=True).ok


def test_the_second_to_finish_takes_the_first_ones_build(tiny_dataset: Tiny) -> None:
    """The loser of the race, played step by step: the name is taken when it wants to publish."""
    from braino_registry.datasets import layout

    entry, _, store = tiny_dataset
    realised = store.build_or_find(entry)
    with layout.work_folder(store.root) as work:
        mine = work / "build"
        shutil.copytree(realised.bids.parent, mine)
        assert not layout.publish(mine, realised.bids.parent)
        assert mine.is_dir()
    assert store.verify(entry, deep=True).ok


KILL = """
import os, signal
from braino_registry.datasets import layout
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
layout.publish = die
"""


def test_a_killed_build_leaves_nothing_under_a_real_name(tiny_dataset: Tiny) -> None:
    process = _run(tiny_dataset, KILL)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    root = tiny_dataset.store.root
    assert _names(root / "built") == []
    assert len(_names(root / "work")) == 1
    tiny_dataset.store.build_or_find(tiny_dataset.entry)
    assert _names(root / "work") == []


FULL = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
"""


def test_a_full_disk_is_a_host_error_and_leaves_nothing(tiny_dataset: Tiny) -> None:
    process = _run(tiny_dataset, FULL)
    _, errors = process.communicate(timeout=60)
    text = errors.decode()
    assert process.returncode == 1
    assert "HostError: no room left while building tiny@1.0.0" in text
    assert "BRAINO_DATA" in text
    assert _names(tiny_dataset.store.root / "built") == []
    assert _names(tiny_dataset.store.root / "work") == []


def test_a_cache_that_cannot_be_written_is_a_host_error(tiny_dataset: Tiny, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    store = Store(tmp_path / "file" / "cache", environ=tiny_dataset.store.environ)
    with pytest.raises(HostError, match="while building tiny") as caught:
        store.build_or_find(tiny_dataset.entry)
    assert caught.value.exit_code == 3
    assert "BRAINO_DATA" in str(caught.value)


def test_a_read_only_cache_serves_what_it_holds(
    tiny_dataset: Tiny, tmp_path: Path, written: Write
) -> None:
    """As another user, who may read the cache and not write it."""
    entry, mirror, store = tiny_dataset
    digest = store.build_or_find(entry).digest
    doc = tiny.document()
    doc["version"] = "2.0.0"
    other = written(doc)
    if os.geteuid() != 0:
        store.root.chmod(0o555)
        for folder in (store.root / "built", store.root / "work"):
            folder.chmod(0o555)
        assert store.build_or_find(entry).digest == digest
        with pytest.raises(HostError, match="not allowed to write"):
            store.build_or_find(other)
        return
    for folder in (tmp_path, *tmp_path.parents[:3], mirror):
        folder.chmod(folder.stat().st_mode | 0o555)
    os.seteuid(65534)
    try:
        assert store.build_or_find(entry).digest == digest
        with pytest.raises(HostError, match="not allowed to write"):
            store.build_or_find(other)
    finally:
        os.seteuid(0)


def test_a_cache_that_may_not_be_read_is_said(tiny_dataset: Tiny, tmp_path: Path) -> None:
    entry, _, store = tiny_dataset
    store.build_or_find(entry)
    folder = store.location(entry, None)
    (folder / "realised.json").chmod(0o000)
    root = os.geteuid() == 0
    if root:
        for above in (tmp_path, *tmp_path.parents[:3]):
            above.chmod(above.stat().st_mode | 0o555)
        os.seteuid(65534)
    try:
        with pytest.raises(HostError, match="the cache cannot be read"):
            store.build_or_find(entry)
    finally:
        if root:
            os.seteuid(0)


def test_opening_a_verified_cache_reads_none_of_its_data(
    tiny_dataset: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry, _, store = tiny_dataset
    store.build_or_find(entry)
    hashed: list[Path] = []
    monkeypatch.setattr(content, "_sha256", hashed.append)
    monkeypatch.setattr(content, "hash_stream", lambda *_: hashed.append(Path()))
    Store(store.root, environ={}).build_or_find(entry)
    assert not hashed


def test_status_imports_nothing_heavy(tiny_dataset: Tiny) -> None:
    code = f"""
import json, sys
from pathlib import Path
from braino_registry import datasets
from braino_registry.registry.entries import PublicDataset
file = Path({str(tiny_dataset.entry.file)!r})
doc = json.loads(file.read_text(encoding="utf-8"))
entry = PublicDataset("dataset", doc["id"], doc["version"], file, doc)
store = datasets.Store(Path({str(tiny_dataset.store.root)!r}), environ={{}})
assert not store.status(entry).present
datasets.listing([entry], store)
print(sorted({{"numpy", "scipy", "mne", "mne_bids", "pooch", "jsonschema"}} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
    )
    assert done.stdout.strip() == "[]"


def test_the_cache_folder_comes_from_argument_environment_or_platform(tmp_path: Path) -> None:
    from platformdirs import user_cache_path

    environ = {"BRAINO_DATA": str(tmp_path / "given")}
    assert Store(environ=environ).root == tmp_path / "given"
    assert Store(tmp_path / "argument", environ=environ).root == tmp_path / "argument"
    assert Store(environ={}).root == user_cache_path("braino", appauthor=False)
