from __future__ import annotations

import numpy as np
import pytest

from braino_registry.recordings.errors import RecordingError
from braino_registry.recordings.results import ResultStore


@pytest.fixture
def store():
    store = ResultStore()
    store.put("erp", {"uv": {"Pz": np.arange(120.0)}, "rows": [{"a": 1, "b": [1, 2]}], "n": 5})
    return store


def test_ids_count_up(store):
    assert store.put("x", 1) == "result-2"
    assert store.get("result-2").value == 1
    assert store.get("result-1", "erp").kind == "erp"
    kept = store.get(store.put("y", {}, note="read me", hidden=[1]))
    assert (kept.note, kept.hidden) == ("read me", [1])


def test_pages_cover_the_whole_exactly_once(store):
    seen, offset = [], 0
    while offset is not None:
        page = store.page("result-1", "uv.Pz", offset, 50)
        assert page.total == 120
        seen += page.items
        offset = page.next_offset
    assert seen == list(range(120))
    assert all(type(x) is float for x in seen)


def test_deeper_parts_show_their_kind_only(store):
    page = store.page("result-1")
    assert page.items == {"uv": {"Pz": "(list)"}, "rows": "(list)", "n": 5}
    assert store.page("result-1", "rows").items == [{"a": 1, "b": "(list)"}]
    assert store.page("result-1", "n").items == [5]
    assert store.page("result-1", "rows.0.b").items == [1, 2]


@pytest.mark.parametrize("path", ["uv.PZ", "rows.7", "rows.x", "n.0", "uv.Pz.120"])
def test_paths_that_lead_nowhere(store, path):
    with pytest.raises(RecordingError, match="no part"):
        store.page("result-1", path)


def test_unknown_results_and_kinds(store):
    with pytest.raises(RecordingError) as error:
        store.get("result-7")
    assert "result-1" in error.value.hint
    store.put("table", {})
    with pytest.raises(RecordingError, match="of kind table, not erp") as error:
        store.get("result-2", "erp")
    assert "result-1" in error.value.hint
