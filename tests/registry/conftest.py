"""A complete little registry in a temporary folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from braino_registry.registry import roots
from tests.registry.support import PUBLIC, RECIPE, REPOSITORY, Folder, example


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Return a folder with schemas, a suite and two datasets that stands for the built-in one."""
    made = Folder(tmp_path / "entries")
    shutil.copytree(REPOSITORY / "tests" / "registry" / "schemas", made.root / "schemas")
    for name in ("task-1", "suite-1", "release-1"):
        shutil.copy(REPOSITORY / "schemas" / f"{name}.json", made.root / "schemas")
    made.write("tasks/sample/suite.json", example("suite", "minimal"))
    made.write("generators/two-subject-rest.json", RECIPE)
    made.write("datasets/open-recordings.json", PUBLIC)
    monkeypatch.setattr(roots, "builtin", lambda: made.root)
    return made
