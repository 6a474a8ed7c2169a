"""What a picture shows is told from its pixels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from tests.scoring.evidence import RECORDING, call, evidence, run
from tests.scoring.files import zoo

mpl.use("Agg")

from matplotlib.figure import Figure

Draw = Callable[[Any], None]
PATH = "figure.png"
RNG = np.random.default_rng(3)


def psd(axes: Any) -> None:
    from scipy.signal import welch

    freqs, power = welch(zoo.eeg(), 200.0, nperseg=800)
    axes.semilogy(freqs, power.T)
    axes.grid(visible=True)
    axes.set_xlabel("Hz")


def one_dark_curve(axes: Any) -> None:
    from scipy.signal import welch

    freqs, power = welch(zoo.eeg()[0], 200.0, nperseg=800)
    axes.plot(freqs[:160], 10 * np.log10(power[:160]), color="black")


def traces(axes: Any) -> None:
    axes.plot(zoo.eeg()[:, :1000].T + 120 * np.arange(4))


def heat_map(axes: Any) -> None:
    axes.imshow(np.corrcoef(RNG.standard_normal((16, 40))), cmap="viridis")


def spectrogram(axes: Any) -> None:
    axes.specgram(zoo.eeg()[0], Fs=200)


def nothing(axes: Any) -> None:
    axes.set_axis_off()


def only_a_frame(axes: Any) -> None:
    axes.set_title("Power spectrum")
    axes.grid(visible=True)


def a_text(axes: Any) -> None:
    axes.set_axis_off()
    for line in range(12):
        axes.text(0, line / 12, "The power spectrum shows a clear peak near ten hertz.")


def flat_line(axes: Any) -> None:
    axes.plot([0, 40], [1, 1])


def one_colour(axes: Any) -> None:
    axes.imshow(np.ones((16, 16)), cmap="viridis", vmin=0, vmax=2)


def picture(folder: Path, draw: Draw, size: tuple[float, float] = (6.4, 4.8)) -> Path:
    figure = Figure(figsize=size, dpi=100)
    draw(figure.subplots())
    figure.savefig(folder / PATH)
    return folder / PATH


def check(**image: Any) -> dict[str, Any]:
    return {"kind": "artifact", "path": PATH, "image": image}


@pytest.mark.parametrize(
    ("draw", "curves", "grid"),
    [
        (psd, True, False),
        (one_dark_curve, True, False),
        (traces, True, False),
        (heat_map, False, True),
        (spectrogram, False, True),
        (only_a_frame, False, False),
        (a_text, False, False),
        (flat_line, False, False),
        (one_colour, False, False),
    ],
)
def test_what_a_figure_shows(tmp_path: Path, draw: Draw, curves: bool, grid: bool) -> None:
    picture(tmp_path, draw)
    for kind, expected in (("curves", curves), ("grid", grid)):
        result = run(check(shows={"is": kind}), evidence("done", artifacts=tmp_path))
        assert result.passed is expected, (kind, result.evidence)


def test_a_blank_figure_scores_nothing(tmp_path: Path) -> None:
    picture(tmp_path, nothing)
    result = run(check(shows={"is": "curves"}), evidence("done", artifacts=tmp_path))
    assert (result.passed, result.score) == (False, 0.0)
    assert "all the same" in result.evidence


@pytest.mark.parametrize("size", [(64, 64), (199, 400)])
def test_a_stamp_is_no_figure(tmp_path: Path, size: tuple[int, int]) -> None:
    noise = RNG.integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / PATH)
    result = run(check(shows={"is": "grid"}), evidence("done", artifacts=tmp_path))
    assert (result.passed, result.score) == (False, 0.0)


def test_a_picture_of_another_format_or_cut_short_is_none(tmp_path: Path) -> None:
    whole = picture(tmp_path, psd).read_bytes()
    (tmp_path / PATH).write_bytes(whole[: len(whole) // 2])
    assert not run(check(shows={"is": "curves"}), evidence("x", artifacts=tmp_path)).passed
    Image.open(picture(tmp_path, psd)).convert("RGB").save(tmp_path / "a.jpg")
    (tmp_path / "a.jpg").rename(tmp_path / PATH)
    assert not run(check(shows={"is": "curves"}), evidence("x", artifacts=tmp_path)).passed


def drawn(**changes: Any) -> dict[str, Any]:
    result = {"file": PATH, "width_px": 640, "height_px": 480}
    args = {"view": RECORDING, "kind": "psd", "file": PATH, "fmin": 1, **changes}
    return {**call("export.figure", result), "args": args}


WANTED = {"tool": "export.figure", "with": {"kind": "psd", "fmin": 1}, "on": RECORDING}


def test_a_figure_is_the_one_that_the_tool_drew(tmp_path: Path) -> None:
    picture(tmp_path, psd)
    asked = check(shows={"is": "curves"}, drawn_by=WANTED)
    assert run(asked, evidence("x", drawn(), artifacts=tmp_path)).score == 1
    for events in ([], [drawn(fmin=2)], [drawn(), drawn(kind="traces")], [drawn(view="sub-01")]):
        result = run(asked, evidence("x", *events, artifacts=tmp_path))
        assert (result.passed, result.score) == (False, 0.5), result.evidence


def test_what_a_figure_was_drawn_from(tmp_path: Path) -> None:
    picture(tmp_path, psd)
    notched = call("view.build", {"view": "view-1"}, view=RECORDING, notch=[50])
    raw = call("view.build", {"view": "view-2"}, view=RECORDING)
    through = [{"tool": "view.build", "with": {"notch": [50]}}, {"tool": "preprocess.notch"}]
    asked = check(drawn_by={**WANTED, "through": through})
    assert run(asked, evidence("x", notched, drawn(view="view-1"), artifacts=tmp_path)).passed
    for view in ("view-2", RECORDING):
        events = (notched, raw, drawn(view=view))
        assert not run(asked, evidence("x", *events, artifacts=tmp_path)).passed


@pytest.mark.parametrize(
    ("before", "done", "passes"),
    [
        ({}, {"notch": [50]}, True),
        ({"channels": ["Cz"]}, {"notch": [50], "l_freq": None}, True),
        ({}, {"notch": [50], "l_freq": 1}, False),
        ({}, {"notch": [50, 25]}, False),
        ({"reference": "average"}, {"notch": [50]}, False),
        ({"tmin": 0}, {"notch": [50]}, False),
    ],
)
def test_a_figure_was_drawn_from_nothing_else(
    before: dict[str, Any], done: dict[str, Any], passes: bool, tmp_path: Path
) -> None:
    picture(tmp_path, psd)
    first = call("view.build", {"view": "view-1"}, view=RECORDING, **before)
    second = call("view.build", {"view": "view-2"}, view="view-1", **done)
    aside = call("view.build", {"view": "view-3"}, view=RECORDING, l_freq=8)
    only = {"tool": "view.build", "with": {"notch": [50]}, "besides": ["view", "channels"]}
    asked = check(drawn_by={**WANTED, "only": only})
    events = (first, second, aside, drawn(view="view-2"))
    assert run(asked, evidence("x", *events, artifacts=tmp_path)).passed is passes


def test_a_figure_rests_on_several_calls(tmp_path: Path) -> None:
    picture(tmp_path, heat_map)
    cut = call("view.build", {"view": "view-1"}, view=RECORDING, tmin=10, tmax=40)
    found = call("connectivity.measure", {"result": "result-1"}, view="view-1", method="pearson")
    other = call("connectivity.measure", {"result": "result-2"}, view=RECORDING, method="pearson")
    way = {"tool": "view.build", "with": {"tmin": 10, "tmax": 40},
           "and": {"tool": "connectivity.measure", "with": {"method": "pearson"}}}  # fmt: skip
    asked = check(drawn_by={"tool": "export.figure", "through": way})
    for result, passes in (("result-1", True), ("result-2", False)):
        events = (cut, found, other, drawn(view=None, result=result))
        assert run(asked, evidence("x", *events, artifacts=tmp_path)).passed is passes


def test_what_a_figure_shows_by_its_tool(tmp_path: Path) -> None:
    picture(tmp_path, psd)
    event = drawn()
    event["result"]["ch_names"] = ["O1", "O2"]
    for names, passes in ((["O1", "O2"], True), (["O1"], False)):
        asked = check(drawn_by={**WANTED, "showing": {"ch_names": names}})
        assert run(asked, evidence("x", event, artifacts=tmp_path)).passed is passes


def test_a_figure_that_was_put_in_its_place_is_not(tmp_path: Path) -> None:
    picture(tmp_path, psd, size=(8, 4))
    asked = check(drawn_by=WANTED)
    assert run(asked, evidence("x", drawn(), artifacts=tmp_path)).score == 0


def test_code_is_judged_by_its_pixels(tmp_path: Path) -> None:
    picture(tmp_path, psd)
    code = {"type": "execute", "code": "open('input')", "ok": True}
    asked = check(shows={"is": "curves"}, drawn_by=WANTED)
    assert run(asked, evidence("x", code, artifacts=tmp_path)).score == 1
