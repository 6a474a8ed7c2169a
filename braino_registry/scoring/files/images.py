"""What a picture shows, as far as its pixels tell: curves, or a map of coloured cells."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from braino_registry.registry import documents
from braino_registry.scoring.files.errors import UnreadableFileError

Pixels = NDArray[np.uint8]

#: Fewer pixels show nothing to a person, more are no figure.
SMALLEST = (200, 150)
_MOST_PIXELS = 50_000_000
_LARGEST = 64 * 2**20
_CROP = 0.15  # of each side: labels, titles and colour bars stand there
_LINE = 0.9  # a row or column that is inked over so much of its length is a grid or a frame
_BRIDGE = 5  # pixels over which a curve that crosses a grid line still holds together


@dataclass(frozen=True)
class Picture:
    """A decoded picture.

    Parameters
    ----------
    pixels : ndarray, shape (height, width, 3)
        Red, green and blue.
    """

    pixels: Pixels

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return int(self.pixels.shape[1]), int(self.pixels.shape[0])

    @property
    def blank(self) -> bool:
        """Whether less than a thousandth of the pixels differs from the background."""
        return bool(self._ink(self.pixels).mean() < 1e-3)

    @property
    def shows_curves(self) -> bool:
        """Whether a connected line runs over at least half of the middle and moves up and down."""
        from scipy import ndimage

        ink = self._ink(self._middle())
        if ink.mean() > 0.5:
            return False
        ink[ink.mean(axis=1) > _LINE, :] = False
        ink[:, ink.mean(axis=0) > _LINE] = False
        joined = ndimage.binary_dilation(ink, iterations=_BRIDGE // 2 + 1)
        labels, n = ndimage.label(joined, structure=np.ones((3, 3)))
        height, width = ink.shape
        for number, where in enumerate(ndimage.find_objects(labels, max_label=n), start=1):
            if where is None or where[1].stop - where[1].start < 0.5 * width:
                continue
            part = (labels[where] == number) & ink[where]
            columns = part.any(axis=0)
            middles = part.argmax(axis=0)[columns]
            if columns.mean() >= 0.6 and np.ptp(middles) >= 0.05 * height:
                return True
        return False

    @property
    def shows_map(self) -> bool:
        """Whether the middle is filled with at least eight colours."""
        middle = self._middle()
        coarse = (middle // 16).astype(np.int64)
        codes = coarse[..., 0] * 256 + coarse[..., 1] * 16 + coarse[..., 2]
        values, counts = np.unique(codes, return_counts=True)
        common = values[counts >= 0.002 * codes.size]
        return bool(self._ink(middle).mean() >= 0.5 and common.size >= 8)

    def _middle(self) -> Pixels:
        height, width = self.pixels.shape[:2]
        y, x = round(_CROP * height), round(_CROP * width)
        return self.pixels[y : height - y, x : width - x]

    def _ink(self, part: Pixels) -> NDArray[np.bool_]:
        """Return which pixels differ from the picture's background, the colour at its rim."""
        rim = np.concatenate([self.pixels[0], self.pixels[-1]])
        background = np.median(rim, axis=0)
        ink: NDArray[np.bool_] = np.abs(part.astype(np.int16) - background).max(axis=-1) > 24
        return ink


def open_picture(path: Path) -> Picture:
    """Return a PNG, decoded.

    Raises
    ------
    UnreadableFileError
        If it is none, damaged, too small to see anything or too large.
    """
    from PIL import Image

    try:
        content = documents.read_bytes(path, _LARGEST)
        with Image.open(io.BytesIO(content), formats=("PNG",)) as image:
            width, height = image.size
            if width < SMALLEST[0] or height < SMALLEST[1]:
                raise UnreadableFileError(f"{width} x {height} pixels are too few")
            if width * height > _MOST_PIXELS:
                raise UnreadableFileError(f"{width} x {height} pixels are too many")
            canvas = Image.new("RGBA", image.size, "white")
            canvas.alpha_composite(image.convert("RGBA"))
    except UnreadableFileError:
        raise
    # a decoder fails in any way on bytes that are not its own
    except Exception as error:
        raise UnreadableFileError(f"no PNG: {type(error).__name__}") from error
    return Picture(np.asarray(canvas.convert("RGB"), dtype=np.uint8))
