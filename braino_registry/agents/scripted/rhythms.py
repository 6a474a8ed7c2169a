"""Pipelines about spectra: as the request defines them, otherwise the tools' defaults."""

from __future__ import annotations

from typing import Any

from braino_registry.agents.scripted.desk import Desk, Stuck

MOST = 4  # recordings that are measured one by one


def band_power(desk: Desk) -> None:
    """Measure the power of the band that is named, in each recording that is meant."""
    args = _args(desk)
    spans, bands = desk.request.spans("Hz"), desk.request.bands
    if spans:
        args["fmin"], args["fmax"] = spans[0]
    elif bands:
        args["band"] = bands[0]
    else:
        raise Stuck("I do not know which band is meant.")
    name = " ".join(bands)
    for recording in desk.recordings[:MOST]:
        found = desk.run("spectrum.band_power", view=recording, **args)
        state = next((word for word in ("open", "closed") if word in recording), "")
        desk.note(f"relative {name} power {state}", found["relative"], "1")
        desk.note(f"absolute {name} power {state}", found["absolute_uv2"], "µV²")


def peak(desk: Desk) -> None:
    """Find the largest peak of the spectrum in the range that is named."""
    spans = desk.request.spans("Hz")
    low, high = spans[0] if spans else (7.0, 13.0)
    found = desk.run("spectrum.peak", view=desk.recording, fmin=low, fmax=high, **_args(desk))
    desk.note("frequency peak alpha tone strongest", found["frequency_hz"], "Hz")


def aperiodic(desk: Desk) -> None:
    """Measure how steeply the spectrum falls."""
    spans = desk.request.spans("Hz")
    args: dict[str, Any] = {"exclude": [list(spans[1])]} if len(spans) > 1 else {}
    if spans:
        args["fmin"], args["fmax"] = spans[0]
    found = desk.run("spectrum.aperiodic", view=desk.recording, **args)
    desk.note("aperiodic exponent", found["exponent"], "1")


def _args(desk: Desk) -> dict[str, Any]:
    """Return channels and window length where the request names them."""
    args: dict[str, Any] = {}
    if desk.channels:
        args["channels"] = desk.channels
    if desk.request.segment_seconds is not None:
        args["segment_seconds"] = desk.request.segment_seconds
    return args
