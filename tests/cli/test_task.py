"""`braino task check`: what a contributor reads."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_cli import ENTRIES, Inside, assert_error, braino
from tests.cli.test_cli import inside as inside  # a fixture


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


def test_a_wrong_row_is_printed_with_its_evidence(inside: Inside, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    document = json.loads((ENTRIES / "tasks" / "probe" / "sum.json").read_text())
    document |= {"id": "mine", "instances": document["instances"][:1]}
    document["counterexamples"][0]["fails"].append("total")
    document["counterexamples"][1]["fails"] = ["grounded"]
    file.write_text(json.dumps(document))
    done = inside("task", "check", str(file), "--registry", str(ENTRIES))
    assert done.returncode == 2
    row = "\nWRONG small, counterexample 1: off by one: failed; checks that fail: total, grounded\n"
    row += "  expected: these checks fail: grounded\n"
    assert f"{row}  total fails: total: found 43, expected 42" in done.stdout
    # The table too has both side by side.
    first = next(line for line in done.stdout.splitlines() if "counterexample 0" in line)
    assert "these checks fail: calculates, grounded, total" in first
    assert "failed; checks that fail: calculates, grounded" in first


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
