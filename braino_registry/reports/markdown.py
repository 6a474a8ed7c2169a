"""A comparison in Markdown, for a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from braino_registry.reports import paired_tables
from braino_registry.reports.comparison import SHIFTED, scores_in_words
from braino_registry.reports.plain import shown

#: Rows of a table; how many more there are is said.
ROWS = 50
_TEXT = 300
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~$@:-])")


def comparison(documents: Sequence[Mapping[str, Any]]) -> str:
    """Return comparisons with one and the same first report as Markdown.

    Parameters
    ----------
    documents : sequence of mapping
        What ``Comparison.document`` holds, as `several.compare_all` gives them.

    Returns
    -------
    str
        Tables and lines; every name and every evidence in it is escaped.
    """
    return "\n".join(_all(documents)) + "\n"


def plain(text: object) -> str:
    """Return text that Markdown shows as it is: no markup, no link, no mention, on one line."""
    line = " ".join(shown(str(text), _TEXT).split())
    return _SPECIAL.sub(r"\\\1", escape(line, quote=False))


def _all(documents: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    before = documents[0]["before"]
    yield f"## Comparison with {plain(_who(before))}"
    yield ""
    yield f"Before: {plain(before['run_id'])}. {plain(before['coverage'])}"
    yield ""
    yield "| agent | compared | fixed | broken | lost | difference of the mean score | p |"
    yield "|---|--:|--:|--:|--:|---|--:|"
    for document in documents:
        yield _row(document)
    yield ""
    if len(documents) > 1:
        yield f"p-values are corrected by Holm's rule for {len(documents)} comparisons."
        yield ""
    for document in documents:
        yield from _one(document)


def _who(identity: Mapping[str, Any]) -> str:
    model = f" ({identity['model']})" if identity["model"] else ""
    return f"{identity['agent']}{model}"


def _row(document: Mapping[str, Any]) -> str:
    statistics = document["statistics"]
    difference, p_value = "not comparable", "–"
    if statistics is not None:
        score = statistics["score"]
        difference = f"{score['estimate']:+.3f}"
        if score["interval"] is not None:
            low, high = score["interval"]
            difference += f" ({100 * score['level']:.0f} % interval {low:+.3f} to {high:+.3f})"
        p = statistics.get("corrected", {}).get("score", score["p_value"])
        p_value = "–" if p is None else f"{p:.3g}"
    counts = [document["comparable"]] + [len(document[k]) for k in ("fixed", "broken", "lost")]
    cells = [plain(_who(document["after"])), *map(str, counts), difference, p_value]
    return f"| {' | '.join(cells)} |"


def _one(document: Mapping[str, Any]) -> Iterator[str]:
    after = document["after"]
    yield f"### {plain(_who(after))}"
    yield ""
    yield f"After: {plain(after['run_id'])}. {plain(after['coverage'])}"
    yield ""
    for row in document["differences"]:
        yield f"- {plain(row['what'])}: {plain(row['before'])} before, {plain(row['after'])} after"
    if document["differences"]:
        yield ""
    for name in ("broken", "fixed"):
        yield from _flips(name.capitalize(), document[name])
    for name, title in SHIFTED.items():
        yield from _table(
            title,
            ("trial", "before", "after", "score"),
            [
                (_name(r), r["before"]["outcome"], r["after"]["outcome"], scores_in_words(r))
                for r in document.get(name, ())
            ],
        )
    yield from _table(
        "Lost: scored before, unscored now through a fault of harness or environment",
        ("trial", "outcome", "why"),
        [(_name(row), row["outcome"], row["why"]) for row in document["lost"]],
    )
    yield from _table(
        "Not comparable",
        ("trial", "why"),
        [(_name(row), row["reason"]) for row in document["not_comparable"]],
    )
    for line in paired_tables.lines(document["statistics"]):
        yield plain(line)
        yield ""


def _flips(title: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from _table(
        title,
        ("trial", "before", "after", "checks that changed"),
        [
            (
                _name(row),
                row["before"]["outcome"],
                row["after"]["outcome"],
                "; ".join(
                    f"{each['id']} {'passes' if each['passed'] else 'fails'}: {each['evidence']}"
                    for each in row["checks"]
                ),
            )
            for row in rows
        ],
    )


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['task']}/{row['instance']}/{row['repeat']}"


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    if not rows:
        return
    yield f"<details><summary>{title}: {len(rows)}</summary>"
    yield ""
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    for row in rows[:ROWS]:
        yield f"| {' | '.join(plain(cell) for cell in row)} |"
    if len(rows) > ROWS:
        yield ""
        yield f"and {len(rows) - ROWS} more"
    yield ""
    yield "</details>"
    yield ""
