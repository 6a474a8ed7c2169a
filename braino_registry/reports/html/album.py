"""The pictures of a page, each drawn and kept once, as long as there is room for them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.errors import BrainoError
from braino_registry.recordings.tree import BidsTree
from braino_registry.reports.html import pictures
from braino_registry.reports.html.packing import packed
from braino_registry.reports.html.sources import Source
from braino_registry.reports.html.telling import About
from braino_registry.reports.plain import shown

#: What drawings may take of a page, in characters of base64.
PICTURES = 800_000
#: Bytes of all pictures that agents handed in, and of one of them.
IMAGES, LARGEST = 400_000, 120_000
#: Datasets that are named where they could not be drawn.
_NAMES = 5
_MAGIC = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


@dataclass(frozen=True)
class Located:
    """A dataset, or a part of one, on this machine.

    Parameters
    ----------
    bids : Path
        Its BIDS root.
    truth : mapping
        What was planted, or labelled: ``{"recordings": {id: …}}``.
    """

    bids: Path
    truth: Mapping[str, Any]


Locate = Callable[[Source, str], Sequence[Located]]


def _kind(path: Path) -> str | None:
    """Return the media type of a picture that a browser may show, None for anything else."""
    try:
        with path.open("rb") as stream:
            head = stream.read(8)
    except OSError:
        return None
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)


class Album:
    """Pictures of recordings, each drawn and packed once, as long as there is room for them."""

    def __init__(self, sources: Sequence[Source], locate: Locate | None) -> None:
        self.packed: dict[str, str] = {}
        self._sources = sources
        self._locate = locate
        self._keys: dict[tuple[str, str | None], str | None] = {}
        self._located: dict[tuple[int, str], Sequence[Located]] = {}
        self._trees: dict[Path, BidsTree] = {}
        self._taken = 0
        self.images: dict[str, str] = {}
        self._image_bytes = 0
        self._full = False
        self._absent: dict[str, None] = {}

    def of(self, place: int, trial: Mapping[str, Any], about: About | None) -> list[str]:
        """Return the keys of the pictures of a trial, and of the data that it is about.

        Nothing but its answer is drawn where what it is about is not known.
        """
        found = [self._add(pictures.of(pictures.Scene(None, {}, trial), "trial"))]
        dataset = trial["dataset"]
        if about is not None and isinstance(dataset, str):
            found.append(self._of_data(place, dataset, about.recording))
        return [key for key in found if key is not None]

    def _of_data(self, place: int, dataset: str, name: str | None) -> str | None:
        """Return the key of the pictures of a recording, or of a dataset where none is named."""
        located = next(
            (
                each
                for each in self._find(place, dataset)
                if name is None or name in self._tree(each).recordings()
            ),
            None,
        )
        if located is None:
            if self._locate is not None:
                self._absent.setdefault(dataset)
            return None
        key = (str(located.bids), name)
        if key not in self._keys:
            room = self._taken <= PICTURES
            self._full |= not room
            self._keys[key] = self._add(self._draw(located, name)) if room else None
        return self._keys[key]

    def _find(self, place: int, dataset: str) -> Sequence[Located]:
        key = (place, dataset)
        if key not in self._located:
            source = self._sources[place]
            self._located[key] = () if self._locate is None else self._locate(source, dataset)
        return self._located[key]

    def _tree(self, located: Located) -> BidsTree:
        return self._trees.setdefault(located.bids, BidsTree(located.bids))

    def _draw(self, located: Located, name: str | None) -> list[pictures.Picture]:
        title = f"{'The dataset' if name is None else name} cannot be drawn"
        try:
            found = self._painted(located, name)
        except (BrainoError, OSError) as error:
            # A recording may be made to be unreadable; the page says so where it would stand.
            return [pictures.Picture(title, "", shown(str(error), 300))]
        return found or [pictures.Picture(title, "", "It holds no signal.")]

    def _painted(self, located: Located, name: str | None) -> list[pictures.Picture]:
        tree = self._tree(located)
        if name is None:
            return pictures.of(pictures.Scene(None, located.truth, tree=tree), "dataset")
        truth = located.truth.get("recordings", {}).get(name, {})
        return pictures.of(pictures.Scene(tree.open(name), truth), "recording")

    def _add(self, found: Sequence[pictures.Picture]) -> str | None:
        if not found:
            return None
        if self._taken > PICTURES:
            self._full = True
            return None
        text = packed([vars(picture) for picture in found])
        key = hashlib.sha256(text.encode()).hexdigest()[:16]
        if key not in self.packed:
            self.packed[key] = text
            self._taken += len(text)
        return key

    def take(self, artifacts: Sequence[dict[str, Any]]) -> None:
        """Take the pictures among the files of a trial into the page, as long as there is room.

        What is a picture is told by its first bytes, not by its name; a drawing that can hold a
        script is none.
        """
        for row in artifacts:
            path = row.pop("path", None)
            kind = None if path is None else _kind(path)
            if kind is None:
                continue
            if row["bytes"] > LARGEST or self._image_bytes + row["bytes"] > IMAGES:
                row["left_out"] = True
                continue
            data = path.read_bytes()
            key = hashlib.sha256(data).hexdigest()[:16]
            if key not in self.images:
                self.images[key] = f"data:{kind};base64,{base64.b64encode(data).decode()}"
                self._image_bytes += len(data)
            row["image"] = key

    def left_out(self) -> str:
        """Return what is said of pictures for which there was no room, or no data."""
        said = []
        if self._full:
            said.append(
                "Not every recording is drawn, so that the page stays small; those of trials that "
                "failed come first."
            )
        if self._absent:
            names = [shown(name, 80) for name in self._absent]
            more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
            said.append(
                f"No signal is drawn of {', '.join(names[:_NAMES])}{more}: it is not in the cache, "
                "or was made with a salt that is not given here."
            )
        return " ".join(said)
