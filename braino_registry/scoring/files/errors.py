"""What goes wrong with an agent's file."""

from __future__ import annotations


class UnreadableFileError(ValueError):
    """A file of which nothing can be measured; the text says why."""
