"""A recipe is begun as a copy that builds, and is another dataset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store, recipes
from braino_registry.datasets.recipes import new_recipe
from braino_registry.errors import UsageError
from braino_registry.registry import Recipe, Registry

DIGEST = "sha256:" + "ab" * 32


@pytest.fixture
def like() -> Recipe:
    return Registry.open(environ={}).recipe("five-sets")


def test_it_is_another_one_in_the_same_layout(
    like: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[Any] = []
    monkeypatch.setattr(recipes, "_built", lambda document: built.append(document) or DIGEST)
    file = new_recipe("my-sets", like, tmp_path / "generators")
    document = json.loads(file.read_text())
    assert (document["id"], document["version"]) == ("my-sets", "1.0.0")
    assert document["seed"] != like.doc["seed"]
    assert document["expects"]["digest"] == DIGEST
    assert document["recordings"] == like.doc["recordings"]
    assert built[0]["seed"] == document["seed"]
    before, after = like.file.read_text().splitlines(), file.read_text().splitlines()
    assert len(before) == len(after)
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 4


def test_members_in_another_order_are_kept_all_the_same(
    like: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipes, "_built", lambda document: DIGEST)
    turned = tmp_path / "turned.json"
    # A name within comes before the one at the top.
    document = {"recordings": [{"title": "within"}], **like.doc}
    document["recordings"] = like.doc["recordings"]
    document = {"about": '"id": "not this"', **dict(reversed(list(document.items())))}
    turned.write_text(json.dumps(document))
    copy = Recipe("recipe", like.id, like.version, turned, document)
    found = json.loads(new_recipe("my-sets", copy, tmp_path / "out").read_text())
    changed = {key for key in document if found[key] != document[key]}
    assert changed == {"id", "title", "seed", "expects"}


@pytest.mark.parametrize("name", ["", "Big", "../up", "a b"])
def test_what_is_no_id_is_refused(like: Recipe, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="no id of a dataset"):
        new_recipe(name, like, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_written_over(like: Recipe, tmp_path: Path) -> None:
    (tmp_path / "my-sets.json").write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        new_recipe("my-sets", like, tmp_path)
    assert (tmp_path / "my-sets.json").read_text() == "mine"


@pytest.mark.slow
def test_it_builds_to_what_it_says(tmp_path: Path) -> None:
    like = Registry.open(environ={}).recipe("two-subject-rest")
    new_recipe("quiet-pair", like, tmp_path / "generators")
    entry = Registry.open([tmp_path], environ={}).dataset("quiet-pair")
    assert Store(tmp_path / "cache").build_or_find(entry).verified
