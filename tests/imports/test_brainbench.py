"""Released case files become tasks that load, run and are scored; the rest is listed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from braino_registry import runner
from braino_registry.errors import UsageError
from braino_registry.imports.brainbench import Imported, import_cases, read_cases
from braino_registry.registry import Registry
from tests.imports import released

EXPECTED_TASKS = {
    "fa-case1", "fa-case1-2", "fa-case2", "fa-case3", "fa-case40", "sa-case7", "sa-case8",
}  # fmt: skip


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released.write(tmp_path_factory.mktemp("released"))


@pytest.fixture(scope="module")
def imported(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return import_cases(tree, tmp_path_factory.mktemp("out") / "registry")


def test_every_case_is_used_or_listed(imported: Imported) -> None:
    assert imported.instances == len(released.GOOD)
    assert len(imported.unusable) == len(released.BAD)
    told = {each.file.split("cases/")[1]: each.reason for each in imported.unusable}
    for place, (_, word) in released.BAD.items():
        assert word in told[place], (place, told[place])


def test_what_was_written_loads(imported: Imported) -> None:
    registry = Registry.open([imported.folder], environ={})
    assert [str(problem) for problem in registry.problems] == []
    tasks = {task.id: task for task in registry.tasks(imported.suite)}
    assert set(tasks) == EXPECTED_TASKS
    assert tasks["fa-case2"].difficulty == "medium"
    assert tasks["sa-case7"].difficulty == "hard"
    assert [c["weight"] for c in tasks["fa-case1"].checks] == [40, 60]
    assert len(tasks["sa-case8"].checks) == 1  # the other has no weight


def test_the_agent_is_told_what_the_case_tells(imported: Imported) -> None:
    registry = Registry.open([imported.folder], environ={})
    task = registry.task("fa-case1")
    request = task.request_for(task.instance("case1-2"))
    assert request.splitlines() == [
        "Load the data file: sourcedata/core/own/S2.edf",
        "Load the label file: sourcedata/core/own/S2.csv",
        "window: [0, 10]",
        "Compute {{ it }}.",
    ]
    absent = registry.task("sa-case7").instances[0]
    assert absent.dataset is None
    assert "data/sleep/nowhere.edf" in registry.task("sa-case7").request_for(absent)


def run(imported: Imported, folder: Path, agent: str, **changes: Any) -> dict[str, Any]:
    settings = runner.RunSettings(
        agent=agent, suite=imported.suite, registry=(imported.folder,), run_dir=folder / "run",
        cache=folder / "cache", fetch=True, isolation="none", **changes,
    )  # fmt: skip
    report: dict[str, Any] = runner.run(settings).report
    return report


@pytest.mark.parametrize("profile", ["strict", pytest.param("published", marks=pytest.mark.slow)])
def test_imported_cases_run(
    imported: Imported, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str
) -> None:
    """The oracle reports what the cases expect; only judges and files are beyond it."""
    monkeypatch.setenv("BRAINO_MIRRORS", str(tree / "data"))
    report = run(imported, tmp_path, "oracle", profile=profile)
    ungated = {(t["task"], t["instance"]): t["ungated" if t["dataset"] else "score"]
               for t in report["trials"]}  # fmt: skip
    beyond = {("fa-case3", "case3-1"), ("sa-case7", "case7-1")}
    assert {key for key, score in ungated.items() if score != 1} == beyond
    assert report["settings"]["profile"] == profile
    rows = {row["name"]: row for row in report["summary"]["by_subset"]}
    assert rows["FA"]["score"] < rows["FA"]["ungated"]  # it calls no tool
    other = "published" if profile == "strict" else "strict"
    again = runner.rescore(tmp_path / "run", profile=other).report
    assert again["settings"]["profile"] == other
    assert [t["score"] for t in again["trials"]] == [t["score"] for t in report["trials"]]


def test_nothing_scores_nothing(
    imported: Imported, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAINO_MIRRORS", str(tree / "data"))
    report = run(imported, tmp_path, "null")
    assert report["coverage"]["complete"]
    assert report["summary"]["score"] == report["summary"]["ungated"] == 0


def test_a_folder_without_cases_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no case files"):
        import_cases(tmp_path, tmp_path / "out")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x").write_text("")
    with pytest.raises(UsageError, match="not empty"):
        import_cases(tmp_path, tmp_path / "out")


def test_the_command_lists_what_it_left_out(tree: Path, tmp_path: Path, capsys: Any) -> None:
    from braino_registry.cli import main

    with pytest.raises(SystemExit) as stop:
        main(["import", "brainbench", str(tree), "--out", str(tmp_path / "r"), "--json"])
    assert stop.value.code == 0
    document = json.loads(capsys.readouterr().out)
    assert document["instances"] == len(released.GOOD)
    assert all(each["reason"] for each in document["unusable"])


def _with(tmp_path: Path, **cases: Any) -> Path:
    """Write a tree of one good case and others by their ``caseN_M``, and return its root."""
    root = tmp_path / "tree"
    folder = root / "benchmarks" / "foundational_analysis" / "cases"
    for name, document in {"case1_1": released.case(released.NUMERIC), **cases}.items():
        file = folder / name.partition("_")[0] / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(document), encoding="utf-8")
    recording = root / "data" / "core" / "own" / "S1.edf"
    recording.parent.mkdir(parents=True)
    recording.write_bytes(b"a recording, for all that an import looks at")
    return root


def _at(path: str) -> dict[str, Any]:
    return released.case(released.NUMERIC, told={"data_path": path})


def _left_out(root: Path, out: Path) -> dict[str, str]:
    """Import a tree, check that what was written loads, and return what was not used."""
    done = import_cases(root, out)
    assert Registry.open([out], environ={}).problems == ()
    return {Path(each.file).stem: each.reason for each in done.unusable}


def test_what_is_no_file_of_the_data_root_is_listed(tmp_path: Path) -> None:
    """Pipes are not waited for, links lead no further than the data root."""
    root = _with(
        tmp_path,
        case2_1=_at("data/pipes"), case2_2=_at("data/pipes/fifo.edf"), case2_3=_at("pipes"),
        case3_1=_at("data/link.edf"), case3_2=_at("data/links"), case3_3=_at("data/away/S1.edf"),
        case3_4=_at("data/nowhere.edf"), case3_5=_at("data/round.edf"),
        case4_1=_at("data/" + "x" * 5000), case4_2=_at("data/" + "x/" * 2500),
        case5_1=_at("data/inside.edf"),
    )  # fmt: skip
    data, other = root / "data", tmp_path / "other"
    other.mkdir()
    (other / "S1.edf").write_bytes(b"not of this benchmark")
    for folder in ("pipes", "links"):
        (data / folder).mkdir()
    os.mkfifo(data / "pipes" / "fifo.edf")
    (data / "link.edf").symlink_to(other / "S1.edf")
    (data / "links" / "S1.edf").symlink_to(other / "S1.edf")
    (data / "away").symlink_to(other)
    (data / "nowhere.edf").symlink_to("gone.edf")
    (data / "round.edf").symlink_to("round.edf")
    (data / "inside.edf").symlink_to(data / "core" / "own" / "S1.edf")
    reasons = _left_out(root, tmp_path / "out")
    assert {name: reasons[name].split("' ")[-1] for name in sorted(reasons)} == {
        **dict.fromkeys(("case2_1", "case2_2", "case2_3"), "is not a regular file"),
        **dict.fromkeys(("case3_1", "case3_2", "case3_3"), "leads out of the data root by a link"),
        "case3_4": "is not a regular file",
        "case3_5": "cannot be read: it leads to itself",
        **dict.fromkeys(("case4_1", "case4_2"), "is longer than 1000 bytes"),
    }
    assert all(len(reason) < 200 for reason in reasons.values())


def test_what_the_registry_refuses_is_listed_in_its_words(tmp_path: Path) -> None:
    heavy = released.metric("numeric_check", "power", 1e308, gt_value=1)
    long = released.case(released.NUMERIC, told={"instruction": "{{ x }} " * 25_000})
    root = _with(
        tmp_path, case1_2=long, case2_1=released.case(heavy), case01_1=_at("data/core/own/S1.edf"),
        **{"case１_1": _at("data/core/own/S1.edf"), "case1_02": _at("data/core/own/S1.edf")},
    )  # fmt: skip
    reasons = _left_out(root, tmp_path / "out")
    assert "does too much" in reasons.pop("case1_2")
    assert "1000" in reasons.pop("case2_1")
    assert set(reasons) == {"case01_1", "case１_1", "case1_02"}
    assert all("caseN_M" in reason for reason in reasons.values())
    tasks = Registry.open([tmp_path / "out"], environ={}).tasks("brainbench-cases")
    assert [[each.id for each in task.instances] for task in tasks] == [["case1-1"]]


@pytest.mark.parametrize(
    ("kind", "params", "reason"),
    [
        ("set_match_check", {"gt_value": ",,,"}, "holds an element that is none"),
        ("set_match_check", {"gt_value": [None, "a"]}, "holds an element that is none"),
        ("sequence_match_check", {"gt_value": " "}, "holds an element that is none"),
        ("sequence_match_check", {"gt_value": ["a"], "position_weights": [0, 0]}, "are all 0"),
        ("categorical_check", {"gt_value": "  "}, "no label to compare with"),
    ],
)
def test_a_target_that_nothing_or_anything_meets_is_listed(
    tmp_path: Path, kind: str, params: dict[str, Any], reason: str
) -> None:
    root = _with(tmp_path, case1_2=released.case(released.metric(kind, "x", 100, **params)))
    assert reason in _left_out(root, tmp_path / "out")["case1_2"]


@pytest.mark.parametrize("kind", ["file", "below a file", "dangling"])
def test_a_place_where_no_folder_can_be_made_is_refused(tmp_path: Path, kind: str) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("kept")
    link.symlink_to("nowhere")
    out = {"file": file, "below a file": file / "deep" / "er", "dangling": link}[kind]
    with pytest.raises(UsageError, match="no folder can be made here"):
        import_cases(_with(tmp_path), out)
    assert file.read_text() == "kept"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_case_file_is_used_or_listed(tmp_path: Path, data: Any) -> None:
    """Whatever stands in a case, one of its members replaced, it is read or told why not."""
    document = json.loads(json.dumps(data.draw(st.sampled_from(list(released.GOOD.values())))))
    place: Any = document
    for _ in range(data.draw(st.integers(0, 5))):
        members = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not members or not isinstance(place, dict | list):
            break
        key = data.draw(st.sampled_from(members))
        if isinstance(place[key], dict | list) and data.draw(st.booleans()):
            place = place[key]
        else:
            place[key] = data.draw(JSON)
            break
    file = tmp_path / "benchmarks" / "foundational_analysis" / "cases" / "case1" / "case1_1.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document))
    cases, unusable = read_cases(tmp_path)
    assert len(cases) + len(unusable) == 1
    assert all(each.reason and each.path.startswith("$") for each in unusable)


def test_where_no_case_can_be_used_nothing_is_offered_to_run(tmp_path: Path, capsys: Any) -> None:
    from braino_registry.cli import main

    root = _with(tmp_path, case1_1=_at("data/gone.edf"))
    with pytest.raises(SystemExit) as stop:
        main(["import", "brainbench", str(root), "--out", str(tmp_path / "r")])
    assert stop.value.code == 3
    said = capsys.readouterr().out
    assert "there is no file" in said
    assert "Run them" not in said
