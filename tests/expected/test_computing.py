"""Pipelines and workflows on real recordings, and what is kept of them."""

from __future__ import annotations

import copy
import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from braino_registry import workflows
from braino_registry.errors import EntryError
from braino_registry.expected import memory, refusal
from braino_registry.recordings import operations as known_operations
from tests import tiny
from tests.expected.conftest import Resolve, instance

OPEN = {"do": "recordings.open", "args": {"recording": {"$": "recording"}}, "as": "raw"}
PIPELINE: dict[str, Any] = {
    "steps": [
        OPEN,
        {
            "do": "spectra.peak",
            "args": {
                "view": {"$": "raw"},
                "channels": ["O1", "Oz", "O2"],
                "fmin": {"$": "low"},
                "fmax": 13.0,
            },
            "as": "peak",
        },
    ],
    "value": "peak.frequency_hz",
}
AT = instance(params={"low": 8.0})


def _value(filled: Resolve, pipeline: Any, **more: Any) -> Any:
    return filled({"pipeline": pipeline}, AT, **more).checks[0]["expected"]


def _changed(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(PIPELINE), **changes}


def test_a_pipeline_measures_what_was_planted(filled: Resolve) -> None:
    assert _value(filled, PIPELINE) == pytest.approx(tiny.ALPHA_HZ, abs=0.5)


def test_values_are_selected_by_path(filled: Resolve) -> None:
    pipeline = {"steps": [OPEN], "value": "[raw.sfreq, raw.n_channels, low]"}
    assert _value(filled, pipeline) == [tiny.SFREQ, len(tiny.CHANNELS), 8.0]


@pytest.mark.parametrize(
    ("pipeline", "problem"),
    [
        ({"steps": [OPEN]}, "steps and value"),
        ({"steps": [], "value": "raw"}, "at least one"),
        ({"steps": [{"args": {}}], "value": "raw"}, "names an operation"),
        ({"steps": [{**OPEN, "with": {}}], "value": "raw"}, "'with'"),
        ({"steps": [OPEN], "value": 3}, "JMESPath"),
        ({"steps": [{"do": "recordings.opne"}], "value": "raw"}, "no operation 'recordings.opne'"),
        ({"steps": [OPEN], "value": "raw.nosy"}, "no value at 'raw.nosy'"),
        ({"steps": [OPEN], "value": "row.sfreq"}, "unknown name 'row'"),
        ({"steps": [{**OPEN, "args": {"recording": {"$": "nosy"}}}], "value": "raw"}, "'nosy'"),
        ({"steps": [{**OPEN, "args": {"recording": "sub-99"}}], "value": "raw"}, "sub-99"),
        ({"steps": [{**OPEN, "args": {"nosy": 1}}], "value": "raw"}, "TypeError"),
    ],
)
def test_a_wrong_pipeline_says_what_is_wrong(
    filled: Resolve, pipeline: dict[str, Any], problem: str
) -> None:
    with pytest.raises(EntryError) as caught:
        _value(filled, pipeline)
    assert problem in caught.value.problem
    assert "some-task.json" in caught.value.where


def test_the_likely_operation_is_named(filled: Resolve) -> None:
    with pytest.raises(EntryError) as caught:
        _value(filled, {"steps": [{"do": "recordings.opne"}], "value": "raw"})
    assert "'recordings.open'" in caught.value.hint


def test_a_pipeline_needs_data(filled: Resolve) -> None:
    with pytest.raises(EntryError, match="no dataset"):
        _value(filled, PIPELINE, tree=None)


def test_values_are_kept_by_digest(filled: Resolve, tmp_path: Path, tree: Path) -> None:
    cache = tmp_path / "cache"
    first = _value(filled, PIPELINE, cache=cache, dataset_digest="sha256:a")
    (file,) = cache.iterdir()
    # What is kept is taken from the cache without the data …
    assert _value(filled, PIPELINE, cache=cache, dataset_digest="sha256:a", tree=tmp_path) == first
    document = json.loads(file.read_text())
    file.write_text(json.dumps({**document, "value": 11.5}))
    assert _value(filled, PIPELINE, cache=cache, dataset_digest="sha256:a") == 11.5
    # … and for these data, this definition and this instance only.
    assert _value(filled, PIPELINE, cache=cache, dataset_digest="sha256:b") == first
    wider = copy.deepcopy(PIPELINE)
    wider["steps"][1]["args"]["fmax"] = 14.0
    assert _value(filled, wider, cache=cache, dataset_digest="sha256:a") == first
    assert len(list(cache.iterdir())) == 3


