from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import braino_registry
from braino_registry.datasets import ALL, Selection, Store
from braino_registry.datasets.entries import pins_of, recordings_of
from braino_registry.datasets.patterns import matches
from braino_registry.datasets.selection import KEYS, OptionsSelection
from braino_registry.errors import EntryError, HostError, UsageError
from braino_registry.registry.entries import PublicDataset
from tests.datasets import small_bids
from tests.datasets.conftest import Tiny

ONE = Selection(bids_subjects=("001",))


@pytest.fixture
def entry(tmp_path: Path) -> PublicDataset:
    return small_bids.entry(tmp_path / "entries" / "datasets")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    mirror = small_bids.write(tmp_path / "mirror")
    return Store(tmp_path / "cache", environ={"BRAINO_MIRRORS": str(mirror)})


def _tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def test_recordings_of_a_bids_tree_are_told_from_its_paths(entry: PublicDataset) -> None:
    rows = {row.id: row for row in recordings_of(entry)}
    assert len(rows) == 6
    assert set(rows["sub-002_task-P3"].files) == {
        f"sub-002/eeg/sub-002_task-P3_{end}"
        for end in ("eeg.set", "eeg.fdt", "eeg.json", "channels.tsv", "events.tsv")
    }
    assert rows["sub-002_task-P3"].files[0].endswith(".set")


def test_the_whole_tree_is_laid_out_unchanged(entry: PublicDataset, store: Store) -> None:
    realised = store.build_or_find(entry)
    assert _tree(realised.bids) == small_bids.used()
    assert realised.verified
    source = next(path for path in (realised.bids / "sub-001" / "eeg").glob("*.fdt"))
    assert source.stat().st_nlink == 1  # no link into anything else


def test_a_subject_comes_with_its_companions_and_what_it_inherits(
    entry: PublicDataset, store: Store
) -> None:
    realised = store.build_or_find(entry, None, ONE)
    names = set(_tree(realised.bids))
    subjects = {name.split("/")[0] for name in names if name.startswith("sub-")}
    assert subjects == {"sub-001"}
    assert {
        "README",
        "dataset_description.json",
        "participants.tsv",
        "task-P3_events.json",
        "sub-001/sub-001_scans.tsv",
        "sub-001/eeg/sub-001_space-CapTrak_electrodes.tsv",
        "sub-001/eeg/sub-001_task-P3_eeg.fdt",
        "sub-001/eeg/sub-001_task-rest_eeg.set",
    } <= names
    assert realised.verified
    assert store.location(entry, None, ONE) != store.location(entry)
    assert store.build_or_find(entry, None, Selection(("sub-001",))) == realised


def test_a_task_comes_without_the_files_of_others(entry: PublicDataset, store: Store) -> None:
    names = set(_tree(store.build_or_find(entry, None, Selection(bids_tasks=("rest",))).bids))
    assert not {name for name in names if "task-P3" in name}
    assert len({name for name in names if name.endswith("_eeg.set")}) == 3


def test_totals_are_those_of_the_whole_and_the_rest_holds_of_parts(
    tmp_path: Path, store: Store
) -> None:
    rows = [
        {"kind": "subject_count", "equals": 3},
        {"kind": "event_count", "recording": "*_task-P3", "trial_type": "rare", "equals": 2},
    ]
    entry = small_bids.entry(tmp_path / "x", invariants=rows)
    with pytest.raises(EntryError, match="1 'rare' events instead of 2"):
        store.build_or_find(entry, None, ONE)
    good = small_bids.entry(tmp_path / "y", invariants=rows[:1])
    store.build_or_find(good, None, ONE)
    assert store.verify(good, selection=ONE).ok


def test_only_what_a_part_needs_is_missing(entry: PublicDataset, tmp_path: Path) -> None:
    store = Store(tmp_path / "empty", environ={})
    part = store.need(entry, ONE)
    assert {name.split("/")[0] for name in part.files if "sub-" in name} == {"sub-001"}
    assert "participants.tsv" in part.files
    assert part.bytes == sum(len(small_bids.bodies()[name]) for name in part.files)
    assert part.disk_needed == 2 * part.bytes
    assert part.disk_free > part.disk_needed
    assert part.command == (
        f"braino data fetch small-bids --bids-subject 001 --cache {tmp_path / 'empty'}"
    )
    whole = store.need(entry)
    assert set(part.files) < set(whole.files) == set(small_bids.used())
    status = store.status(entry, None, ONE)
    assert status.missing == part.files
    assert f"{part.bytes} bytes to fetch" in status.reason
    assert list(tmp_path.glob("empty/*")) == []


