"""The whole recording on one line for each thing that was planted at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.reports.html.pictures import Painter, Picture, Scene, painters
from braino_registry.reports.html.svg import Drawing, Scale, axes

_WIDTH, _ROW, _LEFT = 640, 20, 160
_ROWS = 8
#: Points in time, not intervals; a heartbeat is everywhere, and says nothing here.
_MOMENTS = ("blinks", "saccades")


def paint(scene: Scene) -> Picture | None:
    """Return the time line, None if nothing was planted at a time."""
    recording = scene.recording
    if recording is None:
        return None
    rows = _rows(scene.truth)
    if not rows:
        return None
    drawing = Drawing(_WIDTH, _ROW * len(rows) + 34, f"What was planted when in {recording.id}")
    x = Scale(0.0, recording.duration, _LEFT, _WIDTH - 12)
    for place, (name, spans) in enumerate(rows):
        top = _ROW * place + 6.0
        drawing.text(_LEFT - 8, top + 11, name.replace("_", " "), "small", "end")
        drawing.rule(_LEFT, top + 14, _WIDTH - 12, top + 14, "grid")
        seen: set[tuple[int, int]] = set()
        for onset, duration in spans:
            left, wide = x.at(onset), max(1.0, x.at(onset + duration) - x.at(onset))
            key = (round(left), round(wide))
            if key not in seen and onset <= recording.duration:
                seen.add(key)
                drawing.box(left, top + 2, min(wide, _WIDTH - 12 - left), 12, f"f{place % 4}")
    axes(drawing, x, None, "s")
    many = ", ".join(f"{name.replace('_', ' ')}: {len(spans)}" for name, spans in rows)
    return Picture("What was planted when", drawing.document(), f"{many.capitalize()}.")


def _rows(truth: Mapping[str, Any]) -> list[tuple[str, list[tuple[float, float]]]]:
    found = []
    for name, value in truth.items():
        if not isinstance(value, list):
            continue
        spans = [span for each in value if (span := _span(name, each)) is not None]
        if spans:
            found.append((str(name), spans))
    return found[:_ROWS]


def _span(name: str, each: Any) -> tuple[float, float] | None:
    if isinstance(each, dict) and isinstance(each.get("onset"), int | float):
        duration = each.get("duration")
        long = float(duration) if isinstance(duration, int | float) else 0.0
        return float(each["onset"]), max(0.0, long)
    if name in _MOMENTS and isinstance(each, int | float):
        return float(each), 0.0
    return None


painters.add("timeline", Painter(paint, place=40), __name__)
