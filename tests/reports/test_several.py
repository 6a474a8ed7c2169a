from __future__ import annotations

import pytest

from braino_registry.reports.paired import holm
from braino_registry.reports.several import compare_all
from tests.reports.samples import report, trial


def run(passing: int, agent: str, many: int = 12) -> dict[str, object]:
    return report(
        [trial(task=f"t{n}", outcome="passed" if n < passing else "failed") for n in range(many)],
        agent=agent,
    )


def test_p_values_of_several_are_those_of_holm() -> None:
    found = compare_all([run(2, "a"), run(10, "b"), run(6, "c"), run(3, "d")])
    statistics = [each.document["statistics"] for each in found]
    plain = [each["mcnemar"]["p_value"] for each in statistics]
    assert [each["corrected"]["mcnemar"] for each in statistics] == pytest.approx(holm(plain))
    assert statistics[0]["corrected"]["mcnemar"] == pytest.approx(3 * plain[0])
    assert statistics[0]["corrected"]["of"] == 3
    scores = [each["score"]["p_value"] for each in statistics]
    assert [each["corrected"]["score"] for each in statistics] == pytest.approx(holm(scores))


def test_two_reports_need_no_correction() -> None:
    (found,) = compare_all([run(2, "a"), run(10, "b")])
    assert "corrected" not in found.document["statistics"]


def test_what_cannot_be_compared_is_no_comparison_to_correct_for() -> None:
    other = {**run(9, "c"), "suite": "brainbench"}
    found = compare_all([run(2, "a"), run(10, "b"), other, run(8, "d")])
    assert found[1].document["statistics"] is None
    assert found[0].document["statistics"]["corrected"]["of"] == 2
