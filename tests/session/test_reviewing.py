"""A review tells what keeps an answer from being read, a few times, never whether it is right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from braino_registry.recordings.tree import BidsTree
from braino_registry.session.reviewing import Reviewer
from tests import tiny

LABEL = {"classification": {"type": "label", "labels": ["normal", "epileptic"]}}
EVENTS = {"seizure_events": {"type": "events"}}
NIGHT = {"hypnogram_rle": {"type": "hypnogram"}}
WHOLE = [{"start_epoch": 0, "end_epoch": 1, "stage": "W"}]  # the recording lasts a minute


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> BidsTree:
    return BidsTree(tiny.write(tmp_path_factory.mktemp("tiny") / "bids").root)


def reviewer(tree: BidsTree, fields: dict[str, Any], repairs: int = 3) -> Reviewer:
    return Reviewer(fields, repairs, tree, tree.recordings()[0])


@pytest.mark.parametrize(
    ("fields", "data", "says"),
    [
        (LABEL, {"classification": "normal"}, ""),
        (LABEL, {"classification": "abnormal"}, "none of normal, epileptic"),
        (LABEL, {}, "'classification' is missing"),
        (LABEL, {"classification": "normal", "class": 1}, "no field 'class'"),
        (EVENTS, {"seizure_events": []}, ""),
        (EVENTS, {"seizure_events": [{"onset_sec": 1, "offset_sec": 2.5}]}, ""),
        (EVENTS, {"seizure_events": {}}, "must be a list"),
        (EVENTS, {"seizure_events": [{"onset_sec": 1}]}, r"seizure_events[0] needs"),
        (EVENTS, {"seizure_events": [{"onset_sec": 3, "offset_sec": 2}]}, "before it ends"),
        (EVENTS, {"seizure_events": [{"onset_sec": True, "offset_sec": 2}]}, "numbers"),
        (NIGHT, {"hypnogram_rle": WHOLE}, ""),
        (NIGHT, {"hypnogram_rle": WHOLE[:0]}, "must end at epoch 1"),
        (NIGHT, {"hypnogram_rle": [{**WHOLE[0], "end_epoch": 0}]}, "must end at epoch 1, not 0"),
        (NIGHT, {"hypnogram_rle": [{**WHOLE[0], "start_epoch": 1}]}, "must start at epoch 0"),
        (NIGHT, {"hypnogram_rle": [{**WHOLE[0], "stage": "N5"}]}, "unknown stage"),
        (NIGHT, {"hypnogram_rle": "W"}, "must be a list"),
        ({}, {"anything": 1}, ""),
    ],
)
def test_what_a_review_says(
    tree: BidsTree, fields: dict[str, Any], data: dict[str, Any], says: str
) -> None:
    found = reviewer(tree, fields).review(data)
    assert (found["problems"] == []) == (says == "")
    assert says in " ".join(found["problems"])
    assert found["left"] == (3 if says == "" else 2)


def test_problems_are_told_three_times(tree: BidsTree) -> None:
    one = reviewer(tree, LABEL)
    wrong = {"classification": "x"}
    assert [len(one.review(wrong)["problems"]) for _ in range(5)] == [1, 1, 1, 0, 0]
    assert reviewer(tree, LABEL, repairs=0).review(wrong) == {"problems": [], "left": 0}


def test_many_problems_are_told_in_part(tree: BidsTree) -> None:
    events = [{"onset_sec": 2, "offset_sec": 1}] * 500
    found = reviewer(tree, EVENTS).review({"seizure_events": events})
    assert len(found["problems"]) == 10


def test_a_question_without_data_has_no_epochs(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    one = Reviewer(NIGHT, 3, BidsTree(tmp_path / "empty"), None)
    assert one.review({"hypnogram_rle": []})["problems"] == []
