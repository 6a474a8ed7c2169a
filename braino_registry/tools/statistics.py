"""Statistics beyond two means, on values that tools reported."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from braino_registry.tools.decorator import Result, tool
from braino_registry.tools.grounding import require_grounded
from braino_registry.tools.state import ToolState

# so few people may be counted by hand
SMALL_COUNT = 10
Values = Annotated[list[float], Meta(description="One value per person, as tools reported them.")]
Same = Annotated[list[float], Meta(description="Of the same people in the same order.")]
Paired = Annotated[bool, Meta(description="The same people in the same order in a and b.")]


class Anova(Result, frozen=True, kw_only=True):
    """An analysis of variance."""

    f: float
    df_between: int
    df_within: int
    p_value: float
    eta_squared: float
    means: Annotated[dict[str, float], Meta(description="By group.")]
    n_total: int


@tool("stats.anova", version="1.0.0")
def anova(
    state: ToolState,
    *,
    groups: Annotated[
        dict[str, list[float]],
        Meta(description="Values by name of the group, as tools reported them."),
    ],
) -> Anova:
    """Compare the means of two groups or more by a one-way analysis of variance.

    Every value must have been reported by a tool.

    Definition: F: mean square between groups over mean square within; p from F with k - 1 and N - k
    degrees of freedom; eta_squared: sum of squares between over total.

    Example: {"groups": {"young": [8.1, 9.4, 7.7], "old": [10.2, 11.5, 9.9]}}
    """
    from braino_registry.analysis.comparing import anova as analysis

    require_grounded(state, {f"groups.{name[:50]}": values for name, values in groups.items()})
    return msgspec.convert(analysis(groups), Anova)


class Correlation(Result, frozen=True, kw_only=True):
    """A correlation."""

    r: float
    p_value: float
    ci_low: Annotated[float, Meta(description="Of the 95 % interval of r.")]
    ci_high: Annotated[float, Meta(description="Of the 95 % interval of r.")]
    n: int
    df: int


@tool("stats.correlation", version="1.0.0")
def correlation(
    state: ToolState,
    *,
    x: Values,
    y: Same,
    method: Annotated[
        Literal["pearson", "spearman"], Meta(description="Of values, or of ranks.")
    ] = "pearson",
) -> Correlation:
    """Correlate two quantities of the same people. Every value must have been reported by a tool.

    Definition: Pearson's r, or that of mid-ranks (Spearman); two-sided p from t with n - 2 degrees
    of freedom; 95 % interval by Fisher's z with standard error 1 / √(n - 3), for Spearman
    √((1 + r² / 2) / (n - 3)).

    Example: {"x": [34, 41, 29, 52], "y": [9.8, 9.1, 10.3, 8.9]}
    """
    from braino_registry.analysis.relating import correlation as analysis

    require_grounded(state, {"x": x, "y": y})
    return msgspec.convert(analysis(x, y, method=method), Correlation)


class PartialCorrelation(Result, frozen=True, kw_only=True):
    """A correlation without a third quantity."""

    r: float
    p_value: float
    df: int
    r_unadjusted: float
    p_value_unadjusted: float
    n: int


@tool("stats.partial_correlation", version="1.0.0")
def partial_correlation(
    state: ToolState, *, x: Values, y: Same, covariate: Same
) -> PartialCorrelation:
    """Correlate two quantities without what a third explains: age, say.

    Every value must have been reported by a tool.

    Definition: Pearson's r of the residuals of x and y after linear regression on the covariate; p
    from t with n - 3 degrees of freedom. Unadjusted: Pearson's r of x and y.

    Example: {"x": [34, 41, 29, 52, 47], "y": [9.8, 9.1, 10.3, 8.9, 9.5], "covariate": [12, 15,
    16, 11, 14]}
    """
    from braino_registry.analysis.relating import partial_correlation as analysis

    require_grounded(state, {"x": x, "y": y, "covariate": covariate})
    return msgspec.convert(analysis(x, y, covariate), PartialCorrelation)


class Ancova(Result, frozen=True, kw_only=True):
    """Two groups at equal values of a covariate."""

    adjusted_difference: Annotated[float, Meta(description="a minus b.")]
    t: float
    df: int
    p_value: Annotated[float, Meta(description="Of the adjusted difference.")]
    adjusted_mean_a: float
    adjusted_mean_b: float
    slope: Annotated[float, Meta(description="Of the covariate, in both groups.")]
    p_value_slope: float
    p_value_interaction: Annotated[float, Meta(description="Whether the slopes differ.")]
    unadjusted_difference: float
    p_value_unadjusted: float
    covariate_difference: Annotated[float, Meta(description="Of the groups' mean covariates.")]
    p_value_covariate: float
    n_a: int
    n_b: int


@tool("stats.ancova", version="1.0.0")
def ancova(
    state: ToolState, *, a: Values, b: Values, covariate_a: Same, covariate_b: Same
) -> Ancova:
    """Compare two groups adjusted for a covariate: whether age explains their difference, say.

    Every value must have been reported by a tool, the covariate by dataset.participants.

    Definition: Least squares of value = group + slope × covariate with one slope;
    adjusted_difference (a - b) tested by t with n_a + n_b - 3 degrees of freedom; adjusted means at
    the mean covariate of all. p_value_interaction: of group × covariate added to that. Unadjusted
    and covariate differences: Student's t.

    Example: {"a": [8.1, 9.4, 7.7], "b": [10.2, 11.5, 9.9], "covariate_a": [34, 41, 29],
    "covariate_b": [38, 52, 45]}
    """
    from braino_registry.analysis.relating import ancova as analysis

    given = {"a": a, "b": b, "covariate_a": covariate_a, "covariate_b": covariate_b}
    require_grounded(state, given)
    return msgspec.convert(analysis(a, b, covariate_a, covariate_b), Ancova)


class EffectSize(Result, frozen=True, kw_only=True):
    """How large a difference is."""

    cohen_d: float
    hedges_g: float
    ci_low: Annotated[float, Meta(description="Of the 95 % interval of d.")]
    ci_high: Annotated[float, Meta(description="Of the 95 % interval of d.")]
    n_a: int
    n_b: int


@tool("stats.effect_size", version="1.0.0")
def effect_size(state: ToolState, *, a: Values, b: Values, paired: Paired = False) -> EffectSize:
    """Say how large the difference of two means is, with its uncertainty.

    Every value must have been reported by a tool.

    Definition: Cohen's d as in stats.ttest (paired: d_z); Hedges' g = d (1 - 3 / (4 df - 1)); the
    95 % interval of d inverts the noncentral t distribution.

    Example: {"a": [8.1, 9.4, 7.7], "b": [10.2, 11.5, 9.9]}
    """
    from braino_registry.analysis.comparing import effect_size as analysis

    require_grounded(state, {"a": a, "b": b})
    return msgspec.convert(analysis(a, b, paired=paired), EffectSize)


class Power(Result, frozen=True, kw_only=True):
    """What a test could have found."""

    achieved_power: Annotated[float, Meta(description="0 to 1.")]
    detectable_d: Annotated[float, Meta(description="Effect found with a probability of 80 %.")]
    n_needed: Annotated[int | None, Meta(description="People per group (paired: people) for 80 %.")]


@tool("stats.power", version="1.0.0")
def power(
    state: ToolState,
    *,
    cohen_d: Annotated[float, Meta(description="The effect, as a tool or the user stated it.")],
    n_a: Annotated[int, Meta(description="People in the first group, as a tool reported.", ge=2)],
    n_b: Annotated[
        Annotated[int, Meta(ge=2)] | None,
        Meta(description="People in the second group; as many if left out."),
    ] = None,
    paired: Annotated[bool, Meta(description="Both values come from the same people.")] = False,
    alpha_percent: Annotated[
        Literal[1, 5, 10], Meta(description="Level of significance in percent.")
    ] = 5,
) -> Power:
    """Say how likely a t-test finds an effect of a given size with so many people.

    A test with little power that finds nothing says little: absence of evidence. Effect and numbers
    must have been reported or stated.

    Definition: Two-sided t-test, noncentral t distribution (Cohen 1988). achieved_power is for the
    effect given. detectable_d and n_needed: at a power of 0.8; n_needed null above 100 000.

    Example: {"cohen_d": 0.5, "n_a": 20, "n_b": 20}
    """
    from braino_registry.analysis.comparing import power as analysis

    require_grounded(state, {"cohen_d": cohen_d})
    counts = {"n_a": n_a} if n_b is None else {"n_a": n_a, "n_b": n_b}
    require_grounded(state, {name: n for name, n in counts.items() if n > SMALL_COUNT})
    found = analysis(cohen_d, n_a, n_b, paired=paired, alpha_percent=alpha_percent)
    return msgspec.convert(found, Power)
