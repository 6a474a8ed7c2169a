"""A secret that changes every draw of every recipe, so that public seeds give no answers."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from braino_registry.errors import UsageError
from braino_registry.registry import documents

#: Fewest bytes of a salt; a salt written in hexadecimal needs twice as many characters.
SHORTEST = 16
LONGEST = 4096
#: Fewest different bytes; random text of the shortest length has more with near certainty.
DIFFERENT = 6

_HEXADECIMAL = re.compile(rb"[0-9a-fA-F]+")


@dataclass(frozen=True)
class Salt:
    """What is mixed into the draws of recipes.

    Parameters
    ----------
    material : bytes
        The secret; empty for the public draws. It is never printed.
    """

    material: bytes = field(repr=False)

    @classmethod
    def none(cls) -> Salt:
        """Return the salt of the public draws."""
        return cls(b"")

    @classmethod
    def read(cls, path: Path) -> Salt:
        """Return the salt in a file; white space at both ends does not count.

        Raises
        ------
        UsageError
            If the file cannot be read, or what is in it could be guessed.
        """
        # A command that is pasted must not overwrite the salt of former runs.
        new = "NEW_FILE" if os.path.lexists(path) else path
        hint = f"Make one with: openssl rand -hex 32 > {new}"
        try:
            # White space around the secret may add to its length, within reason.
            material = documents.read_bytes(path, 2 * LONGEST).strip()
        except OSError as error:
            problem = f"the salt cannot be read: {error.strerror}"
            raise UsageError(problem, where=str(path), hint=hint) from error
        needed = 2 * SHORTEST if _HEXADECIMAL.fullmatch(material) else SHORTEST
        if len(material) < needed:
            problem = f"the salt is too short: {len(material)} of at least {needed} characters"
            raise UsageError(problem, where=str(path), hint=hint)
        if len(material) > LONGEST:
            problem = f"the salt is too long: more than {LONGEST} bytes"
            raise UsageError(problem, where=str(path), hint=hint)
        if len(set(material)) < DIFFERENT:
            problem = "the salt repeats itself and could be guessed"
            raise UsageError(problem, where=str(path), hint=hint)
        return cls(material)

    @property
    def hash(self) -> str | None:
        """``sha256:`` of the material for reports; None without a salt."""
        if not self.material:
            return None
        return f"sha256:{hashlib.sha256(self.material).hexdigest()}"
