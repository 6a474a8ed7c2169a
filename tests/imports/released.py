"""A tree in the released layout, with every metric, every parameter and every oddity."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.scoring.files import zoo

ASKED = zoo.average(zoo.filtered(zoo.eeg(), 1.0, 40.0))


def metric(kind: str, target: str, weight: Any = 100, **params: Any) -> dict[str, Any]:
    """Return a metric."""
    return {
        "metric_id": f"{kind}-{target}", "type": kind, "target_key": target, "weight": weight,
        "params": params,
    }  # fmt: skip


def case(*metrics: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a case; ``meta``, ``told`` and ``config`` are merged into its three parts."""
    meta = {"case_id": "x", "bench_subset": "foundational", "difficult": 1.0,
            "original_dataset": "own"}  # fmt: skip
    told = {"data_path": "data/core/own/S1.edf", "instruction": "Compute {{ it }}."}
    config = {"parser_prompt": "Extract.", "metrics": list(metrics)}
    return {
        "meta_info": {**meta, **changes.get("meta", {})},
        "agent_input": {**told, **changes.get("told", {})},
        "eval_config": {**config, **changes.get("config", {})},
    }


NUMERIC = metric("numeric_check", "power", 40, gt_value=1.5, tolerance=0.1)
SET = metric("set_match_check", "channels", 60, gt_value=["O1", "O2"], top_k=2,
             match_mode="per_hit_fraction", score_per_hit=0.5)  # fmt: skip
SEQUENCE = metric(
    "sequence_match_check", "ranking", 50, gt_value=["O1", "O2", "Fz"], top_k=3,
    match_mode="weighted_partial_order", position_weights=[3, 2, 1], min_overlap=2,
    allow_order_slip=1,
)  # fmt: skip
FILE = metric(
    "file_status_check", "path", 100, match_mode="eeg_file_match", file_name="clean.edf",
    validator_config={
        "channel_count": {"value": 4, "weight": 1},
        "sfreq_hz": {"value": 200, "weight": 1, "tolerance": 0.5},
        "duration_sec": {"value": 40, "weight": 1},
        "channel_names": {"value": list(zoo.NAMES), "weight": 1},
        "reference_mode": {"value": "average", "weight": 1},
        "bandpass_hz": {"value": [1, 40], "weight": 1},
        "signal_rms": {"value": 13.0, "weight": 1, "tolerance": 0.5},
    },
)  # fmt: skip
QUESTION: dict[str, Any] = {"told": {"data_path": "", "instruction": "A, B, C or D?"}}

#: Files that can be used, by their place below ``benchmarks``.
GOOD: dict[str, Any] = {
    "foundational_analysis/cases/case1/case1_1.json": case(NUMERIC, SET),
    "foundational_analysis/cases/case1/case1_2.json": case(
        metric("numeric_check", "power", 40, gt_value=2, tolerance=0.5), SET,
        told={"data_path": "core/own/S2.edf", "label_path": "data/core/own/S2.csv",
              "window": [0, 10]},
    ),
    "foundational_analysis/cases/case1/case1_3.json": case(NUMERIC),
    "foundational_analysis/cases/case2/case2_1.json": case(
        SEQUENCE, metric("sequence_match_check", "order", 50, gt_value="a, b",
                         match_mode="exact_order"),
        meta={"difficult": None, "difficulty": 1.5},
    ),
    "foundational_analysis/cases/case3/case3_1.json": case(FILE, meta={"difficulty": 1.0}),
    "foundational_analysis/cases/case40/case40_1.json": case(
        metric("categorical_check", "choice", 100, gt_value="B"), **QUESTION
    ),
    "sleep_assessment/cases/case7/case7_1.json": case(
        metric("semantic_consistency", "full_text", 50, judge_prompt="Is it right?"),
        metric("safety_compliance", "full_text", 25, judge_prompt="Is it safe?"),
        metric("factual_qa_check", "answer", 25, judge_prompt="Is it true?"),
        meta={"difficult": 2.0, "expected_missing_data_path": True},
        told={"data_path": "data/sleep/nowhere.edf"},
    ),
    "sleep_assessment/cases/case8/case8_1.json": case(
        metric("sequence_match_check", "stages", 100, gt_value=["W", "N1"],
               match_mode="per_hit_fraction_order"),
        metric("numeric_check", "beside", 0, gt_value=1),
        told={"data_path": ["data/core/own"]},
    ),
}  # fmt: skip

