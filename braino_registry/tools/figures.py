"""Figures as PNG files in the workspace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from braino_registry.tools import workspace
from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.spectrum import Channels, Segment, _spectrum
from braino_registry.tools.state import ToolState

if TYPE_CHECKING:
    from braino_registry.recordings.views import View as ViewObject

MAX_SPANS = 20_000


class Drawn(Result, frozen=True, kw_only=True):
    """A figure that was drawn."""

    file: Annotated[str, Meta(description="Its name in the workspace: name it as an artifact.")]
    kind: str
    ch_names: Annotated[list[str], Meta(description="Channels that it shows.")]
    shows: Annotated[str, Meta(description="What is on it, in words.")]


@tool("export.figure", version="1.0.0", aliases=("FigureExporter",))
def figure(
    state: ToolState,
    *,
    kind: Annotated[
        Literal["psd", "heatmap", "spectrogram", "traces", "hypnogram"],
        Meta(description="psd, spectrogram, traces, hypnogram: of a view; heatmap: of a result."),
    ],
    file: Annotated[str, Meta(description="Name of the file, for example spectrum.png.")],
    view: Annotated[str | None, Meta(description="A recording's or view's id.")] = None,
    channels: Channels = None,
    fmin: Annotated[float | None, Meta(description="Lowest frequency shown, Hz.")] = None,
    fmax: Annotated[float | None, Meta(description="Highest frequency shown, Hz.")] = None,
    segment_seconds: Segment = 4.0,
    result: Annotated[
        str | None, Meta(description="Id of a result with a matrix, for a heatmap.")
    ] = None,
    path: Annotated[str, Meta(description="Where its matrix is.", max_length=200)] = "matrix",
) -> Drawn:
    """Draw a spectrum, a matrix, power over time, traces or a hypnogram into a PNG file.

    heatmap takes result (of connectivity.measure, say), all others view. spectrogram takes one
    channel. hypnogram shows the stages among the view's events. An existing file of this name is
    replaced.

    Definition: psd: Welch's density (Hann, segment_seconds, 50 % overlap) in µV²/Hz, logarithmic.
    spectrogram: the same in each segment, dB of µV²/Hz. traces: samples, the median of each channel
    removed.

    Example: {"kind": "psd", "file": "spectrum.png", "view": "view-1", "fmin": 1, "fmax": 40}
    """
    workspace.check_name(file, ("png",))
    if kind == "heatmap":
        if result is None or view is not None:
            raise ToolError("a heatmap is drawn of a result", "Pass result, and leave view out.")
        return _heatmap(state, file, result, path)
    if view is None or result is not None:
        raise ToolError(f"a {kind} is drawn of a view", "Pass view, and leave result out.")
    chosen = state.view(view)
    if chosen.epochs is not None:
        raise ToolError("a figure shows a continuous view", "Pass the view before epoching.")
    if kind == "hypnogram":
        return _hypnogram(state, file, chosen)
    if kind == "traces":
        return _traces(state, file, chosen, channels)
    drawn = _psd if kind == "psd" else _spectrogram
    return drawn(state, file, chosen, channels, (fmin, fmax), segment_seconds)


def _shown(freqs: Any, fmin: float | None, fmax: float | None) -> Any:
    """Return which bins are shown."""
    low = 0.0 if fmin is None else fmin
    high = float(freqs[-1]) if fmax is None else fmax
    mask = (freqs >= low) & (freqs <= high)
    if mask.sum() < 2:
        raise ToolError(
            f"no spectrum lies between {low:g} and {high:g} Hz",
            f"Pass fmin below fmax, both between 0 and {freqs[-1]:g} Hz.",
        )
    return mask


def _psd(
    state: ToolState,
    file: str,
    view: ViewObject,
    channels: list[str] | None,
    edges: tuple[float | None, float | None],
    segment_seconds: float,
) -> Drawn:
    from braino_registry.tools import drawing

    freqs, density, names = _spectrum(view, channels, segment_seconds)
    mask = _shown(freqs, *edges)
    title = f"Power spectral density of {view.id}"

    def make(target: Path) -> None:
        drawing.save(
            target, lambda _, axes: drawing.psd(axes, freqs[mask], density[:, mask], names, title)
        )

    workspace.write(state, file, make)
    low, high = freqs[mask][0], freqs[mask][-1]
    return Drawn(
        file=file, kind="psd", ch_names=list(names),
        shows=f"power spectral density from {low:g} to {high:g} Hz, a line per channel",
    )  # fmt: skip


def _spectrogram(
    state: ToolState,
    file: str,
    view: ViewObject,
    channels: list[str] | None,
    edges: tuple[float | None, float | None],
    segment_seconds: float,
) -> Drawn:
    from scipy.signal import spectrogram

    from braino_registry.tools import drawing

    names = view.pick(channels)
    if len(names) != 1:
        raise ToolError("a spectrogram shows one channel", "Pass channels with one name.")
    n = round(segment_seconds * view.sfreq)
    row = view.data(names)[0]
    if not 2 <= n <= row.size // 2:
        raise ToolError(
            f"segments of {segment_seconds:g} s do not fit the view", "Pass a shorter segment."
        )
    freqs, times, density = spectrogram(
        row, view.sfreq, window="hann", nperseg=n, noverlap=n // 2, detrend="constant"
    )
    mask = _shown(freqs, *edges)
    begin = float(view.times[0])
    title = f"Spectrogram of {names[0]}, {view.id}"

    def make(target: Path) -> None:
        drawing.save(
            target,
            lambda fig, axes: drawing.spectrogram(
                fig, axes, times + begin, freqs[mask], density[mask], title
            ),
        )

    workspace.write(state, file, make)
    low, high = freqs[mask][0], freqs[mask][-1]
    return Drawn(
        file=file, kind="spectrogram", ch_names=list(names),
        shows=f"power over time from {low:g} to {high:g} Hz",
    )  # fmt: skip


def _traces(state: ToolState, file: str, view: ViewObject, channels: list[str] | None) -> Drawn:
    from braino_registry.tools import drawing

    names = view.pick(channels)
    data, times = view.data(names), view.times
    height = max(drawing.HEIGHT, 0.3 * len(names))

    def make(target: Path) -> None:
        drawing.save(
            target,
            lambda _, axes: drawing.traces(axes, times, data, names, view.id),
            height=min(height, 40.0),
        )

    workspace.write(state, file, make)
    return Drawn(
        file=file, kind="traces", ch_names=list(names), shows="samples over time, channels stacked"
    )


def _heatmap(state: ToolState, file: str, result: str, path: str) -> Drawn:
    from braino_registry.tools import drawing
    from braino_registry.tools.exporting import matrix_of

    stored = state.results.get(result)
    names, matrix = matrix_of(stored, path)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(names) != len(matrix):
        raise ToolError(
            f"{path} of {result} is no square matrix of channels",
            "Pass a result of connectivity.measure, and path matrix.",
        )
    title = stored.note or result

    def make(target: Path) -> None:
        drawing.save(
            target,
            lambda fig, axes: drawing.heatmap(fig, axes, matrix, names, title),
            height=8.0,
        )

    workspace.write(state, file, make)
    return Drawn(file=file, kind="heatmap", ch_names=names, shows=f"a matrix of channels: {title}")


def _hypnogram(state: ToolState, file: str, view: ViewObject) -> Drawn:
    from braino_registry.recordings.staging import staged
    from braino_registry.tools import drawing

    spans = staged(view.events)
    if not 1 <= len(spans) <= MAX_SPANS:
        raise ToolError(
            f"{view.id} has no sleep stages among its events",
            "Pass a recording whose events.tsv holds stages; events.list shows its events.",
        )

    def make(target: Path) -> None:
        drawing.save(target, lambda _, axes: drawing.hypnogram(axes, spans, f"Stages of {view.id}"))

    workspace.write(state, file, make)
    return Drawn(file=file, kind="hypnogram", ch_names=[], shows="sleep stages over time")
