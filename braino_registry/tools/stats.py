"""Tests of group differences, on values that tools reported."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.grounding import require_grounded
from braino_registry.tools.state import ToolState


class TTest(Result, frozen=True, kw_only=True):
    """A t-test."""

    t: float
    df: float
    p_value: float
    cohen_d: float
    mean_a: float
    mean_b: float
    mean_difference: float
    n_a: int
    n_b: int


@tool("stats.ttest", version="1.0.0")
def ttest(
    state: ToolState,
    *,
    a: Annotated[list[float], Meta(description="One value per subject, as tools reported them.")],
    b: Annotated[list[float], Meta(description="The other group, or the other condition.")],
    paired: Annotated[
        bool, Meta(description="The same subjects in the same order in a and b.")
    ] = False,
    equal_variances: Annotated[
        bool, Meta(description="False for Welch's test; ignored if paired.")
    ] = True,
) -> TTest:
    """Compare two means by a two-sided t-test. Every value must have been reported by a tool.

    Definition: Unpaired: Student's t with pooled variance (Welch's without equal_variances);
    Cohen's d = difference of means / pooled SD. Paired: t of the differences; d = mean difference /
    SD of the differences. SDs with n - 1.

    Example: {"a": [8.1, 9.4, 7.7], "b": [10.2, 11.5, 9.9]}
    """
    from braino_registry.analysis.stats import ttest as analysis

    require_grounded(state, {"a": a, "b": b})
    found = analysis(a, b, paired=paired, equal_variances=equal_variances)
    return msgspec.convert(found, TTest)


class Corrected(Result, frozen=True, kw_only=True):
    """Corrected p-values."""

    p_adjusted: Annotated[list[float], Meta(description="In the order given.")]
    significant: Annotated[list[bool], Meta(description="Whether p_adjusted is at most alpha.")]
    n_significant: int
    method: str


@tool("stats.correct", version="1.0.0")
def correct(
    state: ToolState,
    *,
    p_values: Annotated[list[float], Meta(description="The p_value of each test.", min_length=1)],
    method: Annotated[
        Literal["holm", "bonferroni", "fdr_bh", "none"], Meta(description="The correction.")
    ],
    alpha: Annotated[float, Meta(description="Level of significance.", gt=0, lt=1)] = 0.05,
) -> Corrected:
    """Correct p-values for several tests. Every value must have been reported by a tool.

    Definition: bonferroni: p times the number of tests. holm: step-down. fdr_bh:
    Benjamini-Hochberg. Cut at 1; a test is significant if its adjusted p is at most alpha.

    Example: {"p_values": [0.012, 0.34, 0.049], "method": "holm"}
    """
    from braino_registry.analysis.stats import correct as analysis

    require_grounded(state, {"p_values": p_values})
    found = analysis(p_values, method=method, alpha=alpha)
    return msgspec.convert({**found, "method": method}, Corrected)
