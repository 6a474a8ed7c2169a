"""More than two reports: each compared with the first, p-values corrected for how many there are.

Several agents tried against one baseline are several chances of a finding by luck. Holm's rule
holds the chance of any false one at the level that a single comparison would have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from braino_registry.reports.comparison import Comparison, compare

Document = dict[str, Any]


def compare_all(reports: Sequence[Mapping[str, Any]]) -> list[Comparison]:
    """Compare every further report with the first.

    Parameters
    ----------
    reports : sequence of mapping
        ``report/1`` documents, the baseline first.

    Returns
    -------
    list of Comparison
        In the order of the reports. Where there are several, the statistics of each have
        ``corrected``: ``score`` and ``mcnemar``, p-values adjusted by Holm's rule over those
        comparisons that have one, and ``of``, how many these are.
    """
    found = [compare(reports[0], other) for other in reports[1:]]
    if len(found) < 2:
        return found
    from braino_registry.reports.paired import holm

    tested = [each.document["statistics"] for each in found if each.document["statistics"]]
    scores = [each for each in tested if each["score"]["p_value"] is not None]
    adjusted = holm([each["score"]["p_value"] for each in scores])
    exact = holm([each["mcnemar"]["p_value"] for each in tested])
    for each in tested:
        each["corrected"] = {"method": "Holm", "of": len(tested), "score": None, "mcnemar": None}
    for each, p_value in zip(scores, adjusted, strict=True):
        each["corrected"]["score"] = p_value
    for each, p_value in zip(tested, exact, strict=True):
        each["corrected"]["mcnemar"] = p_value
    return found
