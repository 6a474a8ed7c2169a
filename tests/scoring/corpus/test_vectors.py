"""Every given case of event scoring, staging and EEGAgentBench, in both profiles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from braino_registry.scoring import corpus
from tests import vectors

DATA = Path(__file__).parents[2] / "data" / "vectors"
RAISED = {"ScoreError": corpus.ScoreError, "TypeError": TypeError, "OverflowError": OverflowError}


def given(name: str) -> Any:
    return json.loads((DATA / name).read_text(encoding="utf-8"))


SZCORE = given("szcore.json")
STAGING = given("staging.json")
CASES = [
    pytest.param(kind, case, profile, id=f"{case['id']}-{profile}")
    for kind, cases in given("eegagentbench.json")["cases"].items()
    for case in cases
    for profile in ("strict", "published")
]


def close(expected: Any) -> Any:
    """Return what compares equal within 1e-9, through lists and objects."""
    if isinstance(expected, dict):
        return {key: close(value) for key, value in expected.items()}
    if isinstance(expected, list):
        return [close(value) for value in expected]
    if isinstance(expected, float):
        return pytest.approx(expected, abs=1e-9, nan_ok=True)
    return expected


@pytest.mark.parametrize("case", SZCORE["vectors"] + SZCORE["nasty"], ids=lambda case: case["id"])
def test_event_scoring(case: dict[str, Any]) -> None:
    assert vectors.szcore(case) == close({**case["recommended"], "dice_raw": case["dice_raw"]})


@pytest.mark.parametrize("case", SZCORE["subject_datasets"], ids=lambda case: case["id"])
def test_subjects(case: dict[str, Any]) -> None:
    found = vectors.subjects(case)
    assert found == close({key: case[key] for key in ("subjects", "average", "dice_at_seizure")})


@pytest.mark.parametrize("duration", [0.0, -1.0, float("nan"), float("inf"), None, "60", True])
def test_a_duration_that_is_none(duration: Any) -> None:
    with pytest.raises(ValueError, match="cannot be scored"):
        vectors.szcore({"ref": [], "hyp": [], "duration_s": duration, "params": {}})


@pytest.mark.parametrize("case", STAGING["staging"])
def test_staging(case: dict[str, Any]) -> None:
    found = vectors.staging(case)
    assert found == close({"macro_f1": case["macro_f1"], "kappa": case["kappa"]}), case["note"]


@pytest.mark.parametrize("case", STAGING["classification"])
def test_classification(case: dict[str, Any]) -> None:
    found = vectors.classification(case)
    assert found == close({key: case[key] for key in ("accuracy", "macro_f1")}), case["note"]
    assert corpus.confuse(case["gold"], case["pred"], case["classes"]).n_invalid == case["invalid"]


@pytest.mark.parametrize(("kind", "case", "profile"), CASES)
def test_a_case_of_the_suite(kind: str, case: dict[str, Any], profile: Any) -> None:
    column = "expected_strict" if profile == "strict" else "expected_official"
    expected = vectors.plain(case[column if column in case else "expected"])
    if isinstance(expected, dict) and "$raises" in expected:
        with pytest.raises(RAISED[expected["$raises"]]):
            vectors.eegagentbench(kind, case, profile)
    else:
        assert vectors.eegagentbench(kind, case, profile) == close(expected), case.get("why")
