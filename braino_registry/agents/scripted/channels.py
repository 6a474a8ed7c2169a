"""Pipelines about channels and the body: one tool each, with its defaults."""

from __future__ import annotations

from typing import Any

from braino_registry.agents.scripted.desk import Desk

HIGH_PASS_HZ = 1.0
MARK = "mark-bad-channels"
_FAULTS = {"flat": "flat signal", "noisy": "noisy noise", "drifting": "drifting slow drift"}


def bad_channels(desk: Desk) -> None:
    """Look for bad channels; where marking is asked for, filter first and ask for consent."""
    marking = desk.request.says(
        r"mark them|ha(?:ve|s) them marked|marked"
    ) and not desk.request.says("do not mark|don't mark")
    view = desk.recording
    if marking:
        view = desk.run("preprocess.filter", view=view, l_freq=HIGH_PASS_HZ)["view"]
    found = desk.run("quality.bad_channels", view=view)
    for kind, words in _FAULTS.items():
        desk.note(f"{words} channels", found.get(f"{kind}_channels", []))
    names = found["channels"]
    if not marking:
        desk.note("bad channels", names)
        return
    if not names:
        desk.remarks.append("No channel stands out, so I propose to mark none.")
        desk.note("bad marked channels", [])
        return
    proposal = {"channels": names, "recording": desk.recording}
    ruling = desk.consent(MARK, proposal, "They stand out in amplitude or from their neighbours.")
    desk.note("bad marked channels", list(ruling.applied.get("channels", [])))
    if ruling.applied:
        desk.remarks.append("Marked as bad, as you decided.")


def hum(desk: Desk) -> None:
    """Tell the mains frequency; where a filter is to be set, propose a notch there."""
    found = desk.run("spectrum.line_noise", view=desk.recording)
    frequency = found["frequency_hz"]
    desk.note("mains frequency hum", frequency, "Hz")
    if desk.request.says("which (?:electrode|channel)"):
        rows = desk.run("spectrum.hum_by_channel", view=desk.recording)["rows"]
        desk.note("most hum electrode channel", rows[0]["channel"] if rows else None)
    if frequency is not None and desk.request.says("set|notch"):
        proposal = {"notch": frequency, "recording": desk.recording}
        ruling = desk.consent("set-preprocessing", proposal, "The spectrum has a peak there.")
        desk.note("notch filter set frequency", ruling.applied.get("notch"), "Hz")


def heart_rate(desk: Desk) -> None:
    """Take the heart rate from the ECG."""
    found = desk.run("physio.heart_rate", view=_part(desk))
    desk.note("mean heart rate", found["mean_bpm"], "bpm")
    desk.note("number of heartbeats beats", found["n_beats"], "count")


def blinks(desk: Desk) -> None:
    """Count blinks in the vertical EOG."""
    limit = desk.request.limit_uv
    args: dict[str, Any] = {} if limit is None else {"threshold_uv": limit}
    eyes = [name for name in desk.channels if "EOG" in name.upper()]
    if eyes:
        args["channel"] = eyes[0]
    found = desk.run("physio.blink_rate", view=_part(desk), **args)
    desk.note("number of blinks", found["n_blinks"], "count")
    desk.note("blinks per minute rate", found["blinks_per_minute"], "1/min")


def _part(desk: Desk) -> str:
    """Return a view of the stretch that the request names, or of the whole recording."""
    spans = desk.request.spans("s")
    if not spans:
        return desk.recording
    low, high = spans[0]
    cropped: str = desk.run("preprocess.crop", view=desk.recording, tmin=low, tmax=high)["view"]
    return cropped
