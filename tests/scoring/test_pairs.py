"""How answers phrase pairs of channels."""

from __future__ import annotations

from typing import Any

import pytest

from braino_registry.scoring import read
from tests.scoring.evidence import CH_NAMES, evidence

PAIR: dict[str, Any] = {"type": "label", "of": "channel_pair", "said_as": ["strongest pair"]}
ORDER: dict[str, Any] = {"type": "sequence", "of": "channel_pair", "said_as": ["strongest pairs"]}
SET: dict[str, Any] = {**ORDER, "type": "set"}


def _read(field: dict[str, Any], text: str, data: Any = None) -> Any:
    given = evidence(
        text, fields={"pair": field}, context={"ch_names": CH_NAMES},
        data=None if data is None else {"pair": data},
    )  # fmt: skip
    return read(field, "pair", given).value


@pytest.mark.parametrize(
    "said",
    [
        "O1-O2", "O2-O1", "O1–O2", "O1 - O2", "O1/O2", "O1 & O2", "(O1, O2)", "O1 ↔ O2",
        "**O2–O1**",
        "between O1 and O2", "channels O1 and O2", "O1–O2 (r = 0.93)", "the pair of O1 and O2",
    ],
)  # fmt: skip
def test_a_pair_is_one_however_it_is_written(said: str) -> None:
    assert _read(PAIR, f"The strongest pair is {said}.") == "O1-O2"


@pytest.mark.parametrize(
    "text",
    [
        "Strongest pair: O1 and O2 (r = 0.93)",
        "Strongest pair: O2 and O1",
        "**Strongest pair:** O1, O2",
        "The strongest pair = O1 with O2.",
    ],
)
def test_a_pair_behind_its_label(text: str) -> None:
    assert _read(PAIR, text) == "O1-O2"


@pytest.mark.parametrize("data", ["O2-O1", ["O1", "O2"], {"channels": ["O2", "O1"]}, "(O1, O2)"])
def test_a_pair_in_data(data: Any) -> None:
    assert _read(PAIR, "", data) == "O1-O2"


@pytest.mark.parametrize(
    "text",
    [
        "I looked at O1, O2 and Pz.",
        "The strongest pair is O1-O2 or P3-P4.",
        "The strongest pair cannot be told.",
        "The strongest pair is O1-O1.",
        "O1 and O2 are fine.",
    ],
)
def test_names_that_are_no_pair(text: str) -> None:
    assert _read(PAIR, text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Strongest pairs: F7-F3 > T7-C3 > O1-O2",
        "Strongest pairs, in descending order: F7–F3, T7–C3 and O1–O2.",
        "The strongest pairs:\n1. F3-F7 (0.96)\n2. C3/T7 (0.95)\n3. O2 ↔ O1 (0.94)",
        "| Rank | Strongest pairs | r |\n|---|---|---|\n| 1 | F7-F3 | 0.96 |\n| 2 | T7-C3 | 0.95 |"
        "\n| 3 | O1-O2 | 0.94 |",
    ],
)
def test_pairs_in_order(text: str) -> None:
    assert _read(ORDER, text) == ("F3-F7", "C3-T7", "O1-O2")


def test_a_set_of_pairs() -> None:
    wanted = frozenset({"F3-F7", "C3-T7"})
    assert _read(SET, "The strongest pairs were F7-F3 and T7-C3.") == wanted
    assert _read(SET, "", [["F7", "F3"], "C3-T7"]) == wanted


def test_names_of_another_sentence_do_not_join_a_set() -> None:
    field = {"type": "set", "of": "channel", "said_as": ["above the mean"]}
    text = "In subject 01 I removed C4. Channels above the mean of the others: O1, O2, P3."
    assert _read(field, text) == frozenset({"O1", "O2", "P3"})
