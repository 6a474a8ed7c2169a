"""Recipes through the store: truth beside the tree, salts, the recorded digest."""

from __future__ import annotations

from pathlib import Path

import pytest

from braino_registry.datasets import Store
from braino_registry.registry.catalog import Registry
from braino_registry.registry.entries import Recipe
from braino_registry.registry.salt import Salt


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    found = Registry.open(environ={}).dataset("two-subject-rest")
    assert isinstance(found, Recipe)
    return found


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("cache"), environ={"BRAINO_OFFLINE": "1"})


def test_a_recipe_is_present_and_needs_nothing(recipe: Recipe, store: Store) -> None:
    status = store.status(recipe)
    assert (status.present, status.missing, status.command) == (True, (), "")
    assert store.fetch(recipe) == ()


def test_truth_lies_beside_the_tree(recipe: Recipe, store: Store) -> None:
    realised = store.build_or_find(recipe)
    assert set(realised.truth) >= {"recordings", "dataset"}
    assert realised.truth["recordings"]
    assert realised.labels == {"recordings": {}, "dataset": {}}
    names = {path.name for path in realised.bids.rglob("*")}
    assert not names & {"truth.json", "realised.json"}
    assert realised.verified == (recipe.doc["expects"].get("digest") == realised.digest)
    assert store.verify(recipe, deep=True).problems == () or not realised.verified


def test_a_salt_makes_another_build(recipe: Recipe, store: Store) -> None:
    salt = Salt(b"0123456789abcdef0123456789abcdef")
    plain, salted = store.build_or_find(recipe), store.build_or_find(recipe, salt)
    assert plain.digest != salted.digest
    assert plain.bids != salted.bids
    assert salted.verified
    assert store.build_or_find(recipe, Salt.none()) == plain
    assert store.verify(recipe, salt, deep=True).ok
    assert salt.material.decode() not in str(salted.bids)
    assert salt.material not in Path(salted.bids.parent, "realised.json").read_bytes()
