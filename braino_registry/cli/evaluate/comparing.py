"""`braino eval compare`: what got fixed and what broke."""

from __future__ import annotations

from pathlib import Path

import click

from braino_registry.cli import options
from braino_registry.cli.evaluate.concluding import FILE


@click.command()
@click.argument("before", type=FILE)
@click.argument("after", metavar="AFTER...", type=FILE, nargs=-1, required=True)
@click.option("--fail-on-regression", is_flag=True, help="Exit 1 if anything broke.")
@click.option("--verify", is_flag=True, help="Also validate the reports against their schema.")
@click.option("--markdown", type=FILE, metavar="FILE", help="Also write it as Markdown.")
@click.option("--junit", type=FILE, metavar="FILE", help="Also write it as JUnit XML.")
@options.as_json
def compare(
    before: Path,
    after: tuple[Path, ...],
    fail_on_regression: bool,
    verify: bool,
    markdown: Path | None,
    junit: Path | None,
    as_json: bool,
) -> int:
    """Say what got fixed and what broke between two reports, or run folders.

    Of more than two, each is compared with the first, and p-values are corrected for how many
    there are. The exit code is the worst of them; --json then prints a list of comparisons.
    """
    from braino_registry import reports
    from braino_registry.reports.files import write_atomic
    from braino_registry.reports.several import compare_all
    from braino_registry.reports.tables import show_comparison

    with reports.suspected(before, *after):
        found = compare_all([reports.read(file, verify=verify) for file in (before, *after)])
        documents = [each.document for each in found]
        if markdown is not None:
            from braino_registry.reports.markdown import comparison as in_markdown

            write_atomic(markdown, in_markdown(documents).encode())
        if junit is not None:
            from braino_registry.reports.junit import comparison as in_junit

            write_atomic(junit, in_junit(documents))
        if as_json:
            options.emit(documents[0] if len(documents) == 1 else {"comparisons": documents})
        else:
            printer = options.printer()
            for number, document in enumerate(documents):
                if number:
                    printer.line()
                show_comparison(printer, document)
        codes = [each.exit_code(fail_on_regression=fail_on_regression) for each in found]
        return 1 if 1 in codes else max(codes)


COMMANDS = (compare,)
