"""Every check kind: what it accepts and every way of cheating it has to refuse."""

from __future__ import annotations

from collections import Counter

import pytest

from braino_registry.scoring import check_kinds
from tests.scoring.case import Case
from tests.scoring.cases import CASES
from tests.scoring.evidence import evidence, run

# The cases of these need files, or many trials; they stand in tests of their own.
ELSEWHERE = {"artifact", "case_file", "corpus"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_verdict(case: Case) -> None:
    result = run(case.check, case.given)
    assert result.passed is case.passes, result.evidence
    assert case.says in result.evidence
    assert result.evidence


@pytest.mark.parametrize("kind", sorted(set(check_kinds.names()) - ELSEWHERE))
def test_disabling_a_kind_is_noticed(kind: str) -> None:
    """A kind that always passed, or always failed, would contradict the table."""
    outcomes = Counter(case.passes for case in CASES if case.check["kind"] == kind)
    assert outcomes[True] >= 2, "no accepted evidence"
    assert outcomes[False] >= 2, "no cheating"


@pytest.mark.parametrize("kind", check_kinds.names())
def test_doing_nothing_passes_only_what_forbids(kind: str) -> None:
    specs = [case.check for case in CASES if case.check["kind"] == kind]
    passed = [spec for spec in specs if run(spec, evidence(answered=False)).passed]
    assert bool(passed) is (kind in ("not_called", "not_decided"))


@pytest.mark.parametrize("kind", check_kinds.names())
def test_summary_and_version(kind: str) -> None:
    registered = check_kinds.get(kind)
    assert registered.summary.startswith("Require")
    assert registered.version.count(".") == 2
