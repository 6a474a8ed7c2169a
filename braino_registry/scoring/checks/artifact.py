"""Whether the agent left a file, and what it holds."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from braino_registry.registry import documents
from braino_registry.scoring.events import describe, satisfies
from braino_registry.scoring.kinds import check
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import CONDITION, NAME

MAX_JSON = 10_000_000


@check(
    "artifact",
    version="1.1.0",
    parameters={
        "properties": {
            "path": {
                "type": "string",
                "pattern": r"^(?!/)(?!.*(^|/)\.\.?(/|$))[^\\\x00]+$",
                "description": "of a file below the artifacts folder",
            },
            "min_bytes": {"type": "integer", "minimum": 1},
            "json": {
                "type": "object",
                "additionalProperties": False,
                "required": ["value", "is"],
                "properties": {
                    "value": {**NAME, "description": "JMESPath in the file's JSON"},
                    "is": CONDITION,
                },
            },
        },
        "required": ["path"],
    },
)
def artifact(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require a regular, non-empty file in the artifacts folder, with the measured content."""
    problem, status = _regular(evidence.artifacts, spec["path"])
    if status is None:
        return Verdict(False, f"{spec['path']}: {problem}")
    least = spec.get("min_bytes", 1)
    if status.st_size < least:
        return Verdict(False, f"{spec['path']}: {status.st_size} bytes, expected {least} or more")
    wanted = spec.get("json")
    if wanted is None:
        return Verdict(True, f"{spec['path']}: {status.st_size} bytes")
    return _measured(evidence.artifacts / spec["path"], status.st_size, spec["path"], wanted)


def _regular(folder: Path, relative: str) -> tuple[str, os.stat_result | None]:
    """Return the status of a regular file reached without any link, or why there is none."""
    parts = PurePosixPath(relative).parts
    if not parts or PurePosixPath(relative).is_absolute() or ".." in parts or "\x00" in relative:
        return "leads out of the artifacts folder", None
    path = folder
    for index, part in enumerate(parts):
        path = path / part
        try:
            status = path.lstat()
        except (OSError, ValueError):
            return "does not exist", None
        if stat.S_ISLNK(status.st_mode):
            return "is reached through a link", None
        if index < len(parts) - 1 and not stat.S_ISDIR(status.st_mode):
            return "does not exist", None
    if not stat.S_ISREG(status.st_mode):
        return "is not a regular file", None
    if status.st_nlink > 1:
        return "is a hard link", None
    return "", status


def _measured(path: Path, size: int, name: str, wanted: Mapping[str, Any]) -> Verdict:
    import jmespath
    from jmespath.exceptions import JMESPathError

    if size > MAX_JSON:
        return Verdict(False, f"{name}: {size} bytes are too many for a JSON value")
    try:
        document = json.loads(
            documents.read_bytes(path, MAX_JSON), parse_constant=lambda _: math.nan
        )
        found = jmespath.search(wanted["value"], document)
    except (OSError, ValueError, RecursionError, JMESPathError) as error:
        return Verdict(False, f"{name}: {type(error).__name__}, no JSON value could be read")
    passed = found is not None and satisfies(found, wanted["is"])
    return Verdict(
        passed,
        f"{name}: {wanted['value']} is {describe(found)}, expected {describe(wanted['is'])}",
    )
