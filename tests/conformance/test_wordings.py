"""Honest reports in other words than the reference's reach the full score, evasive ones do not.

The reports stand in ``tests/data/wordings``: templates over what the reference's steps gave.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from braino_registry.datasets import Store
from braino_registry.registry import Registry
from braino_registry.runner import try_task
from tests.conformance import cases

FILES = sorted((Path(__file__).resolve().parents[1] / "data" / "wordings").glob("*.json"))


def reports() -> Iterator[Any]:
    """Yield task, instance, report and whether it is honest; one of either sort is quick."""
    for file in FILES:
        for task, doc in json.loads(file.read_text(encoding="utf-8")).items():
            for kind in ("honest", "dishonest"):
                for number, text in enumerate(doc[kind]):
                    for place, instance in enumerate(doc["instances"]):
                        quick = number == 0 and place == (0 if kind == "honest" else 1)
                        yield pytest.param(
                            task, instance, text, kind == "honest",
                            marks=() if quick else (pytest.mark.slow,),
                            id=f"{task}-{instance}-{kind}-{number}",
                        )  # fmt: skip


@pytest.mark.parametrize(("task", "instance", "report", "honest"), list(reports()))
def test_a_report_in_other_words(
    task: str, instance: str, report: str, honest: bool, store: Store, tmp_path: Path
) -> None:
    """The reference's steps are carried out, and another report is written on them."""
    doc = json.loads(cases.entry(task).file.read_text(encoding="utf-8"))
    doc["id"] = f"reworded-{task}"
    doc["reference"]["answer"] = report
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "reworded.json").write_text(json.dumps(doc), encoding="utf-8")
    record = try_task(
        doc["id"], instance=instance, registry=Registry.open([tmp_path], environ={}), store=store
    )
    told = [f"{c['id']}: {c['evidence']}" for c in record["checks"] if not c["passed"]]
    assert record["outcome"] in ("passed", "failed"), record["reason"]
    assert (record["score"] == 1) is honest, told
