"""Runs that are parted into shards, and put together again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.killing import lasting
from braino_registry import reports, runner
from braino_registry.errors import ReportError, UsageError
from braino_registry.runner import journal, seeds, shards
from braino_registry.runner.shards import Shard


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of shards, each made once; tests get copies."""
    return tmp_path_factory.mktemp("shards")


@pytest.fixture
def sharded(settings: Any, tmp_path: Path, kept: Path) -> Callable[..., list[Path]]:
    def run(agent: str = "good", of: int = 3, only: tuple[int, ...] = (), **options: Any) -> Any:
        chosen = {"repeats": 3, **options}
        name = "-".join([agent, str(of), *(f"{key}={chosen[key]}" for key in sorted(chosen))])
        folders = []
        for index in only or range(1, of + 1):
            made, folder = kept / f"{name}-{index}", tmp_path / f"shard-{index}"
            if not made.exists():
                asked = settings(agent, run_dir=made, shard=f"{index}/{of}", **chosen)
                assert runner.run(asked).exit_code in (0, 3)
            shutil.copytree(made, folder)
            folders.append(folder)
        return folders

    return run


def test_merged_shards_are_the_run_that_was_never_parted(
    settings: Any, sharded: Any, tmp_path: Path
) -> None:
    folders = sharded(jobs=2)
    whole = runner.run(settings("good", repeats=3))
    copy = tmp_path / "merged.json"
    merged = runner.merge(folders[::-1], run_dir=tmp_path / "merged", report=copy)
    assert merged.exit_code == 0
    assert lasting(merged.report) == lasting(whole.report)
    assert reports.read(copy, verify=True) == reports.read(tmp_path / "merged", verify=True)
    assert [each["shard"] for each in merged.report["merged"]] == ["1/3", "2/3", "3/3"]
    assert merged.report["settings"]["repeats"] == 3
    assert "shard" not in merged.report["settings"]
    for trial in merged.report["trials"]:
        transcript = (tmp_path / "merged" / trial["transcript"]).read_text()
        assert '"type":"end"' in transcript
    assert len(list((tmp_path / "merged" / "expected").rglob("*.json"))) == 6
    found = reports.compare(whole.report, merged.report)
    assert found.comparable == 6
    assert found.document["differences"] == []


def test_the_report_of_a_shard_says_that_it_is_a_part(sharded: Any) -> None:
    (folder,) = sharded(of=4, only=(2,))
    report = reports.read(folder, verify=True)
    assert report["coverage"]["planned"] == 2
    assert report["coverage"]["complete"]
    assert report["coverage"]["statement"].startswith("PART 2/4 of a run. All 2 planned")
    assert report["settings"]["shard"] == "2/4"
    assert [(row["instance"], row["repeat"]) for row in report["trials"]] == [
        ("small", 2),
        ("large", 3),
    ]


@pytest.mark.slow
def test_a_merged_run_can_be_scored_again_and_resumed(sharded: Any, tmp_path: Path) -> None:
    merged = runner.merge(sharded(), run_dir=tmp_path / "merged")
    again = runner.rescore(tmp_path / "merged")
    assert again.report["summary"] == merged.report["summary"]
    lines = (tmp_path / "merged" / "journal.jsonl").read_bytes()
    assert runner.resume(tmp_path / "merged").report["trials"] == merged.report["trials"]
    assert (tmp_path / "merged" / "journal.jsonl").read_bytes() == lines


def test_what_a_shard_has_not_finished_is_incomplete_and_can_be_resumed(
    sharded: Any, tmp_path: Path
) -> None:
    folders = sharded()
    file = folders[1] / "journal.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:-1]))
    merged = runner.merge(folders, run_dir=tmp_path / "merged")
    assert merged.exit_code == 3
    assert merged.report["coverage"]["statement"] == (
        "INCOMPLETE: 5 of 6 planned trials are scored."
    )
    resumed = runner.resume(tmp_path / "merged")
    assert resumed.exit_code == 0
    attempts = [row["attempt"] for row in resumed.report["trials"]]
    assert sorted(attempts) == [1, 1, 1, 1, 1, 2]
    assert list((tmp_path / "merged").rglob("*.attempt-1")) != []


