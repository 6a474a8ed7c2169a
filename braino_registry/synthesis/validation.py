"""What the BIDS validator says about a tree."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from braino_registry.errors import HostError


class Issue(NamedTuple):
    """A kind of problem that the validator found, as recipes list it."""

    code: str
    sub_code: str | None
    severity: str


def report(tree: Path) -> dict[str, Any]:
    """Return the validator's report on a BIDS tree.

    Parameters
    ----------
    tree : Path
        Root of the dataset.

    Raises
    ------
    HostError
        If the validator is not installed or did not come to a verdict.
    """
    beside = Path(sys.executable).with_name("bids-validator-deno")
    program = str(beside) if beside.exists() else shutil.which("bids-validator-deno")
    if program is None:
        raise HostError(
            "the BIDS validator is not installed",
            where="bids-validator-deno",
            hint="pip install bids-validator-deno",
        )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"
        command = [program, "--format", "json", "--max-rows", "-1", "-o", str(file), str(tree)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 16) or not file.exists():
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            raise HostError(
                f"the BIDS validator failed with exit code {done.returncode}: {last}",
                where=str(tree),
                hint="Run it by hand to see all it says.",
            )
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def issues(tree: Path) -> frozenset[Issue]:
    """Return the kinds of problems that the validator finds in a tree, warnings included."""
    return frozenset(
        Issue(issue["code"], issue.get("subCode"), issue["severity"])
        for issue in report(tree)["issues"]["issues"]
    )


def expected(recipe_doc: dict[str, Any]) -> frozenset[Issue]:
    """Return the kinds of problems that a recipe says its planted faults raise."""
    return frozenset(
        Issue(issue["code"], issue.get("subCode"), issue["severity"])
        for issue in recipe_doc["expects"].get("validator", ())
    )
