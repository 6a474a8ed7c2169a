"""How modules hang together: what one needs of another never leads back to itself.

What layers may know of each other is in the contracts of import-linter; here it is single modules.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import grimp
import pytest

#: Circles that are there for a reason, each as the set of its modules. There is none.
ALLOWED: frozenset[frozenset[str]] = frozenset()


def circles(*packages: str) -> list[list[str]]:
    """Return chains of modules in which each imports the next, and the last is the first again.

    Counted is every import of a module's text: in a function, and for the type checker alone, too.
    A circle that shares its way back with another one is not told twice.
    """
    graph = grimp.build_graph(packages[0], *packages[1:], cache_dir=None)
    imported = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    found = []
    while True:
        try:
            TopologicalSorter(imported).prepare()
        except CycleError as error:
            # The sorter tells who is needed first; an import goes from who needs to who is needed.
            chain = list(reversed(error.args[1]))
            found.append(chain)
            imported[chain[0]] = imported[chain[0]] - {chain[1]}
        else:
            return found


def test_no_modules_import_each_other() -> None:
    told = [
        " imports ".join(chain)
        for chain in circles("braino_registry", "braino")
        if frozenset(chain) not in ALLOWED
    ]
    assert not told, "move what both need into a module that needs neither:\n" + "\n".join(told)


@pytest.mark.parametrize(
    "way_back",
    [
        "from looped.first import one\n",
        "def late():\n    import looped.first\n",
        "class Late:\n    def get(self):\n        from .first import one\n        return one\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from looped.first import one\n",
    ],
)
def test_a_circle_is_found(way_back: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "looped"
    home.mkdir()
    (home / "__init__.py").write_text("from looped.first import one\n", encoding="utf-8")
    (home / "first.py").write_text("from looped.second import two as one\n", encoding="utf-8")
    (home / "second.py").write_text("from looped.third import two\n", encoding="utf-8")
    (home / "third.py").write_text("two = 2\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert circles("looped") == []

    (home / "third.py").write_text(f"{way_back}two = 2\n", encoding="utf-8")
    (chain,) = circles("looped")
    assert chain[0] == chain[-1]
    assert set(chain) == {"looped.first", "looped.second", "looped.third"}
    follows = dict(pairwise(chain))
    assert follows["looped.third"] == "looped.first"
