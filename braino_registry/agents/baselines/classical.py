"""``classical``: plain rules on what the tools of EEGAgentBench measure, no model, no training.

Every rule is a handful of thresholds that textbooks would recognise. It says how far a signal
rule comes, and nothing else is expected of it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from braino.agent import AgentAnswer, Session
from braino_registry.agents.baselines import field_of, record_of
from braino_registry.agents.baselines.groups import cohort
from braino_registry.agents.baselines.measuring import Bench
from braino_registry.agents.baselines.nights import night
from braino_registry.agents.baselines.seizures import seizures

#: More of the power above 40 Hz than this is muscle; less, with most power below 4 Hz, the eyes.
MUSCLE_SHARE, QUIET_SHARE, SLOW_SHARE = 0.32, 0.11, 0.5
#: EEG of healthy people is never larger, and seldom as large (standard deviation, µV).
HUGE_UV, LARGE_UV = 150.0, 60.0


class Classical:
    """The agent that applies rules."""

    name = "classical"
    model = None

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Find the rule by the answer's field, measure, and answer."""
        field, spec = field_of(session)
        labels = list(spec.get("labels", ()))
        rule = _rule_for(spec.get("type", ""), labels)
        if rule is None:
            drawn = random.Random(getattr(session, "seed", 0))
            return AgentAnswer("", data={field: drawn.choice(labels)} if labels else None)
        return AgentAnswer("", data={field: rule(Bench(session, record_of(request)))})


def _rule_for(kind: str, labels: list[str]) -> Callable[[Bench], Any] | None:
    if kind == "events":
        return seizures
    if kind == "hypnogram":
        return night
    for name, rule in (
        ("ocular_contaminated", artefact), ("epileptic", epileptic), ("FTD", cohort),
    ):  # fmt: skip
        if name in labels:
            return rule
    return None


def artefact(bench: Bench) -> str:
    """Return what spoils an epoch: where in the spectrum its power is."""
    high = bench.rows("compute_noise_metrics")[0]["hf_noise_ratio"] or 0.0
    low = bench.rows("compute_band_power")[0]["relative_power"]["delta"] or 0.0
    if high > MUSCLE_SHARE:
        return "muscle_contaminated"
    return "ocular_contaminated" if high < QUIET_SHARE and low > SLOW_SHARE else "clean"


def epileptic(bench: Bench) -> str:
    """Return whether a segment is too large for a healthy person, or large and slow."""
    size = bench.rows("compute_temporal_features")[0]["std_uv"] or 0.0
    share = bench.rows("compute_band_power")[0]["relative_power"]
    slowed = (share["theta"] or 0.0) > (share["alpha"] or 0.0)
    return "epileptic" if size > HUGE_UV or (size > LARGE_UV and slowed) else "normal"


def make() -> Classical:
    """Return an agent that applies rules."""
    return Classical()
