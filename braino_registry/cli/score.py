"""`braino score`: one score, from JSON on standard input."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from braino_registry.cli import options


@click.command()
@click.argument("name", metavar="UNIT-OR-METRIC", required=False)
@click.option("--profile", default="strict", show_default=True, help="strict or published.")
@click.option("--list", "listing", is_flag=True, help="List what can be computed, and stop.")
@options.as_json
def group(name: str | None, profile: str, listing: bool, as_json: bool) -> None:
    """Compute UNIT-OR-METRIC from a JSON object on standard input.

    Every validation unit, what is made of them, and every corpus metric. `--list` shows the names;
    UNIT-OR-METRIC with `--list` shows what one takes.
    """
    from braino_registry.scoring.named import scores

    if listing:
        _list(name, as_json)
        return
    if name is None:
        raise click.UsageError("Missing argument 'UNIT-OR-METRIC'; `--list` shows them.")
    scores.get(name)
    _check_profile(profile)
    found = _compute(name, _standard_input(), profile)
    if as_json or isinstance(found, dict):
        options.emit({"score": found} if not isinstance(found, dict) else found)
    else:
        click.echo(json.dumps(found))


def _check_profile(profile: str) -> None:
    from braino_registry.errors import UsageError, close_matches
    from braino_registry.scoring.units import PROFILES

    if profile not in PROFILES:
        raise UsageError(
            f"there is no profile {profile!r}",
            where="--profile",
            hint=close_matches(profile, PROFILES),
        )


def _compute(name: str, inputs: Any, profile: Any) -> Any:
    from braino_registry.errors import BrainoError, UsageError
    from braino_registry.scoring.named import compute

    if profile != "published":
        return compute(name, inputs, profile)
    try:
        found = compute(name, inputs, profile)
        json.dumps(found, allow_nan=False)
    except BrainoError:
        raise
    # what the released scorer does: it breaks off, or gives what JSON cannot hold
    except (TypeError, ValueError, ArithmeticError) as error:
        raise UsageError(
            f"{type(error).__name__}: {error}",
            where=f"braino score {name}, profile {profile}",
            hint="The released scorer gives no score here; the profile strict gives one.",
        ) from error
    return found


def _standard_input() -> Any:
    from braino_registry.errors import UsageError
    from braino_registry.registry import documents, jsonfile

    try:
        return jsonfile.value_of(sys.stdin.buffer.read(documents.LARGEST_ENTRY + 1))
    except ValueError as error:
        raise UsageError(
            f"this is no JSON: {error}",
            where="standard input",
            hint='Give an object, for example {"reported": 10.1, "reference": 10, "tolerance": 1}.',
        ) from error


def _list(name: str | None, as_json: bool) -> None:
    from braino_registry.scoring.named import scores

    chosen = [scores.get(name)] if name else [score for _, score in scores]
    if as_json:
        options.emit([{"name": s.name, "about": s.summary, "input": s.parameters} for s in chosen])
        return
    rows = []
    for score in chosen:
        needed = score.parameters["required"]
        takes = ", ".join(n if n in needed else f"[{n}]" for n in score.parameters["properties"])
        rows.append((score.name, takes, score.summary))
    options.printer().table(f"{len(rows)} scores", ("name", "input", "what it is"), rows)
