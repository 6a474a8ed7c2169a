"""EDF+ runs of the PhysioNet EEG Motor Movement/Imagery Dataset to BIDS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from braino_registry.datasets.bids_tree import FACTS_SCHEMA, Signals, write_dataset
from braino_registry.datasets.conversions import Work, conversion
from braino_registry.datasets.values import SourceRecording
from braino_registry.errors import EntryError

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {"bids": FACTS_SCHEMA},
    "required": ["bids"],
    "additionalProperties": False,
}


@conversion("eegmmi-edf", version="1.0.0", parameters=PARAMETERS)
def eegmmi_edf(work: Work) -> None:
    """Write each run as a BrainVision recording of 16-bit integers of 1 µV.

    The source stores whole µV (physical range equal to digital range), so nothing is rounded.
    Channel names lose their padding dots and get the case of the 10-10 system. T0, T1 and T2 keep
    their names, because what T1 and T2 mean depends on the run. The start date of the headers is
    left out: it is the same in all runs, so it is not when they were recorded.
    """
    signals = [_read(work, recording) for recording in work.recordings]
    write_dataset(work.out, work.doc, work.parameters["bids"], signals)


def standard_name(name: str) -> str:
    """Return the 10-10 name of an EEGMMI channel.

    Parameters
    ----------
    name : str
        As in the header, for example ``"Fc5."``, ``"Cz.."`` or ``"Fp1."``.

    Returns
    -------
    str
        For example ``"FC5"``, ``"Cz"`` or ``"Fp1"``.

    Examples
    --------
    >>> [standard_name(name) for name in ("Fc5.", "Cz..", "Fp1.", "Afz.", "T10.")]
    ['FC5', 'Cz', 'Fp1', 'AFz', 'T10']
    """
    bare = name.strip().rstrip(".").upper()
    if bare.endswith("Z"):
        bare = bare[:-1] + "z"
    return "Fp" + bare[2:] if bare.startswith("FP") else bare


def _read(work: Work, recording: SourceRecording) -> Signals:
    from edfio import read_edf

    path: Path = work.sources[recording.files[0]]
    edf = read_edf(path)
    units = {signal.physical_dimension for signal in edf.signals}
    rates = {signal.sampling_frequency for signal in edf.signals}
    if units != {"uV"} or len(rates) != 1:
        raise EntryError(
            f"{recording.files[0]} is no EEGMMI run: units {sorted(units)}, rates {sorted(rates)}",
            where="$.recordings",
            hint="All channels of a run have the unit uV and one sampling rate.",
        )
    import numpy as np

    return Signals(
        entities=recording.entities,
        ch_names=[standard_name(signal.label) for signal in edf.signals],
        ch_types=["EEG"] * len(edf.signals),
        data=np.stack([signal.data for signal in edf.signals]).astype(np.float64) * 1e-6,
        sfreq=float(rates.pop()),
        step_uv=1.0,
        events=[
            {
                "onset": note.onset,
                "duration": note.duration or 0.0,
                "trial_type": note.text,
            }
            for note in edf.annotations
        ],
    )
