"""Groups of registered things: found by file, whole or not at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from braino_registry.errors import EntryError, UsageError
from braino_registry.registry import plugins
from braino_registry.registry.plugins import PluginGroup

GROUP = """
from braino_registry.registry.plugins import PluginGroup
GROUP = PluginGroup({package!r}, "thing", "braino.test_things")
"""
MODULE = """
from {package} import GROUP
@GROUP.register({name!r})
def {name}():
    return {name!r}
"""


class Package:
    """A package that a test writes."""

    def __init__(self, site: Path, name: str) -> None:
        self.name = name
        self.folder = site / name
        self.folder.mkdir()
        (self.folder / "__init__.py").write_text(GROUP.format(package=name))

    def add(self, module: str, name: str) -> None:
        text = MODULE.format(package=self.name, name=name)
        (self.folder / f"{module}.py").write_text(text)


@pytest.fixture
def package(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Package]:
    monkeypatch.syspath_prepend(str(tmp_path))
    made = Package(tmp_path, f"things_of_{request.node.name}".replace("[", "_").replace("]", "_"))
    yield made
    for name in [name for name in sys.modules if name.split(".")[0] == made.name]:
        del sys.modules[name]


def test_a_new_thing_is_one_new_file(package: Package) -> None:
    package.add("one", "first")
    package.add("two", "second")
    group = plugins.find(package.name)
    assert group.names() == ["first", "second"]
    assert group.get("second")() == "second"
    assert [name for name, _ in group] == ["first", "second"]
    assert "first" in group
    assert "third" not in group


def test_an_unknown_name_is_guessed(package: Package) -> None:
    package.add("one", "first")
    with pytest.raises(UsageError, match="no thing called 'frist'") as caught:
        plugins.find(package.name).get("frist")
    assert "Did you mean 'first'?" in caught.value.hint


def test_two_owners_of_a_name_are_an_error(package: Package) -> None:
    package.add("one", "first")
    package.add("two", "first")
    with pytest.raises(EntryError, match="two things are called 'first'") as caught:
        plugins.find(package.name)
    assert f"{package.name}.one and {package.name}.two" in caught.value.where


def test_a_broken_module_is_told_every_time(package: Package) -> None:
    package.add("one", "first")
    (package.folder / "two.py").write_text("raise RuntimeError('broken')\n")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="broken"):
            plugins.find(package.name)
    (package.folder / "two.py").write_text("")
    assert plugins.find(package.name).names() == ["first"]


def test_a_package_without_a_group_is_told() -> None:
    with pytest.raises(LookupError, match="no PluginGroup of the package 'json'"):
        plugins.find("json")


def test_other_distributions_join_by_entry_point(package: Package, tmp_path: Path) -> None:
    info = tmp_path / "joins-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: joins\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[braino.test_things]\njoins = joins_things\n")
    (tmp_path / "joins_things.py").write_text(MODULE.format(package=package.name, name="joined"))
    assert plugins.find(package.name).names() == ["joined"]


def test_a_group_can_be_used_before_it_is_looked_up() -> None:
    group: PluginGroup[int] = PluginGroup("email.mime", "number")
    group.add("one", 1, "here")
    assert group.get("one") == 1
