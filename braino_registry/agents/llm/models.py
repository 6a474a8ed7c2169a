"""What is known of models beforehand: window, price, and how their reasoning is switched off."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

#: The window of a model that is not listed, in tokens.
USUAL_CONTEXT = 32_768


@dataclass(frozen=True)
class Price:
    """What a model costs, in US dollars per million tokens.

    Parameters
    ----------
    input, output : float
        For tokens read and written.
    cached : float | None
        For tokens read from the provider's cache; as `input` if None.
    """

    input: float
    output: float
    cached: float | None = None

    def of(self, read: int | None, written: int | None, cached: int | None = None) -> float | None:
        """Return the cost of a call in US dollars, None where a count is unknown.

        Parameters
        ----------
        read, written : int | None
            Tokens of the prompt, those from the cache included, and of the reply.
        cached : int | None
            How many of those read came from the cache.
        """
        if read is None or written is None:
            return None
        hit = min(cached or 0, read)
        rate = self.input if self.cached is None else self.cached
        return ((read - hit) * self.input + hit * rate + written * self.output) / 1e6


@dataclass(frozen=True)
class Known:
    """What is known of a model.

    Parameters
    ----------
    context : int
        Its window in tokens.
    price : Price | None
        What its provider takes.
    reasoning_off : dict
        What to add to a request so that it answers without reasoning first.
    tokens_as : str
        What the server calls the bound on a reply's length.
    no_sampling : bool
        Whether it refuses a temperature.
    """

    context: int = USUAL_CONTEXT
    price: Price | None = None
    reasoning_off: dict[str, Any] = field(default_factory=dict)
    tokens_as: str = "max_tokens"
    no_sampling: bool = False


@cache
def table() -> dict[str, Any]:
    """Return the dated table of models."""
    text = files(__package__).joinpath("models.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def known(model: str, host: str) -> Known:
    """Return what is known of a model on a server.

    Parameters
    ----------
    model : str
        Its name there.
    host : str
        The server; a price holds for the provider's own only.
    """
    for row in table()["models"]:
        if re.fullmatch(row["match"], model, re.IGNORECASE):
            priced = "input" in row and row.get("host") == host
            return Known(
                row["context"],
                Price(row["input"], row["output"], row.get("cached")) if priced else None,
                row.get("reasoning_off", {}),
                row.get("tokens_as", "max_tokens"),
                row.get("no_sampling", False),
            )
    return Known()
