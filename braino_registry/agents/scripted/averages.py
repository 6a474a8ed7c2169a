"""Pipelines about events and their averages."""

from __future__ import annotations

import re

from braino_registry.agents.scripted.desk import Desk, Missing, Stuck

EPOCH_S = (-0.2, 0.8)
WINDOW_S = (0.3, 0.6)
PEAK_TO_PEAK_UV = 100.0


def response(desk: Desk) -> None:
    """Average the epochs of the event that is named and measure amplitude and latency."""
    events = _events(desk)
    average = _average(desk, _epochs(desk, events[0]))
    if len(events) > 1 and desk.request.says(r"minus|difference|larger after"):
        other = _average(desk, _epochs(desk, events[1]))
        average = desk.run("erp.difference", minuend=average, subtrahend=other)["erp"]
    _measure(desk, average)


def rejection(desk: Desk) -> None:
    """Propose the epochs that exceed a limit, leave out what the user agrees to, and measure."""
    view = _epochs(desk, _events(desk)[0])
    limit = desk.request.limit_uv or PEAK_TO_PEAK_UV
    found = desk.run("epochs.reject", view=view, peak_to_peak_uv=limit)
    desk.note("number of spoilt epochs", found["n_exceeding"], "count")
    ruling = desk.consent("reject-epochs", found["proposal"], "They exceed the limit.")
    numbers = [row["epoch"] for row in ruling.applied.get("epochs", []) if "epoch" in row]
    desk.note("number of rejected epochs", len(numbers), "count")
    kept = desk.run("epochs.drop", view=view, epochs=numbers)["view"] if numbers else view
    _measure(desk, _average(desk, kept, "left remaining kept"))


def counts(desk: Desk) -> None:
    """Count the events that the request mentions, and tell the sampling rate."""
    events = desk.info["events"]
    for name in desk.request.mentioned(events):
        desk.note(f"number of {name} {_role(desk, name)}", events[name], "count")
    desk.note("sampling rate sampled", desk.info["sfreq"], "Hz")


def _role(desk: Desk, name: str) -> str:
    """Return what the request calls an event: the word that follows it."""
    found = re.search(rf"{re.escape(name)}\s+(\w+)", desk.request.text, re.IGNORECASE)
    return found.group(1) if found else ""


def _events(desk: Desk) -> list[str]:
    """Return the events that the request mentions, first things first.

    Raises
    ------
    Missing
        If the recording has no events.
    Stuck
        If none is mentioned and there are several.
    """
    events = desk.info["events"]
    if not events:
        raise Missing(f"The recording {desk.recording} has no events.")
    # In "the response to faces" it is the faces that are averaged.
    named = [name for name in desk.request.mentioned(events) if not desk.request.says(f"{name} to")]
    if named:
        return named
    if len(events) > 1:
        raise Stuck(f"I do not know which of the events is meant: {', '.join(events)}.")
    return list(events)


def _epochs(desk: Desk, event: str) -> str:
    tmin, tmax = desk.request.epoch or EPOCH_S
    made = desk.run(
        "epochs.make",
        view=desk.recording,
        event=event,
        tmin=tmin,
        tmax=tmax,
        baseline=[tmin, 0.0],
    )
    view: str = made["view"]
    desk.note(f"number of {event} trials epochs", made["n_epochs"], "count")
    return view


def _average(desk: Desk, view: str, words: str = "") -> str:
    found = desk.run("erp.average", view=view)
    if words:
        desk.note(f"number of epochs {words}", found["n_epochs"], "count")
    erp: str = found["erp"]
    return erp


def _measure(desk: Desk, average: str) -> None:
    """Measure peak or mean amplitude in the window that is named, at the channel that is."""
    low, high = (desk.request.spans("s") or [WINDOW_S])[0]
    channel = desk.channels[0] if desk.channels else "Pz"
    kind = (
        "peak" if desk.request.says("peak") and not desk.request.says("mean amplitude") else "mean"
    )
    negative = desk.request.says(r"negativ|N170|N2|N400|MMN|ERN")
    found = desk.run(
        "erp.measure",
        erp=average,
        channel=channel,
        tmin=low,
        tmax=high,
        kind=kind,
        polarity="negative" if negative else "positive",
    )
    desk.note("amplitude large mean difference P3 measure negativity", found["amplitude_uv"], "µV")
    desk.note("latency peak when", found["latency"], "s")
