"""The report as bytes: sealing it, writing it, and reading back only what can be trusted."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from braino_registry.errors import ReportError
from braino_registry.registry import documents
from braino_registry.reports.files import write_atomic

SCHEMA = "report/1"
UNSEALED = "sha256:" + "0" * 64
# The seal is the last member, so that it can be found and zeroed without parsing the file.
_SEAL = re.compile(rb'"seal": "sha256:([0-9a-f]{64})"\s*\}\s*\Z')
_TAIL = 256
#: What work on a report fails with where a value is not of the type that its schema says.
FAULTS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def seal(report: Mapping[str, Any]) -> bytes:
    """Return the report as bytes that end in the sha256 of themselves.

    The seal is taken over all bytes of the file with its own 64 digits set to ``0``. It finds
    damage and careless edits; it is no signature.

    Parameters
    ----------
    report : mapping
        A ``report/1`` document, with or without a former seal.
    """
    import msgspec

    body = {key: value for key, value in report.items() if key != "seal"}
    # In place: the text of many trials need not be there several times.
    text = bytearray(msgspec.json.format(msgspec.json.encode({**body, "seal": UNSEALED}), indent=1))
    text += b"\n"
    digest = hashlib.sha256(text).hexdigest().encode()
    start, end = _seal_span(text)
    text[start:end] = digest
    return bytes(text)


def write(path: Path, report: Mapping[str, Any]) -> bytes:
    """Seal ``report``, write it atomically to ``path`` and return the bytes written."""
    data = seal(report)
    write_atomic(path, data)
    return data


def read(path: Path, *, verify: bool = False) -> dict[str, Any]:
    """Return the report in ``path`` after checking its schema version and its seal.

    Parameters
    ----------
    path : Path
        A report that ``braino eval run`` wrote, or the folder of the run.
    verify : bool
        Also validate the whole document against its JSON Schema.

    Raises
    ------
    ReportError
        If the file is missing, truncated, edited, of another schema, or invalid.
    """
    path = file_of(path)
    try:
        data = documents.read_bytes(path, documents.LARGEST_RECORD)
    except OSError as error:
        raise ReportError(
            f"cannot read the report: {error.strerror}",
            where=str(path),
            hint="Give a run folder, its report.json, or the file given to -o.",
        ) from error
    return parse(data, where=str(path), verify=verify)


@contextmanager
def suspected(*paths: Path) -> Iterator[None]:
    """Say which report is invalid where work on it fails.

    A seal is no signature, so a sealed report can hold anything. To validate one takes a
    millisecond per trial, which is spent only where something went wrong.

    Parameters
    ----------
    *paths : Path
        Reports, or folders of runs.

    Raises
    ------
    ReportError
        If the work raises one of `FAULTS`.
    """
    try:
        yield
    except FAULTS as fault:
        for path in paths:
            read(path, verify=True)
        # What a check tells in detail is under no schema.
        raise ReportError(
            f"a value of the report cannot be used ({type(fault).__name__}: {fault})",
            where=", ".join(str(file_of(path)) for path in paths),
            hint="If nobody but braino-registry wrote it, report what is printed with --debug.",
        ) from fault


def file_of(path: Path) -> Path:
    """Return the file of a report that is given by itself or by its run folder."""
    return path / "report.json" if path.is_dir() else path


def parse(data: bytes, *, where: str, verify: bool = False) -> dict[str, Any]:
    """Return the report that ``data`` holds; see `read`."""
    import msgspec

    try:
        report = msgspec.json.decode(data)  # strict: a NaN, or a number beyond all bounds, is none
    except (ValueError, RecursionError) as error:
        raise ReportError(
            f"the report is truncated or is no JSON: {error}",
            where=where,
            hint="Take the report.json of the run folder again, or `braino eval resume` the run.",
        ) from error
    _check_schema(report, where)
    _check_seal(data, where)
    if verify:
        _validate(report, where)
    return dict(report)


def _check_schema(report: object, where: str) -> None:
    schema = report.get("schema") if isinstance(report, dict) else None
    if schema == SCHEMA:
        return
    match = re.fullmatch(r"report/(\d+)", schema) if isinstance(schema, str) else None
    if match and int(match[1]) > 1:
        raise ReportError(
            f"the report has the newer schema {schema!r}; this version reads {SCHEMA!r}",
            where=where,
            hint="Update braino-registry.",
        )
    raise ReportError(
        f"this is no report: its schema is {schema!r}, not {SCHEMA!r}",
        where=where,
        hint="Give a run folder, its report.json, or the file given to -o.",
    )


def _check_seal(data: bytes, where: str) -> None:
    try:
        start, end = _seal_span(data)
    except ValueError:
        raise ReportError(
            "the report was edited: its seal is not at its end",
            where=where,
            hint="Take the report.json of the run folder again, or rescore the run folder.",
        ) from None
    unsealed = hashlib.sha256(data[:start])
    unsealed.update(b"0" * 64)
    unsealed.update(data[end:])
    if unsealed.hexdigest().encode() != data[start:end]:
        raise ReportError(
            "the report was edited after it was written: its seal does not fit its bytes",
            where=where,
            hint="Take the report.json of the run folder again, or rescore the run folder.",
        )


def _seal_span(data: bytes | bytearray) -> tuple[int, int]:
    offset = max(0, len(data) - _TAIL)
    match = _SEAL.search(data[offset:])
    if match is None:
        raise ValueError("no seal")
    return offset + match.start(1), offset + match.end(1)


def _validate(report: dict[str, Any], where: str) -> None:
    from braino_registry.registry import schemas

    problems = schemas.check(report, "report-1")
    if problems:
        first = problems[0]
        raise ReportError(f"the report is invalid: {first.message}", where=f"{where}: {first.path}")