@pytest.mark.slow
def test_errors_of_the_harness_in_a_shard_are_mended_in_the_merged_run(
    sharded: Any, tmp_path: Path
) -> None:
    folders = sharded("kills_its_worker", of=2, repeats=1)
    merged = runner.merge(folders, run_dir=tmp_path / "merged")
    assert merged.exit_code == 3
    again = runner.resume(tmp_path / "merged", retry_errors=True)
    assert [row["attempt"] for row in again.report["trials"]] == [2, 2]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((1, 3), ["shard 2/3 is missing"]),
        ((2,), ["shard 1/3 is missing", "shard 3/3 is missing"]),
        ((1, 2, 3, 2), ["shard 2/3 is given twice"]),
        ((1, 1), ["shard 2/3 is missing", "shard 3/3 is missing", "shard 1/3 is given twice"]),
    ],
)
def test_missing_and_doubled_shards_are_named(
    sharded: Any, tmp_path: Path, given: tuple[int, ...], words: list[str]
) -> None:
    folders = sharded(repeats=2)
    with pytest.raises(UsageError) as caught:
        runner.merge([folders[i - 1] for i in given], run_dir=tmp_path / "merged")
    for word in words:
        assert word in caught.value.problem
    assert not (tmp_path / "merged").exists()


def edited(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the run.json of a shard, as if it had been run in another way."""
    file = folder / "run.json"
    document = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document))


OTHER = "sha256:" + "9" * 64
CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "--seed": lambda run: run["asked"].update(seed=1),
    "--tier": lambda run: run["asked"].update(tier="server"),
    "--isolation": lambda run: run["asked"].update(isolation="none"),
    "--profile": lambda run: run["asked"].update(profile="published"),
    "--model": lambda run: run["asked"].update(model="qwen"),
    "TASK": lambda run: run["asked"].update(tasks=["probe-sum", "probe-brief"]),
    "--salt": lambda run: run.update(salt=OTHER),
    "the agent": lambda run: run["agent"].update(factory="zoo:idle"),
    "the tier": lambda run: run["tier"].update(memory_bytes=1),
    "how limits are held": lambda run: run["enforcement"].update(memory="none"),
    "the digests of the tasks": lambda run: run["plan"]["digests"]["probe-sum"].update(work=OTHER),
    "which trials are planned": lambda run: run["plan"]["planned"][0].update(version="1.0.1"),
    "packages version": lambda run: run["computer"]["packages"].update(numpy="1.0"),
    "python version": lambda run: run["computer"].update(python="CPython 3.99"),
    "the rule of the suite": lambda run: run.update(rule="brainbench"),
}


@pytest.mark.parametrize("what", sorted(CHANGES))
def test_shards_that_were_run_differently_are_refused_by_name(
    sharded: Any, tmp_path: Path, what: str
) -> None:
    folders = sharded(of=2, repeats=1)
    edited(folders[1], CHANGES[what])
    with pytest.raises(UsageError, match="run differently") as caught:
        runner.merge(folders, run_dir=tmp_path / "merged")
    assert what in caught.value.problem
    assert not (tmp_path / "merged").exists()


@pytest.mark.parametrize("change", [{"shard": "1/2"}, {"trials": 2}])
def test_a_shard_that_contradicts_itself_is_refused(
    sharded: Any, tmp_path: Path, change: dict[str, Any]
) -> None:
    """One trial would be there twice otherwise, and another one missing unnoticed."""
    folders = sharded(of=2, repeats=1)
    edited(folders[1], lambda run: run["plan"].update(change))
    with pytest.raises(ReportError, match="contradicts itself on what shard 2/2 is"):
        runner.merge(folders, run_dir=tmp_path / "merged")


def test_shards_may_come_from_different_computers_and_each_is_told(
    sharded: Any, tmp_path: Path
) -> None:
    folders = sharded(of=2, repeats=1)
    edited(folders[1], lambda run: run["computer"].update(cpu="another one", cores=64))
    merged = runner.merge(folders, run_dir=tmp_path / "merged")
    told = [each["computer"]["cpu"] for each in merged.report["merged"]]
    assert told[1] == "another one"
    assert told[0] != "another one"


def test_shards_of_different_runs_and_whole_runs_are_refused(
    settings: Any, sharded: Any, tmp_path: Path
) -> None:
    folders = sharded(of=2, repeats=1)

    def as_another(run: dict[str, Any]) -> None:
        run["asked"].update(shard="2/3")
        run["plan"].update(shard="2/3")

    edited(folders[1], as_another)
    with pytest.raises(UsageError, match=r"shards of different runs: 1/2 .*, 2/3 "):
        runner.merge(folders, run_dir=tmp_path / "merged")
    runner.run(settings("good"))
    with pytest.raises(UsageError, match="no shard, but a whole run"):
        runner.merge([tmp_path / "run"], run_dir=tmp_path / "merged")
    with pytest.raises(ReportError, match="no run folder"):
        runner.merge([tmp_path], run_dir=tmp_path / "merged")


def test_a_trial_of_another_shard_in_a_journal_is_refused(sharded: Any, tmp_path: Path) -> None:
    folders = sharded(of=2, repeats=1)
    with (folders[0] / "journal.jsonl").open("ab") as file:
        file.write((folders[1] / "journal.jsonl").read_bytes())
    with pytest.raises(ReportError, match="a trial that was not planned"):
        runner.merge(folders, run_dir=tmp_path / "merged")


def test_a_shard_that_still_runs_is_refused(sharded: Any, tmp_path: Path) -> None:
    folders = sharded(of=2, repeats=1)
    with (
        journal.Journal(folders[0] / "journal.jsonl"),
        pytest.raises(UsageError, match="shard 1/2 is still running"),
    ):
        runner.merge(folders, run_dir=tmp_path / "merged")


def test_a_merge_leads_nowhere_outside_the_shards(sharded: Any, tmp_path: Path) -> None:
    folders = sharded(of=2, repeats=1)
    secret = tmp_path / "secret"
    secret.write_text("not yours")
    trial = folders[0] / "trials" / "probe-sum" / "small" / "1"
    (trial / "link").symlink_to(secret)
    os.mkfifo(trial / "pipe")
    with pytest.raises(UsageError, match="would lie in that of shard 1/2"):
        runner.merge(folders, run_dir=folders[0] / "trials" / "merged")
    runner.merge(folders, run_dir=tmp_path / "merged")
    copied = tmp_path / "merged" / "trials" / "probe-sum" / "small" / "1"
    assert sorted(path.name for path in copied.iterdir()) == ["events.jsonl"]
    with pytest.raises(UsageError, match="already holds a run"):
        runner.merge(folders, run_dir=tmp_path / "merged")


@pytest.mark.parametrize(
    "text",
    ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/b", "1/10001", "1.0/3", " 1/3", "1/٣"],
)
def test_what_is_no_shard_is_refused_with_the_choices(settings: Any, text: str) -> None:
    with pytest.raises(UsageError, match="is not allowed here") as caught:
        runner.plan(settings("good", shard=text))
    assert "1/3, 2/3 and 3/3" in caught.value.hint


def test_a_shard_without_any_trial_is_refused(settings: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are only 2 trials") as caught:
        runner.run(settings("good", shard="3/3"))
    assert "at most 2 shards" in caught.value.hint
    assert not (tmp_path / "run").exists()


@given(st.integers(0, 200), st.integers(1, 40))
def test_every_trial_is_in_one_shard_and_shards_are_even(size: int, of: int) -> None:
    items = list(range(size))
    parts = [Shard(i, of).share(items) for i in range(1, of + 1)]
    assert sorted(item for part in parts for item in part) == items
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert all(part == sorted(part) for part in parts)


def test_a_plan_document_names_the_trials_of_its_shard(settings: Any) -> None:
    plan = runner.plan(settings("good", shard="2/2", repeats=3))
    document = plan.document()
    assert document["shard"] == "2/2"
    assert document["trials"] == 3
    assert shards.planned_keys(document) == [
        (row.task, row.instance, repeat) for row, repeat in plan.trials
    ]


def test_seeds_depend_on_nothing_but_run_and_trial(settings: Any, sharded: Any) -> None:
    whole = runner.run(settings("tells_its_seed", repeats=3, seed=7, jobs=2))
    told = {row["seed"] for row in whole.report["trials"]}
    assert len(told) == 6
    for row in whole.report["trials"]:
        key = (row["task"], row["instance"], row["repeat"])
        assert row["seed"] == seeds.of_trial(7, *key)
        events = (whole.run_dir / row["transcript"]).read_text()
        assert f'"text":"The seed is {row["seed"]}."' in events
    (folder,) = sharded("tells_its_seed", of=3, only=(3,), seed=7)
    assert {row["seed"] for row in reports.read(folder)["trials"]} < told
    assert seeds.of_trial(8, "probe-sum", "small", 1) not in told


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_that_generators_do_not_take_is_refused(settings: Any, seed: int) -> None:
    with pytest.raises(UsageError, match="is not allowed here") as caught:
        runner.plan(settings("good", seed=seed))
    assert caught.value.where == "--seed"


def test_a_torn_copy_of_a_shard_is_named(sharded: Any, tmp_path: Path) -> None:
    folders = sharded(of=2, repeats=1)
    shutil.rmtree(folders[1] / "trials")
    (folders[1] / "journal.jsonl").unlink()
    with pytest.raises(ReportError, match="cannot read the journal"):
        runner.merge(folders, run_dir=tmp_path / "merged")
