"""Pictures of the signal that a trial is about, one module each; a new one touches no other file.

A painter gets a `Scene` and returns a `Picture`, or None where it has nothing to show. Pictures of
a recording, or of a dataset as a whole, are the same for every trial on it, and are drawn once;
those of a trial show its answer too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from braino_registry.recordings.recording import Recording
from braino_registry.recordings.tree import BidsTree
from braino_registry.registry.plugins import PluginGroup

#: What a generator plants in single channels, and how it is called in a picture.
FAULTS = {
    "noisy_channels": "noisy",
    "flat_channels": "flat",
    "drifting_channels": "drifting",
    "clipped_channels": "clipped",
    "bridged_channels": "bridged",
    "swapped_channels": "swapped",
    "humming_channels": "hum",
    "decoy_channels": "decoy",
}


@dataclass(frozen=True)
class Scene:
    """What a picture can show.

    Parameters
    ----------
    recording : Recording or None
        The recording that the trial is about, where its dataset is on this machine.
    truth : mapping
        What was planted in it; empty where nothing is known. Of a dataset
        ``{"recordings": {id: …}}``.
    trial : mapping
        The row of the report.
    tree : BidsTree or None
        The dataset, where the trial is about all of it.
    """

    recording: Recording | None
    truth: Mapping[str, Any] = field(default_factory=dict)
    trial: Mapping[str, Any] = field(default_factory=dict)
    tree: BidsTree | None = None

    def group(self, name: str) -> dict[str, Any]:
        """Return what was planted under a name by name; empty if it is something else."""
        value = self.truth.get(name)
        return value if isinstance(value, dict) else {}

    def listed(self, name: str) -> list[Any]:
        """Return what was planted under a name one by one; empty if it is something else."""
        value = self.truth.get(name)
        return value if isinstance(value, list) else []

    def faults(self) -> dict[str, str]:
        """Return what was planted in single channels, by channel, as far as they exist."""
        known = set(self.recording.ch_names) if self.recording is not None else set()
        found: dict[str, str] = {}
        for name, word in FAULTS.items():
            for channel in self.listed(name):
                if isinstance(channel, str) and channel in known:
                    found.setdefault(channel, word)
        return found

    def details(self) -> list[Mapping[str, Any]]:
        """Return what the checks of the trial keep for summaries: references and answers."""
        return [check["detail"] for check in self.trial.get("checks", ()) if check.get("detail")]


@dataclass(frozen=True)
class Picture:
    """A drawing with the words that belong to it.

    Parameters
    ----------
    title : str
        Stands above it.
    svg : str
        See `svg.Drawing`.
    caption : str
        What is seen, and where it comes from.
    """

    title: str
    svg: str
    caption: str = ""


@dataclass(frozen=True)
class Painter:
    """Something that draws.

    Parameters
    ----------
    paint : callable
        ``Scene -> Picture | None``.
    of : str
        ``recording``, ``dataset`` or ``trial``.
    place : int
        Pictures with a lower place stand first.
    """

    paint: Callable[[Scene], Picture | None]
    of: str = "recording"
    place: int = 50


painters: PluginGroup[Painter] = PluginGroup("braino_registry.reports.html.pictures", "picture")


def of(scene: Scene, kind: str) -> list[Picture]:
    """Return the pictures of a recording, of a dataset, or of a trial.

    Parameters
    ----------
    scene : Scene
        What to show.
    kind : str
        ``recording``, ``dataset`` or ``trial``.
    """
    chosen = sorted(
        (painter.place, name, painter) for name, painter in painters if painter.of == kind
    )
    found = [painter.paint(scene) for _, _, painter in chosen]
    return [picture for picture in found if picture is not None]
