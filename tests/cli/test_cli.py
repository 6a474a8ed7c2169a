"""The command line as a person uses it: real processes, exit codes, three lines of error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from braino_registry import __version__, reports
from tests.reports.samples import report, trial

ENTRIES = Path(__file__).parents[1] / "runner" / "entries"
ZOO = ENTRIES.parent


def braino(*arguments: str, cwd: Path = ZOO, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "braino_registry.cli", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **environ},
    )


def assert_error(done: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    assert done.returncode == code, done.stderr + done.stdout
    assert len(done.stderr.strip().splitlines()) <= 3, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


def test_help_imports_nearly_nothing() -> None:
    code = (
        "import sys\nfrom braino_registry.cli import main\n"
        "try:\n    main(['--help'])\nfinally:\n"
        "    ours = [n for n in sys.modules if n.startswith('braino_registry')]\n"
        "    print(sorted(ours), file=sys.stderr)\n"
        "    heavy = {'numpy', 'mne', 'scipy', 'rich', 'jsonschema', 'msgspec', 'psutil'}\n"
        "    print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr.splitlines() == ["['braino_registry', 'braino_registry.cli']", "[]"]
    for group in ("data", "eval", "task", "tools"):
        assert group in done.stdout


def test_version() -> None:
    assert braino("--version").stdout == f"braino-registry {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["evl"], ["Did you mean 'eval'"]),
        (["eval", "run", "--agent", "oracel", "--suite", "braino"], []),
        (["eval", "run", "--agent", "null", "--suite", "brano"], ["'brano'", "braino"]),
        (["eval", "run", "--agent", "null", "--tier", "minimun"], ["Did you mean 'minimum'"]),
        (["eval", "run", "--agent", "null", "--data", "twins"], ["Did you mean 'twin'"]),
        (["eval", "run", "--agent", "null", "--jobs", "0"], ["--jobs"]),
        (["eval", "run", "--agent", "null", "--isolation", "proces"], ["'process'"]),
        (["eval", "run", "--agent", "null", "--registry", "nowhere"], ["nowhere"]),
        (["eval", "run", "--agent", "null", "--salt", "nowhere"], ["nowhere", "salt"]),
        (["eval", "compare", "a.json", "b.json"], ["a.json"]),
        (["eval", "resume", "nowhere"], ["nowhere"]),
        (["data", "info", "two-subjects-rest"], ["two-subject-rest"]),
        (["tools", "show", "dataset.inspekt"], ["dataset.inspect"]),
        (["task", "check", "nowhere.json"], ["nowhere.json"]),
    ],
)
def test_what_does_not_exist_is_exit_code_two_with_the_likely_intent(
    arguments: list[str], words: list[str]
) -> None:
    done = braino(*arguments)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


def test_an_unknown_task_or_agent_is_named_with_the_likely_intent() -> None:
    done = braino("eval", "run", "probe-summ", "--agent", "null", "--registry", str(ENTRIES))
    assert_error(done, 2, "'probe-summ'", "Did you mean 'probe-sum'")
    done = braino("eval", "run", "probe-sum", "--agent", "oracel", "--registry", str(ENTRIES))
    assert_error(done, 2, "'oracel'", "Did you mean 'oracle'")


def test_the_sandbox_is_refused_with_exit_code_three() -> None:
    done = braino("eval", "run", "--agent", "null", "--isolation", "sandbox")
    assert_error(done, 3, "not yet available on this installation", "--isolation process")


def test_debug_shows_the_traceback() -> None:
    done = braino("eval", "run", "--agent", "null", "--tier", "x", "--debug")
    assert "Traceback" in done.stderr


def test_listing_tasks_and_broken_entries(tmp_path: Path) -> None:
    done = braino("eval", "list", "--suite", "probe", "--registry", str(ENTRIES), "--json")
    rows = json.loads(done.stdout)
    assert [row["id"] for row in rows] == ["probe-brief", "probe-rate", "probe-sum"]
    assert {"id", "version", "suite", "category", "difficulty", "title", "instances"} <= set(
        rows[0]
    )
    assert {"datasets", "needs", "large", "reference", "chance", "digests"} <= set(rows[0])
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "new.json").write_text('{"schema": "task/2", "id": "from-tomorrow"}')
    done = braino("eval", "list", "--registry", str(ENTRIES), "--registry", str(tmp_path))
    assert done.returncode == 2
    assert "probe-sum" in done.stdout
    assert "new.json" in done.stderr
    assert "newer schema" in done.stderr


def test_a_dry_run_says_what_how_big_and_what_is_missing(tmp_path: Path) -> None:
    arguments = ["eval", "run", "--suite", "probe", "--agent", "null", "--dry-run"]
    places = ["--registry", str(ENTRIES), "--cache", str(tmp_path / "cache")]
    plan = json.loads(braino(*arguments, *places, "--json", cwd=tmp_path).stdout)
    assert plan["trials"] == 4
    assert plan["not_planned"][0]["command"] == "braino data fetch eeglab-tutorial"
    assert plan["bytes_to_get"] > 4_000_000
    states = {row["dataset"]: row["state"] for row in plan["datasets"]}
    assert states == {"eeglab-tutorial@1.0.0": "missing", "two-subject-rest@1.0.0": "to build"}
    done = braino(*arguments, *places, cwd=tmp_path)
    assert "4 trials of suite probe" in done.stdout
    assert "Not planned" in done.stdout
    assert list(tmp_path.iterdir()) in ([], [tmp_path / "cache"])


def test_a_run_by_its_default_folder_and_its_json(tmp_path: Path) -> None:
    arguments = ["eval", "run", "probe-sum", "--agent", "null", "--registry", str(ENTRIES)]
    done = braino(*arguments, "--json", "-o", "today.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["summary"]["passed"] == 0
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.endswith("-probe-null")
    assert reports.read(tmp_path / "today.json", verify=True)["run_id"] == printed["run_id"]
    assert [line[:5] for line in done.stderr.splitlines()] == ["[1/2]", "[2/2]"]
    done = braino(*arguments, "--fail-under", "0.9", cwd=tmp_path)
    assert done.returncode == 1
    assert "Checks that pass although no trial does" in done.stdout
    assert "no-data" in done.stdout


def test_the_folder_of_the_report_must_exist(tmp_path: Path) -> None:
    arguments = ["eval", "run", "probe-sum", "--agent", "null", "--registry", str(ENTRIES)]
    done = braino(*arguments, "-o", "missing/today.json", cwd=tmp_path)
    assert_error(done, 2, "missing/today.json")
    assert list(tmp_path.iterdir()) == []


def test_the_example_of_an_agent_author_runs_as_printed(tmp_path: Path) -> None:
    (tmp_path / "mymodule.py").write_text(
        """from braino.agent import AgentAnswer, Session


