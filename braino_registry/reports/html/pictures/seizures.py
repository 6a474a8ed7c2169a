"""Seizures that were there above those that were answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.reports.html.pictures import Painter, Picture, Scene, painters
from braino_registry.reports.html.svg import Drawing, Scale, axes

_WIDTH, _LEFT = 640, 92


def paint(scene: Scene) -> Picture | None:
    """Return the intervals, None for a trial that is not about events."""
    for detail in scene.details():
        duration = detail.get("duration")
        if isinstance(duration, int | float) and duration > 0 and "reference" in detail:
            return _picture(detail, float(duration))
    return None


def _picture(detail: Mapping[str, Any], duration: float) -> Picture:
    rows = (("reference", "bad-fill", "reference"), ("answered", "f0", "events"))
    hours = duration > 7200
    unit = 3600.0 if hours else 1.0
    drawing = Drawing(_WIDTH, 96, "Seizures: reference and answer")
    x = Scale(0.0, duration / unit, _LEFT, _WIDTH - 12)
    counts = []
    for place, (name, style, key) in enumerate(rows):
        top = 10.0 + 28 * place
        spans = _spans(detail.get(key))
        drawing.text(_LEFT - 8, top + 14, name, "small", "end")
        drawing.rule(_LEFT, top + 18, _WIDTH - 12, top + 18, "grid")
        for start, stop in spans:
            left = x.at(start / unit)
            drawing.box(left, top, max(2.0, x.at(stop / unit) - left), 18, style)
        counts.append(f"{len(spans)} {name}")
    axes(drawing, x, None, "h" if hours else "s")
    dice = detail.get("dice")
    overlap = f"; overlap (Dice) {dice:.2f}" if isinstance(dice, int | float) else ""
    return Picture("Seizures", drawing.document(), f"{', '.join(counts)}{overlap}.")


def _spans(value: Any) -> list[tuple[float, float]]:
    """Return pairs of numbers; anything else is passed over."""
    rows = value if isinstance(value, list) else []
    return [
        (float(each[0]), float(each[1]))
        for each in rows
        if isinstance(each, list)
        and len(each) == 2
        and all(isinstance(number, int | float) for number in each)
    ]


painters.add("seizures", Painter(paint, of="trial", place=5), __name__)
