"""The abuse table: a few deeds here, all of them with ``python -m benchmarks.abuse``."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import abuse, mischief
from benchmarks.abuse_table import Row
from braino_registry.runner.sandbox.bubblewrap import Bubblewrap

FOUND = Bubblewrap().probe()
#: One of each kind that takes no longer than its trial.
QUICK = (
    "remount", "setuid_file", "fork_bomb", "memory_at_once", "memory_in_files",
    "prints_100_megabytes", "leaves_a_daemon", "links_for_artifacts", "sparse_artifact",
    "forges_replies", "sends_no_utf8", "reaches_loopback", "reads_the_truth",
    "reads_other_trials", "reads_secrets_of_the_environment", "writes_to_the_input",
    "reads_every_environment", "answers_before_its_hello", "memory_in_names", "disk_beyond_the_end",
)  # fmt: skip


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the table change folder, environment and tiers for this test alone."""
    import tempfile

    from braino_registry.runner import tiers

    monkeypatch.chdir(abuse.HERE)
    monkeypatch.setenv("TMPDIR", tempfile.gettempdir())
    monkeypatch.setenv("ABUSE_SECRET", "")
    monkeypatch.setattr(tempfile, "tempdir", tempfile.gettempdir())
    monkeypatch.setitem(tiers._table(), "abuse", {})


@pytest.mark.skipif(not FOUND.works, reason=f"no bubblewrap: {FOUND.detail}")
def test_a_sandbox_stands_abuse(quiet: None) -> None:
    rows = abuse.try_all(["sandbox"], list(QUICK), "whoever")
    assert [row.deed for row in rows] == list(QUICK)
    assert [
        f"{row.deed}: {row.problem} ({row.said} {row.reason})" for row in rows if row.problem
    ] == []


def test_a_process_stands_what_it_is_to_stand(quiet: None) -> None:
    deeds = ["prints_100_megabytes", "leaves_a_daemon", "links_for_artifacts", "sends_no_utf8"]
    rows = abuse.try_all(["process"], deeds, "whoever")
    assert [f"{row.deed}: {row.problem} ({row.said})" for row in rows if row.problem] == []
    assert {row.deed: row.outcome for row in rows} == {
        "prints_100_megabytes": "limit",
        "leaves_a_daemon": "failed",
        "links_for_artifacts": "failed",
        "sends_no_utf8": "agent_error",
    }


def test_what_is_wrong_is_told() -> None:
    good = Row("remount", "sandbox", "x", "failed", "", "refused", 0.1, 1000, 0, "", 0)
    assert good.problem == ""
    for change in (
        {"outcome": "harness_error"}, {"left": 1}, {"kept": "a setuid file"},
        {"kept_bytes": 10**8}, {"grown_bytes": 10**9}, {"said": "DONE"},
        {"reason": "factory: it failed"},
    ):  # fmt: skip
        assert Row(**{**good.__dict__, **change}).problem, change


@pytest.mark.slow
@pytest.mark.skipif(not FOUND.works, reason=f"no bubblewrap: {FOUND.detail}")
def test_the_whole_table(quiet: None, tmp_path: Path) -> None:
    rows = abuse.try_all(["sandbox", "process"], list(mischief.DEEDS), "whoever")
    assert [f"{row.deed}: {row.problem} ({row.said})" for row in rows if row.problem] == []
