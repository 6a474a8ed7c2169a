"""The page on pipelines names what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

from braino_registry.expected.computing import Bench
from braino_registry.recordings.operations import operations
from tests import tiny

PAGE = Path(__file__).parents[2] / "docs" / "pipelines.md"


def test_operations_on_the_page_exist_and_selectors_are_all_there():
    named = set(re.findall(r"`([a-z]+\.[a-z_]+)`", PAGE.read_text(encoding="utf-8")))
    known = set(operations())
    assert named <= known
    for family in ("select.", "spectra.", "time.", "complexity.", "connectivity.", "montage."):
        missing = {name for name in known if name.startswith(family)} - named
        assert not missing, missing


def test_the_example_on_the_page_runs(tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    example = json.loads(text.split("```json\n")[1].split("```")[0])
    dataset = tiny.write(tmp_path / "bids", {"01": tiny.Faults()})
    bench = Bench(dataset.root, {"recording": dataset.recordings[0]})
    found = bench.pipeline(example["pipeline"], "the page")
    assert found == "Oz"