@pytest.mark.parametrize(
    ("selection", "said", "hint"),
    [
        (Selection(("1",)), "no bids_subject '1'", "Did you mean '001'?"),
        (Selection(("011",)), "no bids_subject '011'", "Allowed: 001, 002, 010"),
        (Selection(bids_tasks=("p3",)), "no bids_task 'p3'", "'P3'"),
        (Selection(bids_runs=("1",)), "no bids_run '1'", "nothing"),
        (Selection(bids_sessions=("02",)), "no bids_session '02'", "nothing"),
    ],
)
def test_what_is_not_there_is_named_with_the_nearest(
    entry: PublicDataset, store: Store, selection: Selection, said: str, hint: str
) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        store.build_or_find(entry, None, selection)
    assert hint in caught.value.hint
    with pytest.raises(UsageError, match=said):
        store.fetch(entry, selection=selection)


def test_a_part_of_many_names_a_few_of_the_nearest() -> None:
    from braino_registry.datasets.values import SourceRecording

    rows = [
        SourceRecording("x", {"bids_subject": f"{n:03}", "bids_task": "rest"}, ())
        for n in range(1, 41)
    ]
    with pytest.raises(UsageError) as caught:
        Selection(("5",)).resolved(rows, "x@1.0.0")
    assert caught.value.hint.startswith("Did you mean 005")
    assert "There are 40, from 001 to 040." in caught.value.hint


def test_a_run_is_the_same_with_and_without_zeros() -> None:
    from braino_registry.datasets.values import SourceRecording

    entities = {"bids_subject": "01", "bids_task": "rest", "bids_run": "03"}
    rows = [SourceRecording("x", entities, ())]
    assert Selection(bids_runs=("3",)).resolved(rows, "x").bids_runs == ("03",)


def test_a_combination_that_nobody_recorded_is_refused(tiny_dataset: Tiny) -> None:
    part = Selection(bids_tasks=("eyesopen",), bids_runs=("1",))
    with pytest.raises(UsageError, match=r"no recording of tiny@1\.0\.0 is all of that"):
        tiny_dataset.store.build_or_find(tiny_dataset.entry, None, part)


def test_a_converted_dataset_is_selected_by_its_recordings(tiny_dataset: Tiny) -> None:
    entry, _, store = tiny_dataset
    realised = store.build_or_find(entry, None, Selection(bids_tasks=("eyesopen",)))
    names = {path.name for path in realised.bids.rglob("*_eeg.vhdr")}
    assert names == {"sub-001_task-eyesopen_eeg.vhdr"}
    assert not realised.verified


def test_a_synthetic_dataset_is_built_whole(store: Store) -> None:
    from braino_registry.registry import Registry

    recipe = Registry.open(environ={}).dataset("two-subject-rest")
    with pytest.raises(UsageError, match="is synthetic and built as a whole"):
        store.build_or_find(recipe, None, Selection(("02",)))


def test_an_empty_selection_is_the_whole_dataset(entry: PublicDataset, store: Store) -> None:
    assert not ALL
    assert Selection.of({}) == ALL
    assert Selection.of({"bids_subject": ["sub-010", "001"]}).bids_subjects == ("001", "010")
    assert store.location(entry, None, ALL) == store.location(entry)
    assert ONE.document() == {"bids_subject": ["001"]}


@pytest.mark.parametrize("field", KEYS)
def test_a_string_is_one_label_and_not_its_letters(field: str) -> None:
    entity, key = KEYS[field]
    for given in ("001", f"{key}-001", ["001"], iter(["001"])):
        assert getattr(Selection(**{field: given}), field) == ("001",)
    assert getattr(Selection.of({entity: f"{key}-001"}), field) == ("001",)
    for wrong in (1, None, b"001", {"001": 1}):
        with pytest.raises(UsageError, match="neither a label nor several") as caught:
            Selection(**{field: wrong})
        assert caught.value.where == field


def test_an_error_names_what_the_caller_wrote(entry: PublicDataset, store: Store) -> None:
    typed = OptionsSelection.of({"bids_subject": ("9",)})
    for part, named in ((Selection("9"), "bids_subjects"), (typed, "--bids-subject")):
        with pytest.raises(UsageError) as caught:
            store.fetch(entry, selection=part)
        assert caught.value.where == named
    assert typed.digest == Selection(("9",)).digest


