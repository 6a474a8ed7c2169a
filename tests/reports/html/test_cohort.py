from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from braino_registry.recordings.tree import BidsTree
from braino_registry.reports.html import build, open_source
from braino_registry.reports.html.album import Located
from braino_registry.reports.html.pictures import Picture, Scene, cohort, of
from braino_registry.reports.html.pictures.cohort import Group, groups_of, interval, paint_planted
from tests import tiny
from tests.reports.html.folders import some_trials, write_run
from tests.reports.html.test_page import data_of, unpacked

SUBJECTS = ("01", "02", "03", "04")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    faults = dict.fromkeys(SUBJECTS, tiny.Faults())
    return tiny.write(tmp_path_factory.mktemp("cohort"), faults).root


def truth(**amplitudes: float) -> dict[str, Any]:
    """Return alpha of one size in group A and another in B, and theta that hardly differs."""
    return {"recordings": {
        f"sub-{subject}_task-oddball": {"rhythms": {
            "alpha": {"frequency_hz": 10.0, "amplitude_uv": amplitudes["AB"[n % 2]] + n / 10},
            "theta": {"frequency_hz": 6.0, "amplitude_uv": 2 + n % 3},
        }} for n, subject in enumerate(SUBJECTS)
    }}  # fmt: skip


def drawn(root: Path, planted: dict[str, Any]) -> dict[str, Picture]:
    found = of(Scene(None, planted, tree=BidsTree(root)), "dataset")
    return {picture.title: picture for picture in found}


def texts(picture: Picture) -> list[str]:
    root = ElementTree.fromstring(picture.svg)
    return [str(each.text) for each in root.iter() if each.tag.endswith("text")]


def test_groups_are_those_of_the_participants(root: Path) -> None:
    a, b = groups_of(BidsTree(root))
    assert (a.name, b.name) == ("A", "B")
    assert a.recordings == ("sub-01_task-oddball", "sub-03_task-oddball")


def test_a_dataset_shows_people_what_was_planted_and_spectra(root: Path) -> None:
    found = drawn(root, truth(A=2.0, B=5.0))
    people, planted, spectra = found.values()
    assert people.caption.startswith("A: 2, B: 2. A dot is a person;")
    assert people.svg.count("<circle") == 4
    # what differs most between the groups stands first; what is the same everywhere, nowhere
    names = [text for text in texts(planted) if text.endswith((", µV", ", Hz"))]
    assert names == ["alpha, µV", "theta, µV"]
    assert spectra.title == "Mean spectra"
    assert {"A (2)", "B (2)"} <= set(texts(spectra))
    assert spectra.svg.count('class="b') == 2  # an interval for each
    assert "left out" not in spectra.caption


