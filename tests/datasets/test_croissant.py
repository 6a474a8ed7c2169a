"""Datasets as Croissant: every file with its hash, and a check that nothing gets past."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from braino_registry.datasets.content import tree_records
from braino_registry.datasets.croissant import CONFORMS_TO, describe, problems, read
from braino_registry.errors import EntryError
from braino_registry.registry import Registry
from tests.datasets import small_bids

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a small BIDS tree that a test may change."""
    root = tmp_path / "bids"
    for name, body in small_bids.bodies().items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
    return root


def written(tree: Path) -> dict[str, Any]:
    entry = Registry.open(environ={}).dataset("oddball-p3@1.0.0")
    found: dict[str, Any] = json.loads(json.dumps(describe(entry, tree, tree_records(tree))))
    return found


def test_every_file_stands_there_with_length_and_hash(tree: Path) -> None:
    doc = written(tree)
    assert doc["conformsTo"] == CONFORMS_TO
    assert (doc["name"], doc["version"]) == ("oddball-p3", "1.0.0")
    names = [row["contentUrl"] for row in doc["distribution"]]
    assert sorted(names) == sorted(small_bids.bodies())
    (people,) = doc["recordSet"]
    assert [field["source"]["extract"]["column"] for field in people["field"]] == ["participant_id"]
    assert problems(doc, tree) == []


def test_what_a_public_dataset_says_of_itself_is_taken_over(tree: Path) -> None:
    entry = Registry.open(environ={}).dataset("eeglab-tutorial@1.0.0")
    doc = describe(entry, tree, tree_records(tree))
    assert doc["license"] == entry.doc["licence"]["spdx"]
    assert doc["url"] == entry.doc["upstream"]["url"]
    assert entry.doc["citation"][0]["text"] in doc["citeAs"]


def change_a_byte(tree: Path) -> None:
    file = tree / "README"
    file.write_bytes(file.read_bytes().replace(b"S", b"s"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (change_a_byte, "README: sha256"),
        (lambda tree: (tree / "README").write_bytes(b"Longer now.\n"), "README: 12 bytes instead"),
        (lambda tree: (tree / "README").unlink(), "README: is not in the folder"),
        (lambda tree: (tree / "more.txt").touch(), "more.txt: is not in the document"),
        (lambda tree: shutil.rmtree(tree / "sub-001"), "sub-001/"),
    ],
)
def test_a_changed_folder_is_found(tree: Path, change: Callable[[Path], object], told: str) -> None:
    doc = written(tree)
    change(tree)
    assert any(line.startswith(told) for line in problems(doc, tree))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"contentUrl": "../../etc/passwd"}, "no path within the dataset"),
        ({"contentUrl": "/etc/passwd"}, "no path within the dataset"),
        ({"sha256": None}, "has no sha256"),
        ({"sha256": "0" * 63}, "has no sha256"),
        ({"contentSize": "1 kB"}, "has no length in B"),
        ({"contentSize": 7}, "has no length in B"),
        ({"@type": "cr:FileSet"}, "is no cr:FileObject"),
    ],
)
def test_a_row_that_proves_nothing_is_a_problem(
    tree: Path, change: dict[str, Any], told: str
) -> None:
    """Leaving out the hash, or pointing elsewhere, is no way to pass."""
    doc = written(tree)
    doc["distribution"][0] |= change
    found = problems(doc, tree)
    assert any(told in line for line in found)
    assert any("is not in the document" in line for line in found)


def test_a_pipe_is_a_problem_and_not_waited_for(tree: Path) -> None:
    doc = written(tree)
    name = doc["distribution"][0]["contentUrl"]
    (tree / name).unlink()
    os.mkfifo(tree / name)
    assert f"{name}: is no regular file" in problems(doc, tree)


def test_a_file_that_stands_there_twice_is_a_problem(tree: Path) -> None:
    doc = written(tree)
    doc["distribution"].append(doc["distribution"][0])
    assert any("stands there twice" in line for line in problems(doc, tree))


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=40,
)
@given(JSON)
def test_rubbish_never_agrees(tree: Path, rubbish: Any) -> None:
    assert problems({"distribution": rubbish}, tree)
    assert problems({"distribution": [rubbish]}, tree)


@pytest.mark.parametrize("text", ["[]", "{}", '{"conformsTo": "http://example.org/2"}'])
def test_another_document_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "doc.json"
    file.write_text(text)
    with pytest.raises(EntryError, match="no Croissant document"):
        read(file)


def test_the_reference_library_finds_nothing_wrong(tree: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    (tree / "doc.json").write_text(json.dumps(written(tree)))
    dataset = mlcroissant.Dataset(jsonld=str(tree / "doc.json"))
    assert dataset.metadata.issues.errors == set()
    assert len(list(dataset.records("participants"))) == len(small_bids.SUBJECTS)
