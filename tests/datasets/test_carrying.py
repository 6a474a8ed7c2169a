"""Bundles, citations, copies of one's own, and new entries."""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Selection, Store, bundles, citing
from braino_registry.datasets.content import hash_file
from braino_registry.datasets.entries import pins_of, problems_of
from braino_registry.datasets.looks import check_copy
from braino_registry.datasets.scaffold import new_entry
from braino_registry.errors import BrainoError, EntryError, HostError, UsageError
from braino_registry.registry import Registry, schemas
from braino_registry.registry.entries import PublicDataset
from tests.datasets import small_bids, tiny
from tests.datasets.conftest import Tiny


@pytest.fixture
def entry(tmp_path: Path) -> PublicDataset:
    return small_bids.entry(tmp_path / "entries", kinds=("md5", "git-blob"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    mirror = small_bids.write(tmp_path / "mirror")
    return Store(tmp_path / "cache", environ={"BRAINO_MIRRORS": str(mirror)})


def _offline(tmp_path: Path, name: str = "elsewhere") -> Store:
    return Store(tmp_path / name, environ={"BRAINO_OFFLINE": "1"})


def test_a_bundle_carries_a_dataset_to_a_machine_without_network(
    entry: PublicDataset, store: Store, tmp_path: Path
) -> None:
    bundle = tmp_path / "small.tar"
    manifest = bundles.export(store, entry, bundle)
    assert {row["path"] for row in manifest["files"]} == set(small_bids.used())
    other = _offline(tmp_path)
    report = bundles.import_(other, bundle)
    assert report["dataset"] == entry.ref
    assert report["taken"] == len(small_bids.used())
    assert other.fetch(entry) == ()
    assert other.build_or_find(entry).digest == store.build_or_find(entry).digest
    bundles.export(other, entry, tmp_path / "again.tar")
    assert (tmp_path / "again.tar").read_bytes() == bundle.read_bytes()


def test_a_bundle_of_a_part_holds_the_part(
    entry: PublicDataset, store: Store, tmp_path: Path
) -> None:
    part = Selection(("002",))
    manifest = bundles.export(store, entry, tmp_path / "b.tar", part)
    assert manifest["select"] == {"bids_subject": ["002"]}
    other = _offline(tmp_path)
    bundles.import_(other, tmp_path / "b.tar")
    assert other.status(entry, None, part).present
    assert not other.status(entry).present


def test_an_export_of_what_is_not_here_says_what_to_fetch(
    entry: PublicDataset, tmp_path: Path
) -> None:
    with pytest.raises(HostError, match="is not on this machine"):
        bundles.export(_offline(tmp_path), entry, tmp_path / "b.tar")
    assert not (tmp_path / "b.tar").exists()


def test_a_bundle_is_not_overwritten(entry: PublicDataset, store: Store, tmp_path: Path) -> None:
    (tmp_path / "b.tar").write_bytes(b"mine")
    with pytest.raises(UsageError, match="exists already"):
        bundles.export(store, entry, tmp_path / "b.tar")
    assert (tmp_path / "b.tar").read_bytes() == b"mine"


def _rewritten(
    bundle: Path, target: Path, change: Callable[[str, bytes], tuple[str, bytes]]
) -> Path:
    with tarfile.open(bundle) as old, tarfile.open(target, "w") as new:
        for member in old:
            stream = old.extractfile(member)
            assert stream is not None
            name, body = change(member.name, stream.read())
            header = tarfile.TarInfo(name)
            header.size = len(body)
            new.addfile(header, io.BytesIO(body))
    return target


def _flip(name: str, body: bytes) -> tuple[str, bytes]:
    return name, body if name == "bundle.json" else body[:-1] + bytes([body[-1] ^ 1])


def _lie_about_md5(name: str, body: bytes) -> tuple[str, bytes]:
    if name != "bundle.json":
        return name, body
    manifest = json.loads(body)
    manifest["files"][0]["weak"]["md5"] = "0" * 32
    return name, json.dumps(manifest).encode()


def _climb(name: str, body: bytes) -> tuple[str, bytes]:
    if name != "bundle.json":
        return name, body
    manifest = json.loads(body)
    manifest["files"][0]["path"] = "../../evil"
    return name, json.dumps(manifest).encode()


def _no_manifest(name: str, body: bytes) -> tuple[str, bytes]:
    return ("x", body) if name == "bundle.json" else (name, body)


@pytest.mark.parametrize(
    ("change", "error", "part"),
    [
        (_flip, HostError, "is not what it should be: sha256"),
        (_lie_about_md5, HostError, "is not what it should be: .*md5"),
        (_climb, UsageError, "leaves the dataset"),
        (_no_manifest, UsageError, "does not begin with bundle.json"),
        (lambda name, body: (name, b"{}" if name == "bundle.json" else body), UsageError, "broken"),
    ],
)
def test_a_bundle_is_believed_in_nothing(
    entry: PublicDataset,
    store: Store,
    tmp_path: Path,
    change: Callable[[str, bytes], tuple[str, bytes]],
    error: type[BrainoError],
    part: str,
) -> None:
    bundles.export(store, entry, tmp_path / "good.tar")
    bad = _rewritten(tmp_path / "good.tar", tmp_path / "bad.tar", change)
    other = _offline(tmp_path)
    with pytest.raises(error, match=part):
        bundles.import_(other, bad)
    for path in (other.root / "sources").rglob("*/*"):  # what was taken before is right
        assert hash_file(path)["sha256"] == path.name
    assert not (other.root / "strengthened" / f"md5-{'0' * 32}").exists()
    assert not list(tmp_path.rglob("evil"))
    assert list((other.root / "work").iterdir()) == []
    assert not other.status(entry).present


def test_a_bundle_that_was_cut_off_is_told(
    entry: PublicDataset, store: Store, tmp_path: Path
) -> None:
    bundles.export(store, entry, tmp_path / "good.tar")
    data = (tmp_path / "good.tar").read_bytes()
    (tmp_path / "cut.tar").write_bytes(data[: len(data) // 2 // 512 * 512])
    with pytest.raises(BrainoError, match=r"the bundle lacks|this is no bundle"):
        bundles.import_(_offline(tmp_path), tmp_path / "cut.tar")
    (tmp_path / "no.tar").write_bytes(b"PK\x03\x04")
    with pytest.raises(UsageError, match="this is no bundle"):
        bundles.import_(_offline(tmp_path), tmp_path / "no.tar")


# Citations -------------------------------------------------------------------------------------


def test_a_citation_names_the_release_and_what_upstream_asks_for(tiny_dataset: Tiny) -> None:
    entry = tiny_dataset.entry
    document = citing.document(entry)
    text = document["text"]
    assert text.startswith("Gerwin Schalk, Dennis J. McFarland")
    assert "version 1.0.0. https://doi.org/10.13026/C28G6P" in text
    assert "tiny@1.0.0 as pinned in braino-registry" in text
    assert document["identity"] in text
    assert all(work["text"] in text for work in entry.doc["citation"])


def test_bibtex_has_one_item_per_work_and_escapes(tiny_dataset: Tiny) -> None:
    doc = dict(tiny_dataset.entry.doc)
    doc["upstream"] = {**doc["upstream"], "name": "A & B_c 100 %", "released": "2009-09-09"}
    entry = PublicDataset("dataset", "tiny", "1.0.0", tiny_dataset.entry.file, doc)
    text = citing.cite(entry, "bibtex")
    # The work with the DOI of the dataset is the dataset.
    assert text.count("@misc{") == len(doc["citation"]) == text.count("  doi = ")
    assert "Cited as: EEG Motor Movement/Imagery Dataset" in text
    assert r"title = {{A \& B\_c 100 \%}}" in text
    assert "author = {Gerwin Schalk and Dennis J. McFarland and " in text
    assert "year = {2009}" in text
    assert text.count("{") == text.count("}")


def test_bibtex_guesses_no_field_of_a_reference_and_repeats_no_doi() -> None:
    for entry in Registry.open(environ={}).datasets():
        first, *others = citing.cite(entry, "bibtex").split("\n@")
        assert first.count("  title = ") == 1
        for item in others:
            assert "  note = {" in item
            assert not re.search(r"^  (title|author|year|journal) = ", item, re.MULTILINE)
        text = "\n@".join([first, *others])
        for pattern in (r"^  doi = \{(.*)\},$", r"^@misc\{(.*),$"):
            found = re.findall(pattern, text.casefold(), re.MULTILINE)
            assert len(found) == len(set(found)), entry.ref


def test_cff_is_valid(tiny_dataset: Tiny, tmp_path: Path) -> None:
    import subprocess
    import sys

    doc = dict(tiny_dataset.entry.doc)
    doc["upstream"] = {**doc["upstream"], "released": "2009-09-09"}
    entry = PublicDataset("dataset", "tiny", "1.0.0", tiny_dataset.entry.file, doc)
    file = tmp_path / "CITATION.cff"
    file.write_text(citing.cite(entry, "cff"), encoding="utf-8")
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    done = subprocess.run(
        [*command, "vendor.citation-file-format", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("form", citing.FORMS)
def test_every_dataset_can_be_cited(form: str) -> None:
    for entry in Registry.open(environ={}).datasets():
        text = citing.cite(entry, form)
        assert entry.ref in text
        assert "None" not in text


# Copies of one's own ---------------------------------------------------------------------------


def test_a_whole_copy_is_right(entry: PublicDataset, tmp_path: Path) -> None:
    found = check_copy(entry, small_bids.write(tmp_path / "copy"), [entry])
    assert (found.ok, found.right, found.looks_like) == (True, len(small_bids.bodies()), None)


def test_a_copy_of_another_version_says_which(tmp_path: Path) -> None:
    bodies = small_bids.bodies()
    old = small_bids.entry(tmp_path / "old", version="1.0.0")
    newer = {**bodies, "participants.tsv": b"participant_id\n", "README": b"Newer.\n"}
    pins = [tiny.pin_of(path, body) for path, body in newer.items()]
    new = tiny.entry(small_bids.document(tiny.BASE) | {"version": "1.1.0"}, tmp_path / "new", pins)
    copy = small_bids.write(tmp_path / "copy")
    found = check_copy(new, copy, [old, new])
    assert not found.ok
    assert set(found.wrong) == {"participants.tsv", "README"}
    assert found.looks_like == "small-bids@1.0.0"
    (copy / "participants.tsv").unlink()
    found = check_copy(old, copy, [old, new])
    assert (found.missing, found.looks_like) == (("participants.tsv",), None)


def test_a_copy_that_nothing_is_pinned_of_is_checked_by_layout_and_invariants(
    entry: PublicDataset, tmp_path: Path
) -> None:
    doc = {**entry.doc, "pins": None, "mirrors": []}
    doc["local"] = {
        "apply": "https://example.org/apply",
        "about": "Apply for it.",
        "layout": ["sub-*/eeg/*_eeg.set", "stimuli/*.png"],
        "checks": [{"kind": "subject_count", "equals": 4}],
    }
    agreed = PublicDataset("dataset", "agreed", "1.0.0", entry.file, doc)
    found = check_copy(agreed, small_bids.write(tmp_path / "copy"), [])
    assert not found.ok
    assert "there is no file like stimuli/*.png" in found.problems
    assert any("3 subjects instead of 4" in problem for problem in found.problems)
    store = Store(tmp_path / "c", environ={})
    status = store.status(agreed)
    assert (status.present, status.missing) == (False, ())
    for action in (store.fetch, store.build_or_find):
        with pytest.raises(
            HostError, match=r"nobody can fetch agreed@1\.0\.0 for you: Apply"
        ) as caught:
            action(agreed)
        assert caught.value.where == "Get it yourself at https://example.org/apply"
        assert "braino data verify agreed --path DIR" in caught.value.hint


def test_a_copy_that_is_not_there_is_a_usage_error(entry: PublicDataset, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a folder"):
        check_copy(entry, tmp_path / "nowhere", [])


# New entries -----------------------------------------------------------------------------------


def test_an_entry_is_begun_from_a_tree(tmp_path: Path) -> None:
    tree = small_bids.write(tmp_path / "tree")
    description: dict[str, Any] = {
        "Name": "Small", "BIDSVersion": "1.9.0", "License": "CC0-1.0", "Authors": ["A. Person"],
        "DatasetDOI": "doi:10.1234/abc",
    }  # fmt: skip
    (tree / "dataset_description.json").write_text(json.dumps(description))
    out = tmp_path / "registry" / "datasets"
    file, table = new_entry("mine", tree, "https://example.org/d/", "https://example.org/", out)
    made = tiny.opened(file)
    assert schemas.check(made.doc, "dataset-1") == []
    assert problems_of(made) == ()
    assert made.doc["licence"]["spdx"] == "CC0-1.0"
    assert made.doc["upstream"]["doi"] == "10.1234/abc"
    assert {pin.path for pin in pins_of(made)} == set(small_bids.bodies())
    assert made.doc["invariants"][0] == {"kind": "recording_count", "equals": 6}
    assert table.name == "mine.pins.tsv"
    found = Registry.open([out.parent], environ={}).dataset("mine")
    store = Store(tmp_path / "cache", environ={"BRAINO_MIRRORS": str(tree)})
    assert store.build_or_find(found).verified
    with pytest.raises(UsageError, match="exists already"):
        new_entry("mine", tree, "https://example.org/d/", "https://example.org/", out)


@pytest.mark.parametrize(
    ("name", "base", "part"),
    [("Not Kebab", "https://x.org/", r"\$\.id"), ("a", "ftp://x/", r"\$\.mirrors")],
)
def test_what_would_be_no_entry_is_not_written(
    tmp_path: Path, name: str, base: str, part: str
) -> None:
    tree, out = small_bids.write(tmp_path / "tree"), tmp_path / "out"
    with pytest.raises(EntryError, match=part):
        new_entry(name, tree, base, "https://example.org/", out)
    assert not out.exists()


def test_an_entry_needs_a_bids_root(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no BIDS root"):
        new_entry("a", tmp_path, "https://x.org/", "https://x.org/", tmp_path / "out")
