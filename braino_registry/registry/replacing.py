"""Writing a file so that a reader sees all of it or what was there before."""

from __future__ import annotations

from pathlib import Path

from braino_registry.errors import HostError


def replace_text(file: Path, text: str, *, what: str, hint: str) -> None:
    """Write a file beside, and put it in its place by one rename; missing folders are made.

    Parameters
    ----------
    file : Path
        The file.
    text : str
        What it is to hold.
    what : str
        What the error calls it.
    hint : str
        What the error tells to do.

    Raises
    ------
    HostError
        If it cannot be written; what was there before stands then.
    """
    part = file.with_name(f".{file.name}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise HostError(
            f"{what} cannot be written: {error.strerror}", where=str(file), hint=hint
        ) from error