#: Files that cannot be used: the document or its text, and a word of the reason.
BAD: dict[str, tuple[Any, str]] = {
    "case10/case10_1.json": (case(metric("vibe_check", "x", gt_value=1)), "vibe_check"),
    "case10/case10_2.json": ('{"meta_info": {"difficult": NaN}}', "NaN"),
    "case10/case10_3.json": (case(metric("numeric_check", "x", gt_value=1, tolerance=-0.1)),
                             "negative"),
    "case10/case10_4.json": (case(metric("numeric_check", "x")), "no finite number"),
    "case10/case10_5.json": (case(metric("numeric_check", "x", gt_value=True)), "no finite number"),
    "case10/case10_6.json": (case(metric("numeric_check", "", gt_value=1)), "no key"),
    "case10/case10_7.json": (case(metric("numeric_check", "x", -5, gt_value=1)), "no weight"),
    "case10/case10_8.json": (case(metric("numeric_check", "x", 0, gt_value=1)), "has a weight"),
    "case10/case10_9.json": (case(), "no metrics"),
    "case10/case10_10.json": (case(NUMERIC, told={"instruction": " "}), "no instruction"),
    "case10/case10_11.json": (case(NUMERIC, told={"data_path": "data/core/gone.edf"}),
                              "no file"),
    "case10/case10_12.json": (case(NUMERIC, told={"data_path": "../../etc/passwd"}), "leads out"),
    "case10/case10_13.json": (case(NUMERIC, meta={"difficult": 3.0}), "difficulty"),
    "case10/case10_14.json": (case(NUMERIC, meta={"difficult": 1.0, "difficulty": 2.0}),
                              "difficulty"),
    "case10/case10_15.json": ("{", "truncated"),
    "case10/case10_16.json": ("[]", "no object"),
    "case10/case11_1.json": (case(NUMERIC), "caseN_M"),
    "case10/case10_17.json": (case(metric("set_match_check", "x", gt_value=["a"],
                                          match_mode="fuzzy")), "fuzzy"),
    "case10/case10_18.json": (case(metric("set_match_check", "x", gt_value=[])), "no list"),
    "case10/case10_19.json": (case(metric("semantic_consistency", "full_text")), "prompt"),
    "case10/case10_20.json": (case(metric("file_status_check", "x", match_mode="smell")), "smell"),
    "case10/case10_21.json": (case(metric("file_status_check", "x", match_mode="eeg_file_match",
                                          validator_config={"colour": {"value": 1}})), "colour"),
    "case10/case10_22.json": (case(metric("sequence_match_check", "x", gt_value=["a"],
                                          position_weights=["b"])), "position_weights"),
    "case10/case10_23.json": (case(metric("categorical_check", "x")), "no label"),
    "case10/case10_24.json": (case(NUMERIC, meta={"difficult": "1.0"}), "difficulty"),
    "case10/case10_25.json": (case(NUMERIC, told={"data_path": 7}), "neither a path"),
}  # fmt: skip


def write(root: Path) -> Path:
    """Write the whole tree, and return its root."""
    for place, document in GOOD.items():
        text = json.dumps(document)
        bom = "\ufeff" if place.endswith("case1_1.json") else ""
        _put(root / "benchmarks" / place, bom + text)
    for place, (document, _) in BAD.items():
        text = document if isinstance(document, str) else json.dumps(document)
        _put(root / "benchmarks" / "foundational_analysis" / "cases" / place, text)
    _put(root / "benchmarks" / "foundational_analysis" / "manifest.json", "{}")
    for number in (1, 2):
        zoo.write_edf(root / "data" / "core" / "own" / f"S{number}.edf", zoo.eeg(number))
    _put(root / "data" / "core" / "own" / "S2.csv", "onset,stage\n0,W\n")
    return root


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
