"""The reference that nobody writes: commands, tools, checks, operations, schemas, datasets.

Each page is made when the site is built, from what the program itself prints or validates with,
into docs/reference/. A page is only written if its text has changed, so that a second build is
quick.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from numpydoc.docscrape import NumpyDocString

NOTE = "Made from the program itself when this site is built."


def commands() -> Iterator[str]:
    """Yield the help of every command, as a terminal of 100 columns shows it."""
    from braino_registry.cli import braino

    yield from _title("Commands", "Every command and its options: what `--help` prints.")
    for path, context in _walk(click.Context(braino, info_name="braino", max_content_width=100)):
        yield from (f"{'#' * min(len(path) + 1, 3)} {' '.join(path)}", "")
        yield from ("```text", context.get_help(), "```", "")


def _walk(context: click.Context) -> Iterator[tuple[list[str], click.Context]]:
    yield context.command_path.split(), context
    group = context.command
    if isinstance(group, click.Group):
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if command is not None and not command.hidden:
                made = click.Context(command, context, name, max_content_width=100)
                yield from _walk(made)


def tools() -> Iterator[str]:
    """Yield the tools: what each does, takes and returns."""
    from braino_registry.cli.tools import properties
    from braino_registry.tools.catalog import catalog

    yield from _title("Tools", "What agents can call. `braino tools show NAME` prints the same.")
    for _, tool in catalog():
        spec = tool.spec
        yield from (f"## {spec.name}", "", f"`{spec.name}@{spec.version}`", "")
        yield from _paragraphs(
            re.sub(r"(?m)^Example: (\{.*\})$", r"Example: `\1`", spec.description)
        )
        for title, schema in (("Arguments", spec.arguments), ("Result", spec.result)):
            rows = properties(schema)
            if rows:
                yield from _table((title, "type", "default", "what"), rows)


def checks() -> Iterator[str]:
    """Yield the kinds of checks."""
    from braino_registry.cli.tools import properties
    from braino_registry.scoring.kinds import check_kinds

    lead = "What a task may require. `braino task kinds NAME` prints the same."
    yield from _title("Kinds of checks", lead)
    for name, kind in check_kinds:
        yield from (f"## {name}", "", f"`{name}@{kind.version}`", "")
        yield from _paragraphs(inspect.getdoc(kind.run) or "")
        yield from _table(("property", "type", "default", "what"), properties(kind.schema))


def operations() -> Iterator[str]:
    """Yield the operations that pipelines are made of."""
    from braino_registry.recordings import manual

    lead = "What expected values are computed with; [Pipelines](../pipelines.md) shows how."
    yield from _title("Operations", lead)
    for page in manual.pages():
        yield from (f"## {page['name']}", "", f"`{page['name']}@{page['version']}`", "")
        taken = {row["name"] for row in page["arguments"]}
        yield from _docstring(page["description"], taken)
        rows = [
            (row["name"] if row["required"] else f"[{row['name']}]", row["type"], _default(row))
            for row in page["arguments"]
        ]
        yield from _table(("argument", "type", "default"), rows)


def _default(row: Mapping[str, Any]) -> str:
    return json.dumps(row["default"], ensure_ascii=False) if "default" in row else ""


def schemas() -> Iterator[str]:
    """Yield the top level of every JSON Schema."""
    from braino_registry.cli.tools import properties
    from braino_registry.registry import roots

    lead = "Each kind of document has a JSON Schema (2020-12) in `schemas/`; unknown names are "
    yield from _title(
        "Documents and their schemas", f"{lead}refused. Names in brackets may be left out."
    )
    for file in sorted((roots.builtin() / "schemas").glob("*.json")):
        schema = json.loads(file.read_text(encoding="utf-8"))
        yield from (f"## {schema['title']}", "", f"`schemas/{file.name}`, `{schema['$id']}`", "")
        yield from _paragraphs(schema.get("description", ""))
        rows = [row for row in properties(schema) if row[0] != "[canary]"]
        if rows:
            yield from _table(("name", "type", "default", "what"), rows)


def datasets() -> Iterator[str]:
    """Yield all datasets, synthetic and public."""
    from braino_registry.registry import PublicDataset, Recipe, Registry, roots

    registry = Registry([roots.builtin()])
    yield from _title(
        "Datasets", "`braino data info ID` says more of each: citation, defects, parts."
    )
    yield from ("## Public", "", "Fetched by pinned hash, or checked in a copy of your own.", "")
    rows = [
        (entry.id, entry.version, entry.title, entry.doc["licence"]["spdx"], entry.doc["access"])
        for entry in registry.datasets()
        if isinstance(entry, PublicDataset)
    ]
    yield from _table(("dataset", "version", "what", "licence", "access"), rows)
    yield from (
        "## Synthetic",
        "",
        "Built from a recipe in `generators/`; what is planted is known.",
        "",
    )
    made = [
        (entry.id, entry.version, entry.title)
        for entry in registry.datasets()
        if isinstance(entry, Recipe)
    ]
    yield from _table(("dataset", "version", "what"), made)


def suites() -> Iterator[str]:
    """Yield the suites: rule, limits, toolsets, categories."""
    from braino_registry.registry import Registry, roots

    registry = Registry([roots.builtin()])
    yield from _title("Suites", "Sets of tasks, each with one rule from scores to a headline.")
    for suite in registry.suites():
        pages = f"../tasks/{'' if suite.id == 'braino' else suite.id + '/'}README.md"
        doc, number = suite.doc, len(registry.tasks(suite.id))
        yield from (f"## {suite.id}", "", f"`{suite.ref}`: [{number} tasks]({pages}).", "")
        yield from _paragraphs(doc.get("about") or f"{suite.title}.")
        yield from _table(("limit", "value"), [(k, f"{v:,}") for k, v in doc["limits"].items()])
        facts = [
            ("rule", f"`{doc['rule']}`"),
            ("fields of the answer", "told" if doc["tell_fields"] else "not told"),
            ("paradigms", ", ".join(doc["paradigms"])),
            (
                "subsets",
                ", ".join(f"{k} ({v['title']})" for k, v in doc.get("subsets", {}).items()),
            ),
            ("categories", ", ".join(doc["categories"])),
        ]
        yield from (f"- {name}: {value}" for name, value in facts if value)
        for name, toolset in doc["toolsets"].items():
            listed = ", ".join(f"`{tool}`" for tool in toolset)
            yield f"- toolset `{name}`: {listed or 'no tools'}"
        yield ""


def agents() -> Iterator[str]:
    """Yield the agents that come along, and what else ``--agent`` takes."""
    from braino_registry import agents as listed

    lead = "What `--agent` takes; a name that is not here is read as `module:factory`."
    yield from _title("Agents", lead)
    for title, specs in (
        ("They need nothing but a session", listed.builtin()),
        ("A model drives them", listed.driven()),
    ):
        yield from (f"## {title}", "")
        yield from _table(("agent", "what"), [(spec.name_hint, spec.about) for spec in specs])
    yield from ("## Programs, people, transcripts", "")
    yield from _table(("before the colon", "what"), list(listed.schemes().items()))


PAGES: Mapping[str, Callable[[], Iterator[str]]] = {
    "commands": commands,
    "tools": tools,
    "checks": checks,
    "operations": operations,
    "schemas": schemas,
    "datasets": datasets,
    "suites": suites,
    "agents": agents,
}


def _title(title: str, lead: str) -> list[str]:
    return [f"# {title}", "", lead, "", f"*{NOTE}*", ""]


def _paragraphs(text: str) -> Iterator[str]:
    yield from (*_escaped(_roles(text)).splitlines(), "")


def _docstring(text: str, taken: set[str]) -> Iterator[str]:
    """Yield a numpydoc docstring as Markdown: definition, arguments that are taken, result."""
    parsed = NumpyDocString(text)
    yield from _paragraphs("\n".join([*parsed["Summary"], "", *parsed["Extended Summary"]]))
    for section in ("Parameters", "Returns"):
        for item in parsed[section]:
            said = " ".join(" ".join(item.desc).split())
            if section == "Returns":
                yield _escaped(_roles(f"- returns {said}"))
            elif taken.intersection(item.name.split(", ")):
                kind = f" ({item.type})" if item.type else ""
                yield _escaped(_roles(f"- `{item.name}`{kind}: {said}"))
        yield ""
    for section in ("Notes", "References"):
        yield from _paragraphs("\n".join(parsed[section]))


def _roles(text: str) -> str:
    """Show what a docstring refers to as code: these pages have no objects to link to."""
    return re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)


def _escaped(text: str) -> str:
    """Keep what is no code from being read as Markdown: HTML, stars, dollars."""
    parts = re.split(r"(``?[^`]+``?)", text)
    return "".join(
        part if place % 2 else re.sub(r"([<>$_*&\\\[\]])", r"\\\1", part)
        for place, part in enumerate(parts)
    )


def _table(head: tuple[str, ...], rows: list[Any]) -> Iterator[str]:
    """Yield a table; columns in which nothing stands are left out."""
    kept = [place for place in range(len(head)) if place == 0 or any(row[place] for row in rows)]
    yield "| " + " | ".join(head[place] for place in kept) + " |"
    yield "|" + "---|" * len(kept)
    for row in rows:
        yield "| " + " | ".join(_cell(row[place], place) for place in kept) + " |"
    yield ""


def _cell(value: object, place: int) -> str:
    if not value:
        return "–"
    text = " ".join(str(value).split())
    shown = f"`{text}`" if place == 0 else _escaped(_roles(text))
    return shown.replace("|", "\\|")


def write(folder: Path) -> list[Path]:
    """Write the pages, and return those whose text has changed.

    Parameters
    ----------
    folder : Path
        Where they go; other files there stay.
    """
    folder.mkdir(parents=True, exist_ok=True)
    changed = []
    for name, page in PAGES.items():
        path, text = folder / f"{name}.md", "\n".join(page()).rstrip() + "\n"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
            changed.append(path)
    return changed


def setup(app: Any) -> dict[str, Any]:
    """Join Sphinx."""
    app.connect("builder-inited", lambda app: write(Path(app.srcdir) / "reference"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
