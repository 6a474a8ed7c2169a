"""Steps that make a new view: filter, notch, resample, reference, pick, crop."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.errors import ToolError
from braino_registry.tools.recording import View
from braino_registry.tools.state import ToolState


class NewView(Result, frozen=True, kw_only=True):
    """A view that a step made."""

    view: Annotated[str, Meta(description="Its id, for every tool that takes a view.")]
    recording: str
    description: Annotated[str, Meta(description="What was done, and what the view shows.")]
    n_channels: int


def _made(state: ToolState, view: str, op: str, description: str, params: Any) -> NewView:
    made = state.views.derive(state.view(view), op, params)
    return NewView(
        view=made.id,
        recording=made.recording.id,
        description=f"{description}; now {made.n_times / made.sfreq:g} s at {made.sfreq:g} Hz",
        n_channels=len(made.ch_names),
    )


@tool("preprocess.filter", version="1.0.0")
def filter_(
    state: ToolState,
    *,
    view: View,
    l_freq: Annotated[
        float | None, Meta(description="Lower edge of the pass band in Hz (high-pass).")
    ] = None,
    h_freq: Annotated[
        float | None, Meta(description="Upper edge of the pass band in Hz (low-pass).")
    ] = None,
) -> NewView:
    """Filter all voltage channels of a view: high-pass, low-pass or band-pass.

    Pass l_freq alone for a high-pass, h_freq alone for a low-pass, both for a band-pass. The whole
    recording is filtered, whatever window the view shows. The data on disk stay as they are.

    Definition: MNE's zero-phase FIR filter (firwin, Hamming window, reflected edges); transition
    bands min(max(l_freq/4, 2), l_freq) Hz and min(max(h_freq/4, 2), sfreq/2 - h_freq) Hz.

    Example: {"view": "sub-01_task-rest", "l_freq": 1, "h_freq": 40}
    """
    edges = {"l_freq": l_freq, "h_freq": h_freq}
    if l_freq is not None and h_freq is not None:
        said = f"band-pass {l_freq:g} to {h_freq:g} Hz"
    else:
        said = f"high-pass {l_freq:g} Hz" if l_freq is not None else f"low-pass {h_freq or 0:g} Hz"
    return _made(state, view, "filter", f"{said}, zero-phase FIR", edges)


@tool("preprocess.notch", version="1.0.0")
def notch(
    state: ToolState,
    *,
    view: View,
    freq: Annotated[float, Meta(description="Frequency to remove in Hz, for example the mains.")],
    harmonics: Annotated[bool, Meta(description="Its multiples below half the rate, too.")] = False,
) -> NewView:
    """Remove a narrow band from all voltage channels: mains hum at a known frequency.

    Definition: MNE's zero-phase FIR notch (stop band freq/200 Hz wide, transitions 0.5 Hz on either
    side) on the whole recording.

    Example: {"view": "sub-01_task-rest", "freq": 50}
    """
    top = state.view(view).sfreq / 2
    count = max(int((top - 2) // freq), 1) if harmonics and freq >= 2 else 1
    freqs = [freq * (k + 1) for k in range(count)]
    said = " and ".join(f"{f:g} Hz" for f in freqs)
    return _made(state, view, "notch", f"notch at {said}, zero-phase FIR", {"freqs": freqs})


@tool("preprocess.resample", version="1.0.0")
def resample(
    state: ToolState,
    *,
    view: View,
    sfreq: Annotated[float, Meta(description="New sampling rate in Hz.", gt=0)],
) -> NewView:
    """Change the sampling rate of a view. Peaks may move by less than one new sample.

    Definition: MNE's Fourier resampling (the defaults of Raw.resample) of the whole recording.

    Example: {"view": "sub-01_task-rest", "sfreq": 100}
    """
    return _made(state, view, "resample", f"resampled to {sfreq:g} Hz", {"sfreq": sfreq})


@tool("preprocess.reference", version="1.0.0")
def reference(
    state: ToolState,
    *,
    view: View,
    reference: Annotated[
        str | list[str], Meta(description='"average", one channel, or several (their mean).')
    ] = "average",
) -> NewView:
    """Re-reference the EEG channels of a view.

    Definition: The mean of the reference channels is subtracted from every EEG channel, sample by
    sample; "average" is the mean over the EEG channels that channels.tsv does not mark bad.

    Example: {"view": "sub-01_task-rest", "reference": "average"}
    """
    said = reference if isinstance(reference, str) else ", ".join(reference)
    return _made(state, view, "reference", f"reference: {said}", {"reference": reference})


@tool("preprocess.pick", version="1.0.0")
def pick(
    state: ToolState,
    *,
    view: View,
    channels: Annotated[list[str], Meta(description="Channels to keep, in this order.")],
) -> NewView:
    """Keep some channels. From a recording with several rates: channels of one rate.

    Example: {"view": "sub-01_task-rest", "channels": ["Cz", "Pz"]}
    """
    said = f"channels {', '.join(channels)}"
    return _made(state, view, "pick", said, {"channels": channels})


@tool("preprocess.crop", version="1.0.0")
def crop(
    state: ToolState,
    *,
    view: View,
    tmin: Annotated[float | None, Meta(description="Seconds from the recording's start.")] = None,
    tmax: Annotated[float | None, Meta(description="Seconds; not included.")] = None,
) -> NewView:
    """Look at a part of a recording. Filters still see the whole of it.

    Definition: All samples n with tmin <= n/sfreq < tmax.

    Example: {"view": "sub-01_task-rest", "tmin": 10, "tmax": 70}
    """
    if tmin is None and tmax is None:
        raise ToolError("preprocess.crop needs tmin, tmax or both", "Pass seconds.")
    said = f"from {'the start' if tmin is None else f'{tmin:g} s'} "
    said += f"to {'the end' if tmax is None else f'{tmax:g} s'}"
    return _made(state, view, "window", said, {"tmin": tmin, "tmax": tmax})
