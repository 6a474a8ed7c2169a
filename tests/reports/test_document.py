from __future__ import annotations

import hashlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry import reports
from braino_registry.errors import HostError, ReportError
from braino_registry.registry import schemas
from braino_registry.reports.files import write_atomic
from tests.reports.samples import report, trial


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "report.json"
    reports.write(path, report([trial(), trial(instance="sub-01", outcome="failed")]))
    return path


def test_what_was_written_is_read_and_valid(written: Path) -> None:
    document = reports.read(written, verify=True)
    assert document["summary"]["passed"] == 1
    assert document["seal"].startswith("sha256:")
    assert schemas.check(document, "report-1") == []


def test_an_unknown_member_is_invalid(tmp_path: Path) -> None:
    document = {**report([trial()]), "surprise": 1}
    path = tmp_path / "report.json"
    reports.write(path, document)
    assert reports.read(path)["surprise"] == 1
    with pytest.raises(ReportError, match="invalid"):
        reports.read(path, verify=True)


@given(position=st.integers(min_value=0), byte=st.integers(min_value=0, max_value=255))
@settings(max_examples=200, deadline=None)
def test_no_changed_byte_goes_unnoticed(position: int, byte: int) -> None:
    data = bytearray(SEALED)
    position %= len(data)
    if data[position] == byte:
        byte ^= 1
    data[position] = byte
    with pytest.raises(ReportError):
        reports.parse(bytes(data), where="report.json")


SEALED = reports.seal(report([trial()]))


@given(st.integers(min_value=0, max_value=len(SEALED) - 2))
@settings(max_examples=100, deadline=None)
def test_a_truncated_report_is_refused(length: int) -> None:
    with pytest.raises(ReportError, match=r"truncated|edited|no report"):
        reports.parse(SEALED[:length], where="report.json")


def test_a_changed_score_is_refused_with_the_reason(written: Path) -> None:
    written.write_text(written.read_text().replace('"score": 0.5', '"score": 1.0'))
    with pytest.raises(ReportError, match="edited after it was written"):
        reports.read(written)


def test_a_report_without_seal_is_refused(written: Path) -> None:
    document = json.loads(written.read_text())
    del document["seal"]
    written.write_text(json.dumps(document))
    with pytest.raises(ReportError, match="edited"):
        reports.read(written)


@pytest.mark.parametrize(
    ("schema", "words"),
    [("report/2", "newer schema"), ("task/1", "no report"), (None, "no report"), (7, "no report")],
)
def test_another_schema_is_refused(written: Path, schema: object, words: str) -> None:
    document = {**json.loads(written.read_text()), "schema": schema}
    written.write_bytes(reports.seal(document))
    with pytest.raises(ReportError, match=words):
        reports.read(written)


def test_a_run_folder_stands_for_its_report(written: Path) -> None:
    folder = written.parent / "run"
    folder.mkdir()
    written.rename(folder / "report.json")
    assert reports.read(folder) == reports.read(folder / "report.json")
    (folder / "report.json").unlink()
    with pytest.raises(ReportError, match="cannot read the report") as caught:
        reports.read(folder)
    assert caught.value.where == str(folder / "report.json")


def test_a_missing_report_says_where(tmp_path: Path) -> None:
    with pytest.raises(ReportError) as error:
        reports.read(tmp_path / "none.json")
    assert "none.json" in str(error.value)


def test_a_failed_write_leaves_nothing_under_the_name(tmp_path: Path) -> None:
    code = f"""
import resource
from pathlib import Path
from braino_registry.errors import HostError
from braino_registry.reports.files import write_atomic
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
path = Path({str(tmp_path)!r}) / "report.json"
write_atomic(path, b"old")
try:
    write_atomic(path, b"x" * 100_000)
except HostError as error:
    print(error.exit_code, error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("3 cannot write: File too large")
    assert (tmp_path / "report.json").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["report.json"]


def test_a_folder_that_is_not_there_is_a_host_error(tmp_path: Path) -> None:
    with pytest.raises(HostError, match="cannot write"):
        write_atomic(tmp_path / "missing" / "report.json", b"x")


def test_ten_thousand_trials_are_sealed_and_read_quickly(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF)
    rows = [trial(instance=f"i{number}") for number in range(10_000)]
    path = tmp_path / "report.json"
    reports.write(path, report(rows))
    assert len(reports.read(path)["trials"]) == 10_000
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert after.ru_utime - before.ru_utime < 5.0


def resealed(path: Path, old: str, new: str) -> None:
    """Put something into a report as somebody would who also makes its seal anew."""
    text = path.read_text().replace(old, new, 1)
    start = text.rindex("sha256:") + len("sha256:")
    zeroed = f"{text[:start]}{'0' * 64}{text[start + 64 :]}"
    digest = hashlib.sha256(zeroed.encode()).hexdigest()
    path.write_text(f"{text[:start]}{digest}{text[start + 64 :]}")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-1e999"])
def test_a_number_that_is_none_is_refused(written: Path, number: str) -> None:
    resealed(written, '"seconds": 0.5', f'"seconds": {number}')
    with pytest.raises(ReportError, match="is no JSON"):
        reports.read(written)


def test_a_sealed_report_that_breaks_what_is_done_with_it_is_told(written: Path) -> None:
    resealed(written, '"seconds": 0.5', '"seconds": "long"')
    with (
        pytest.raises(ReportError, match='the report is invalid: "long" is not a number') as told,
        reports.suspected(written),
    ):
        print(f"{reports.read(written)['trials'][0]['seconds']:.2f}")
    assert told.value.where.endswith("report.json: $.trials[0].seconds")


def test_a_valid_report_that_breaks_something_is_told(written: Path) -> None:
    with (
        pytest.raises(ReportError, match=r"cannot be used \(KeyError: 'nothing'\)") as told,
        reports.suspected(written),
    ):
        print(reports.read(written)["nothing"])
    assert len(str(told.value).splitlines()) == 3
