"""How tools, check kinds, synthesis layers, operations and workflows announce themselves.

A group is a package whose modules register objects with the group's decorator. Adding one is
adding a function in a file of that package; there is no central list. Packages of other
distributions join through an entry-point group whose values name a module to import.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from braino_registry.errors import EntryError, UsageError, nearest

Item = TypeVar("Item")

#: The groups that exist, by package: how `find` meets a group that lies above this module.
_GROUPS: WeakValueDictionary[str, PluginGroup[Any]] = WeakValueDictionary()


def find(package: str) -> PluginGroup[Any]:
    """Return the group whose objects live in ``package``, complete.

    This lets the registry ask for what lies above it without knowing more than a name.

    Parameters
    ----------
    package : str
        Dotted name, for example ``"braino_registry.scoring.checks"``.

    Raises
    ------
    LookupError
        If importing the package makes no such group.
    """
    module = importlib.import_module(package)
    if package not in _GROUPS:
        _import_modules(module)
    if package not in _GROUPS:
        raise LookupError(f"no PluginGroup of the package {package!r}")
    group = _GROUPS[package]
    group.load()
    return group


def _import_modules(package: ModuleType) -> None:
    for name in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
        importlib.import_module(f"{package.__name__}.{name}")


class PluginGroup(Generic[Item]):
    """Named objects that the modules of one package register.

    Parameters
    ----------
    package : str
        Dotted name of the package whose modules are imported on first use.
    what : str
        What one object is called in messages, for example ``"tool"``.
    entry_points : str | None
        Entry-point group of other distributions, for example ``"braino.workflows"``.
    """

    def __init__(self, package: str, what: str, entry_points: str | None = None) -> None:
        self.package = package
        self.what = what
        self.entry_points = entry_points
        self._items: dict[str, Item] = {}
        self._sources: dict[str, str] = {}
        self._loaded = False
        self._lock = threading.RLock()
        _GROUPS[package] = self

    def add(self, name: str, item: Item, source: str) -> None:
        """Register ``item`` under ``name``.

        Raises
        ------
        EntryError
            If another module has registered something under this name.
        """
        owner = self._sources.get(name)
        if owner is not None and owner != source:
            raise EntryError(
                f"two {self.what}s are called {name!r}",
                where=f"{owner} and {source}",
                hint="Rename one of them.",
            )
        self._items[name] = item
        self._sources[name] = source

    def register(self, name: str) -> Callable[[Item], Item]:
        """Return a decorator that registers what it decorates under ``name``."""

        def keep(item: Item) -> Item:
            self.add(name, item, getattr(item, "__module__", "?"))
            return item

        return keep

    def get(self, name: str) -> Item:
        """Return the object called ``name``.

        Raises
        ------
        UsageError
            If there is none; the message lists the names and the likely intent.
        """
        self.load()
        if name not in self._items:
            raise UsageError(
                f"there is no {self.what} called {name!r}",
                hint=nearest(name, self.names()),
            )
        return self._items[name]

    def names(self) -> list[str]:
        """Return all names, sorted."""
        self.load()
        return sorted(self._items)

    def __iter__(self) -> Iterator[tuple[str, Item]]:
        """Iterate over ``(name, object)`` in the order of names."""
        return iter([(name, self._items[name]) for name in self.names()])

    def __contains__(self, name: object) -> bool:
        """Tell whether something is registered under ``name``."""
        self.load()
        return name in self._items

    def load(self) -> None:
        """Import every module of the package and every entry point, once.

        If one of them fails the group stays unloaded, and the next use fails in the same way
        instead of finding half of the objects.
        """
        with self._lock:
            if self._loaded:
                return
            # A module may look the group up while it is being imported.
            self._loaded = True
            try:
                _import_modules(importlib.import_module(self.package))
                if self.entry_points is not None:
                    from importlib.metadata import entry_points

                    points = entry_points(group=self.entry_points)
                    for point in sorted(points, key=lambda point: point.name):
                        point.load()
            except BaseException:
                self._loaded = False
                raise