class MyAgent:
    name = "my-agent"
    model = "qwen3-4b-q4"

    def solve(self, request: str, session: Session) -> AgentAnswer:
        outcome = session.call("dataset.inspect", {})
        return AgentAnswer(text=f"The dataset has {outcome.result['n_subjects']} subjects.")


def make() -> MyAgent:
    return MyAgent()
"""
    )
    done = braino(
        *("eval", "run", "probe-rate", "--agent", "mymodule:make", "--tier", "minimum"),
        *("--registry", str(ENTRIES), "--data", "twin", "--json"),
        cwd=tmp_path,
        BRAINO_CACHE=str(tmp_path / "cache"),
    )
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["agent"]["name"] == "my-agent"
    assert printed["agent"]["model"] == "qwen3-4b-q4"
    (row,) = printed["trials"]
    assert row["outcome"] == "failed"
    assert row["usage"]["tool_calls"] == 1
    (folder,) = (tmp_path / "runs").iterdir()
    assert "The dataset has 2 subjects." in (folder / row["transcript"]).read_text()


def test_comparing(tmp_path: Path) -> None:
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    reports.write(before, report([trial(), trial(instance="x")]))
    reports.write(after, report([trial(outcome="failed"), trial(instance="x")]))
    done = braino("eval", "compare", str(before), str(after))
    assert done.returncode == 0
    assert "0 fixed, 1 broken, 1 unchanged" in done.stdout
    done = braino("eval", "compare", str(before), str(after), "--fail-on-regression", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["comparable"] == 2
    after.write_text(after.read_text().replace('"failed"', '"passed"'))
    assert_error(braino("eval", "compare", str(before), str(after)), 2, "edited", "after.json")


def test_datasets_from_the_shell(tmp_path: Path) -> None:
    cache = {"BRAINO_CACHE": str(tmp_path / "cache")}
    done = braino("data", "path", "two-subject-rest", **cache)
    assert_error(done, 3, "not built", "braino data build two-subject-rest")
    built = braino("data", "build", "two-subject-rest", **cache).stdout.strip()
    assert (Path(built) / "dataset_description.json").is_file()
    assert braino("data", "path", "two-subject-rest@1.0.0", **cache).stdout == f"{built}\n"
    verified = braino("data", "verify", "two-subject-rest", "--deep", "--json", **cache)
    assert verified.returncode == (0 if json.loads(verified.stdout)["ok"] else 3)
    assert "participants.tsv" not in verified.stdout
    participants = Path(built) / "participants.tsv"
    participants.chmod(0o644)
    participants.write_text(participants.read_text() + "sub-99\tn/a\n")
    done = braino("data", "verify", "two-subject-rest", "--deep", **cache)
    assert done.returncode == 3
    assert "participants.tsv" in done.stdout
    rows = json.loads(braino("data", "list", "--json", **cache).stdout)
    assert {"id", "version", "kind", "present", "built"} <= set(rows[0])
    assert "two-subject-rest" in braino("data", "info", "two-subject-rest", **cache).stdout
    done = braino("data", "fetch", "eeglab-tutorial", **cache, BRAINO_OFFLINE="1")
    assert done.returncode == 3
    assert "BRAINO_OFFLINE" in done.stderr


def test_tools_from_the_shell() -> None:
    rows = json.loads(braino("tools", "list", "--json").stdout)
    assert {"calc", "dataset.inspect"} <= {row["name"] for row in rows}
    shown = json.loads(braino("tools", "show", "calc", "--json").stdout)
    assert shown["arguments"]["required"] == ["expression"]
    assert "expression" in braino("tools", "show", "calc").stdout


def test_checking_a_task_file(tmp_path: Path) -> None:
    good = ENTRIES / "tasks" / "probe" / "sum.json"
    arguments = ["--registry", str(ENTRIES), "--cache", str(tmp_path / "cache"), "--json"]
    done = braino("task", "check", str(good), *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(done.stdout)
    assert len(rows) == 2 * 5
    assert all(row["ok"] for row in rows)
    document = json.loads(good.read_text())
    document |= {"id": "probe-new", "reference": {**document["reference"], "answer": "No idea."}}
    del document["reference"]["data"]
    (tmp_path / "new.json").write_text(json.dumps(document))
    done = braino("task", "check", str(tmp_path / "new.json"), *arguments)
    assert done.returncode == 2
    wrong = [row["what"] for row in json.loads(done.stdout) if row["ok"] is False]
    assert "oracle passes" in wrong
    (tmp_path / "new.json").write_text(json.dumps({**document, "checks": []}))
    assert_error(braino("task", "check", str(tmp_path / "new.json"), *arguments), 2, "new.json")
