"""What the rubric makes of several findings, of stuffing, and of whatever else is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.scoring.rubric import statements
from tests.growth import grows_linearly
from tests.scoring.evidence import evidence, run
from tests.scoring.semantic_cases import BAND, CLAIM, POSTERIOR, RATIO, SEMANTIC, rubric

TWO = rubric({**POSTERIOR, "is": True}, {**RATIO, "direction": "down"}, partial=True)
ALPHA = "Alpha is strongest over occipital sites."
FELL = "The ratio fell."


@pytest.mark.parametrize(
    ("text", "score"),
    [
        (f"{ALPHA} {FELL}", 1.0),
        (ALPHA, 0.5),
        (FELL, 0.5),
        (f"{ALPHA} The ratio rose.", 0.5),
        (f"{ALPHA} {FELL} The ratio rose.", 0.0),
        ("Nothing to report.", 0.0),
    ],
)
def test_a_share_of_the_findings(text: str, score: float) -> None:
    assert run(TWO, evidence(text)).score == score


@pytest.mark.parametrize(
    "text",
    [
        "I cannot tell: the recording is only 60 s long.",
        "It is not possible to say: the recording has only 60 s.",
        "The recording is only 60 s long, so I cannot tell.",
    ],
)
def test_a_reason_behind_a_colon_is_not_denied(text: str) -> None:
    short = rubric({"id": "short", "says": ["recording + only"], "is": True})
    assert run(short, evidence(text)).passed


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("The requested window exceeds the recording, which lasts 60 s.", True),
        ("That window exceeds the length of the recording.", True),
        ("Alpha power exceeds beta power in this window.", False),
    ],
)
def test_what_exceeds_the_recording_is_not_there(text: str, held: bool) -> None:
    assert run(rubric({"lacks": ["window"]}), evidence(text)).passed == held


def test_all_or_nothing_unless_it_is_partial() -> None:
    whole = {**TWO, "partial": False}
    assert run(whole, evidence(ALPHA)).score == 0
    assert run(whole, evidence(f"{ALPHA} {FELL}")).score == 1


def test_stuffing_every_phrasing_scores_nothing() -> None:
    """Everything that some rubric accepts, in one report, is refused by each of them."""
    accepted = [case.given.answer.text for case in SEMANTIC if case.passes and case.given.answer]
    refused = [case.given.answer.text for case in SEMANTIC if not case.passes and case.given.answer]
    text = "\n".join(each for each in accepted + refused if not each.startswith("{"))
    for finding in (
        {**POSTERIOR, "is": True}, {**POSTERIOR, "is": False},
        {**RATIO, "direction": "up"}, {**RATIO, "direction": "down"},
        {**RATIO, "direction": "same"},
        {**CLAIM, "verdict": True}, {**CLAIM, "verdict": False}, {**BAND, "is": "alpha"},
    ):  # fmt: skip
        assert run(rubric(finding), evidence(text)).score == 0


@given(st.text(max_size=300), st.sampled_from(SEMANTIC))
def test_any_text_gets_a_score(text: str, case: object) -> None:
    result = run(case.check, evidence(text))  # type: ignore[attr-defined]
    assert "fault of the harness" not in result.evidence
    assert 0 <= result.score <= 1


@given(
    st.lists(st.sampled_from([c for c in SEMANTIC if c.passes and c.check == SEMANTIC[0].check]),
             min_size=1, max_size=3, unique_by=lambda case: case.name),
    st.sampled_from(["\n", " ", "\n\n- ", "\r\n"]),
)  # fmt: skip
def test_saying_it_again_takes_nothing_back(picked: list[object], gap: str) -> None:
    whole = [c.given.answer.text for c in picked]  # type: ignore[attr-defined]
    # Without an end, what follows a statement on its line is a part of it.
    ended = [each.rstrip(".") + "." for each in whole if not each.startswith("{")]
    text = gap.join(ended) or ALPHA
    assert run(SEMANTIC[0].check, evidence(text)).passed


def test_a_long_report_is_read_in_linear_time() -> None:
    sentence = "Alpha power was analysed over all sites, not only frontal ones; nothing else. "

    def judge(repeats: int) -> None:
        run(TWO, evidence(sentence * repeats + ALPHA))

    assert grows_linearly(judge, 300)


def test_a_statement_without_words_does_not_load() -> None:
    with pytest.raises(ValueError, match="empty group"):
        statements.groups("alpha + ")
