"""The metrics of released cases, on what reports give for their keys."""

from __future__ import annotations

from typing import Any

from tests.scoring.case import Case, cases
from tests.scoring.evidence import evidence


def metric(kind: str, target: str, **params: Any) -> dict[str, Any]:
    """Return a check of a released metric."""
    return {"kind": kind, "target": target, "params": params}


NUMBER = metric("case_numeric", "alpha_power", gt_value=1.5, tolerance=0.1)
LABEL = metric("case_label", "band", gt_value="Alpha")
SET = metric("case_set", "channels", gt_value=["O1", "O2"])
PARTIAL = metric("case_set", "channels", gt_value=["O1", "O2"], match_mode="per_hit_fraction",
                 top_k=2)  # fmt: skip
ORDER = metric("case_sequence", "ranking", gt_value=["O1", "O2", "Fz"], match_mode="exact_order")
JUDGED = metric("case_judged", "full_text", judge_prompt="Is it right?", judgement=1)

RELEASED: list[Case] = [
    *cases(
        NUMBER,
        ("a line", True, evidence("Alpha power: 1.45")),
        ("a JSON block", True, evidence('Done.\n```json\n{"alpha_power": 1.55}\n```')),
        ("within another object", True, evidence('{"result": {"Alpha-Power": "1.5"}}')),
        ("data", True, evidence("Done.", data={"alpha_power": 1.5})),
        ("a line of a list", True, evidence("- **alpha_power**: 1.5")),
        ("too far off", False, evidence("alpha power: 1.7")),
        ("null", False, evidence('{"alpha_power": null}'), "does not give it"),
        ("two lines that differ", False, evidence("alpha power: 1.5\nalpha power: 3")),
        ("another key", False, evidence("beta power: 1.5")),
        ("a truth value", False, evidence('{"alpha_power": true}')),
        ("no answer", False, evidence(answered=False)),
    ),
    *cases(
        LABEL,
        ("in other case", True, evidence("band: ALPHA.")),
        ("in data", True, evidence("Done.", data={"band": " alpha "})),
        ("another", False, evidence("band: beta")),
        ("both", False, evidence("band: alpha or beta")),
    ),
    *cases(
        SET,
        ("a list", True, evidence('{"channels": ["O2", "O1"]}')),
        ("a line", True, evidence("channels: O1, O2")),
        ("one too many", False, evidence("channels: O1, O2, Fz")),
        ("one too few", False, evidence("channels: O1")),
    ),
    *cases(
        PARTIAL,
        ("both", True, evidence("channels: O1, O2")),
        ("half", False, evidence("channels: O1, Fz")),
    ),
    *cases(
        ORDER,
        ("in order", True, evidence("ranking: O1, O2, Fz")),
        ("with a repetition", True, evidence('{"ranking": ["O1", "O1", "O2", "Fz"]}')),
        ("out of order", False, evidence("ranking: O2, O1, Fz")),
        ("cut short", False, evidence("ranking: O1, O2")),
    ),
    *cases(
        JUDGED,
        ("found good", True, evidence("It is so.")),
        ("found good, once more", True, evidence("It is not so.")),
        ("nothing", False, evidence("  ")),
    ),
    *cases(
        {**JUDGED, "params": {"judge_prompt": "Is it right?"}},
        ("without a judge", False, evidence("It is so.")),
    ),
]
