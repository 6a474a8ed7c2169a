"""One number per channel: the form in which analyses hand on what can be ranked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from braino_registry.analysis.errors import SignalError


def by_channel(ch_names: Sequence[str], values: ArrayLike) -> dict[str, float]:
    """Return numbers by channel, in the channels' order."""
    numbers = np.asarray(values, dtype=np.float64)
    return {name: float(value) for name, value in zip(ch_names, numbers, strict=True)}


@dataclass(frozen=True)
class Table:
    """Numbers by name.

    Parameters
    ----------
    values : mapping of str to float
        In the order of the names.
    """

    values: Mapping[str, float]

    @classmethod
    def of(cls, ch_names: Sequence[str], values: ArrayLike) -> Table:
        """Return the table of one number per channel."""
        return cls(by_channel(ch_names, values))

    def shown(self) -> dict[str, Any]:
        """Return ``values`` and their ``mean``."""
        return {"values": dict(self.values), "mean": float(np.mean(list(self.values.values())))}


def check_varying(ch_names: Sequence[str], holds: NDArray[np.bool_]) -> None:
    """Refuse channels of which a quantity is not defined, because they are flat.

    Parameters
    ----------
    ch_names : sequence of str
        Channels.
    holds : array of bool, shape (n_channels,)
        Whether it is defined.

    Raises
    ------
    SignalError
        Naming them.
    """
    flat = [name for name, good in zip(ch_names, holds, strict=True) if not good]
    if flat:
        told = ", ".join(flat[:10]) + (" …" if len(flat) > 10 else "")
        raise SignalError(
            f"this is not defined for flat channels: {told}", hint="Leave out flat channels."
        )