def test_an_age_that_is_missing_is_counted(root: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(root, tmp_path / "copy")
    table = copy / "participants.tsv"
    table.write_text(table.read_text().replace("\t21\t", "\tn/a\t"))
    assert "A: 2, B: 1; 1 without an age." in drawn(copy, {})["Who was recorded"].caption


def test_without_groups_the_tasks_are_compared_and_else_nothing(root: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(root, tmp_path / "copy")
    (copy / "participants.tsv").unlink()
    every = tuple(f"sub-{subject}_task-oddball" for subject in SUBJECTS)
    assert groups_of(BidsTree(copy)) == [Group("", every)]
    for file in sorted((copy / "sub-02").rglob("sub-*")):
        file.rename(file.with_name(file.name.replace("oddball", "rest")))
    assert [(each.name, len(each.recordings)) for each in groups_of(BidsTree(copy))] == [
        ("oddball", 3), ("rest", 1),
    ]  # fmt: skip


def test_people_recorded_twice_are_compared_with_themselves(root: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(root, tmp_path / "copy")
    (copy / "participants.tsv").unlink()
    for subject, other in (("01", "02"), ("03", "04")):
        for file in sorted((copy / f"sub-{other}").rglob("sub-*")):
            name = file.name.replace(other, subject).replace("oddball", "rest")
            file.rename(copy / f"sub-{subject}" / "eeg" / name)
    sizes = {"sub-01_task-oddball": 1.0, "sub-01_task-rest": 4.0,
             "sub-03_task-oddball": 9.0, "sub-03_task-rest": 14.0}  # fmt: skip
    planted = {"recordings": {
        name: {"components": {"P3": {"amplitude_uv": {"target": size, "standard": 2.0}}}}
        for name, size in sizes.items()
    }}  # fmt: skip
    picture = paint_planted(Scene(None, planted, tree=BidsTree(copy)))
    assert picture is not None
    assert {"P3 at target, µV", "rest − oddball"} <= set(texts(picture))
    assert "P3 at standard, µV" not in texts(picture)  # the same in everybody
    assert picture.svg.count("<circle") == 2  # differences of 3 and 5 µV
    assert {"3", "4", "5"} <= set(texts(picture))


def test_what_goes_with_age_is_shown_by_age(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cohort, "FEWEST", 4)

    def found(*frequencies: float) -> Picture | None:
        planted = {"recordings": {
            f"sub-{subject}_task-oddball": {"rhythms": {"alpha": {"frequency_hz": hz}}}
            for subject, hz in zip(SUBJECTS, frequencies, strict=True)
        }}  # fmt: skip
        return cohort.paint_ages(Scene(None, planted, tree=BidsTree(root)))

    picture = found(11.0, 10.5, 10.0, 9.5)  # ages are 20, 21, 22, 23
    assert picture is not None
    assert (picture.title, picture.svg.count("<circle")) == ("Planted alpha by age", 4)
    assert "is −1.00." in picture.caption
    assert found(10.0, 11.0, 11.0, 10.0) is None
    assert found(10.0, 10.0, 10.0, 10.0) is None


def test_a_recording_that_cannot_be_read_is_counted(root: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(root, tmp_path / "copy")
    next((copy / "sub-03").rglob("*.eeg")).write_bytes(b"")
    spectra = drawn(copy, {})["Mean spectra"]
    assert spectra.caption.endswith(" Recordings left out: 1.")
    assert "A (1)" in texts(spectra)


def test_the_interval_is_that_of_a_mean() -> None:
    rows = np.random.default_rng(2).normal(size=(9, 3))
    low, mean, high = interval(rows)
    known = stats.t.interval(0.95, 8, rows.mean(axis=0), stats.sem(rows, axis=0))
    np.testing.assert_allclose([low, high], known)
    np.testing.assert_allclose(mean, rows.mean(axis=0))
    assert interval(rows[:1])[2] == pytest.approx(rows[0])


def test_a_trial_about_the_whole_dataset_has_pictures(root: Path, tmp_path: Path) -> None:
    folder = write_run(tmp_path, some_trials(2))
    for file in folder.rglob("events.jsonl"):
        file.write_text(file.read_text().replace('"sub-01_task-oddball"', "null", 1))
    located = Located(root, truth(A=1.0, B=2.0))
    data = data_of(build([open_source(folder)], locate=lambda *_: [located]))
    (key,) = data["pictures"]
    assert [picture["title"] for picture in unpacked(data["pictures"][key])] == [
        "Who was recorded", "What was planted in whom", "Mean spectra",
    ]  # fmt: skip
    assert all(cell["pictures"] == [key] for (cell,) in unpacked(data["blocks"][0]))


@settings(max_examples=40, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=3) | st.floats() | st.just(10**400),
        lambda x: (
            st.lists(x, max_size=2)
            | st.dictionaries(
                st.sampled_from([
                    "recordings", "sub-01_task-oddball", "rhythms", "components", "alpha",
                    "amplitude_uv", "frequency_hz", "<b>",
                ]),
                x, max_size=3,
            )
        ),
    )
)  # fmt: skip
def test_truth_of_any_shape_is_passed_over(root: Path, planted: Any) -> None:
    for value in (planted, {"recordings": planted}):
        scene = Scene(None, value if isinstance(value, dict) else {}, tree=BidsTree(root))
        picture = paint_planted(scene)
        if picture is not None:
            ElementTree.fromstring(picture.svg)
