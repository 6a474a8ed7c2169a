"""Original scenarios, keys and runs: scored under both profiles, nothing lost or guessed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry.cli import braino
from braino_registry.errors import UsageError
from braino_registry.imports.eegagentbench import (
    find_runs,
    read_release,
    read_rows,
    score_run,
    scoring,
)
from tests.imports import release


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release.write(tmp_path_factory.mktemp("release"))


@pytest.fixture(autouse=True, scope="module")
def few_draws() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "N_DRAWS", 20)
        yield


def scored(checkout: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return score_run(read_release(checkout), rows)


def task_of(found: dict[str, Any], task: str) -> dict[str, Any]:
    return next(row for row in found["tasks"] if row["task"] == task)


def test_a_release_is_read_whole(checkout: Path) -> None:
    read = read_release(checkout)
    assert read.problems == []
    assert {task: len(rows) for task, rows in read.scenarios.items()} == {
        "T1": 4, "T2": 3, "T3": 2, "T4": 3, "T5": 3, "T6": 2,
    }  # fmt: skip
    assert (read.n_files, read.n_present) == (13, 0)
    by_id = read.by_id
    # chb21 is chb01 once more: two subjects of the mean, one child of the intervals
    assert by_id["c1_seizure_chb21_19"].subject == "chb21"
    assert by_id["c1_seizure_chb21_19"].cluster == by_id["c1_seizure_chb01_03"].cluster == "chb01"
    assert {by_id[f"c3_sleep_sc_SC400{n}E0"].cluster for n in (1, 2)} == {"SC400"}
    assert read_release(checkout / "benchmark").by_id.keys() == by_id.keys()


def test_right_answers_score_one_under_both(checkout: Path) -> None:
    found = scored(checkout, release.rows())
    assert found["overall"] == {"strict": 1.0, "published": 1.0}
    assert all(row["differs"] == [] for row in found["tasks"])
    assert found["unknown"] == []


@pytest.mark.parametrize(
    ("name", "answer", "strict", "published", "why"),
    [
        ("kqa_1", {"answer": "A patient with B"}, "B", "A", "first class that fits"),
        ("edn_eog_m7_0000", {"classification": "not clean, EOG"}, "no class", "clean",
         "names one class"),
        ("c3_sleep_sc_SC4001E0",
         {"hypnogram_rle": [{"start_epoch": 90, "end_epoch": 99, "stage": "N3"}]},
         "macro-F1 0.0667", "macro-F1 0.1434", "overwrite the last epoch"),
        ("c1_seizure_chb05_01", {"seizure_events": [{"onset_sec": 5000, "offset_sec": 5100}]},
         "0 TP, 0 FP, 0 FN, Dice –", "0 TP, 0 FP, 0 FN, Dice –", "clips before"),
    ],
)  # fmt: skip
def test_differences_are_shown_and_explained(
    checkout: Path, name: str, answer: Any, strict: str, published: str, why: str
) -> None:
    found = scored(checkout, release.rows(**{name: answer}))
    (row,) = [row for task in found["tasks"] for row in task["differs"]]
    if not strict.startswith("macro"):
        assert (row["strict"], row["published"]) == (strict, published)
    assert why in row["why"]


def test_an_answer_that_ends_the_released_scorer(checkout: Path) -> None:
    found = scored(checkout, release.rows(c1_seizure_chb05_01={"seizure_events": 5}))
    row = task_of(found, "T5")
    assert row["strict"]["value"] == 1.0
    assert row["published"]["value"] is None
    assert "TypeError" in row["published"]["refused"][0]
    assert row["differs"][0]["published"].startswith("no score: TypeError")
    assert found["overall"] == {"strict": 1.0, "published": None}


def test_rows_twice_missing_and_unfinished(checkout: Path) -> None:
    rows = release.rows()
    first = {**rows[4], "prediction": {"classification": "muscle"}}
    again = scored(checkout, [first, *rows])
    row = task_of(again, "T2")
    assert row["repeated"] == row["conflicting"] == [first["scenario_id"]]
    assert row["strict"]["value"] == 1.0  # the last finished one counts
    assert row["published"]["value"] is None
    rows[5] = {**rows[5], "status": "failed"}
    found = scored(checkout, [*rows[:4], *rows[5:], {"scenario_id": "made_up"}])
    row = task_of(found, "T2")
    assert (row["missing"], row["unfinished"]) == (["edn:clean_0000"], ["edn:eog_m7_0000"])
    # the one that is finished is right, which is no accuracy of 1
    assert (row["strict"]["value"], row["strict"]["metrics"]) == (None, [])
    assert row["strict"]["refused"][0].startswith("1 of 3 scenarios have a finished row")
    assert found["unknown"] == ["made_up"]
    assert found["overall"] == {"strict": None, "published": None}


def test_what_cannot_be_used_is_listed(tmp_path: Path) -> None:
    checkout = release.write(tmp_path)
    keys = checkout / "benchmark/answer_keys/T2.jsonl"
    lines = keys.read_text().splitlines()
    odd = [{"scenario_id": "edn:eog_m7_0000", "gold": {"label": "tooth"}}, {"scenario_id": 3}]
    keys.write_text("\ufeff" + "\n".join([lines[0], *map(json.dumps, odd), "[1]", '{"torn": ']))
    runtime = checkout / "benchmark/runtime/T3.jsonl"
    release.lines(runtime, [{"scenario_id": "bonn_Z002", "records": [{"data_path": "../../key"}]}])
    (checkout / "benchmark/scenarios/T5.jsonl").write_text(
        json.dumps({"scenario_id": "c1_seizure_chb01_03", "records": []}) + "\n"
        + json.dumps({"scenario_id": "nobody", "records": []}) + "\n"
    )  # fmt: skip
    (checkout / "benchmark/scenarios/T6.jsonl").unlink()
    read = read_release(checkout)
    said = "\n".join(read.problems)
    for part in (
        "T2.jsonl:4 is no object", "T2.jsonl:5 is no JSON", "edn:eog_m7_0000: the answer key",
        "edn:emg_p2_0000: there is no answer key", "'../../key' leads outside",
        "c1_seizure_chb01_03: the scenario states no duration_sec", "there is no T6.jsonl",
        "nobody: there is no answer key",
    ):  # fmt: skip
        assert part in said, said
    assert len(read.scenarios["T2"]) == 1


@pytest.mark.parametrize("length", ["9" * 4000, "1" + "0" * 400, "NaN", "1e999", "true", '"60"'])
def test_a_duration_that_is_none_is_remarked(tmp_path: Path, length: str) -> None:
    checkout = release.write(tmp_path)
    file = checkout / "benchmark/scenarios/T5.jsonl"
    file.write_text(file.read_text().replace("3600.0", length, 1))
    read = read_release(checkout)
    assert [line.split(": ")[-1] for line in read.problems] == [
        "the scenario states no duration_sec that is a finite number"
    ]
    assert len(read.scenarios["T5"]) == 2


@pytest.mark.parametrize("path", ["x" * 5000, "x/" * 5000, "a\0b", "\ud800"])
def test_a_path_that_no_system_can_hold_leads_to_no_file(tmp_path: Path, path: str) -> None:
    checkout = release.write(tmp_path)
    runtime = checkout / "benchmark/runtime/T3.jsonl"
    release.lines(runtime, [{"scenario_id": "bonn_Z002", "records": [{"data_path": path}]}])
    read = read_release(checkout)
    assert (read.n_files, read.n_present) == (12, 0)


def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    checkout = release.write(tmp_path)
    for folder in ("scenarios", "answer_keys"):
        file = checkout / "benchmark" / folder / f"T{2 if folder == 'scenarios' else 3}.jsonl"
        file.unlink()
        os.mkfifo(file)
    read = read_release(checkout)
    assert any("T2.jsonl" in line for line in read.problems)
    assert any("T3.jsonl" in line for line in read.problems)


def test_a_folder_without_a_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no files of EEGAgentBench"):
        read_release(tmp_path)


def test_the_command(checkout: Path, tmp_path: Path) -> None:
    run = tmp_path / "run" / "runs.jsonl"
    release.lines(run, release.rows(kqa_1={"answer": "A patient with B"}))
    with run.open("a") as stream:
        stream.write('{"scenario_id": "edn:cl')
    assert list(find_runs(tmp_path)) == [run]
    arguments = ["import", "eegagentbench", str(checkout), "--runs", str(tmp_path)]
    shown = CliRunner().invoke(braino, arguments)
    assert shown.exit_code == 0, shown.output
    assert "Overall, strict: 1.000" in shown.output
    assert "kqa_1" in shown.output
    assert "is no JSON" in shown.output
    document = json.loads(CliRunner().invoke(braino, [*arguments, "--json"]).output)
    assert document["scenarios"]["T5"] == 3
    assert document["runs"][0]["overall"]["published"] == pytest.approx(1 - 0.25 / 6)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from([10**400, float("inf"), float("nan"), "W", "clean", "A", [], {}]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["seizure_events", "hypnogram_rle", "classification", "answer", "onset_sec",
                         "offset_sec", "start_epoch", "end_epoch", "stage", "x"]),
        inner, max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(answer=JSON)
def test_any_answer_gets_a_score(checkout: Path, answer: Any) -> None:
    every = {name.replace(":", "_"): answer for golds in release.GOLD.values() for name in golds}
    found = scored(checkout, release.rows(**every))
    assert found["overall"]["strict"] is not None
    assert 0 <= found["overall"]["strict"] <= 1
    for row in found["tasks"]:
        assert (row["published"]["value"] is None) == bool(row["published"].get("refused"))


def test_a_torn_line_stops_nothing(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_bytes(b'{"a": 1}\n\xff\xfe{"a": 2}\n' + b"[" * 100_000 + b'\n{"a": 3}\n')
    rows, problems = read_rows(file)
    assert [row["a"] for row in rows] == [1, 3]
    assert len(problems) == 2


CONTRADICTIONS = (
    '{"scenario_id": "kqa_1", "status": "completed", "prediction": {"answer": "C", "answer": "B"}}',
    '{"scenario_id": "kqa_1", "status": "completed", "prediction": {"answer": "C"}, '
    '"prediction": {"answer": "B"}}',
    '{"scenario_id": "kqa_1", "status": "failed", "status": "completed", '
    '"prediction": {"answer": "B"}}',
)


@pytest.mark.parametrize("line", CONTRADICTIONS)
def test_what_gives_a_name_twice_is_no_answer_and_is_listed(
    checkout: Path, tmp_path: Path, line: str
) -> None:
    right = release.GOLD["T1"]["kqa_1"]["answer"]
    file = tmp_path / "runs.jsonl"
    others = [row for row in release.rows() if row["scenario_id"] != "kqa_1"]
    release.lines(file, others)
    text = line.replace('"B"', json.dumps(right))
    with file.open("a") as stream:
        stream.write(text + "\n")
    rows, problems = read_rows(file)
    assert [problem.partition(" ")[2][:5] for problem in problems] == ["gives"]
    t1 = task_of(scored(checkout, list(rows)), "T1")
    whole = task_of(scored(checkout, release.rows()), "T1")
    assert t1["published"]["value"] == whole["published"]["value"] == 1
    assert t1["strict"]["value"] == pytest.approx(1 - 1 / t1["planned"])
    assert [row["scenario_id"] for row in t1["differs"]] == ["kqa_1"]


@pytest.mark.parametrize(
    ("task", "old", "new"),
    [
        ("T1", '"gold": {"answer": "', '"gold": {"answer": "Q'),
        ("T2", '"label": "clean"', '"label": "clear"'),
        ("T2", '"gold": ', '"gold": {}, "gold": '),
        ("T5", "[[", "[[NaN, 3], ["),
        ("T6", '"W"', '"AWAKE"'),
        ("T3", "\n", "\n\xff\n"),
        ("T3", '"scenario_id": "', '"scenario_id": "another-'),
    ],
)
def test_a_task_whose_key_cannot_be_used_has_no_metrics(
    tmp_path: Path, task: str, old: str, new: str
) -> None:
    checkout = release.write(tmp_path)
    keys = checkout / f"benchmark/answer_keys/{task}.jsonl"
    text = keys.read_text()
    assert old in text
    keys.write_bytes(text.replace(old, new, 1).encode("latin-1"))
    read = read_release(checkout)
    assert read.unusable[task]
    found = score_run(read, release.rows())
    assert found["overall"] == {"strict": None, "published": None}
    for profile in ("strict", "published"):
        part = task_of(found, task)[profile]
        assert part["value"] is None
        assert "cannot be used" in part["refused"][0]
    assert found["unknown"] == []
    others = [row for row in found["tasks"] if row["task"] != task]
    assert all(row["strict"]["value"] == 1 for row in others)


def test_a_seizure_past_the_end_of_the_recording_is_no_truth(tmp_path: Path) -> None:
    checkout = release.write(tmp_path)
    keys = checkout / "benchmark/answer_keys/T5.jsonl"
    rows = [json.loads(line) for line in keys.read_text().splitlines()]
    rows[0]["gold"]["seizure_events"] = [[100, 140_000]]
    release.lines(keys, rows)
    read = read_release(checkout)
    assert "a seizure ends at 140000 s, the recording at 3600 s" in read.problems[0]
    assert read.unusable == {"T5": [rows[0]["scenario_id"]]}


def test_half_a_letter_in_a_name_is_printed(checkout: Path, tmp_path: Path) -> None:
    run = tmp_path / "runs.jsonl"
    run.write_text('{"scenario_id": "\\ud800", "status": "completed", "prediction": {}}\n')
    arguments = ["import", "eegagentbench", str(checkout), "--runs", str(run)]
    assert CliRunner().invoke(braino, arguments).exit_code == 0
    done = CliRunner().invoke(braino, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["runs"][0]["unknown"] == ["\ud800"]
