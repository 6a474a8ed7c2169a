"""CHB-MIT as PhysioNet has it, EDF files and a summary of seizures per case, to BIDS."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from braino_registry.datasets.bids_root import FACTS_SCHEMA, write_root
from braino_registry.datasets.bids_tree import Channel, write_scans
from braino_registry.datasets.conversions import Work, conversion
from braino_registry.datasets.edf_source import EdfChannel, copy_edf, read_edf_source
from braino_registry.datasets.values import SourceRecording
from braino_registry.errors import EntryError

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {"bids": FACTS_SCHEMA},
    "required": ["bids"],
    "additionalProperties": False,
}

TASK = "monitoring"

_FILE = re.compile(r"(?:.*/)?((chb\d\d)([a-z]?)_(\d+)(\+?)\.edf)")
_SUMMARY = re.compile(r"(?:.*/)?(chb\d\d)-summary\.txt")
_NAME = re.compile(r"File Name:\s*(\S+)", re.IGNORECASE)
_COUNT = re.compile(r"Number of Seizures in File:\s*(\d+)", re.IGNORECASE)
_EDGE = re.compile(r"Seizure\s*\d*\s*(Start|End) Time:\s*(\d+)\s*sec", re.IGNORECASE)
_SITE = re.compile(r"(FP|AF|F|FT|FC|T|C|TP|CP|P|PO|O|I)(Z|[0-9]{1,2})", re.IGNORECASE)
_TYPES = {"ECG": "ECG", "EKG": "ECG", "LOC": "EOG", "ROC": "EOG"}
_PLACEHOLDERS = frozenset({"", "-", "--", "."})


def recordings(doc: Mapping[str, Any], paths: Sequence[str]) -> list[SourceRecording]:
    """Return one recording per EDF file: ``chb01_03.edf`` is run 03 of subject chb01.

    Letters within a case (``chb17a_03``) and the continuation ``chb02_16+`` become the
    acquisition. The second file of a recording is the summary of its case.
    """
    summaries = {match[1]: path for path in paths if (match := _SUMMARY.fullmatch(path))}
    found = []
    for path in paths:
        match = _FILE.fullmatch(path)
        if match is None:
            continue
        _, case, letter, number, plus = match.groups()
        if case not in summaries:
            raise EntryError(
                f"{path} has no {case}-summary.txt, which says where its seizures are",
                where="$.pins",
                hint="Pin the summary of the case too.",
            )
        part = letter or ("plus" if plus else "")
        entities = {"bids_subject": case, "bids_task": TASK}
        entities |= {"bids_acquisition": part} if part else {}
        entities["bids_run"] = number
        name = "_".join(
            [f"sub-{case}", f"task-{TASK}", *([f"acq-{part}"] if part else []), f"run-{number}"]
        )
        found.append(SourceRecording(name, entities, (path, summaries[case])))
    return sorted(found, key=lambda one: one.id)


def leaves_out(doc: Mapping[str, Any], path: str) -> bool:
    """Tell whether a file is not used: the binary annotations repeat the summaries."""
    return _FILE.fullmatch(path) is None and _SUMMARY.fullmatch(path) is None


@conversion(
    "chb-mit",
    version="1.0.0",
    parameters=PARAMETERS,
    recordings=recordings,
    leaves_out=leaves_out,
)
def chb_mit(work: Work) -> None:
    """Lay the EDF files out as they are and write the seizures of the summaries as events.

    A recording that its summary lists with no seizure gets one event over all of it,
    ``background``; one that its summary does not list gets none, since nobody says that it was
    looked at.
    """
    facts = work.parameters["bids"]
    write_root(work.out, work.doc, facts, [one.entities["bids_subject"] for one in work.recordings])
    read: dict[str, dict[str, list[tuple[int, int]]]] = {}
    said = []
    for one in work.recordings:
        path, summary = one.files
        if summary not in read:
            read[summary] = parse_summary(_text(work.sources[summary]), summary)
        edf = read_edf_source(work.sources[path], path)
        seizures = read[summary].get(Path(path).name)
        events = None if seizures is None else _events(seizures, edf.duration, path, summary)
        channels = [_described(channel) for channel in edf.channels]
        description = copy_edf(work.out, one.entities, edf, channels, events, facts)
        said.append((description, ".edf", path))
    write_scans(work.out, said)


def _events(
    seizures: Sequence[tuple[int, int]], duration: float, path: str, summary: str
) -> list[dict[str, Any]]:
    if any(end > duration for _, end in seizures):
        raise _refused(summary, f"has a seizure in {path} after its end at {duration:g} s")
    if not seizures:
        return [{"onset": 0.0, "duration": duration, "trial_type": "background"}]
    return [
        {"onset": start, "duration": end - start, "trial_type": "seizure"}
        for start, end in seizures
    ]


def parse_summary(text: str, name: str) -> dict[str, list[tuple[int, int]]]:
    """Return begin and end of each seizure in s by EDF file, from the summary of a case.

    Both spellings are read, ``Seizure Start Time: 2996 seconds`` and, where a file has several,
    ``Seizure 1 Start Time: 130 seconds``.

    Parameters
    ----------
    text : str
        The summary.
    name : str
        What to call it in errors.

    Raises
    ------
    EntryError
        If a file has another number of seizures than the summary states for it, an end without
        a start, or an end that is not after its start.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    stated: dict[str, int] = {}
    current, begin = "", None
    for line in text.splitlines():
        if match := _NAME.search(line):
            current, begin = match[1], None
            if current in found:
                raise _refused(name, f"lists {current} twice")
            found[current] = []
        elif match := _COUNT.search(line):
            stated[current] = int(match[1])
        elif match := _EDGE.search(line):
            second = int(match[2])
            if match[1].lower() == "start":
                if begin is not None:
                    raise _refused(name, f"has a seizure in {current} without an end")
                begin = second
            elif begin is None or second <= begin:
                raise _refused(name, f"has a seizure in {current} that does not end after it began")
            else:
                found[current].append((begin, second))
                begin = None
    for file, seizures in found.items():
        if len(seizures) != stated.get(file, -1):
            raise _refused(
                name, f"states {stated.get(file)} seizures in {file} and times {len(seizures)}"
            )
    return found


def channel_type(label: str, *, is_voltage: bool = True) -> str:
    """Return the BIDS type of a CHB-MIT label.

    Parameters
    ----------
    label : str
        For example ``FP1-F7`` (bipolar), ``C2-CS2`` (against one electrode), ``ECG``, ``VNS``.
    is_voltage : bool
        False for a channel whose unit is no voltage, or unknown: that is no EEG.
    """
    first = label.partition("-")[0]
    if not is_voltage:
        return "MISC"
    for prefix, kind in _TYPES.items():
        if label.upper().startswith(prefix):
            return kind
    return "EEG" if _SITE.fullmatch(first) else "MISC"


def _described(channel: EdfChannel) -> Channel:
    kind = channel_type(channel.label, is_voltage=channel.is_voltage)
    said: dict[str, str] = {}
    if channel.label in _PLACEHOLDERS:
        said["description"] = "placeholder without a signal"
    elif kind == "EEG" and "-" in channel.label:
        said["reference"] = channel.label.partition("-")[2]
    if channel.name != channel.label and channel.label not in _PLACEHOLDERS:
        said["description"] = f"one of several channels that the file calls {channel.label}"
    return channel.described(kind, said)


def _text(path: Path) -> str:
    raw = path.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _refused(name: str, problem: str) -> EntryError:
    return EntryError(f"{name} {problem}", where="$.pins", hint="Nothing was converted.")
