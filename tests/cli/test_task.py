"""`braino task check`: what a contributor reads."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import ENTRIES, Inside, assert_error


def probe(file: Path, **changes: object) -> dict[str, Any]:
    """Write a variant of a task to a file and return its document."""
    document: dict[str, Any] = json.loads((ENTRIES / "tasks" / "probe" / "sum.json").read_text())
    document |= {"id": "mine", "instances": document["instances"][:1], **changes}
    file.write_text(json.dumps(document))
    return document


def test_checking_a_task_file(inside: Inside, tmp_path: Path) -> None:
    file = tmp_path / "new.json"
    document = probe(file)
    arguments = ["--registry", str(ENTRIES), "--cache", str(tmp_path / "cache"), "--json",
                 "--stage", "reference"]  # fmt: skip
    done = inside("task", "check", str(file), *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [row["ok"] for row in json.loads(done.stdout)] == [True, True, None]
    told = inside("task", "check", str(file), *[each for each in arguments if each != "--json"])
    # What is noted is no failure.
    assert "reference       2 of 2 hold, 1 noted, " in told.stdout
    assert told.stdout.splitlines()[-1].endswith(": 2 things hold, 0 do not, 1 noted.")
    probe(file, reference={**document["reference"], "answer": "No idea.", "data": {}})
    done = inside("task", "check", str(file), *arguments)
    assert done.returncode == 2
    wrong = [row["what"] for row in json.loads(done.stdout) if row["ok"] is False]
    assert wrong == ["oracle passes", "oracle passes again"]
    probe(file, checks=[])
    assert_error(inside("task", "check", str(file), *arguments), 2, "new.json")


def test_what_is_wrong_with_a_task_file_names_that_file(inside: Inside, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    document = json.loads((ENTRIES / "tasks" / "probe" / "sum.json").read_text())
    arguments = ("task", "check", str(file), "--registry", str(ENTRIES))
    file.write_text(json.dumps({**document, "id": "mine", "schema": "task/2"}))
    assert_error(inside(*arguments), 2, "newer schema 'task/2'", f"{file}: $.schema")
    file.write_text(json.dumps({**document, "id": "mine"})[:-1] + ', "title": "Again"}')
    assert_error(inside(*arguments), 2, "'title' stands here more than once", f"{file}: $.title")
    document["requst"], document["id"] = document.pop("request"), "mine"
    file.write_text(json.dumps(document))
    done = inside(*arguments)
    assert done.returncode == 2
    problem, where, first, second = done.stderr.splitlines()
    assert (problem, where) == ("braino: 2 problems", str(file))
    assert first.startswith("$.requst: unknown property 'requst'. Did you mean 'request'?")
    assert second == "$: the property 'request' is missing."


def test_what_is_wrong_is_printed_with_its_evidence_and_what_to_do_next(
    inside: Inside, tmp_path: Path
) -> None:
    file = tmp_path / "mine.json"
    examples = json.loads((ENTRIES / "tasks" / "probe" / "sum.json").read_text())["counterexamples"]
    examples[0]["fails"].append("total")
    examples[1]["fails"] = ["grounded"]
    probe(file, counterexamples=examples)
    done = inside(
        "task", "check", str(file), "--registry", str(ENTRIES), "--stage", "counterexamples"
    )
    assert done.returncode == 2
    rows = (
        "  WRONG small, counterexample 1: off by one: failed; checks that fail: total, grounded\n"
    )
    rows += (
        "    expected: these checks fail: grounded\n    total fails: total: found 43, expected 42"
    )
    assert rows in done.stdout
    again = f"then: braino task check {file} --stage counterexamples --registry {ENTRIES}\n"
    assert again in done.stdout
    stage = next(line for line in done.stdout.splitlines() if "counterexamples " in line)
    assert "1 of 3 hold, " in stage
    assert "noted" not in stage
    commands = re.findall(r"next: braino (.*--counterexample 1 .*)", done.stdout)
    assert len(commands) == 1
    tried = inside(*shlex.split(commands[0]), "--run-dir", str(tmp_path / "tried"))
    assert "FAILED total (number, required): total: found 43, expected 42" in tried.stdout
    assert done.stdout.splitlines()[-1].endswith(": 1 thing holds, 2 do not, 0 noted.")


def test_a_new_task_is_begun_checked_and_tried(inside: Inside, tmp_path: Path) -> None:
    """By the contributing guide alone: one file, three commands, in a folder of one's own."""
    own = tmp_path / "own"
    folders = ("--registry", str(own), "--registry", str(ENTRIES))
    own.mkdir()
    done = inside("task", "new", "sum-again", "--from", "probe-sum", *folders)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in own.rglob("*") if path.is_file()] == ["sum-again.json"]
    checked = inside("task", "check", "sum-again", *folders, "--stage", "reference", "--stage",
                     "counterexamples", "--stage", "version")  # fmt: skip
    assert checked.returncode == 0, checked.stdout
    tried = inside("task", "try", "sum-again", "--counterexample", "1", *folders,
                   "--run-dir", str(tmp_path / "tried"))  # fmt: skip
    assert "FAILED total (number, required): total: found 43, expected 42" in tried.stdout
    assert_error(inside("task", "new", "sum-again", "--from", "probe-sum", *folders), 2, "already")
    assert_error(
        inside("task", "try", "sum-again", "--counterexample", "9", *folders), 2, "from 0 to 2"
    )


