"""The Bonn EEG time series, one column of integers per text file, to BIDS."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from braino_registry.datasets.bids_root import FACTS_SCHEMA
from braino_registry.datasets.bids_tree import Signals, write_dataset, write_no_positions
from braino_registry.datasets.conversions import Work, conversion
from braino_registry.datasets.values import SourceRecording
from braino_registry.errors import EntryError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SFREQ = 173.61
"""Samples per second."""
N_SAMPLES = 4097
"""Samples per file; the description that travels with copies says 4096."""

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "sets": {
            "type": "object",
            "description": "By the letter that file names begin with: the set, its task, and "
            "whether electrodes lay on the scalp or inside.",
            "additionalProperties": {
                "type": "object",
                "properties": {
                    "set": {"type": "string", "pattern": "^[A-Za-z0-9]+$"},
                    "bids_task": {"type": "string", "pattern": "^[A-Za-z0-9]+$"},
                    "datatype": {"enum": ["eeg", "ieeg"]},
                },
                "required": ["set", "bids_task", "datatype"],
                "additionalProperties": False,
            },
        },
        "bids": FACTS_SCHEMA,
    },
    "required": ["sets", "bids"],
    "additionalProperties": False,
}

_FILE = re.compile(r"(?:.*/)?([A-Z])(\d{3})\.txt", re.IGNORECASE)
_CHANNEL = {"eeg": ("EEG", "EEG"), "ieeg": ("SEEG", "SEEG")}


def recordings(doc: Mapping[str, Any], paths: Sequence[str]) -> list[SourceRecording]:
    """Return one recording per text file: ``Z001.txt`` is run 001 of set A.

    Names of files are compared without case, since those of one set end in ``.TXT``.
    """
    sets = doc["conversion"]["parameters"]["sets"]
    found = []
    for path in paths:
        match = _FILE.fullmatch(path)
        if match is None or match[1].upper() not in sets:
            continue
        said = sets[match[1].upper()]
        entities = {"bids_subject": said["set"], "bids_task": said["bids_task"],
                    "bids_run": match[2]}  # fmt: skip
        name = f"sub-{said['set']}_task-{said['bids_task']}_run-{match[2]}"
        found.append(SourceRecording(name, entities, (path,)))
    return sorted(found, key=lambda one: one.id)


@conversion("bonn", version="1.0.0", parameters=PARAMETERS, recordings=recordings)
def bonn(work: Work) -> None:
    """Write each segment as a BrainVision recording of 16-bit integers, value by value.

    The people are not told apart by the source, so the label of a subject is the set.
    """
    sets = work.parameters["sets"]
    datatypes = {said["set"]: said["datatype"] for said in sets.values()}
    signals = []
    for one in work.recordings:
        datatype = datatypes[one.entities["bids_subject"]]
        name, kind = _CHANNEL[datatype]
        values = read_column(work.sources[one.files[0]], one.files[0])
        signals.append(
            Signals(
                entities=one.entities, ch_names=[name], ch_types=[kind],
                data=values[None, :] * 1e-6, sfreq=SFREQ, step_uv=1.0,
                events=[{"onset": 0.0, "duration": N_SAMPLES / SFREQ, "trial_type": "segment"}],
                datatype=datatype, source=one.files[0],
            )
        )  # fmt: skip
    write_dataset(work.out, work.doc, work.parameters["bids"], signals)
    for label in sorted({one.entities["bids_subject"] for one in signals}):
        if datatypes[label] == "ieeg":
            folder = work.out / f"sub-{label}" / "ieeg"
            write_no_positions(folder, f"sub-{label}", [_CHANNEL["ieeg"][0]])


def read_column(path: Path, name: str) -> NDArray[np.float64]:
    """Return the integers of a segment.

    Parameters
    ----------
    path : Path
        One integer per line.
    name : str
        What to call the file in errors.

    Returns
    -------
    array, shape (4097,)
        As the file gives them; their unit is not stated there.

    Raises
    ------
    EntryError
        If there are other things than integers, or not 4097 of them.
    """
    import numpy as np

    try:
        values = [int(word) for word in path.read_bytes().decode("ascii").split()]
    except (UnicodeDecodeError, ValueError) as error:
        raise _refused(name, f"is no column of integers: {error}") from error
    if len(values) != N_SAMPLES:
        raise _refused(name, f"has {len(values)} samples instead of {N_SAMPLES}")
    return np.array(values, dtype=np.float64)


def _refused(name: str, problem: str) -> EntryError:
    return EntryError(f"{name} {problem}", where="$.pins", hint="Nothing was converted.")
