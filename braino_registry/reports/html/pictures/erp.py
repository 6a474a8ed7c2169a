"""Averages around events, with the components that were planted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from braino_registry.recordings.recording import Recording, event_name
from braino_registry.reports.html.pictures import Painter, Picture, Scene, painters
from braino_registry.reports.html.svg import Drawing, Scale, axes, legend

BEFORE, AFTER = 0.2, 0.8
CONDITIONS = 4
TRIALS = 200
#: Beyond this nothing is averaged; a picture is no analysis.
LONGEST = 3600.0
_WIDTH, _HEIGHT = 640, 230
_STYLES = ("c1", "c0", "c2", "c3")


def paint(scene: Scene) -> Picture | None:
    """Return the averages, None where no component was planted or no event is known."""
    recording, components = scene.recording, scene.group("components")
    if recording is None or not components:
        return None
    if recording.duration > LONGEST:
        return None
    channel = _channel(scene.group("measured"), recording)
    onsets = _onsets(recording, components)
    if channel is None or not onsets:
        return None
    rate = recording.channel_sfreqs[recording.index([channel])[0]]
    signal = recording.read([channel])[0] * 1e6
    found = [(name, *_average(signal, rate, times)) for name, times in onsets.items()]
    curves = [(name, mean, many) for name, mean, many in found if many]
    if not curves:
        return None
    svg = _draw(curves, rate, components, f"{recording.id}, {channel}")
    planted = "; ".join(
        f"{name} at {1000 * each['latency_s']:.0f} ms" for name, each in _placed(components)
    )
    return Picture(
        f"Event-related potential at {channel}",
        svg,
        f"Means around events, baseline −{1000 * BEFORE:.0f} to 0 ms, nothing rejected or filtered."
        f" Planted: {planted}.",
    )


def _placed(components: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return [
        (name, each)
        for name, each in components.items()
        if isinstance(each, dict) and isinstance(each.get("latency_s"), int | float)
    ]


def _channel(measured: Mapping[str, Any], recording: Recording) -> str | None:
    """Return the channel in which the generator measured what it planted, else a midline one."""
    named = Counter(
        each["channel"]
        for each in measured.values()
        if isinstance(each, dict) and isinstance(each.get("channel"), str)
    )
    wanted = [name for name, _ in named.most_common()] + ["Pz", "Cz", "Fz"]
    return next((name for name in wanted if name in recording.ch_names), None)


def _onsets(recording: Recording, components: Mapping[str, Any]) -> dict[str, list[float]]:
    """Return the onsets of the events that a component was planted for."""
    sizes = [each.get("amplitude_uv") for _, each in _placed(components)]
    meant = {str(name) for each in sizes if isinstance(each, dict) for name in each}
    found: dict[str, list[float]] = {}
    for event in recording.events:
        if event_name(event) in meant:
            found.setdefault(event_name(event), []).append(float(event["onset"]))
    return dict(list(found.items())[:CONDITIONS])


def _average(
    signal: NDArray[np.float64], rate: float, onsets: list[float]
) -> tuple[NDArray[np.float64], int]:
    before, after = int(BEFORE * rate), int(AFTER * rate)
    starts = [round(onset * rate) for onset in onsets[:TRIALS]]
    whole = [each for each in starts if each >= before and each + after <= signal.size]
    if not whole:
        return np.empty(0), 0
    epochs = np.stack([signal[each - before : each + after] for each in whole])
    epochs = epochs - epochs[:, :before].mean(axis=1, keepdims=True)
    mean: NDArray[np.float64] = epochs.mean(axis=0)
    return mean, len(whole)


def _draw(
    curves: list[tuple[str, NDArray[np.float64], int]],
    rate: float,
    components: Mapping[str, Any],
    title: str,
) -> str:
    drawing = Drawing(_WIDTH, _HEIGHT, f"Event-related potentials of {title}")
    low = min(float(mean.min()) for _, mean, _ in curves)
    high = max(float(mean.max()) for _, mean, _ in curves)
    x = Scale(-1000 * BEFORE, 1000 * AFTER, 44, _WIDTH - 12)
    y = Scale(low - 0.5, high + 0.2 * (high - low) + 0.5, _HEIGHT - 26, 20)
    axes(drawing, x, y, "ms", "µV", 8)
    drawing.rule(x.at(0), 20, x.at(0), _HEIGHT - 22)
    for row, (name, each) in enumerate(_placed(components)):
        place = x.at(1000 * float(each["latency_s"]))
        drawing.rule(place, 20, place, _HEIGHT - 22, "mark")
        drawing.text(place + 4, 30 + 13 * (row % 2), name, "marktext")
    for (_, mean, _), style in zip(curves, _STYLES, strict=False):
        times = 1000 * (np.arange(mean.size) / rate - BEFORE)
        drawing.line(x(times), y(mean), style)
    names = [
        (f"{name} ({many})", style) for (name, _, many), style in zip(curves, _STYLES, strict=False)
    ]
    legend(drawing, names, _WIDTH - 215, 62)
    return drawing.document()


painters.add("erp", Painter(paint, place=10), __name__)
