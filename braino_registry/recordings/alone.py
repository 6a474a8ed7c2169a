"""One recording as a file that tells nothing but its samples: no name, no date, no person."""

from __future__ import annotations

import math
from pathlib import Path

from braino_registry.recordings.exporting import edf_signal, record_duration
from braino_registry.recordings.recording import Recording

EEG_TYPES = frozenset({"eeg", "ecog", "seeg"})
#: What the only channel of a recording is called: its own name may tell where the electrode lay.
ONLY = "EEG"


def plain_channels(recording: Recording) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names and types of the channels as one is shown who knows the samples alone.

    Parameters
    ----------
    recording : Recording
        What it is about.

    Returns
    -------
    names, types : tuple of str
        The recording's own; one EEG channel alone is called EEG.
    """
    names, types = recording.ch_names, recording.ch_types
    if len(names) == 1 and types[0] in EEG_TYPES:
        return (ONLY,), ("eeg",)
    return names, types


def write_alone(recording: Recording, path: Path) -> None:
    """Write all channels at their native rates as EDF with 16 bits per sample.

    The header names no person and no time, and there are no annotations. Channels are read one
    after the other, so that it takes the room of one channel and of the file.

    Parameters
    ----------
    recording : Recording
        What is written.
    path : Path
        A file that does not exist yet.

    Raises
    ------
    RecordingError
        If a label does not fit into an EDF header, or samples are not finite.
    """
    import edfio

    lengths = [recording.length_of(name) for name in recording.ch_names]
    common = math.gcd(*lengths)
    duration = record_duration(common, common / recording.duration, exact=False)
    records = round(recording.duration / duration)
    names, types = plain_channels(recording)
    signals = [
        edf_signal(
            name,
            kind,
            recording.read([own])[0],
            # the header has eight characters for the duration, and rates are read back from it
            length / records / duration,
        )
        for own, name, kind, length in zip(recording.ch_names, names, types, lengths, strict=True)
    ]
    edfio.Edf(signals, data_record_duration=duration).write(path)
