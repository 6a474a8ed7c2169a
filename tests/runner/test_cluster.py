"""Runs on a real Dask cluster of two processes, which lose a process now and then."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from benchmarks.killing import lasting
from braino_registry import reports, runner
from braino_registry.errors import HostError, UsageError
from braino_registry.runner import cluster, computer, journal, outpost
from tests.runner.conftest import HERE
from tests.runner.test_runs import children, wait_for_child_named

distributed = pytest.importorskip("distributed")


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the processes of a cluster put temporary files."""
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    return tmp_path / "scratch"


@pytest.fixture(params=[3])
def remote(scratch: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A cluster of two processes that the tests, and not the run, have started.

    How often it gives a task to another process when one is lost is the test's choice.
    """
    import dask

    failures = {"distributed.scheduler.allowed-failures": request.param}
    with dask.config.set(failures), distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0",
        memory_limit=0, host="127.0.0.1",
    ) as made:  # fmt: skip
        yield made


def processes_of(made: Any) -> list[int]:
    return [nanny.pid for nanny in made.workers.values()]


def test_a_run_on_a_cluster_is_the_run_on_one_computer(settings: Any, tmp_path: Path) -> None:
    before = children()
    options = {"repeats": 3, "seed": 5}
    here = runner.run(settings("tells_its_seed", "probe-sum", "probe-rate", **options))
    there = runner.run(
        settings(
            "tells_its_seed", "probe-sum", "probe-rate", cluster="local",
            run_dir=tmp_path / "there", **options,
        )
    )  # fmt: skip
    assert there.exit_code == 0, [row["reason"] for row in there.report["trials"]]
    assert lasting(there.report, attempts=True) == lasting(here.report, attempts=True)
    assert there.report["settings"]["jobs"] == 2
    reports.read(there.path, verify=True)
    names = sorted(path.name for path in there.run_dir.iterdir())
    assert names == ["expected", "journal.jsonl", "report.json", "run.json", "trials"]
    # Python's own helper for processes stays as long as this one.
    left = [psutil.Process(pid).cmdline() for pid in children() - before]
    assert [line for line in left if "resource_tracker" not in " ".join(line)] == []


@pytest.mark.parametrize("remote", [3, pytest.param(0, marks=pytest.mark.slow)], indirect=True)
def test_a_killed_process_of_the_cluster_leaves_its_trial_unscored_and_it_never_runs_twice(
    settings: Any, tmp_path: Path, remote: Any, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visits = tmp_path / "visits"
    visits.mkdir()
    asked = settings(
        "signs_the_book", "probe-sum", repeats=3, cluster=remote.scheduler_address,
        model=str(visits),
    )  # fmt: skip
    killer = threading.Thread(target=kill_the_host_of, args=(visits, "large-2", remote))
    killer.start()
    result = runner.run(asked)
    killer.join()
    assert list(scratch.glob("braino-????????????????")) == []
    assert result.exit_code == 3
    rows = {(row["instance"], row["repeat"]): row for row in result.report["trials"]}
    struck = rows.pop(("large", 2))
    assert struck["outcome"] == "harness_error"
    assert "never run again by itself" in struck["reason"]
    assert {row["outcome"] for row in rows.values()} == {"failed"}
    signed = sorted(path.name for path in visits.iterdir())
    assert len(signed) == len(set(signed)) == 6
    assert all(path.read_text() == "once\n" for path in visits.iterdir()), "a trial ran twice"
    monkeypatch.setenv("PROBE_AWAKE", "1")
    again = runner.resume(result.run_dir, retry_errors=True, cluster="none")
    assert {row["outcome"] for row in again.report["trials"]} == {"failed"}
    attempts = [row["attempt"] for row in again.report["trials"]]
    assert sorted(attempts) == [1, 1, 1, 1, 1, 2]


def kill_the_host_of(visits: Path, name: str, remote: Any) -> None:
    """Wait until the agent of a trial is at work; kill the Dask process that its worker is in."""
    tick = threading.Event()
    for _ in range(6000):
        for pid in processes_of(remote) if (visits / name).exists() else ():
            for each in psutil.Process(pid).children(recursive=True):
                with suppress(psutil.Error):
                    if "sleep" in " ".join(each.cmdline()):
                        os.kill(pid, signal.SIGKILL)
                        return
        tick.wait(0.01)
    raise AssertionError("no trial is asleep")


def test_a_cluster_that_goes_leaves_what_has_finished_and_the_run_can_be_resumed(
    settings: Any, tmp_path: Path
) -> None:
    code = (
        "from distributed import LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    with LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=0,\n"
        "                      dashboard_address='127.0.0.1:0', host='127.0.0.1') as made:\n"
        "        print(made.scheduler_address, flush=True)\n"
        "        input()\n"
    )
    (tmp_path / "serve.py").write_text(code)
    server = subprocess.Popen(
        [sys.executable, str(tmp_path / "serve.py")], cwd=HERE, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    family = psutil.Process(server.pid).children(recursive=True)
    told: list[dict[str, Any]] = []

    def kill_after_first(event: dict[str, Any]) -> None:
        told.append(event)
        if event["type"] == "finished":
            wait_for_child_named(server, "sleep 1000")
            family.extend(psutil.Process(server.pid).children(recursive=True))
            os.killpg(server.pid, signal.SIGKILL)

    asked = settings("sleeps_on_large", "probe-sum", cluster=address)
    result = runner.run(asked, observer=kill_after_first)
    server.communicate()
    assert result.exit_code == 3
    assert [row["instance"] for row in result.report["trials"]] == ["small"]
    assert "INCOMPLETE: 1 of 2" in result.report["coverage"]["statement"]
    notes = [event["text"] for event in told if event["type"] == "note"]
    assert any("the cluster is gone" in text and "braino eval resume" in text for text in notes)
    _, alive = psutil.wait_procs(family, timeout=20)
    assert alive == []
    assert journal.read(result.run_dir / "journal.jsonl").in_flight() == [("probe-sum", "large", 1)]
    os.environ["PROBE_AWAKE"] = "1"
    try:
        again = runner.resume(result.run_dir, cluster="none")
    finally:
        del os.environ["PROBE_AWAKE"]
    assert again.exit_code == 0
    assert {row["instance"]: row["attempt"] for row in again.report["trials"]} == {
        "small": 1,
        "large": 2,
    }


def test_a_trial_of_a_killed_parent_does_not_go_on_at_the_cluster(
    tmp_path: Path, cache: Path, remote: Any
) -> None:
    from tests.runner.test_runs import start_cli

    process = start_cli(
        tmp_path, cache, "never_returns", "probe-sum", "--cluster", remote.scheduler_address
    )
    tick = threading.Event()
    sleepers: list[psutil.Process] = []
    for _ in range(6000):
        sleepers = [
            each
            for pid in processes_of(remote)
            for each in psutil.Process(pid).children(recursive=True)
            if "braino.agent" in " ".join(each.cmdline())
        ]
        if len(sleepers) == 2:
            break
        tick.wait(0.01)
    assert len(sleepers) == 2
    hosts = processes_of(remote)
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(sleepers, timeout=20)
    assert alive == []
    assert processes_of(remote) == hosts


@pytest.mark.parametrize("address", ["nowhere", "tcp://127.0.0.1:1", "tcp://", "local:1", ""])
def test_an_address_without_a_scheduler_is_refused_before_anything_is_made(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 0.5)
    with pytest.raises(UsageError, match="no Dask scheduler") as caught:
        runner.run(settings("good", cluster=address))
    assert "`local`, or an address" in caught.value.hint
    assert not (tmp_path / "run").exists()


def test_without_the_package_the_command_that_installs_it_is_told(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(HostError, match="needs the package distributed") as caught:
        runner.run(settings("good", cluster="local"))
    assert "pip install 'braino-registry[cluster]'" in caught.value.hint
    assert not (tmp_path / "run").exists()


def test_nothing_of_dask_is_imported_where_no_cluster_is_asked_for() -> None:
    code = (
        "import sys, braino_registry.runner.crews, braino_registry.runner\n"
        "assert not [name for name in sys.modules if name in ('distributed', 'dask')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def here() -> dict[str, Any]:
    return computer.describe()


def marked(tmp_path: Path) -> str:
    (tmp_path / "run" / "claims").mkdir(parents=True)
    (tmp_path / "run" / "claims" / "mark").touch()
    return str(cluster.claim_of(tmp_path / "run", SPEC))


SPEC = {"task": "probe-sum", "instance": "small", "repeat": 1, "attempt": 1}


def test_a_process_that_does_not_see_the_run_folder_is_unfit(tmp_path: Path) -> None:
    claim = str(cluster.claim_of(tmp_path / "run", SPEC))
    reply = outpost.work({}, {}, claim, here(), {})
    assert reply["type"] == "unfit"
    assert str(tmp_path / "run") in reply["text"]


def test_a_process_with_other_versions_is_unfit(tmp_path: Path) -> None:
    claim = marked(tmp_path)
    expected = {**here(), "packages": {**here()["packages"], "numpy": "1.0"}}
    reply = outpost.work({}, {}, claim, expected, {})
    assert reply["type"] == "unfit"
    assert "numpy" in reply["text"]
    assert "instead of 1.0" in reply["text"]
    with pytest.raises(HostError, match="a process of the cluster has numpy"):
        cluster._taken(reply)


def test_a_second_claim_tells_what_the_first_has_come_to_or_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = []

    class Hand:
        def take(self, *rest: Any) -> Hand:
            return self

        def give_back(self, *rest: Any) -> None:
            ran.append("back")

        def request(self, message: Any) -> Any:
            ran.append("trial")
            return {"type": "result", "record": {"n": len(ran)}, "spent": False}

    monkeypatch.setattr(outpost, "pool", Hand)
    monkeypatch.setattr(outpost, "_wanted", lambda: lambda: True)
    claim = marked(tmp_path)
    first = outpost.work({}, {}, claim, here(), {})
    assert outpost.work({}, {}, claim, here(), {}) == first
    Path(f"{claim}.done").unlink()
    assert outpost.work({}, {}, claim, here(), {}) == {"type": "claimed"}
    assert ran.count("trial") == 1


def test_an_orphaned_worker_may_clean_up_before_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_LEAVE_SECONDS", 5.0)
    roster = cluster.Patient()
    code = "import sys, time; time.sleep(0.3); open(sys.argv[1], 'w').close()"
    leaving = [sys.executable, "-c", code, str(tmp_path / "clean")]
    with subprocess.Popen(leaving, start_new_session=True):
        assert roster.stop_strays() == 0
    assert (tmp_path / "clean").exists()
    monkeypatch.setattr(cluster, "_LEAVE_SECONDS", 0.1)
    with subprocess.Popen(["sleep", "1000"], start_new_session=True):
        assert roster.stop_strays() == 1
