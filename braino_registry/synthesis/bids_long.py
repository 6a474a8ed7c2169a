"""The BIDS files of one long recording: EDF at native rates, and what stands beside it.

Its channels are differences of two electrodes, which have no place of their own: there is no
table of electrodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from braino_registry.synthesis import bids
from braino_registry.synthesis.edf import EdfWriter
from braino_registry.synthesis.planning import RecordingPlan
from braino_registry.synthesis.reel import Reel, Strip

_SCHEME = "10-20, differences of two electrodes"


def write_recording(
    root: Path, recording: RecordingPlan, task: Mapping[str, Any], reel: Reel
) -> None:
    """Make one long recording and write its signals, piece by piece, and sidecars."""
    folder = bids.folder_of(root, recording)
    with EdfWriter(folder / f"{recording.id}_eeg.edf", reel.channels) as file:
        for samples in reel.pieces():
            file.write(samples)
    said = bids.sidecar(recording, task, list(reel.ch_types.values()), _SCHEME)
    bids.write_json(folder / f"{recording.id}_eeg.json", said)
    rows = [_row(channel, recording) for channel in reel.channels]
    bids.write_tsv(folder / f"{recording.id}_channels.tsv", bids.CHANNEL_COLUMNS, rows)
    if reel.events:
        bids.write_events(folder, recording, reel.events)


def _row(channel: Strip, recording: RecordingPlan) -> list[Any]:
    reference = recording.reference if channel.kind == "EEG" else "n/a"
    what = [channel.name, channel.kind, channel.unit, channel.description]
    # Nobody has looked at the channels yet, so none is called bad.
    return [*what, channel.sfreq, reference, "n/a", "n/a", "n/a", "good", "n/a"]
