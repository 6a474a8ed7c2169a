"""The analyses of the BrainBench paper, on reports whose numbers can be worked out by hand."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest

from braino_registry.errors import ReportError
from braino_registry.reports.brainbench import analyse
from braino_registry.reports.brainbench.printing import show_analyses
from braino_registry.reports.brainbench.statistics import agreement, median_interval
from braino_registry.reports.printing import Printer
from braino_registry.reports.summary import summarise

TASKS = {
    "fa-1": ("FA", "easy"), "fa-2": ("FA", "medium"), "fa-3": ("FA", "hard"),
    "sa-1": ("SA", "easy"), "sa-2": ("SA", "hard"),
}  # fmt: skip
#: Scores (0–1) of the two instances of each task, by model and paradigm.
SCORES: dict[tuple[str, str], dict[str, tuple[float, float]]] = {
    ("large", "tools"): {"fa-1": (1, 1), "fa-2": (1, 0.5), "fa-3": (0, 1), "sa-1": (1, 1),
                         "sa-2": (0.5, 0.5)},
    ("large", "code"): {"fa-1": (1, 0), "fa-2": (0.5, 0.5), "fa-3": (0, 0), "sa-1": (1, 0),
                        "sa-2": (0.5, 0.5)},
    ("small", "tools"): {"fa-1": (1, 0.8), "fa-2": (0.5, 0.5), "fa-3": (0, 0.4), "sa-1": (0.8, 0.8),
                         "sa-2": (0.2, 0.4)},
}  # fmt: skip


def check(name: str, kind: str, score: float, weight: float | None) -> dict[str, Any]:
    row = {
        "id": name, "kind": kind, "version": "1.0.0", "required": weight is not None,
        "passed": score == 1, "score": score, "evidence": "x",
    }  # fmt: skip
    return row | ({} if weight is None else {"weight": weight})


def trial(task: str, number: int, score: float, tokens: int | None) -> dict[str, Any]:
    subset, difficulty = TASKS[task]
    usage = {"input_tokens": tokens, "output_tokens": None if tokens is None else 100}
    return {
        "task": task, "instance": f"i-{number}", "repeat": 1, "outcome": "scored", "passed": None,
        "score": score, "ungated": score, "category": "features", "subset": subset,
        "difficulty": difficulty, "usage": usage,
        "checks": [check("value", "number", score, 60), check("name", "label", score, 40),
                   check("called", "called", 0.0, None)],
    }  # fmt: skip


def report(model: str, paradigm: str, tokens: int | None = 1000, **changes: Any) -> dict[str, Any]:
    trials = [
        trial(task, number, score, tokens)
        for task, scores in SCORES[(model, paradigm)].items()
        for number, score in enumerate(scores)
    ]
    return {
        "run_id": f"{model}-{paradigm}",
        "agent": {"name": "agent", "model": model, "family": "kin"},
        "settings": {"paradigm": paradigm, "profile": "strict"},
        "summary": summarise(trials, rule="brainbench", planned=len(trials)),
        "trials": trials,
        **changes,
    }


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    document = analyse([report("large", "tools"), report("large", "code", None),
                        report("small", "tools")])  # fmt: skip
    assert json.loads(json.dumps(document)) == document
    return document


def rows(found: dict[str, Any], table: str, **wanted: Any) -> list[dict[str, Any]]:
    return [r for r in found[table] if all(r.get(key) == value for key, value in wanted.items())]


def test_overall_is_the_mean_of_the_subsets(found: dict[str, Any]) -> None:
    (row,) = rows(found, "overall", model="large", paradigm="tools")
    fa = 100 * (1 * 2 + 1.5 * 1.5 + 2 * 1) / (2 * (1 + 1.5 + 2))
    sa = 100 * (1 * 2 + 2 * 1) / (2 * (1 + 2))
    assert row["subsets"] == pytest.approx({"FA": fa, "SA": sa})
    assert row["overall"] == pytest.approx((fa + sa) / 2)
    assert len(rows(found, "overall")) == 3


def test_by_difficulty_pairs_the_paradigms(found: dict[str, Any]) -> None:
    for paradigm, score in (("tools", 100), ("code", 50)):
        (row,) = rows(found, "by_difficulty", model="large", paradigm=paradigm, subset="FA",
                      difficulty="easy")  # fmt: skip
        assert (row["score"], row["gap"]) == (score, 50)
    assert all(row["gap"] is None for row in rows(found, "by_difficulty", model="small"))


def test_by_unit_leaves_out_what_has_no_weight(found: dict[str, Any]) -> None:
    units = {row["unit"] for row in found["by_unit"]}
    assert units == {"numerical", "categorical"}
    (row,) = rows(found, "by_unit", model="large", paradigm="code", subset="SA", unit="numerical")
    assert (row["n"], row["score"], row["gap"]) == (4, 50, 25)


def test_stability(found: dict[str, Any]) -> None:
    (row,) = rows(found, "stability", model="large", paradigm="tools")
    spread = {task["task"]: task["mpad"] for task in row["by_task"]}
    assert spread == {"fa-1": 0, "fa-2": 50, "fa-3": 100, "sa-1": 0, "sa-2": 0}
    assert all(task["bounded_adjusted"] == task["mpad"] / 100 for task in row["by_task"])
    (fa, _, both) = row["medians"]
    assert (fa["subset"], fa["median"], fa["tasks"]) == ("FA", 50, 3)
    assert (both["subset"], both["median"]) == (None, 0)
    assert fa["low"] <= fa["median"] <= fa["high"]


def test_distributions(found: dict[str, Any]) -> None:
    (row,) = rows(found, "distributions", model="large", paradigm="tools", subset="FA")
    assert row["scores"] == [0, 50, 100, 100, 100, 100]
    assert (row["n"], row["mean"], row["median"]) == (6, 75, 100)
    assert row["share_zero"] == pytest.approx(1 / 6)
    assert row["share_perfect"] == pytest.approx(4 / 6)


def test_trade_off(found: dict[str, Any]) -> None:
    (row,) = found["trade_off"]
    by_task = {task["task"]: (task["gain"], task["variability"]) for task in row["by_task"]}
    assert by_task["fa-1"] == (50, -1)
    assert by_task["fa-3"] == (50, 1)
    assert by_task["sa-2"] == (0, 0)
    assert {(m["subset"], m["difficulty"]): m["gain"] for m in row["means"]}[("SA", "easy")] == 50


def test_families_pair_models_within_a_paradigm(found: dict[str, Any]) -> None:
    (row,) = found["families"]
    assert (row["models"], row["paradigm"], row["tasks"]) == (["large", "small"], "tools", 5)
    x, y = [100, 75, 50, 100, 50], [90, 50, 20, 80, 30]
    assert row["pearson"]["r"] == pytest.approx(np.corrcoef(x, y)[0, 1])
    slope, intercept = np.polyfit(x, y, 1)
    assert row["ols"]["slope"] == pytest.approx(slope)
    assert row["ols"]["intercept"] == pytest.approx(intercept)
    ranks = [4.5, 3, 1.5, 4.5, 1.5], [5, 3, 1, 4, 2]
    assert row["spearman"]["rho"] == pytest.approx(np.corrcoef(*ranks)[0, 1])


def test_tokens_that_are_unknown_are_not_zero(found: dict[str, Any]) -> None:
    (known,) = rows(found, "tokens", model="large", paradigm="tools", subset="FA")
    assert (known["reported"], known["mean"], known["p10"], known["p90"]) == (6, 1100, 1100, 1100)
    (unknown,) = rows(found, "tokens", model="large", paradigm="code", subset="FA")
    assert (unknown["trials"], unknown["reported"], unknown["mean"]) == (6, 0, None)


def test_mix(found: dict[str, Any]) -> None:
    fa, sa = found["mix"]
    assert fa["tasks"] == {"easy": 1, "medium": 1, "hard": 1}
    assert sa["instances"] == {"easy": 2, "medium": 0, "hard": 2}
    assert fa["units"]["numerical"] == fa["units"]["categorical"] == 6
    assert fa["units"]["semantic"] == 0


def test_reports_of_one_system_are_put_together() -> None:
    whole = report("large", "tools")
    halves = []
    for number, part in enumerate((whole["trials"][:5], whole["trials"][5:])):
        halves.append({**whole, "run_id": str(number), "trials": part})
    assert len(analyse(halves)["overall"]) == 1
    assert analyse(halves)["overall"][0]["overall"] == analyse([whole])["overall"][0]["overall"]


def test_what_cannot_be_analysed_is_refused() -> None:
    one = report("large", "tools")
    with pytest.raises(ReportError, match="in common"):
        analyse([one, one])
    other = {**one, "summary": {**one["summary"], "rule": "braino"}}
    with pytest.raises(ReportError, match="rule"):
        analyse([other])


def test_too_few_points_agree_on_nothing() -> None:
    assert agreement([1, 2], [2, 3])["pearson"] is None
    assert agreement([1, 1, 1], [1, 2, 3])["ols"] is None
    assert median_interval([3.0]) == {"median": 3.0, "low": None, "high": None}
    assert median_interval([]) == {"median": None, "low": None, "high": None}


def test_tables_keep_the_paradigms_apart(found: dict[str, Any]) -> None:
    stream = io.StringIO()
    show_analyses(Printer(stream), found)
    lines = stream.getvalue().splitlines()
    rows = [line for line in lines if line.split()[:1] == ["large"]]
    assert rows
    assert all(line.split()[1] in ("tools", "code", "FA", "SA") for line in rows)
    assert any("large and small" in line for line in lines)


def test_the_command_names_families(tmp_path: Any, capsys: Any) -> None:
    from braino_registry.cli import main
    from braino_registry.reports import write

    files = []
    for model in ("large", "small"):
        document = report(model, "tools")
        document["agent"]["family"] = None
        files.append(str(tmp_path / f"{model}.json"))
        write(tmp_path / f"{model}.json", {"schema": "report/1", **document})
    for family, pairs in (("kin=large,small", 1), ("kin=large", 0)):
        with pytest.raises(SystemExit):
            main(["eval", "analyse", *files, "--family", family, "--json"])
        assert len(json.loads(capsys.readouterr().out)["families"]) == pairs
    with pytest.raises(SystemExit) as stop:
        main(["eval", "analyse", *files, "--family", "kin"])
    assert stop.value.code == 2
