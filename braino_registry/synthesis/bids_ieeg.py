"""What BIDS wants to know about electrodes within the skull instead."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_CALLED = {
    "EEGReference": "iEEGReference",
    "EEGGround": "iEEGGround",
    "EEGPlacementScheme": "iEEGPlacementScheme",
    "MISCChannelCount": "MiscChannelCount",
}
_OF_THE_SCALP = frozenset({"CapManufacturer", "CapManufacturersModelName", "HeadCircumference"})


def sidecar(said: Mapping[str, Any], n_channels: int) -> dict[str, Any]:
    """Return the sidecar of an intracranial recording.

    Parameters
    ----------
    said : mapping
        What the sidecar would say if the electrodes were on the scalp.
    n_channels : int
        Number of channels within the skull.
    """
    kept = {_CALLED.get(key, key): said[key] for key in said if key not in _OF_THE_SCALP}
    return kept | {
        "iEEGPlacementScheme": "not stated",
        "iEEGElectrodeGroups": "n/a",
        "ElectrodeManufacturer": "n/a",
        "ElectrodeManufacturersModelName": "n/a",
        "ElectricalStimulation": False,
        "ElectricalStimulationParameters": "n/a",
        "EEGChannelCount": 0,
        "ECOGChannelCount": 0,
        "SEEGChannelCount": n_channels,
    }


def in_order(
    header: Sequence[str], rows: Sequence[Sequence[Any]]
) -> tuple[list[str], list[list[Any]]]:
    """Return a table of channels with the columns that BIDS wants first within the skull."""
    first = ["name", "type", "units", "low_cutoff", "high_cutoff"]
    names = [*first, *(name for name in header if name not in first)]
    places = [header.index(name) for name in names]
    return names, [[row[place] for place in places] for row in rows]


def write_no_positions(folder: Path, prefix: str, ch_names: Sequence[str]) -> None:
    """Write that nobody knows where the electrodes are; BIDS asks for the table in any case."""
    rows = ["name\tx\ty\tz\tsize", *(f"{name}\tn/a\tn/a\tn/a\tn/a" for name in ch_names)]
    text = "\n".join(rows) + "\n"
    file = folder / f"{prefix}_electrodes.tsv"
    file.write_text(text, encoding="utf-8", newline="\n")
    said = {
        "iEEGCoordinateSystem": "Other",
        "iEEGCoordinateUnits": "n/a",
        "iEEGCoordinateSystemDescription": "Positions are not known.",
        "iEEGCoordinateProcessingDescription": "n/a",
        "iEEGCoordinateProcessingReference": "n/a",
    }
    file = folder / f"{prefix}_coordsystem.json"
    file.write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8", newline="\n")
