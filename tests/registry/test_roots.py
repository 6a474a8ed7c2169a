"""Where entries come from: the package, folders, the environment, other distributions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from braino_registry.errors import HostError, UsageError
from braino_registry.registry import Registry, roots
from tests.registry.support import REPOSITORY, Folder, example


def test_in_a_checkout_the_entries_are_the_checkout() -> None:
    assert roots.builtin() == REPOSITORY


def test_in_a_wheel_the_entries_lie_in_the_package(tmp_path: Path) -> None:
    package = tmp_path / "site" / "braino_registry"
    for part in ("registry", "_entries/schemas"):
        (package / part).mkdir(parents=True)
    for name in ("__init__.py", "errors.py", "registry/roots.py"):
        (package / name).write_bytes((REPOSITORY / "braino_registry" / name).read_bytes())
    (package / "registry/__init__.py").write_text("")
    (package / "_entries/schemas/task-1.json").write_text("{}")
    # A folder of another distribution that has the same name is not mistaken for ours.
    (tmp_path / "site" / "schemas").mkdir()
    code = "from braino_registry.registry import roots; print(roots.builtin())"
    command = [
        sys.executable,
        "-I",
        "-c",
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); {code}",
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert ran.stdout.strip() == str(package / "_entries")

    (package / "_entries/schemas/task-1.json").unlink()
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert HostError.__name__ in ran.stderr
    assert "Reinstall braino-registry" in ran.stderr


def test_folders_come_from_the_caller_and_the_environment(folder: Folder, tmp_path: Path) -> None:
    one, two, three = (Folder(tmp_path / name) for name in ("one", "two", "three"))
    for number, other in enumerate((one, two, three)):
        doc = {**example("suite", "every-field"), "id": f"suite-{number}"}
        other.write("tasks/suite.json", doc)
    environ = {"BRAINO_REGISTRY": os.pathsep.join(["", str(two.root), str(three.root)])}
    registry = Registry.open([one.root], environ=environ)
    assert registry.folders == (folder.root, one.root, two.root, three.root)
    assert [suite.id for suite in registry.suites()] == ["sample", "suite-0", "suite-1", "suite-2"]


@pytest.mark.parametrize("source", ["--registry", "BRAINO_REGISTRY"])
def test_a_missing_folder_is_a_usage_error(folder: Folder, tmp_path: Path, source: str) -> None:
    missing = tmp_path / "missing"
    folders = [missing] if source == "--registry" else []
    environ = {"BRAINO_REGISTRY": str(missing)} if source != "--registry" else {}
    with pytest.raises(UsageError, match="is not a folder") as caught:
        Registry.open(folders, environ=environ)
    assert caught.value.where == source


def _distribution(site: Path, name: str, value: str, code: str) -> None:
    module = name.replace("-", "_")
    (site / module).mkdir(parents=True)
    (site / module / "__init__.py").write_text(code)
    info = site / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[braino.registry]\n{name} = {value}\n")


def test_other_distributions_bring_folders(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    _distribution(site, "brings-package", "brings_package", "")
    _distribution(
        site,
        "brings-function",
        "brings_function:entries",
        "import pathlib\ndef entries():\n    return pathlib.Path(__file__).parent / 'entries'\n",
    )
    _distribution(site, "brings-nothing", "brings_nothing:entries", "entries = 'nowhere'\n")
    _distribution(site, "crashes", "crashes:entries", "raise RuntimeError('no licence')\n")
    Folder(site / "brings_package").write("tasks/a.json", example("task", "minimal"))
    doc = example("task", "bad-channels")
    Folder(site / "brings_function" / "entries").write("tasks/b.json", doc)
    monkeypatch.syspath_prepend(str(site))

    registry = Registry.open(environ={})
    assert registry.folders[1:] == (site / "brings_function/entries", site / "brings_package")
    assert {c.id for c in registry.candidates() if c.kind == "task"} == {
        "which-subject",
        "bad-channels-ask",
    }
    told = {error.where: error.problem for error in registry.problems if "point" in error.where}
    assert (
        "'nowhere' is not a folder" in told["entry point brings-nothing = brings_nothing:entries"]
    )
    assert "RuntimeError: no licence" in told["entry point crashes = crashes:entries"]
