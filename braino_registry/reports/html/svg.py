"""Small drawings as SVG text: whole coordinates, colours left to the page, every name escaped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from braino_registry.reports.plain import shown

LONGEST_LABEL = 60


@dataclass
class Drawing:
    """A drawing that is being made.

    Parameters
    ----------
    width, height : int
        Size in its own units; the page scales it.
    title : str
        What it shows, for those who do not see it.
    """

    width: int
    height: int
    title: str
    _parts: list[str] = field(default_factory=list)

    def line(self, x: ArrayLike, y: ArrayLike, style: str = "c0") -> None:
        """Add a line through points, shape (n,) each; it breaks where a value is not finite."""
        points = np.column_stack([np.asarray(x, float), np.asarray(y, float)])
        path = _path(points)
        if path:
            self._parts.append(f'<path class="{style}" d="{path}"/>')

    def band(self, x: ArrayLike, low: ArrayLike, high: ArrayLike, style: str = "b0") -> None:
        """Fill what lies between two lines over the same points, shape (n,) each, all finite."""
        there = np.column_stack([np.asarray(x, float), np.asarray(high, float)])
        back = np.column_stack([np.asarray(x, float), np.asarray(low, float)])[::-1]
        points = np.vstack([there, back])
        if len(points) and np.isfinite(points).all():
            self._parts.append(f'<path class="{style}" d="{_path(points)}Z"/>')

    def box(self, x: float, y: float, width: float, height: float, style: str) -> None:
        """Add a rectangle."""
        wide, high = max(width, 0.5), max(height, 0.5)
        size = f'width="{wide:.4g}" height="{high:.4g}"'
        self._parts.append(f'<rect class="{style}" x="{x:.4g}" y="{y:.4g}" {size}/>')

    def rule(self, x1: float, y1: float, x2: float, y2: float, style: str = "axis") -> None:
        """Add a straight line."""
        self._parts.append(f'<path class="{style}" d="M{x1:.0f} {y1:.0f}L{x2:.0f} {y2:.0f}"/>')

    def dot(self, x: float, y: float, style: str, radius: float = 4) -> None:
        """Add a filled circle."""
        self._parts.append(f'<circle class="{style}" cx="{x:.4g}" cy="{y:.4g}" r="{radius:.2g}"/>')

    def text(self, x: float, y: float, text: str, style: str = "", anchor: str = "start") -> None:
        """Add a text; the names in it are data."""
        label = escape(shown(str(text), LONGEST_LABEL))
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        kind = f' class="{style}"' if style else ""
        self._parts.append(f'<text{kind} x="{x:.0f}" y="{y:.0f}"{where}>{label}</text>')

    def document(self) -> str:
        """Return the SVG."""
        title = escape(shown(self.title, 400))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
            f'viewBox="0 0 {self.width} {self.height}"><title>{title}</title>'
            f"{''.join(self._parts)}</svg>"
        )


@dataclass(frozen=True)
class Scale:
    """From values to places on a drawing.

    Parameters
    ----------
    low, high : float
        Values at the two ends.
    start, stop : float
        Their places.
    """

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: ArrayLike) -> NDArray[np.float64]:
        """Return the places of values."""
        span = (self.high - self.low) or 1.0
        share = (np.asarray(value, float) - self.low) / span
        return self.start + share * (self.stop - self.start)

    def at(self, value: float) -> float:
        """Return the place of one value."""
        return float(self(value))

    def ticks(self, many: int = 5) -> list[float]:
        """Return round values within the scale."""
        span = abs(self.high - self.low) or 1.0
        step = 10 ** np.floor(np.log10(span / many))
        step *= next((k for k in (1, 2, 2.5, 5) if span / (step * k) <= many), 10)
        first = np.ceil(min(self.low, self.high) / step - 1e-9) * step
        last = max(self.low, self.high)
        # adding zero makes a negative zero positive
        return [float(v) + 0.0 for v in np.arange(first, last + step * 1e-6, step)]


def axes(
    drawing: Drawing, x: Scale, y: Scale | None, unit: str, y_unit: str = "", many: int = 6
) -> None:
    """Draw a horizontal axis below, a vertical one left of it if there is a scale for it."""
    base = float(drawing.height - 22)
    drawing.rule(x.start, base, x.stop, base)
    for value in x.ticks(many):
        drawing.rule(x.at(value), base, x.at(value), base + 4)
        drawing.text(x.at(value), base + 16, number(value), "small", "middle")
    drawing.text(x.stop, base - 5, unit, "small", "end")
    if y is not None:
        for value in y.ticks(4):
            drawing.rule(x.start, y.at(value), x.stop, y.at(value), "grid")
            drawing.text(x.start - 5, y.at(value) + 4, number(value), "small", "end")
        drawing.text(4, 12, y_unit, "small")


def legend(drawing: Drawing, names: Sequence[tuple[str, str]], x: float, y: float) -> None:
    """Draw names with their colours, one below the other."""
    for row, (name, style) in enumerate(names):
        drawing.rule(x, y + 17 * row - 4, x + 14, y + 17 * row - 4, style)
        drawing.text(x + 19, y + 17 * row, name, "small")


def number(value: float) -> str:
    """Return a tick's number with a typographic minus."""
    return f"{value:.6g}".replace("-", "−")


def _path(points: NDArray[np.float64]) -> str:
    """Return the path of points on whole units, relative, breaking where one is not finite."""
    parts: list[str] = []
    before: tuple[int, int] | None = None
    for x, y in points:
        if not (np.isfinite(x) and np.isfinite(y)):
            before = None
            continue
        here = (round(float(x)), round(float(y)))
        if before is None:
            parts.append(f"M{here[0]} {here[1]}")
        elif here != before:
            dx, dy = here[0] - before[0], here[1] - before[1]
            parts.append(f"l{dx} {dy}" if dy >= 0 else f"l{dx}{dy}")
        before = here
    return "".join(parts)
