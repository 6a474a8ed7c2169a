"""``mark-bad-channels``: sets ``status`` and ``status_description`` in ``channels.tsv``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from braino_registry.errors import close_matches
from braino_registry.recordings.lockless import without_lock_files
from braino_registry.registry import documents
from braino_registry.session.bids_files import (
    one_line,
    table,
    unlocked,
    write,
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

_BIDS_TYPES = {"stim": "TRIG", "resp": "RESP", "bio": "MISC"}
_DESCRIPTION = "marked as bad in agreement with the user"


class MarkBadChannels(AboutRecording, kw_only=True):
    """Channels that are to be marked as bad; those that are bad already stay so."""

    channels: Annotated[
        list[str],
        msgspec.Meta(max_length=1000, description="Their names as in the recording."),
    ]
    reasons: Annotated[
        dict[str, Annotated[str, msgspec.Meta(max_length=500)]],
        msgspec.Meta(description="Name of a channel to what is wrong with it."),
    ] = msgspec.field(default_factory=dict)


@decision_kind
class MarkBadChannelsKind(DecisionKind):
    """Mark channels as bad."""

    name = "mark-bad-channels"
    version = "1.0.0"
    description = "Marks channels of a recording as bad: `status` in its channels.tsv."
    proposal = MarkBadChannels
    example: ClassVar[Mapping[str, Any]] = {
        "channels": ["<channel>"],
        "reasons": {"<channel>": "<what is wrong with it>"},
    }

    def examine(self, proposal: MarkBadChannels, recording: Recording) -> None:
        """Refuse channels that the recording does not have, and reasons for other channels."""
        known = list(recording.ch_names)
        for channel, times in Counter(proposal.channels).items():
            if channel not in known:
                problem = f"{recording.id} has no channel called {channel!r}"
                alike = [name for name in known if name.casefold() == channel.casefold()]
                hint = f"Did you mean {alike[0]!r}?" if alike else close_matches(channel, known)
                raise DecisionError(problem, hint)
            if times > 1:
                raise DecisionError(f"{channel} is named {times} times", "Name each channel once.")
        for channel in proposal.reasons:
            if channel not in proposal.channels:
                raise DecisionError(
                    f"there is a reason for {channel!r}, which is not proposed",
                    "Give reasons only for the channels in `channels`.",
                )

    def tidy(self, edited: dict[str, Any]) -> dict[str, Any]:
        """Drop reasons for channels that the user took out."""
        if "reasons" in edited:
            reasons = {k: v for k, v in edited["reasons"].items() if k in edited["channels"]}
            edited = {**edited, "reasons": reasons}
            if not reasons:
                del edited["reasons"]
        return edited

    def apply(self, proposal: MarkBadChannels, place: Place) -> list[Path]:
        """Mark the channels in the recording's own table, made first if it has none."""
        from mne_bids import BIDSPath, get_entities_from_fname, mark_channels

        recording = place.recording_of(proposal.recording)
        folder = place.root / recording.path.parent.relative_to(recording.root)
        path = folder / f"{recording.id}_channels.tsv"
        if not path.exists():
            _make_table(place.root, recording, path)
        entities = get_entities_from_fname(recording.path.name, on_error="raise")
        bids = BIDSPath(root=place.root, datatype=recording.path.parent.name, **entities)
        reasons = [one_line(proposal.reasons.get(c, _DESCRIPTION)) for c in proposal.channels]
        with unlocked(place.root, path), without_lock_files():
            mark_channels(
                bids,
                ch_names=proposal.channels,
                status="bad",
                descriptions=reasons,
                verbose="ERROR",
            )
        return [path]


def _make_table(root: Path, recording: Recording, path: Path) -> None:
    """Give a recording a ``channels.tsv`` of its own.

    One that it inherits from a folder above is copied, because marking that would mark the
    channels of other recordings too; without any, names, types and units are those of the header.
    """
    from braino_registry.recordings.sidecars import applicable

    inherited = applicable(
        root, path.with_name(recording.path.name), recording.name, "channels", ".tsv"
    )
    if inherited:
        write(root, path, documents.read_bytes(inherited[-1]).decode("utf-8-sig"))
        return
    units = _units(recording.path)
    rows = [
        {
            "name": name,
            "type": _BIDS_TYPES.get(type_, type_.upper()),
            "units": units.get(name),
            "sampling_frequency": sfreq,
            "status": "good",
        }
        for name, type_, sfreq in zip(
            recording.ch_names, recording.ch_types, recording.channel_sfreqs, strict=True
        )
    ]
    columns = ["name", "type", "units", "sampling_frequency", "status", "status_description"]
    write(root, path, table(columns, rows))


def _units(path: Path) -> dict[str, str]:
    """Return the unit of each channel as the file's header states it."""
    import mne

    raw = mne.io.read_raw(path, preload=False, verbose="ERROR")
    return {name: unit for name, unit in raw._orig_units.items() if unit and unit != "n/a"}
