"""Looking for what a request takes for granted, before anything is measured."""

from __future__ import annotations

import re

from braino_registry.agents.scripted.desk import Desk, Missing

_LOW_PASS = re.compile(r"low[- _]?pass\D*(\d+(?:\.\d+)?)", re.IGNORECASE)
_SENSORS = (
    (r"heart|pulse|ECG|EKG", "ecg", "ECG"),
    (r"EOG|eye movements?|blinks?.*from the vertical", "eog", "EOG"),
    (r"EMG|muscle tone", "emg", "EMG"),
    (r"breath|respir", "resp", "respiration"),
)


def check(desk: Desk) -> None:
    """Look whether sensor, time window and frequencies that are asked for were recorded.

    Raises
    ------
    Missing
        If one of them was not.
    """
    if desk.request.says("diagnos"):
        desk.remarks.append("I cannot give a diagnosis: no measure of the EEG decides this.")
    if desk.request.subject is None:
        return
    _sensors(desk)
    _window(desk)
    _frequencies(desk)


def _sensors(desk: Desk) -> None:
    for words, kind, name in _SENSORS:
        if desk.request.says(words) and not desk.info["ch_types"].get(kind):
            raise Missing(f"There is no {name} channel in the recording {desk.recording}.")


def _window(desk: Desk) -> None:
    """Refuse windows of the recording, not of an epoch, that begin behind its end."""
    for begin, _ in desk.request.spans("s"):
        if begin >= desk.info["duration"]:
            length = f"the recording is only {desk.info['duration']:g} s long"
            raise Missing(f"Nothing was recorded there: {length}.")


def _frequencies(desk: Desk) -> None:
    """Refuse bands that a filter took out, or that lie above half of the sampling rate."""
    bands = desk.request.spans("Hz")
    if not bands or not desk.request.says("power|amplitude of"):
        return
    low, high = bands[0]
    if high > desk.info["sfreq"] / 2:
        raise Missing("The band lies above half of the sampling rate, so it was not recorded.")
    edge = _low_pass(desk)
    if edge is not None and edge < low:
        raise Missing(
            "The recording was low-pass filtered below the band, so there is no such power in it."
        )


def _low_pass(desk: Desk) -> float | None:
    """Return the lowest low-pass that the sidecar states, in Hz."""
    stated = desk.run("recording.sidecar", view=desk.recording)
    texts = (stated.get("software_filters"), stated.get("hardware_filters"))
    edges = [edge for text in texts for edge in _LOW_PASS.findall(text or "")]
    return min(map(float, edges), default=None)
