"""Runs that are parted, shared out or disturbed, from the shell."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from braino_registry import reports
from tests.cli.shell import ENTRIES, ZOO, Inside, apart, assert_error
from tests.runner.test_runs import start_cli, wait_for_child_named


def test_shards_of_a_job_array_are_merged(inside: Inside, tmp_path: Path) -> None:
    for index in (1, 2):
        done = inside(
            *("eval", "run", "probe-sum", "--agent", "zoo:good", "--registry", str(ENTRIES)),
            *("--shard", f"{index}/2", "--run-dir", str(tmp_path / str(index)), "--seed", "3"),
            cwd=ZOO,
        )
        assert done.returncode == 0, done.stderr
        assert f"PART {index}/2 of a run." in done.stdout
    folders = [str(tmp_path / "2"), str(tmp_path / "1")]
    target = ("--run-dir", str(tmp_path / "whole"), "-o", str(tmp_path / "whole.json"))
    done = inside("eval", "merge", *folders, *target, "--json")
    assert done.returncode == 0, done.stderr
    report = reports.read(tmp_path / "whole.json", verify=True)
    assert json.loads(done.stdout) == report
    assert [row["instance"] for row in report["trials"]] == ["small", "large"]
    assert report["settings"]["seed"] == 3
    assert inside("eval", "resume", str(tmp_path / "whole")).returncode == 0
    target = ("--run-dir", str(tmp_path / "again"), "--fail-under", "0.9")
    assert inside("eval", "merge", *folders, *target).returncode == 1
    assert_error(inside("eval", "merge", folders[0]), 2, "shard 1/2 is missing")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--shard", "4/3", ["'4/3' is not allowed", "1/3, 2/3 and 3/3"]),
        ("--shard", "three", ["'three' is not allowed", "1/3, 2/3 and 3/3"]),
        ("--tier", "minimun", ["no tier called", "minimum"]),
        ("--isolation", "sandbx", ["sandbx", "sandbox"]),
        ("--cluster", "tcp://", ["no Dask scheduler", "`local`"]),
        ("--seed", "-1", ["-1 is not allowed", "from 0 to 4294967295"]),
        ("--jobs", "0", ["0 is not allowed", "from 1 to 1024"]),
    ],
)
def test_what_cannot_be_is_exit_code_two_with_the_choices(
    inside: Inside, tmp_path: Path, option: str, value: str, words: list[str]
) -> None:
    run_dir = tmp_path / "run"
    done = inside(
        *("eval", "run", "nothing-is-wrong", "--agent", "null", option, value),
        *("--run-dir", str(run_dir)),
    )
    assert_error(done, 2, *words)
    assert not run_dir.exists()


def test_an_address_of_no_cluster_ends_quietly(tmp_path: Path) -> None:
    """A client of Dask that was never connected complains while the interpreter ends."""
    asked = ("eval", "run", "nothing-is-wrong", "--agent", "null", "--cluster", "tcp://")
    assert_error(apart(*asked, cwd=tmp_path), 2, "no Dask scheduler")


def test_two_runners_in_one_folder_are_refused(inside: Inside, tmp_path: Path) -> None:
    first = start_cli(tmp_path, tmp_path / "cache", "never_returns", "probe-sum")
    wait_for_child_named(first, "sleep 1000")
    run_dir = str(tmp_path / "run")
    second = inside(
        *("eval", "run", "probe-sum", "--agent", "zoo:good", "--registry", str(ENTRIES)),
        *("--run-dir", run_dir),
        cwd=ZOO,
    )
    assert_error(second, 2, "already holds a run")
    assert_error(inside("eval", "resume", run_dir), 2, "another process is running")
    os.kill(first.pid, signal.SIGTERM)
    first.communicate(timeout=30)
    assert first.returncode == 130


def test_a_cache_that_cannot_be_is_one_error_before_any_trial(
    inside: Inside, tmp_path: Path
) -> None:
    run_dir = tmp_path / "run"
    (tmp_path / "file").write_text("")
    for cache in ("/dev/null/x", str(tmp_path / "file"), str(tmp_path / "file" / "deep" / "er")):
        for more in ((), ("--dry-run",)):
            done = inside(
                *("eval", "run", "nothing-is-wrong", "--agent", "null", "--cache", cache, *more),
                *("--run-dir", str(run_dir)),
            )
            assert_error(done, 3, "datasets cannot be kept here", "--cache")
            assert not run_dir.exists()


@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--isolation", "none")])
def test_an_endpoint_that_is_none_is_refused_on_every_level(
    inside: Inside, tmp_path: Path, more: tuple[str, ...]
) -> None:
    done = inside(
        *("eval", "run", "nothing-is-wrong", "--agent", "null", "--endpoint", "foo://x", *more),
        *("--run-dir", str(tmp_path / "run")),
    )
    assert_error(done, 2, "'foo://x' is no model endpoint", "--endpoint")


def test_a_copied_report_is_shown_with_the_run_it_came_from(
    inside: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ENTRIES.parent)
    folder = tmp_path / "where" / "runs" / "one"
    folder.parent.mkdir(parents=True)
    for name, target in (("zoo:good", "here.json"), ("zoo:idle", "idle.json")):
        done = inside(
            *("eval", "run", "probe-sum", "--agent", name, "--registry", str(ENTRIES)),
            *("--run-dir", str(folder.with_name(name[4:])), "-o", str(tmp_path / target)),
        )
        assert done.returncode == 0, done.stderr
    away = inside("eval", "show", str(tmp_path / "here.json"))
    run_id = reports.read(tmp_path / "here.json")["run_id"]
    assert f"a copy of the report of run {run_id}" in " ".join(away.stdout.split())
    near = tmp_path / "where" / "mine.json"
    near.write_bytes((tmp_path / "here.json").read_bytes())
    shown = inside("eval", "show", str(near), "--json")
    document = json.loads(shown.stdout)
    assert document["run_dir"] == str(folder.with_name("good"))
    assert document["trials"][0]["answer"] == "The total is 42.0."


def test_failures_can_be_shown_alone(
    inside: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ENTRIES.parent)
    done = inside(
        *("eval", "run", "probe-sum", "--agent", "zoo:good", "--registry", str(ENTRIES)),
        *("--run-dir", str(tmp_path / "run")),
    )
    assert done.returncode == 0, done.stderr
    failed = json.loads(inside("eval", "show", str(tmp_path / "run"), "--failed", "--json").stdout)
    outcomes = {row["instance"]: row["outcome"] for row in failed["trials"]}
    assert outcomes == {"large": "failed"}


def test_a_single_instance_is_run_shared_out_and_resumed(
    inside: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ENTRIES.parent)
    start = ("eval", "run", "--agent", "zoo:good", "--registry", str(ENTRIES))
    run = tmp_path / "run"
    done = inside(*start, "probe-sum/large", "--run-dir", str(run))
    assert done.returncode == 0, done.stderr
    assert "probe-sum/large" in done.stderr
    one = reports.read(run, verify=True)
    assert [row["instance"] for row in one["trials"]] == ["large"]
    asked = json.loads((run / "run.json").read_text())["asked"]
    assert asked["tasks"] == ["probe-sum/large"]
    assert inside("eval", "resume", str(run)).returncode == 0
    assert [row["instance"] for row in reports.read(run)["trials"]] == ["large"]
    whole = tmp_path / "whole"
    assert inside(*start, "probe-sum", "--run-dir", str(whole)).returncode == 0
    compared = inside("eval", "compare", str(run), str(whole))
    assert "1 unchanged" in compared.stdout
    assert_error(inside(*start, "probe-sum/large", "--shard", "2/2"), 2, "is only one trial")
    both = inside(*start, "probe-sum/large", "probe-sum", "--dry-run", "--json")
    assert json.loads(both.stdout)["trials"] == 2
    assert_error(inside(*start, "probe-sum/lrge", "--dry-run"), 2, "Did you mean 'large'?")
    assert_error(inside(*start, "probe-sum/large/1", "--dry-run"), 2, "no instance 'large/1'")
    assert_error(inside(*start, "probe-sm/large", "--dry-run"), 2, "Did you mean 'probe-sum'?")


def test_a_report_alone_says_where_the_failing_line_stands(
    inside: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ENTRIES.parent)
    run, alone = tmp_path / "away" / "run", tmp_path / "r1.json"
    run.parent.mkdir()
    done = inside(
        *("eval", "run", "probe-sum/small", "--agent", "zoo:raises", "--registry", str(ENTRIES)),
        *("--run-dir", str(run), "-o", str(alone)),
    )
    assert done.returncode == 0, done.stderr
    shown = inside("eval", "show", str(alone)).stdout
    assert "Where in its code: `braino eval show RUN_DIR probe-sum/small/1`" in shown
    known = inside("eval", "show", str(run), "probe-sum/small/1").stdout
    assert "Where in its code" not in known
    assert "zoo.py" in known