def test_another_version_of_an_operation_is_computed_again(
    filled: Resolve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {"cache": tmp_path, "dataset_digest": "sha256:a"}
    _value(filled, PIPELINE, **kept)
    newer = {**known_operations.versions(), "spectra.peak": "9.9.9"}
    monkeypatch.setattr(known_operations, "versions", lambda: newer)
    _value(filled, PIPELINE, **kept)
    assert len(list(tmp_path.iterdir())) == 2


def test_nothing_is_kept_without_a_digest(filled: Resolve, tmp_path: Path) -> None:
    _value(filled, PIPELINE, cache=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "\xff", '{"key": "other", "value": 1}', '{"value": 1}']
)
def test_a_damaged_file_is_computed_again(filled: Resolve, tmp_path: Path, text: str) -> None:
    kept = {"cache": tmp_path, "dataset_digest": "sha256:a"}
    first = _value(filled, PIPELINE, **kept)
    (file,) = tmp_path.iterdir()
    file.write_text(text)
    assert _value(filled, PIPELINE, **kept) == first
    assert json.loads(file.read_text())["value"] == first


def test_a_cache_that_cannot_be_used_changes_no_value(
    filled: Resolve, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A file stands where the folder should be; the log says so once, not at every value."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    known = _value(filled, PIPELINE)
    for _ in range(2):
        kept = {"cache": blocked / "cache", "dataset_digest": "sha256:a"}
        assert _value(filled, PIPELINE, **kept) == known
    assert os.listdir(tmp_path) == ["file"]
    told = [record for record in caplog.records if record.name == memory.__name__]
    assert [record.levelname for record in told] == ["WARNING"]
    assert "computed values are not kept" in caplog.text
    assert str(blocked / "cache") in caplog.text


def test_a_full_or_read_only_cache_changes_no_value(
    filled: Resolve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = _value(filled, PIPELINE)
    for number in (errno.ENOSPC, errno.EROFS, errno.EACCES):

        def refuse(*_: Any, number: int = number, **__: Any) -> Any:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(memory.tempfile, "mkstemp", refuse)
        monkeypatch.setattr(memory.tempfile, "NamedTemporaryFile", refuse)
        kept = {"cache": tmp_path / str(number), "dataset_digest": "sha256:a"}
        assert _value(filled, PIPELINE, **kept) == known
        assert list((tmp_path / str(number)).iterdir()) == []
        assert os.strerror(number) in str(refusal(tmp_path / str(number)))


def test_a_folder_that_can_be_written_is_told_to_be_fine(tmp_path: Path) -> None:
    assert refusal(tmp_path / "new") is None
    assert list((tmp_path / "new").iterdir()) == []


def test_a_pipe_in_the_cache_is_not_waited_for(filled: Resolve, tmp_path: Path) -> None:
    kept = {"cache": tmp_path, "dataset_digest": "sha256:a"}
    first = _value(filled, PIPELINE, **kept)
    (file,) = tmp_path.iterdir()
    file.unlink()
    os.mkfifo(file)
    assert _value(filled, PIPELINE, **kept) == first


def test_workflows(filled: Resolve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workflows.workflows, "_items", {})
    monkeypatch.setattr(workflows.workflows, "_sources", {})

    @workflows.workflow("sample.count", version="1.0.0")
    def count(tree: Path, *, recording: str | None, suffix: str) -> dict[str, Any]:
        files = [p for p in tree.rglob(f"{recording}*") if p.name.endswith(suffix)]
        return {"n": len(files)}

    doc = {"workflow": "sample.count@1.0.0", "args": {"suffix": {"$": "ending"}}}
    at = instance(params={"ending": "_events.tsv"})
    kept = {"cache": tmp_path, "dataset_digest": "sha256:a"}
    assert filled(doc, at, **kept).checks[0]["expected"] == {"n": 1}
    assert filled(doc, at, **kept, tree=tmp_path).checks[0]["expected"] == {"n": 1}
    with pytest.raises(EntryError, match=r"no workflow 'sample.count@2.0.0'"):
        filled({"workflow": "sample.count@2.0.0"}, at)
    with pytest.raises(EntryError, match="TypeError"):
        filled({"workflow": "sample.count@1.0.0", "args": {"nosy": 1}}, at)
