"""Sleep-EDF Expanded as PhysioNet has it, polysomnograms and hypnograms in EDF, to BIDS."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.datasets.bids_root import FACTS_SCHEMA, write_root
from braino_registry.datasets.bids_tree import Channel, write_scans
from braino_registry.datasets.conversions import Work, conversion
from braino_registry.datasets.edf_source import (
    EdfChannel,
    EdfFile,
    copy_edf,
    read_edf_source,
    within,
)
from braino_registry.datasets.values import SourceRecording
from braino_registry.errors import EntryError

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {"bids": FACTS_SCHEMA},
    "required": ["bids"],
    "additionalProperties": False,
}

STAGES: Mapping[str, str] = {
    "Sleep stage W": "Wake",
    "Sleep stage 1": "N1",
    "Sleep stage 2": "N2",
    "Sleep stage 3": "N3",
    "Sleep stage 4": "N3",
    "Sleep stage R": "REM",
    "Movement time": "Movement",
    "Sleep stage ?": "Unknown",
}
"""AASM stage by annotation. Stages 3 and 4 of Rechtschaffen and Kales are one stage, N3; movement
time and what was not scored are no stages and stay apart."""

_NIGHT = re.compile(r"(?:.*/)?((S[CT])([47]\d\d)(\d)([A-Z]))[A-Z0-9]-(PSG|Hypnogram)\.edf")
_TYPES = (("EEG", "EEG"), ("EOG", "EOG"), ("EMG", "EMG"), ("Resp", "RESP"), ("Temp", "TEMP"))


def recordings(doc: Mapping[str, Any], paths: Sequence[str]) -> list[SourceRecording]:
    """Return one recording per night: ``SC4001E0-PSG.edf`` is night 1 of subject SC400.

    The hypnogram of a night has the same first seven characters; who scored it is the eighth.
    """
    nights: dict[str, dict[str, str]] = {}
    for path in paths:
        match = _NIGHT.fullmatch(path)
        if match is not None:
            nights.setdefault(match[1], {})[match[6]] = path
    found = []
    for key, files in sorted(nights.items()):
        if set(files) != {"PSG", "Hypnogram"}:
            raise EntryError(
                f"the night {key} has no {'hypnogram' if 'PSG' in files else 'polysomnogram'}",
                where="$.pins",
                hint="Pin both files of a night.",
            )
        entities = {"bids_subject": key[:5], "bids_session": key[5], "bids_task": "sleep"}
        name = f"sub-{key[:5]}_ses-{key[5]}_task-sleep"
        found.append(SourceRecording(name, entities, (files["PSG"], files["Hypnogram"])))
    return found


def leaves_out(doc: Mapping[str, Any], path: str) -> bool:
    """Tell whether a file is not used: upstream's tables, whose facts stand in the entry."""
    return _NIGHT.fullmatch(path) is None


@conversion(
    "sleep-edf",
    version="1.0.0",
    parameters=PARAMETERS,
    recordings=recordings,
    leaves_out=leaves_out,
)
def sleep_edf(work: Work) -> None:
    """Lay the polysomnograms out as they are and write the stages as events.

    The EDF files keep their bytes, so that every channel keeps its own rate. Stages are cut at
    the end of the recording, which hypnograms outlast; ``original_stage`` keeps what was scored.
    """
    facts = work.parameters["bids"]
    write_root(work.out, work.doc, facts, [one.entities["bids_subject"] for one in work.recordings])
    said = []
    for one in work.recordings:
        psg = read_edf_source(work.sources[one.files[0]], one.files[0])
        scored = read_edf_source(work.sources[one.files[1]], one.files[1], signals=False)
        events = stages(scored, psg, one.files[1])
        channels = [_described(channel) for channel in psg.channels]
        description = copy_edf(work.out, one.entities, psg, channels, events, facts)
        said.append((description, ".edf", one.files[0]))
    write_scans(work.out, said)


def stages(scored: EdfFile, psg: EdfFile, name: str) -> list[dict[str, Any]]:
    """Return the stages of a hypnogram as events of its recording.

    Parameters
    ----------
    scored : EdfFile
        The hypnogram: run lengths of stages.
    psg : EdfFile
        The recording; onsets count from its start.
    name : str
        What to call the hypnogram in errors.

    Raises
    ------
    EntryError
        If an annotation is none of `STAGES`.
    """
    late = (scored.start - psg.start).total_seconds()
    rows = within([(on + late, seconds, text) for on, seconds, text in scored.annotations],
                  psg.duration)  # fmt: skip
    for _, _, text in rows:
        if text not in STAGES:
            raise EntryError(
                f"{name} has the annotation {text!r}, which is no sleep stage",
                where="$.conversion",
                hint=f"Known: {', '.join(STAGES)}.",
            )
    return [
        {"onset": onset, "duration": seconds, "trial_type": STAGES[text], "original_stage": text}
        for onset, seconds, text in rows
    ]


def _described(channel: EdfChannel) -> Channel:
    """Return the row of a channel; a voltage without its unit counts as no EEG."""
    kind = next((kind for prefix, kind in _TYPES if channel.label.startswith(prefix)), "MISC")
    if kind in ("EEG", "EOG", "EMG") and not channel.is_voltage:
        kind = "MISC"
    site = channel.label.removeprefix("EEG ")
    said = {"reference": site.partition("-")[2]} if kind == "EEG" and "-" in site else {}
    return channel.described(kind, said)
