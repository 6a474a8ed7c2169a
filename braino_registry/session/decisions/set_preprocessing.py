"""``set-preprocessing``: writes agreed settings as the sidecar of preprocessed data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from braino_registry.errors import close_matches
from braino_registry.registry import documents
from braino_registry.session.bids_files import (
    derivative,
    json_text,
    write_derivative,
)
from braino_registry.session.decision import (
    AboutRecording,
    DecisionError,
    DecisionKind,
    Place,
    decision_kind,
)

if TYPE_CHECKING:
    from braino_registry.recordings.recording import Recording

Hz = Annotated[float, msgspec.Meta(gt=0, le=1e6)]


class SetPreprocessing(AboutRecording, kw_only=True):
    """Settings that are to hold from now on; at least one, null for "none"."""

    l_freq: Annotated[
        Hz | msgspec.UnsetType | None,
        msgspec.Meta(description="Lower edge of the pass band in Hz."),
    ] = msgspec.UNSET
    h_freq: Annotated[
        Hz | msgspec.UnsetType | None,
        msgspec.Meta(description="Upper edge of the pass band in Hz."),
    ] = msgspec.UNSET
    notch: Annotated[
        Hz | Annotated[list[Hz], msgspec.Meta(max_length=100)] | msgspec.UnsetType | None,
        msgspec.Meta(description="Frequency or frequencies in Hz that are taken out."),
    ] = msgspec.UNSET
    sfreq: Annotated[
        Hz | msgspec.UnsetType | None, msgspec.Meta(description="Sampling frequency in Hz.")
    ] = msgspec.UNSET
    reference: Annotated[
        str | Annotated[list[str], msgspec.Meta(min_length=1)] | msgspec.UnsetType | None,
        msgspec.Meta(description='"average", "REST", a channel, or a list of channels.'),
    ] = msgspec.UNSET


_SETTINGS = ("l_freq", "h_freq", "notch", "sfreq", "reference")
_WHOLE_HEAD = ("average", "REST")


@decision_kind
class SetPreprocessingKind(DecisionKind):
    """Set the preprocessing."""

    name = "set-preprocessing"
    version = "1.0.0"
    description = (
        "Fixes settings of preprocessing (frequencies in Hz): "
        "derivatives/braino/…_desc-preproc_eeg.json."
    )
    proposal = SetPreprocessing
    example: ClassVar[Mapping[str, Any]] = {"l_freq": 1.0, "h_freq": 40.0, "reference": "average"}

    def examine(self, proposal: SetPreprocessing, recording: Recording) -> None:
        """Refuse empty settings, impossible frequencies and unknown reference channels."""
        settings = _settings(proposal)
        if not settings:
            raise DecisionError("no setting is given", f"Pass one of: {', '.join(_SETTINGS)}.")
        low, high = settings.get("l_freq"), settings.get("h_freq")
        if low is not None and high is not None and low >= high:
            raise DecisionError(
                f"the pass band {low:g}–{high:g} Hz is empty", "Pass l_freq below h_freq."
            )
        nyquist = recording.sfreq / 2
        notch = settings.get("notch")
        for frequency in (low, high, *(notch if isinstance(notch, list) else [notch])):
            if frequency is not None and frequency >= nyquist:
                raise DecisionError(
                    f"{frequency:g} Hz is not below half the sampling frequency",
                    f"{recording.id} is sampled at {recording.sfreq:g} Hz: stay below "
                    f"{nyquist:g} Hz.",
                )
        reference = settings.get("reference")
        named = [reference] if isinstance(reference, str) else reference or []
        known = list(recording.ch_names)
        for channel in named:
            if channel not in (*known, *(_WHOLE_HEAD if isinstance(reference, str) else ())):
                problem = f"{channel!r} is no reference for {recording.id}"
                raise DecisionError(problem, close_matches(channel, [*_WHOLE_HEAD, *known]))

    def apply(self, proposal: SetPreprocessing, place: Place) -> list[Path]:
        """Write the sidecar, with what an earlier decision set and this one does not mention."""
        recording = place.recording_of(proposal.recording)
        path = derivative(place.root, recording, "desc-preproc_eeg.json")
        return write_derivative(
            place.root, path, json_text(_sidecar(recording, path, _settings(proposal)))
        )


def _settings(proposal: SetPreprocessing) -> dict[str, Any]:
    """Return the settings that a proposal makes; None says that there is to be none."""
    given = ((name, getattr(proposal, name)) for name in _SETTINGS)
    return {name: value for name, value in given if value is not msgspec.UNSET}


def _sidecar(recording: Recording, path: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sidecar in BIDS terms."""
    sidecar: dict[str, Any] = {
        "Description": "Settings of preprocessing agreed with the user",
        "Sources": [f"bids:raw:{recording.path.relative_to(recording.root).as_posix()}"],
    }
    if path.exists():
        sidecar = json.loads(documents.read_text(path))
    filters = sidecar.get("SoftwareFilters", {})
    filters = dict(filters) if isinstance(filters, dict) else {}
    for name, title, key in (
        ("l_freq", "High-pass", "cutoff (Hz)"),
        ("h_freq", "Low-pass", "cutoff (Hz)"),
        ("notch", "Notch", "frequency (Hz)"),
    ):
        if name in settings:
            filters.pop(title, None)
            if settings[name] is not None:
                filters[title] = {key: settings[name]}
    sidecar["SoftwareFilters"] = filters or "n/a"
    for name, key in (("sfreq", "SamplingFrequency"), ("reference", "EEGReference")):
        if name in settings:
            sidecar.pop(key, None)
            if settings[name] is not None:
                value = settings[name]
                sidecar[key] = ", ".join(value) if isinstance(value, list) else value
    return sidecar
