"""The site: every page is listed, every link leads somewhere, the reference is complete.

What Sphinx itself says about a page is for `make docs`, which takes a warning for an error.
"""

from __future__ import annotations

import html
import importlib.util
import json
import re
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.docs import blocks
from tests.docs.blocks import REPOSITORY

DOCS = REPOSITORY / "docs"
PICTURES = ("faults", "alpha", "oddball", "night", "seizure")


@cache
def _load(path: Path) -> ModuleType:
    """Import a file that is no module of a package."""
    spec = importlib.util.spec_from_file_location(f"site_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _generated() -> ModuleType:
    pytest.importorskip("numpydoc", reason="only `make docs` installs what builds the site")
    return _load(DOCS / "_ext" / "generated.py")


def _written() -> list[Path]:
    return [path for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts]


def test_every_page_can_be_reached_from_the_first() -> None:
    contents = _load(DOCS / "_ext" / "contents.py")
    reached, waiting = set(), ["README"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        path = DOCS / f"{page}.md"
        if contents.is_contents(page) and path.is_file():
            home = Path(page).parent
            waiting += [
                (home / each).as_posix() for each in contents.listed(path.read_text("utf-8"))
            ]
    there = {path.relative_to(DOCS).with_suffix("").as_posix() for path in _written()}
    assert there - reached == set(), "list these pages in guides.md or its sisters"


def test_what_a_page_lists_is_what_its_readers_see() -> None:
    contents = _load(DOCS / "_ext" / "contents.py")
    text = (
        "- [One](one.md): text with a [link](other.md)\n"
        "| [two](a/two.md) | x |\n"
        "- [Again](one.md)\n"
        "- [Out](../OUT.md)\n"
        "- [Part](one.md#part)\n"
        "- [Web](https://example.org/x.md)\n"
        "[Plain](plain.md)\n"
    )
    assert contents.listed(text) == ["one", "a/two"]
    assert contents.toctree(["one"]).splitlines()[1:3] == ["```{toctree}", ":hidden:"]
    assert contents.is_contents("tasks/brainbench/README")
    assert not contents.is_contents("agents")


@pytest.mark.parametrize("path", blocks.pages(history=True), ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    """Sphinx sees the pages below docs/; this sees those beside it as well."""
    contents = _load(DOCS / "_ext" / "generated.py").PAGES if _has_numpydoc() else {}
    made = {DOCS / "reference" / f"{name}.md" for name in contents}
    for token in MarkdownIt().enable("table").parse(path.read_text("utf-8")):
        for child in token.children or ():
            target = str(child.attrs.get("href") or child.attrs.get("src") or "")
            if not target or re.match(r"\w+:", target):
                continue
            name, _, part = target.partition("#")
            file = (path.parent / name).resolve() if name else path
            if file.parent == DOCS / "reference" and file.name != "python.md":
                assert not made or file in made, f"{path.name}: {target}"
                continue
            assert file.exists(), f"{path.name}: {target}"
            if part and file.suffix == ".md":
                assert part in _parts(file), f"{path.name}: {target}"


def _has_numpydoc() -> bool:
    return importlib.util.find_spec("numpydoc") is not None


def _parts(path: Path) -> set[str]:
    """Return the names by which the headings of a page are linked to, as GitHub makes them."""
    tokens = MarkdownIt().parse(path.read_text("utf-8"))
    titles = [
        tokens[place + 1].content
        for place, each in enumerate(tokens)
        if each.type == "heading_open"
    ]
    plain = (re.sub(r"[^\w\- ]", "", title.casefold()) for title in titles)
    return {title.replace(" ", "-") for title in plain}


def test_the_reference_has_everything_that_the_program_has(tmp_path: Path) -> None:
    from braino_registry import agents
    from braino_registry.cli import GROUPS
    from braino_registry.recordings import manual
    from braino_registry.registry import Registry
    from braino_registry.scoring import check_kinds
    from braino_registry.tools.catalog import catalog

    generated = _generated()
    written = generated.write(tmp_path)
    assert {path.stem for path in written} == set(generated.PAGES)
    assert generated.write(tmp_path) == []  # an unchanged page is not written again
    text = {path.stem: path.read_text("utf-8") for path in written}
    for name, _ in check_kinds:
        assert f"\n## {name}\n" in text["checks"]
    for _, tool in catalog():
        assert f"`{tool.spec.name}@{tool.spec.version}`" in text["tools"]
    for page in manual.pages():
        assert f"`{page['name']}@{page['version']}`" in text["operations"]
    for name in GROUPS:
        assert f" braino {name}\n" in text["commands"]
    for entry in Registry.open(environ={}).datasets():
        assert f"| `{entry.id}` | {entry.version} |" in text["datasets"]
    for suite in Registry.open(environ={}).suites():
        assert f"`{suite.ref}`" in text["suites"]
    for spec in (*agents.builtin(), *agents.driven()):
        assert f"| `{spec.name_hint}` |" in text["agents"]
    for file in (REPOSITORY / "schemas").glob("*.json"):
        assert json.loads(file.read_text("utf-8"))["$id"] in text["schemas"]


@given(st.text(st.sampled_from("ab_*<>&$[]()\\!~#|:-. "), max_size=30))
def test_text_of_a_docstring_stays_as_it_is(text: str) -> None:
    generated = _generated()
    plain = " ".join(f"a {text} a".split())
    shown = MarkdownIt().renderInline(generated._escaped(plain))
    assert html.unescape(shown) == plain


def test_what_docstrings_say_is_not_taken_for_markup() -> None:
    generated = _generated()
    assert generated._escaped("a_b * <c> `d_e` $x$") == r"a\_b \* \<c\> `d_e` \$x\$"
    assert generated._roles("see :func:`~braino.agent.main`") == "see `braino.agent.main`"
    table = list(generated._table(("name", "type", "what"), [("x", "", "a|b"), ("y", None, "")]))
    assert table == ["| name | what |", "|---|---|", r"| `x` | a\|b |", "| `y` | – |", ""]


def test_a_formula_needs_no_network() -> None:
    pytest.importorskip("latex2mathml", reason="only `make docs` installs what builds the site")
    formulas = _load(DOCS / "_ext" / "formulas.py")
    assert "<mfrac>" in formulas.convert(r"\frac{a}{b}")


def test_the_gallery_has_its_pictures() -> None:
    text = (DOCS / "gallery.md").read_text("utf-8")
    for name in PICTURES:
        picture = DOCS / "images" / f"gallery-{name}.png"
        assert f"images/{picture.name}" in text
        assert picture.stat().st_size < 150_000


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES[:3])  # the others build an hour and a night first
def test_a_picture_of_the_gallery_can_be_drawn(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAINO_DATA", str(tmp_path / "cache"))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    gallery = _load(DOCS / "images" / "gallery.py")
    assert set(gallery.PICTURES) == set(PICTURES)
    figure = gallery.PICTURES[name]()
    (axes,) = figure.axes
    assert axes.lines
    assert axes.get_title(loc="left") or axes.get_title()
    gallery.plt.close(figure)


def test_the_page_on_agents_names_all_that_come_along() -> None:
    from braino_registry import agents

    text = (DOCS / "agents.md").read_text("utf-8")
    for spec in (*agents.builtin(), *agents.driven()):
        assert f"`{spec.name_hint}`" in text
    for scheme in agents.schemes():
        assert re.search(rf"`{scheme}[:`]", text)


def test_the_numbers_on_the_first_pages_are_those_of_the_registry() -> None:
    from braino_registry.registry import Registry
    from braino_registry.tools.catalog import catalog

    registry = Registry.open(environ={})
    readme = (REPOSITORY / "README.md").read_text("utf-8")
    rows = dict(
        re.findall(r"^\| `(\w+)`[^|]*\| (\w+) (?:tasks|foundational)", readme, re.MULTILINE)
    )
    words = {"six": 6}
    said = {suite: words.get(number) or int(number) for suite, number in rows.items()}
    there = {suite.id: len(registry.tasks(suite.id)) for suite in registry.suites()}
    assert said == there
    others = (DOCS / "other-benchmarks.md").read_text("utf-8")
    assert (
        f"| {' + '.join(str(said[s]) for s in ('braino', 'brainbench', 'eegagentbench'))}, "
        in others
    )
    assert f"| tools | {len(list(catalog()))}, " in others
