"""Begin a recipe: a copy of one that holds, under a name and a seed of its own."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from pathlib import Path
from typing import Any

from braino_registry.errors import UsageError
from braino_registry.registry import jsonfile
from braino_registry.registry.entries import Recipe

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_DIGEST = re.compile(r'("digest":\s*)"sha256:[0-9a-f]{64}"')
#: Members that a copy has of its own, as they stand at the top of a recipe.
_OWN = ("id", "version", "title", "seed")


def new_recipe(name: str, like: Recipe, out: Path) -> Path:
    """Write a recipe that builds, with the digest of what it builds.

    Parameters
    ----------
    name : str
        Its id, in kebab-case; it must tell nothing of the truth.
    like : Recipe
        The recipe that it is like. The seed is another one, so that all that is drawn is too.
    out : Path
        Folder ``generators`` of a registry; it must not hold a recipe of this name.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    UsageError
        If the name is none, or the file exists.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no id of a dataset",
            where="DATASET",
            hint="Small letters, digits and hyphens, for example quiet-room.",
        )
    file = out / f"{name}.json"
    if file.exists():
        raise UsageError("the recipe exists already", where=str(file), hint="Name another one.")
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) % 2**31
    changes = {"id": name, "version": "1.0.0", "title": f"New, like: {like.title}"[:120],
               "seed": seed}  # fmt: skip
    document = {**jsonfile.read(like.file), **changes}
    document["expects"] = {**document["expects"], "digest": _built(document)}
    out.mkdir(parents=True, exist_ok=True)
    text = _in_its_layout(like.file.read_text(encoding="utf-8"), document)
    file.write_text(text, encoding="utf-8", newline="\n")
    return file


def _in_its_layout(text: str, document: dict[str, Any]) -> str:
    """Return a recipe as text, with the line breaks of the one that it was made from."""
    for name in _OWN:
        value = json.dumps(document[name], ensure_ascii=False)
        pattern = rf'("{name}":\s*)(?:"(?:[^"\\]|\\.)*"|[0-9]+)'
        text = re.sub(pattern, lambda match, value=value: match[1] + value, text, count=1)  # type: ignore[misc]
    text = _DIGEST.sub(rf'\1"{document["expects"]["digest"]}"', text)
    try:
        same = jsonfile.value_of(text.encode()) == document
    except ValueError:
        same = False
    # Where the members stand in another order, the layout is given up and not the content.
    return text if same else json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _built(document: dict[str, Any]) -> str:
    from braino_registry.synthesis import build

    with tempfile.TemporaryDirectory(prefix="braino-recipe-") as folder:
        return build(document, b"", Path(folder) / "out").digest
