"""`braino task check`: what a contributor reads."""

from __future__ import annotations

import json
from pathlib import Path

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
    assert f"{row}  total fails: total: found 43, expected 42" in done.stdout