def test_a_combination_is_told_as_the_caller_wrote_it(tiny_dataset: Tiny) -> None:
    entry, _, store = tiny_dataset
    asked = {"bids_task": "eyesopen", "bids_run": "1"}
    for kind, said in (
        (Selection, "bids_tasks=['eyesopen'], bids_runs=['1']"),
        (OptionsSelection, "--bids-task eyesopen --bids-run 1"),
    ):
        with pytest.raises(UsageError) as caught:
            store.build_or_find(entry, None, kind.of(asked))
        assert caught.value.problem.endswith(f"is all of that: {said}")


def test_one_call_from_python_gives_a_root(
    entry: PublicDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    monkeypatch.setenv("BRAINO_MIRRORS", str(tmp_path / "mirror"))
    registry = [entry.file.parents[1]]
    cache = tmp_path / "python"
    root = braino_registry.fetch(
        "small-bids", version="1.0.0", bids_subjects=["001"], registry=registry, cache=cache
    )
    assert {path.name for path in root.glob("sub-*")} == {"sub-001"}
    monkeypatch.delenv("BRAINO_MIRRORS")
    again = braino_registry.fetch(
        "small-bids", bids_subjects=["sub-001"], registry=registry, cache=cache
    )
    assert again == root
    as_strings = braino_registry.fetch(
        "small-bids", bids_subjects="001", registry=str(registry[0]), cache=str(cache)
    )
    assert as_strings == root
    with pytest.raises(UsageError) as wrong:
        braino_registry.fetch("small-bids", bids_subjects="9", registry=registry, cache=cache)
    assert wrong.value.where == "bids_subjects"
    with pytest.raises(UsageError, match=r"no dataset called 'small-bids@1\.0\.1'") as caught:
        braino_registry.fetch("small-bids", version="1.0.1", registry=registry, cache=cache)
    assert "small-bids@1.0.0" in caught.value.hint
    with pytest.raises(UsageError, match="no dataset called 'smal-bids'") as caught:
        braino_registry.fetch("smal-bids", registry=registry, cache=cache)
    assert "Did you mean 'small-bids" in caught.value.hint


def test_offline_opens_no_socket(
    entry: PublicDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    mirror = str(small_bids.write(tmp_path / "mirror"))
    offline = Store(tmp_path / "c", environ={"BRAINO_OFFLINE": "1"})
    with pytest.raises(HostError) as caught:
        offline.fetch(entry, selection=ONE)
    text = str(caught.value)
    missing = offline.need(entry, ONE).files
    named = [name for name in missing if f"{name} ({len(small_bids.bodies()[name])} bytes)" in text]
    assert named == list(missing[:5])
    assert f"and {len(missing) - 5} more, " in text
    assert text.count("curl -LO https://example.org/data/") == 5
    assert f"and {len(missing) - 5} more, see braino data fetch" in text
    assert "braino data fetch small-bids --bids-subject 001" in text
    with pytest.raises(HostError, match=r"and \d+ more, \d+ bytes in all"):
        offline.fetch(entry)
    here = Store(tmp_path / "c", environ={"BRAINO_OFFLINE": "1", "BRAINO_MIRRORS": mirror})
    assert here.fetch(entry) == ()
    assert here.build_or_find(entry).bids.is_dir()


def test_too_little_room_is_said_before_anything_is_fetched(
    entry: PublicDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("braino_registry.datasets.layout.free_bytes", lambda folder: 10)
    with pytest.raises(HostError, match="bytes, and 10 are free"):
        Store(tmp_path / "c", environ={}).fetch(entry)


@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("derivatives/a/b.set", "derivatives/**", True),
        ("sub-01/eeg/x.tsv", "**/*.tsv", True),
        ("x.tsv", "**/*.tsv", True),
        ("sub-01/eeg/x.tsv", "*.tsv", False),
        ("sub-01/eeg/x.tsv", "sub-??/eeg/*", True),
        ("a.b", "a?b", True),
        ("a/b", "a?b", False),
        ("a\nb", "a*", True),
        ("ab[1]", "ab[1]", True),
    ],
)
def test_patterns_know_steps(path: str, pattern: str, fits: bool) -> None:
    assert matches(path, pattern) is fits


def test_the_tree_of_a_selection_is_found_by_its_command(
    entry: PublicDataset, store: Store
) -> None:
    from braino_registry import datasets

    with pytest.raises(HostError, match="data build small-bids --bids-subject 001"):
        datasets.path(entry, store, None, ONE)
    report = json.loads(json.dumps(datasets.fetch(entry, store, selection=ONE)))
    assert report["select"] == {"bids_subject": ["001"]}
    assert report["bids"] == str(datasets.path(entry, store, None, ONE))
    assert os.path.isdir(report["bids"])
    assert len(pins_of(entry)) == len(small_bids.bodies())
