"""What every dataset has to hold: same bytes everywhere, valid BIDS, other truth under a salt."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import edfio
import numpy as np
import pytest

from braino_registry.datasets import Store
from braino_registry.registry import Salt
from braino_registry.runner.contributing.stages.twice import digest_of
from braino_registry.synthesis import validation
from tests.conformance import cases

#: Files of a signal with a header, and how much of one is read in search of words.
SIGNALS, HEAD_BYTES = (".bdf", ".edf", ".fdt"), 8192
#: Recipes whose truth no draw has a part in, and why.
SAME_TRUTH = {"five-sets": "the sets are the published ones; which one a record is of is hidden"}


def listed(doc: Any) -> frozenset[validation.Issue]:
    return validation.expected(doc)


@pytest.mark.parametrize("recipe", cases.recipes())
def test_the_bytes_are_those_that_were_recorded(recipe: Any, store: Store) -> None:
    """Whoever recorded the digest did so in another process, on another day."""
    realised = store.build_or_find(recipe)
    assert realised.digest == recipe.doc["expects"]["digest"]
    assert realised.verified


@pytest.mark.parametrize("recipe", cases.recipes())
def test_no_file_names_its_recipe(recipe: Any, store: Store) -> None:
    for path in store.build_or_find(recipe).bids.rglob("*"):
        assert recipe.id not in path.name
        # Short names turn up in the noise by chance; a header comes before the noise.
        if path.is_file() and path.suffix != ".eeg":
            with path.open("rb") as file:
                head = file.read(HEAD_BYTES if path.suffix in SIGNALS else -1)
            assert recipe.id.encode() not in head.lower(), path


@pytest.mark.slow
@pytest.mark.parametrize("recipe", cases.recipes())
def test_same_recipe_same_bytes(recipe: Any, tmp_path: Path) -> None:
    once, again = digest_of(recipe, tmp_path / "1"), digest_of(recipe, tmp_path / "2")
    assert once == again
    assert once == recipe.doc["expects"]["digest"], "the recipe's recorded digest is another one"


@pytest.mark.slow
@pytest.mark.parametrize("recipe", cases.recipes())
def test_same_bytes_on_another_python(recipe: Any, tmp_path: Path) -> None:
    python = os.environ.get("BRAINO_PYTHON_OTHER")
    if not python:
        pytest.skip("set BRAINO_PYTHON_OTHER to an interpreter that has the dependencies")
    assert digest_of(recipe, tmp_path / "1", b"salt" * 8, python) == digest_of(
        recipe, tmp_path / "2", b"salt" * 8
    )


@pytest.mark.parametrize("recipe", cases.recipes_in_turn())
def test_the_validator_finds_exactly_what_is_listed(recipe: Any, store: Store) -> None:
    realised = store.build_or_find(recipe)
    assert validation.issues(realised.bids) == listed(recipe.doc)


@pytest.mark.parametrize("dataset", cases.public_datasets())
def test_a_converted_dataset_is_what_its_entry_says(dataset: Any, store: Store) -> None:
    status = store.status(dataset)
    if not status.present:
        pytest.skip(f"{dataset.ref}: {status.reason}")
    realised = store.build_or_find(dataset)
    assert validation.issues(realised.bids) == listed(dataset.doc)
    assert realised.digest == dataset.doc["expects"]["digest"]
    assert realised.verified


@pytest.mark.slow
@pytest.mark.parametrize("recipe", cases.recipes())
def test_a_salt_changes_the_truth(recipe: Any, store: Store, salts: tuple[Salt, Salt]) -> None:
    plain = store.build_or_find(recipe)
    salted = [store.build_or_find(recipe, salt) for salt in salts]
    digests = {plain.digest, *(each.digest for each in salted)}
    truths = {json.dumps(each.truth, sort_keys=True) for each in (plain, *salted)}
    assert len(digests) == 3
    assert len(truths) == (1 if recipe.id in SAME_TRUTH else 3)


@pytest.mark.parametrize("recipe", cases.recipes())
def test_truth_covers_exactly_the_recordings(recipe: Any, store: Store) -> None:
    from braino_registry.recordings.tree import BidsTree

    realised = store.build_or_find(recipe)
    assert sorted(realised.truth["recordings"]) == sorted(BidsTree(realised.bids).recordings())


def test_proposed_and_applied_differ_under_every_salt(
    store: Store, salts: tuple[Salt, Salt]
) -> None:
    """The detector of the reference flags the channel that the user keeps, too."""
    from braino_registry.recordings.operations import operations

    recipe = cases.REGISTRY.dataset("two-subject-rest@1.0.0")
    for salt in (None, *salts):
        realised = store.build_or_find(recipe, salt)
        run = operations(realised.bids)
        for recording, truth in realised.truth["recordings"].items():
            view = run["recordings.filter"](
                view=run["recordings.open"](recording=recording), l_freq=1.0
            )
            found = run["quality.bad_channels"](view=view)["channels"]
            assert set(found) == {*truth["noisy_channels"], *truth["decoy_channels"]}
            assert len(truth["noisy_channels"]) == len(truth["decoy_channels"]) == 1


def test_the_mission_s_example_is_kept(store: Store) -> None:
    """Without a salt the noisy channel of subject 02 is T8."""
    realised = store.build_or_find(cases.REGISTRY.dataset("two-subject-rest@1.0.0"))
    assert realised.truth["recordings"]["sub-02_task-rest"]["noisy_channels"] == ["T8"]


@pytest.mark.parametrize("recipe", cases.recipes())
def test_no_channel_lies_at_the_end_of_what_its_file_can_hold(recipe: Any, store: Store) -> None:
    """Amplifiers that clip do so earlier; samples at the very end were cut off in writing."""
    bids = store.build_or_find(recipe).bids
    for path in sorted([*bids.rglob("*_eeg.eeg"), *bids.rglob("*_eeg.edf")])[:2]:
        if path.suffix == ".edf":
            digital = [signal.digital for signal in edfio.read_edf(path).signals]
        else:
            digital = [np.fromfile(path, "<i2")]
        for each in digital:
            assert np.mean(np.abs(each.astype(int)) >= 32767) < 1e-4, path.name
