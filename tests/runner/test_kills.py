"""Runs under fire: few kills here, many in ``python -m benchmarks.killing``."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks import killing
from braino_registry import reports


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> killing.Range:
    return killing.Range(tmp_path_factory.mktemp("field"), 12, random.Random(20240612))


@pytest.fixture(scope="module")
def pace(field: killing.Range) -> killing.Pace:
    return killing.undisturbed(field)


@pytest.mark.parametrize("times", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_a_run_whose_parent_is_killed_again_and_again_ends_as_if_undisturbed(
    times: int, field: killing.Range, pace: killing.Pace
) -> None:
    met = killing.kill_parents(field, pace, times)
    assert met.pop("runs") >= 1
    assert sum(met.values()) == times


def test_killed_workers_leave_trials_unscored_and_retry_errors_mends_them(
    field: killing.Range, pace: killing.Pace
) -> None:
    run, report, struck = killing.kill_children(field, pace, 2, killing.WORKER, "harness_error")
    assert struck >= 1
    assert not report["coverage"]["complete"]
    mended = field.finish("retry-errors", run)
    assert killing.lasting(mended) == killing.lasting(pace.report)
    assert [row["attempt"] for row in mended["trials"]].count(2) == struck


def test_killed_agents_are_errors_of_the_agent(field: killing.Range, pace: killing.Pace) -> None:
    run, report, struck = killing.kill_children(field, pace, 2, killing.AGENT, "agent_error")
    assert struck >= 1
    assert report["coverage"]["complete"]
    assert {row["score"] for row in report["trials"] if row["outcome"] == "agent_error"} == {0.0}
    assert reports.read(Path(run), verify=True)["summary"]["outcomes"]["agent_error"] == struck
