"""Sleep stages that were scored by an expert, or planted, above those that were answered."""

from __future__ import annotations

from typing import Any

import numpy as np

from braino_registry.reports.html.pictures import Painter, Picture, Scene, painters
from braino_registry.reports.html.svg import Drawing, Scale, axes

EPOCH = 30.0
#: Epochs that are drawn, two weeks.
LONGEST = 40_320
STAGES = ("W", "REM", "N1", "N2", "N3")
_WIDTH, _BAND, _LEFT = 640, 92, 92


def paint(scene: Scene) -> Picture | None:
    """Return the hypnograms, None for a trial without stages."""
    for detail in scene.details():
        if isinstance(detail.get("stages"), list) and isinstance(detail.get("reference"), list):
            rows = (
                ("reference", _spread(detail["reference"]), "bad"),
                ("answered", _spread(detail["stages"]), "c0"),
            )
            return _picture(rows, detail.get("kappa"))
    planted = scene.truth.get("hypnogram")
    if isinstance(planted, list) and planted:
        return _picture((("planted", [str(each) for each in planted], "c0"),), None)
    return None


def _spread(runs: list[Any]) -> list[str]:
    """Return one stage for each epoch from pairs of stage and how many follow each other."""
    found = []
    for each in runs:
        if isinstance(each, list) and len(each) == 2 and isinstance(each[1], int):
            found += [str(each[0])] * min(each[1], LONGEST)
    return found[:LONGEST]


def _picture(rows: tuple[tuple[str, list[str], str], ...], kappa: Any) -> Picture:
    longest = max(1, *(len(stages) for _, stages, _ in rows))
    drawing = Drawing(_WIDTH, _BAND * len(rows) + 30, "Hypnogram")
    x = Scale(0.0, longest * EPOCH / 3600, _LEFT, _WIDTH - 12)
    for place, (name, stages, style) in enumerate(rows):
        top = _BAND * place + 8.0
        levels = {stage: top + 16 * i + 8 for i, stage in enumerate(STAGES)}
        drawing.text(4, top + 12, name, "small")
        for stage, level in levels.items():
            drawing.text(_LEFT - 8, level + 4, stage, "small", "end")
            drawing.rule(_LEFT, level, _WIDTH - 12, level, "grid")
        y = np.array([levels.get(stage, np.nan) for stage in stages])
        times = np.arange(len(stages) + 1) * EPOCH / 3600
        drawing.line(x(np.repeat(times, 2)[1:-1]), np.repeat(y, 2), style)
    axes(drawing, x, None, "h")
    said = "".join(f"{len(stages)} epochs {name}; " for name, stages, _ in rows)
    agree = f"Cohen's kappa {kappa:.2f}" if isinstance(kappa, int | float) else "stages of 30 s"
    return Picture("Hypnogram", drawing.document(), f"{said}{agree}.")


painters.add("hypnogram", Painter(paint, of="trial", place=6), __name__)
