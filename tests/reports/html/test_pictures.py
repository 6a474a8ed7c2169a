from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from braino_registry.recordings.recording import Recording
from braino_registry.recordings.tree import BidsTree
from braino_registry.reports.html.pictures import Picture, Scene, of, painters
from braino_registry.reports.html.svg import Drawing, Scale
from tests import tiny

TRUTH: dict[str, Any] = {
    "noisy_channels": ["T8"], "decoy_channels": ["F7"], "muscle_bursts": [{"onset": 20.0,
    "duration": 3.0}], "blinks": [3.0, 30.0], "line_frequency": 50.0,
    "rhythms": {"alpha": {"frequency_hz": 10.3, "amplitude_uv": 5}},
    "components": {"P3": {"latency_s": 0.4, "amplitude_uv": {"target": 12, "standard": 0}}},
}  # fmt: skip


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    tree = tiny.write(tmp_path_factory.mktemp("tiny"))
    return BidsTree(tree.root).open("sub-01_task-oddball")


def text_of(picture: Picture) -> str:
    return " ".join(ElementTree.fromstring(picture.svg).itertext())


def by_title(pictures: list[Picture]) -> dict[str, Picture]:
    return {picture.title.split(":")[0].split(" at ")[0]: picture for picture in pictures}


def test_planted_faults_are_marked_in_the_traces(recording: Recording) -> None:
    found = by_title(of(Scene(recording, TRUTH), "recording"))
    traces = found["sub-01_task-oddball"]
    assert "T8 noisy" in text_of(traces)
    assert "F7 decoy" in text_of(traces)
    assert traces.svg.count('class="bad"') == 2
    assert traces.caption == "Planted: T8 noisy, F7 decoy."
    assert "18" in text_of(traces)  # two seconds before the burst


def test_the_spectrum_has_the_planted_rhythm_and_the_mains(recording: Recording) -> None:
    spectrum = by_title(of(Scene(recording, TRUTH), "recording"))["Power spectral density"]
    assert "alpha at 10.3 Hz; mains at 50 Hz" in spectrum.caption
    assert "T8, noisy" in text_of(spectrum)


def test_the_potential_peaks_where_it_was_planted(recording: Recording) -> None:
    potential = by_title(of(Scene(recording, TRUTH), "recording"))["Event-related potential"]
    assert "P3 at 400 ms" in potential.caption
    root = ElementTree.fromstring(potential.svg)
    curve = next(p for p in root.iter() if p.get("class") == "c1")
    points = _points(str(curve.get("d")))
    peak = points[np.argmin(points[:, 1]), 0]
    assert (peak - 44) / (628 - 44) * 1000 - 200 == pytest.approx(400, abs=40)


def _points(path: str) -> np.ndarray:
    head, *steps = path[1:].replace("-", " -").split("l")
    x, y = (float(part) for part in head.split())
    found = [(x, y)]
    for step in steps:
        dx, dy = (float(part) for part in step.split())
        x, y = x + dx, y + dy
        found.append((x, y))
    return np.array(found)


def test_the_time_line_counts_what_was_planted(recording: Recording) -> None:
    line = by_title(of(Scene(recording, TRUTH), "recording"))["What was planted when"]
    assert line.caption == "Muscle bursts: 1, blinks: 2."


def test_without_truth_traces_and_spectrum_are_left(recording: Recording) -> None:
    assert len(of(Scene(recording, {}), "recording")) == 2


def test_without_a_recording_nothing_is_drawn() -> None:
    assert of(Scene(None, TRUTH), "recording") == []
    assert of(Scene(None), "trial") == []


@settings(max_examples=12, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([*TRUTH, "clipping", "seizures", "measured", "hypnogram", "tones"]),
        st.recursive(
            st.none() | st.text(max_size=3) | st.floats(allow_nan=False) | st.just("T8"),
            lambda x: (
                st.lists(x, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["onset", "duration", "frequency_hz", "channel"]), x
                )
            ),
        ),
    )
)
def test_truth_of_any_shape_is_passed_over(recording: Recording, truth: dict[str, Any]) -> None:
    for picture in of(Scene(recording, truth), "recording"):
        ElementTree.fromstring(picture.svg)


def trial_with(detail: dict[str, Any]) -> Scene:
    return Scene(None, {}, {"checks": [{"detail": detail}]})


def test_seizures_stand_above_what_was_answered() -> None:
    detail = {"duration": 3600.0, "reference": [[981.0, 1022.0]], "dice": 0.52,
              "events": [[980.0, 1010.0], [1800.0, 1840.0]]}  # fmt: skip
    (picture,) = of(trial_with(detail), "trial")
    assert picture.caption == "1 reference, 2 answered; overlap (Dice) 0.52."
    assert picture.svg.count('class="f0"') == 2
    assert picture.svg.count('class="bad-fill"') == 1


def test_hypnograms_stand_above_each_other() -> None:
    detail = {"reference": [["W", 3], ["N2", 4]], "stages": [["W", 2], ["N2", 5]], "kappa": 0.7}
    (picture,) = of(trial_with(detail), "trial")
    assert picture.caption == "7 epochs reference; 7 epochs answered; Cohen's kappa 0.70."
    assert "REM" in text_of(picture)


def test_every_painter_says_what_it_is_of() -> None:
    assert {painter.of for _, painter in painters} == {"recording", "dataset", "trial"}


def test_names_in_a_drawing_are_data() -> None:
    drawing = Drawing(10, 10, '"><script>x</script>')
    drawing.text(0, 0, "</text><script>alert(1)</script>\u202e")
    root = ElementTree.fromstring(drawing.document())
    assert [child.tag.split("}")[1] for child in root] == ["title", "text"]


@given(arrays(float, st.integers(0, 30), elements=st.floats(width=32)))
def test_a_line_breaks_where_a_value_is_missing(values: np.ndarray) -> None:
    drawing = Drawing(10, 10, "x")
    drawing.line(np.arange(values.size), values)
    assert "nan" not in drawing.document()
    assert "inf" not in drawing.document()


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-7.3, 2.2), (0, 86400), (5, 5), (1e-6, 3e-6)])
def test_ticks_are_round_and_within_the_scale(low: float, high: float) -> None:
    ticks = Scale(low, high, 0, 100).ticks()
    assert all(low - 1e-9 <= tick <= high + abs(high) * 1e-6 + 1e-9 for tick in ticks)
    assert len(ticks) <= 7
