from __future__ import annotations

from xml.etree import ElementTree

from braino_registry.reports.html.charts import Point, dots, series_names
from braino_registry.reports.html.figures import figures
from braino_registry.reports.html.pictures import Picture
from tests.reports import samples, test_brainbench, test_eegagentbench


def text_of(picture: Picture) -> str:
    return " ".join(ElementTree.fromstring(picture.svg).itertext())


def test_each_series_keeps_its_colour() -> None:
    svg = dots("x", {"row": {"b": Point(50.0)}}, series=["a", "b"])
    root = ElementTree.fromstring(svg)
    assert [node.get("class") for node in root.iter() if node.tag.endswith("circle")] == ["f1"]


def test_a_value_that_is_not_known_has_no_dot() -> None:
    svg = dots("x", {"row": {"a": Point(None), "b": Point(0.5, 0.4, 0.6)}}, top=1.0)
    assert svg.count("<circle") == 1
    assert "0.50" in svg


def test_names_that_occur_twice_are_told_apart() -> None:
    assert series_names(["a", "b", "a"]) == ["a", "b", "a (2)"]
    assert series_names(["a", "b", "a"], ["x", "y", "z"]) == ["a, x", "b", "a, z"]
    assert series_names(["a", "a", "a"], ["x", "z", "x"]) == ["a, x", "a, z", "a, x (2)"]


def by_title(pictures: list[Picture]) -> dict[str, str]:
    return {picture.title: text_of(picture) for picture in pictures}


def test_brainbench_has_the_figures_of_its_paper() -> None:
    reports = [test_brainbench.report("large", paradigm) for paradigm in ("tools", "code")]
    found = by_title(figures.get("brainbench")(reports))
    assert {"Score by subset", "Score by difficulty", "Score by validation unit"} <= found.keys()
    assert "large, tools" in found["Score by subset"]
    assert "large, code" in found["Score by subset"]
    assert "numerical" in found["Score by validation unit"]


def test_eegagentbench_has_the_figures_of_its_paper() -> None:
    reports = [test_eegagentbench.report("good", True), test_eegagentbench.report("bad", False)]
    found = by_title(figures.get("eegagentbench")(reports))
    assert {"Headline metrics", "T2: dose and response", "Use of tools"} <= found.keys()
    assert "good bad" in found["Headline metrics"]
    assert " dB" in found["T2: dose and response"]


def test_braino_is_told_by_category() -> None:
    rows = [
        samples.trial("a", category="quality"),
        samples.trial("b", category="erp", outcome="failed"),
        samples.trial("c", category="erp"),
    ]
    found = by_title(figures.get("braino")([samples.report(rows)]))
    assert "erp (2)" in found["Trials that pass, by category"]
    assert "0.50" in found["Trials that pass, by category"]
    assert figures.get("braino")([samples.report(rows[1:])]) == []


def test_other_rules_have_none() -> None:
    assert figures.names() == ["brainbench", "braino", "eegagentbench"]
