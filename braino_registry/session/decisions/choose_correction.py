"""``choose-correction``: records how p values are corrected; no file changes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from braino_registry.session.decision import DecisionKind, Place, Proposal, decision_kind

Method = Literal[
    "none",
    "bonferroni",
    "sidak",
    "holm",
    "hochberg",
    "fdr_bh",
    "fdr_by",
    "max_statistic",
    "cluster",
]


class ChooseCorrection(Proposal):
    """A correction for multiple comparisons."""

    method: Annotated[Method, msgspec.Meta(description="How p values are corrected.")]
    alpha: Annotated[
        Annotated[float, msgspec.Meta(gt=0, lt=1)] | msgspec.UnsetType,
        msgspec.Meta(description="Level of significance, between 0 and 1."),
    ] = msgspec.UNSET
    n_tests: Annotated[
        Annotated[int, msgspec.Meta(ge=1)] | msgspec.UnsetType,
        msgspec.Meta(description="How many tests the family holds."),
    ] = msgspec.UNSET


@decision_kind
class ChooseCorrectionKind(DecisionKind):
    """Choose a correction for multiple comparisons."""

    name = "choose-correction"
    version = "1.0.0"
    description = "Chooses the correction for multiple comparisons; recorded, no file changes."
    proposal = ChooseCorrection
    example: ClassVar[Mapping[str, Any]] = {"method": "holm", "alpha": 0.05}

    def apply(self, proposal: ChooseCorrection, place: Place) -> list[Path]:
        """Write nothing: the transcript holds the choice."""
        return []