def test_a_task_is_shown(inside: Inside, tmp_path: Path) -> None:
    done = inside("task", "show", "probe-sum", "--registry", str(ENTRIES), "--instance", "large")
    assert done.returncode == 0
    for words in ("Request of large: What is 1200 plus 34?", "off by one", "Datasets: none"):
        assert words in done.stdout
    shown = inside("task", "show", "probe-sum", "--registry", str(ENTRIES), "--json")
    document = json.loads(shown.stdout)
    assert [check["id"] for check in document["checks"]][:2] == ["calculates", "total"]
    # How answers are judged may be shown; what is right may not.
    assert "42" not in shown.stdout.replace(document["digests"]["work"], "").replace(
        document["digests"]["scoring"], ""
    )
    assert_error(inside("task", "show", "probe-sun", "--registry", str(ENTRIES)), 2, "probe-sum")


def test_other_words_are_tried(inside: Inside) -> None:
    def read(text: str) -> dict[str, Any]:
        done = inside("task", "try", "probe-sum", "--registry", str(ENTRIES), "--answer", text,
                      "--json")  # fmt: skip
        found: dict[str, Any] = json.loads(done.stdout)["trial"]
        return found

    assert read("Together they make 42; the total is 42.")["outcome"] == "passed"
    said = {check["id"]: check["evidence"] for check in read("The total is 42.")["checks"]}
    assert "calc: 1 successful call, expected" in said["calculates"]
    assert said["grounded"].startswith("1 number with a source: 42")
    wrong = read("The total is 43.")
    assert [check["id"] for check in wrong["checks"] if not check["passed"]] == [
        "total", "grounded",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_trial_has_a_page(inside: Inside, tmp_path: Path) -> None:
    """Also of a file that lies in no folder of entries."""
    file = tmp_path / "mine.json"
    probe(file)
    place = tmp_path / "tried"
    done = inside("task", "try", str(file), "--registry", str(ENTRIES), "--run-dir", str(place),
                  "--no-open")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "mine/small/1: passed" in done.stdout
    assert "<title>" in (place / "page.html").read_text(encoding="utf-8")


def test_kinds_of_checks_are_documented(inside: Inside) -> None:
    rows = json.loads(inside("task", "kinds", "--json").stdout)
    listed = inside("task", "kinds").stdout
    assert f"{len(rows)} kinds of checks" in listed
    for row in rows:
        shown = inside("task", "kinds", row["name"])
        assert shown.returncode == 0, shown.stderr
        assert row["description"].splitlines()[0] in shown.stdout
        for name in row["schema"]["properties"]:
            assert name in shown.stdout
    assert_error(inside("task", "kinds", "numbr"), 2, "Did you mean 'number'?")


def test_operations_of_pipelines_are_documented(inside: Inside) -> None:
    rows = {row["name"]: row for row in json.loads(inside("task", "operations", "--json").stdout)}
    assert {"recordings.open", "spectra.band_power", "select.top", "montage.classify"} <= set(rows)
    assert all(row["description"] and row["version"] for row in rows.values())
    needed = [row["name"] for row in rows["spectra.band_power"]["arguments"] if row["required"]]
    assert needed == ["view", "fmin", "fmax"]
    assert [row["name"] for row in rows["recordings.crop"]["arguments"]] == ["view", "tmin", "tmax"]
    shown = inside("task", "operations", "spectra.band_power").stdout
    for words in ("spectra.band_power@", "The band in Hz.", "[segment_seconds]", "[channels]"):
        assert words in shown
    listed = inside("task", "operations").stdout
    assert f"{len(rows)} operations of pipelines" in listed
    done = inside("task", "operations", "spectra.band_powr")
    assert_error(done, 2, "Did you mean 'spectra.band_power'?")


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_the_last_step_of_contributing_sets_itself_up(tmp_path: Path) -> None:
    repository = Path(__file__).parents[2]
    start = ("make", "-C", str(repository), f"VENV={tmp_path / 'fresh'}", "test-task")
    planned = subprocess.run(
        [*start, "-n", "K=my-task"], capture_output=True, text=True, check=True
    ).stdout
    assert planned.index("--group test") < planned.index('-k "my-task"')
    bare = subprocess.run(start, capture_output=True, text=True, check=False)
    assert bare.returncode == 2
    assert "make test-task K=my-task" in bare.stdout
    assert not (tmp_path / "fresh").exists()
    told = (repository / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for command in ("make test-task", "braino task kinds NAME", "braino task operations NAME"):
        assert command in told.replace("\n   ", " ")
