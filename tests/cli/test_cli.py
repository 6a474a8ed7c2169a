"""The command line as a person uses it: real processes, exit codes, three lines of error."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from braino_registry import __version__, reports
from tests.cli.shell import ENTRIES, ZOO, Inside, apart, assert_error
from tests.reports.samples import report, trial


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
    assert apart("--version").stdout == f"braino-registry {__version__}\n"


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
    arguments: list[str], words: list[str], inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ZOO)
    done = inside(*arguments)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


def test_an_unknown_task_or_agent_is_named_with_the_likely_intent(inside: Inside) -> None:
    done = inside("eval", "run", "probe-summ", "--agent", "null", "--registry", str(ENTRIES))
    assert_error(done, 2, "'probe-summ'", "Did you mean 'probe-sum'")
    done = inside("eval", "run", "probe-sum", "--agent", "oracel", "--registry", str(ENTRIES))
    assert_error(done, 2, "'oracel'", "Did you mean 'oracle'")


def test_a_sandbox_that_cannot_be_enforced_is_refused(tmp_path: Path) -> None:
    options = ("eval", "run", "--agent", "null", "--isolation", "sandbox")
    done = apart(*options, PATH=str(tmp_path), BRAINO_SANDBOX="bubblewrap")
    assert_error(done, 3, "there is no program bwrap", "apt install bubblewrap")


def test_debug_shows_the_traceback() -> None:
    done = apart("eval", "run", "--agent", "null", "--tier", "x", "--debug")
    assert "Traceback" in done.stderr
    assert done.returncode == 2


def test_debug_shows_where_in_its_code_an_agent_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def make():\n    return 1 / 0\n")
    arguments = ("eval", "run", "nothing-is-wrong", "--agent", "broken:make")
    assert_error(apart(*arguments, cwd=tmp_path), 2, "ZeroDivisionError", "--debug")
    done = apart(*arguments, "--debug", cwd=tmp_path)
    assert done.returncode == 2
    assert f'File "{tmp_path / "broken.py"}", line 2, in make' in done.stderr


def test_what_is_an_argument_is_said_to_be_one(inside: Inside) -> None:
    done = inside("eval", "run", "--task", "nothing-is-wrong", "--agent", "null")
    assert done.returncode == 2
    assert "`braino eval run [TASK[/INSTANCE]]...`" in done.stderr
    assert "--data" not in done.stderr
    done = inside("data", "info", "--dataset", "deap", "--json")
    assert "`braino data info DATASET`" in json.loads(done.stderr)["error"]["problem"]
    assert "Did you mean" in inside("eval", "run", "--agnt", "null").stderr


def test_of_many_names_the_near_ones_are_listed(inside: Inside) -> None:
    done = inside("tools", "show", "spectrum.peek")
    assert_error(done, 2, "Did you mean 'spectrum.peak@1.0.0'?", "spectrum.features@1.0.0, ")
    assert "reference" not in done.stderr
    assert len(done.stderr) < 600


def test_listing_tasks_and_broken_entries(inside: Inside, tmp_path: Path) -> None:
    done = inside("eval", "list", "--suite", "probe", "--registry", str(ENTRIES), "--json")
    rows = json.loads(done.stdout)
    assert [row["id"] for row in rows] == ["probe-brief", "probe-rate", "probe-sum"]
    assert {"id", "version", "suite", "category", "difficulty", "title", "instances"} <= set(
        rows[0]
    )
    assert {"datasets", "needs", "large", "reference", "chance", "digests"} <= set(rows[0])
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "new.json").write_text('{"schema": "task/2", "id": "from-tomorrow"}')
    done = inside("eval", "list", "--registry", str(ENTRIES), "--registry", str(tmp_path))
    assert done.returncode == 2
    assert "probe-sum" in done.stdout
    assert "new.json" in done.stderr
    assert "newer schema" in done.stderr


def test_a_dry_run_says_what_how_big_and_what_is_missing(inside: Inside, tmp_path: Path) -> None:
    arguments = ["eval", "run", "--suite", "probe", "--dry-run"]
    places = ["--registry", str(ENTRIES), "--cache", str(tmp_path / "cache")]
    plan = json.loads(inside(*arguments, *places, "--json", cwd=tmp_path).stdout)
    assert plan["trials"] == 4
    command = f"braino data fetch eeglab-tutorial --cache {tmp_path / 'cache'}"
    assert plan["not_planned"][0]["command"] == command
    assert plan["bytes_to_get"] > 4_000_000
    states = {row["dataset"]: row["state"] for row in plan["datasets"]}
    assert states == {"eeglab-tutorial@1.0.0": "missing", "two-subject-rest@1.0.0": "to build"}
    done = inside(*arguments, *places, cwd=tmp_path)
    assert "4 trials of suite probe (1 for each instance)" in done.stdout
    assert "two-subject-rest@1.0.0  to build  –" in done.stdout
    assert "eeglab-tutorial@1.0.0   missing   4.26 MB" in done.stdout
    assert "Not planned" in done.stdout
    assert list(tmp_path.iterdir()) in ([], [tmp_path / "cache"])


def test_a_run_by_its_default_folder_and_its_json(tmp_path: Path) -> None:
    arguments = ["eval", "run", "probe-sum", "--agent", "null", "--registry", str(ENTRIES)]
    done = apart(*arguments, "--json", "-o", "today.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["summary"]["passed"] == 0
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.endswith("-probe-null")
    assert reports.read(tmp_path / "today.json", verify=True)["run_id"] == printed["run_id"]
    *progress, beside = done.stderr.splitlines()
    assert [line[:5] for line in progress] == ["[1/2]", "[2/2]"]
    assert json.loads(beside) == {"run_dir": str(folder), "report": str(tmp_path / "today.json")}
    done = apart(*arguments, "--fail-under", "0.9", cwd=tmp_path)
    assert done.returncode == 1
    assert "Checks that this agent passes without passing any trial" in done.stdout
    assert "no-data" in done.stdout
    assert f"Run folder: {tmp_path / 'runs'}" in done.stdout


def test_the_folder_of_the_report_must_exist(inside: Inside, tmp_path: Path) -> None:
    arguments = ["eval", "run", "probe-sum", "--agent", "null", "--registry", str(ENTRIES)]
    done = inside(*arguments, "-o", "missing/today.json", cwd=tmp_path)
    assert_error(done, 2, "missing/today.json")
    assert list(tmp_path.iterdir()) == []


def test_the_example_of_an_agent_author_runs_as_printed(inside: Inside, tmp_path: Path) -> None:
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
    done = inside(
        *("eval", "run", "probe-rate", "--agent", "mymodule:make", "--tier", "minimum"),
        *("--registry", str(ENTRIES), "--data", "twin", "--json"),
        cwd=tmp_path,
        BRAINO_DATA=str(tmp_path / "cache"),
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


def test_comparing(inside: Inside, tmp_path: Path) -> None:
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    reports.write(before, report([trial(), trial(instance="x")]))
    reports.write(after, report([trial(outcome="failed"), trial(instance="x")]))
    done = inside("eval", "compare", str(before), str(after))
    assert done.returncode == 0
    assert "0 fixed, 1 broken, 1 unchanged" in done.stdout
    done = inside("eval", "compare", str(before), str(after), "--fail-on-regression", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["comparable"] == 2
    after.write_text(after.read_text().replace('"failed"', '"passed"'))
    assert_error(inside("eval", "compare", str(before), str(after)), 2, "edited", "after.json")


def test_datasets_from_the_shell(inside: Inside, tmp_path: Path) -> None:
    cache = {"BRAINO_DATA": str(tmp_path / "cache")}
    done = inside("data", "path", "two-subject-rest", **cache)
    assert_error(done, 3, "not built", "braino data build two-subject-rest")
    built = inside("data", "build", "two-subject-rest", **cache).stdout.strip()
    assert (Path(built) / "dataset_description.json").is_file()
    assert inside("data", "path", "two-subject-rest@1.0.0", **cache).stdout == f"{built}\n"
    verified = inside("data", "verify", "two-subject-rest", "--deep", "--json", **cache)
    assert verified.returncode == (0 if json.loads(verified.stdout)["ok"] else 3)
    assert "participants.tsv" not in verified.stdout
    participants = Path(built) / "participants.tsv"
    participants.chmod(0o644)
    participants.write_text(participants.read_text() + "sub-99\tn/a\n")
    done = inside("data", "verify", "two-subject-rest", "--deep", "--no-repair", **cache)
    assert done.returncode == 3
    assert "participants.tsv" in done.stdout
    done = inside("data", "verify", "two-subject-rest", "--deep", **cache)
    assert done.returncode == 0
    assert "mended: participants.tsv" in done.stdout
    assert "sub-99" not in participants.read_text()
    rows = json.loads(inside("data", "list", "--json", **cache).stdout)
    assert {"id", "version", "kind", "present", "built"} <= set(rows[0])
    assert "two-subject-rest" in inside("data", "info", "two-subject-rest", **cache).stdout
    done = inside("data", "fetch", "eeglab-tutorial", **cache, BRAINO_OFFLINE="1")
    assert done.returncode == 3
    assert "BRAINO_OFFLINE" in done.stderr


def test_tools_from_the_shell(inside: Inside) -> None:
    rows = json.loads(inside("tools", "list", "--json").stdout)
    assert {"calc", "dataset.inspect"} <= {row["name"] for row in rows}
    shown = json.loads(inside("tools", "show", "calc", "--json").stdout)
    assert shown["arguments"]["required"] == ["expression"]
    assert "expression" in inside("tools", "show", "calc").stdout


def test_errors_are_json_where_output_is(inside: Inside) -> None:
    def error(*arguments: str, code: int = 2) -> dict[str, str]:
        done = inside(*arguments, "--json")
        assert (done.returncode, done.stdout) == (code, "")
        (line,) = done.stderr.splitlines()
        found: dict[str, str] = json.loads(line)["error"]
        assert set(found) == {"problem", "where", "hint"}
        return found

    assert (
        "Did you mean 'minimum'"
        in error("eval", "run", "--agent", "null", "--tier", "mini")["hint"]
    )
    assert error("eval", "compare", "a", "b")["where"] == "a"
    assert error("eval", "run")["problem"] == "Missing option '--agent'."
    assert error("eval", "run")["hint"] == "See `braino eval run --help`."
    assert "No such command 'rum'" in error("eval", "rum")["problem"]
    registry = ("--registry", str(ENTRIES))
    asked = ("eval", "run", "probe-sum", "--agent", "null", *registry)
    assert error(*asked, "--data", "twin", code=3)["where"] == "--data twin"
    assert error(*asked, "--fail-under", "2")["where"] == "--fail-under"
    assert error(*asked, "--fail-under", "2", "--dry-run")["where"] == "--fail-under"


def test_broken_entries_of_a_listing_are_json_too(inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "new.json").write_text('{"schema": "task/2", "id": "from-tomorrow"}')
    done = inside("eval", "list", "--registry", str(tmp_path), "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)
    problems = [json.loads(line)["error"]["problem"] for line in done.stderr.splitlines()]
    assert any("newer schema" in problem for problem in problems)


def test_showing_a_run_and_its_trials(inside: Inside, tmp_path: Path) -> None:
    run = tmp_path / "run"
    places = ("--registry", str(ENTRIES), "--run-dir", str(run))
    assert inside("eval", "run", "probe-sum", "--agent", "oracle", *places).returncode == 0
    one = inside("eval", "show", str(run), "probe-sum/small/1")
    assert one.returncode == 0, one.stderr
    lines = one.stdout.splitlines()
    assert lines[0].startswith("probe-sum/small/1: passed, score 1")
    assert lines[1] == "Request: What is 20 plus 22? Use the calculator."
    assert lines[2] == "Answer: The total is 42.0."
    assert sum(line.startswith("  passed ") for line in lines) == 4
    assert lines[-1] == f"Transcript: {run}/trials/probe-sum/small/1/events.jsonl"
    assert "Score 1 of 1" in inside("eval", "show", str(run)).stdout
    shown = json.loads(inside("eval", "show", str(run / "report.json"), "--json").stdout)
    assert [row["request"][:12] for row in shown["trials"]] == ["What is 20 p", "What is 1200"]
    assert_error(inside("eval", "show", str(run), "probe-sum/smal"), 2, "Did you mean 'small'")
    assert "2 unchanged" in inside("eval", "compare", str(run), str(run / "report.json")).stdout
    assert inside("eval", "rescore", str(run / "report.json")).returncode == 0


def test_an_agent_that_fails_everywhere_is_a_warning(inside: Inside, tmp_path: Path) -> None:
    arguments = ("eval", "run", "probe-sum", "--agent", "zoo:raises", "--registry", str(ENTRIES))
    done = inside(*arguments, "--run-dir", str(tmp_path / "a"), cwd=ZOO)
    assert done.returncode == 0
    assert "WARNING: the agent failed in every trial. The first reason: solve: Runt" in done.stdout
    done = inside(*arguments, "--run-dir", str(tmp_path / "b"), "--json", cwd=ZOO)
    assert done.returncode == 0
    beside = json.loads(done.stderr.splitlines()[-1])
    assert beside["run_dir"] == str(tmp_path / "b")
    assert "RuntimeError: no idea" in beside["warning"]


def test_hints_repeat_the_cache_that_was_given(inside: Inside, tmp_path: Path) -> None:
    cache = tmp_path / "my cache"
    done = inside("data", "path", "two-subject-rest", "--cache", str(cache))
    assert_error(done, 3, f"braino data build two-subject-rest --cache '{cache}'")


def test_the_types_of_a_tool_are_readable(inside: Inside) -> None:
    _, _, shown = inside("tools", "show", "erp.measure").stdout.partition("Arguments")
    for words in ("one of: mean, peak", '"mean"', "string or list of string", "number or null"):
        assert words in shown
    assert "{" not in shown
