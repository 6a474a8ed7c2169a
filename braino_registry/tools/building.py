"""One call for a whole view: channels, window, filters, reference, rate, epochs."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.recording import View, shown
from braino_registry.tools.state import ToolState


class Built(Result, frozen=True, kw_only=True):
    """A view that was built."""

    view: Annotated[str, Meta(description="Its id, for every tool that takes a view.")]
    recording: str
    description: Annotated[str, Meta(description="What was done, and what the view shows.")]
    ch_names: list[str]
    n_channels: int
    n_epochs: Annotated[int | None, Meta(description="Set if the view consists of epochs.")]


@tool("view.build", version="1.0.0", aliases=("SignalViewBuilder",))
def build(
    state: ToolState,
    *,
    view: View,
    channels: Annotated[
        list[str] | None, Meta(description="Channels to keep, in this order; all if left out.")
    ] = None,
    notch: Annotated[list[float] | None, Meta(description="Frequencies to remove, Hz.")] = None,
    l_freq: Annotated[float | None, Meta(description="High-pass edge, Hz.")] = None,
    h_freq: Annotated[float | None, Meta(description="Low-pass edge, Hz.")] = None,
    reference: Annotated[
        str | list[str] | None,
        Meta(description='"average", one channel, or several; as recorded if left out.'),
    ] = None,
    sfreq: Annotated[float | None, Meta(description="New sampling rate, Hz.")] = None,
    tmin: Annotated[float | None, Meta(description="Seconds from the recording's start.")] = None,
    tmax: Annotated[float | None, Meta(description="Seconds; not included.")] = None,
    event: Annotated[
        str | list[str] | None, Meta(description="Cut epochs around these events; see epoch.")
    ] = None,
    epoch: Annotated[
        tuple[float, float], Meta(description="Epoch in seconds from the event, end not included.")
    ] = (-0.2, 0.8),
    baseline: Annotated[
        tuple[float, float] | None,
        Meta(description="Interval in seconds from the event whose mean is subtracted."),
    ] = None,
) -> Built:
    """Make a view in one step: notch, filter, reference, channels, rate, window, epochs.

    Whatever is left out is not done. The data on disk stay as they are.

    Definition: In this order: notch (as preprocess.notch), filter (as preprocess.filter), reference
    (as preprocess.reference; an average is over all good EEG channels, kept or not), channels,
    resampling (as preprocess.resample), window [tmin, tmax), epochs [begin, end). The whole
    recording is filtered and resampled; the window is applied after that, so that no filter sees a
    cut edge.

    Example: {"view": "sub-01_task-rest", "l_freq": 1, "h_freq": 40, "reference": "average"}
    """
    steps: list[tuple[str, dict[str, Any]]] = []
    if notch:
        steps.append(("notch", {"freqs": notch}))
    if l_freq is not None or h_freq is not None:
        steps.append(("filter", {"l_freq": l_freq, "h_freq": h_freq}))
    if reference is not None:
        steps.append(("reference", {"reference": reference}))
    if channels is not None:
        steps.append(("pick", {"channels": channels}))
    if sfreq is not None:
        steps.append(("resample", {"sfreq": sfreq}))
    if tmin is not None or tmax is not None:
        steps.append(("window", {"tmin": tmin, "tmax": tmax}))
    if event is not None:
        window = {"tmin": epoch[0], "tmax": epoch[1]}
        given = None if baseline is None else list(baseline)
        steps.append(("epochs", {"event": event, **window, "baseline": given}))
    elif baseline is not None:
        raise ToolError("a baseline belongs to epochs", "Pass event, or leave baseline out.")
    if not steps:
        raise ToolError(
            "nothing is to be done", "Pass channels, a filter, a reference, a rate or a window."
        )
    made = state.view(view)
    for op, params in steps:
        made = state.views.derive(made, op, params)
    return Built(
        view=made.id,
        recording=made.recording.id,
        description=shown(made),
        ch_names=list(made.ch_names),
        n_channels=len(made.ch_names),
        n_epochs=None if made.epochs is None else len(made.epochs.samples),
    )
