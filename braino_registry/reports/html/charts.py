"""The one kind of chart that figures use: values on a common scale, with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from braino_registry.reports.html.svg import Drawing, Scale, axes, legend

_WIDTH, _LEFT, _RIGHT, _TOP = 640, 172, 48, 16
#: Between two series of a row; a label fits into it on a small screen, too.
_STEP = 15
_STYLES = ("0", "1", "2", "3")


@dataclass(frozen=True)
class Point:
    """A value of a chart.

    Parameters
    ----------
    value : float or None
        None where it is not known.
    low, high : float or None
        Its interval, where it has one.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


def dots(
    title: str,
    rows: Mapping[str, Mapping[str, Point]],
    *,
    series: Sequence[str] = (),
    top: float = 100.0,
    unit: str = "score",
) -> str:
    """Return a chart with a line for each row and a dot for each series in it.

    Parameters
    ----------
    title : str
        What is shown.
    rows : mapping
        ``{row: {series: Point}}``.
    series : sequence of str
        All series of a page in their order, so that each keeps its colour from chart to chart;
        only those that occur are drawn. By default those of the rows.
    top : float
        The right end of the scale, which begins at 0.
    unit : str
        Stands at the axis.
    """
    present = dict.fromkeys(name for row in rows.values() for name in row)
    every = list(series) or list(present)
    series = [name for name in every if name in present]
    many = max(1, len(series))
    row_height = _STEP * many + 10
    head = _TOP + (17 * len(series) + 6 if len(every) > 1 else 0)
    drawing = Drawing(_WIDTH, head + row_height * len(rows) + 30, title)
    x = Scale(0.0, top, _LEFT, _WIDTH - _RIGHT)
    styles = {name: _STYLES[i % len(_STYLES)] for i, name in enumerate(every)}
    if len(every) > 1:
        legend(drawing, [(name, f"c{styles[name]}") for name in series], _LEFT, 14)
    for place, (name, points) in enumerate(rows.items()):
        middle = head + row_height * place + row_height / 2
        drawing.text(_LEFT - 10, middle + 4, name, "small", "end")
        if place + 1 < len(rows):
            below = middle + row_height / 2
            drawing.rule(_LEFT, below, _WIDTH - _RIGHT, below, "grid")
        for i, one in enumerate(series):
            point = points.get(one)
            if point is not None and point.value is not None:
                y = middle + _STEP * (i - (many - 1) / 2)
                _dot(drawing, x, y, point, styles[one], top)
    axes(drawing, x, None, unit)
    return drawing.document()


def _dot(drawing: Drawing, x: Scale, y: float, point: Point, style: str, top: float) -> None:
    value = point.value or 0.0
    if point.low is not None and point.high is not None:
        drawing.rule(x.at(point.low), y, x.at(point.high), y, f"c{style}")
    drawing.dot(x.at(value), y, f"f{style}")
    text = f"{value:.0f}" if top > 1 else f"{value:.2f}"
    drawing.text(_WIDTH - _RIGHT + 8, y + 4, text, "small")


def series_names(labels: Sequence[str], apart: Sequence[str] = ()) -> list[str]:
    """Return labels made different from each other, in their order.

    Parameters
    ----------
    labels : sequence of str
        What each is called.
    apart : sequence of str
        What tells those apart that are called the same, one for each label: it is added where
        it differs. What is alike then is numbered.
    """
    if apart:
        others: dict[str, set[str]] = {}
        for label, more in zip(labels, apart, strict=True):
            others.setdefault(label, set()).add(more)
        labels = [
            f"{label}, {more}" if len(others[label]) > 1 else label
            for label, more in zip(labels, apart, strict=True)
        ]
    seen: dict[str, int] = {}
    found = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        found.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return found
