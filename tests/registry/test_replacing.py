"""A file is replaced whole, or stands as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from braino_registry.errors import HostError
from braino_registry.registry.replacing import replace_text


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    file = tmp_path / "new" / "one.json"
    for text in ("é\n", "another\n"):
        replace_text(file, text, what="it", hint="Try again.")
        assert file.read_text(encoding="utf-8") == text
        assert list(file.parent.iterdir()) == [file]


def test_what_cannot_be_written_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    (taken / "within").mkdir(parents=True)
    with pytest.raises(HostError) as caught:
        replace_text(taken, "text", what="the index", hint="Name another file.")
    assert caught.value.problem.startswith("the index cannot be written: ")
    assert (caught.value.where, caught.value.hint) == (str(taken), "Name another file.")
    assert list(tmp_path.iterdir()) == [taken]
