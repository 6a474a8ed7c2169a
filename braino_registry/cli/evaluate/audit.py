"""`braino eval audit`: read and judge the reports of a run once more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from braino_registry.cli import options
from braino_registry.cli.evaluate.concluding import FILE


@click.command("audit")
@click.argument("run_dir", metavar="RUN", type=FILE)
@click.option("--endpoint", metavar="URL", help="OpenAI-compatible server of the models.")
@click.option("--model", metavar="NAME", help="Model that extracts the fields and judges rubrics.")
@click.option(
    "--auditor", metavar="NAME", help="Model that says whether extractions and scores hold."
)
@options.key_variable
@click.option("--images", "pictures", is_flag=True, help="Show images to the judge.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N trials.")
@click.option("-o", "target", type=FILE, metavar="FILE", help="RUN/audit.json by default.")
@options.salt_file
@options.as_json
def audit(
    run_dir: Path,
    endpoint: str | None,
    model: str | None,
    auditor: str | None,
    key_variable: str,
    pictures: bool,
    limit: int | None,
    target: Path | None,
    salt_file: Path | None,
    as_json: bool,
) -> int:
    """Read and judge the reports of RUN once more, and say how far that agrees with its record.

    Without a model the rules of today read them. Everything that a model was asked and answered
    is kept in RUN/audit-replies.jsonl, and is not asked again. The run itself is not changed.
    """
    if (endpoint is None) != (model is None and auditor is None):
        raise click.UsageError(
            "Models are asked with --endpoint URL and --model NAME, --auditor NAME, or both."
        )
    from braino_registry.runner.audit import audit as run_audit
    from braino_registry.runner.models import Endpoint

    def at(name: str | None) -> Endpoint | None:
        return None if name is None or endpoint is None else Endpoint(endpoint, name, key_variable)

    document = run_audit(
        run_dir,
        endpoint=at(model),
        auditor=at(auditor),
        pictures=pictures,
        limit=limit,
        salt=salt_file,
        target=target,
    )
    if as_json:
        options.emit(document)
    else:
        _print(document)
    return 0


def _print(document: dict[str, Any]) -> None:
    rows = [
        (
            name,
            counted["decided"],
            counted["agree"],
            counted["disputed"],
            counted["unresolved"],
            "–" if counted["share"] is None else f"{100 * counted['share']:.2f} %",
        )
        for name, counted in document["agreement"].items()
    ]
    options.printer().table(
        f"audit of {len(document['trials'])} trials",
        ("what", "decided", "agree", "disputed", "unresolved", "agreement"),
        rows,
    )
    for each in document["skipped"]:
        name = f"{each['task']}/{each['instance']}/{each['repeat']}"
        options.printer().line(f"skipped {name}: {' '.join(each['reason'].split())}")


COMMANDS = (audit,)
