"""Whether every number of the answer was reported by somebody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.numbers import excess, from_transcript, numbers_of_data, read_numbers
from braino_registry.scoring.answers.prose import MAX_TEXT
from braino_registry.scoring.kinds import check
from braino_registry.scoring.model import Evidence, Verdict

# An answer with more numbers than this is a table to guess from.
MAX_CLAIMS = 2000


@check("grounded", version="1.2.0", parameters={"properties": {}})
def grounded(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require that each number was stated by a tool, the user, a decision or the request.

    A number that the agent brought in itself, in an argument or a proposal, counts only with its
    own unit or beside the name of its field. Where thousands were reported, one of them counts
    only at a precision at which fewer than a twentieth of such numbers would be met by chance.
    What code printed counts like a tool's result, what stands in the code itself like an argument.
    """
    answer = evidence.answer
    if answer is None or answer.empty:
        return Verdict(False, "there is no answer")
    if len(answer.text) > MAX_TEXT:
        return Verdict(False, f"the answer has {len(answer.text)} characters, too many to check")
    too_much = excess(answer.data)
    if too_much:
        return Verdict(False, too_much)
    labels = tuple(
        name
        for sort in ("ch_names", "recordings", "subjects")
        for name in evidence.vocabulary(sort)
    )
    units = {name: field.get("unit") for name, field in evidence.fields.items()}
    numbers = read_numbers(answer.text, exempt_names=labels)
    numbers += numbers_of_data(answer.data, units, labels)
    claims = [number for number in numbers if number.exempt_reason is None]
    if len(claims) > MAX_CLAIMS:
        return Verdict(False, f"the answer has {len(claims)} numbers, too many to check")
    if not claims:
        return Verdict(True, "the answer holds no number that needs a source")
    ledger = from_transcript(evidence.events, evidence.request)
    sources, invented = [], []
    for number in claims:
        entry = ledger.grounds(number, answer.text)
        shown = f"{number.text[:40]}{' ' + number.unit if number.unit else ''}"
        if entry is None:
            invented.append(shown)
        else:
            sources.append(f"{shown} from {entry.source}")
    if invented:
        listed = ", ".join(dict.fromkeys(invented[:12]))
        have = "has" if len(invented) == 1 else "have"
        of = "1 number" if len(claims) == 1 else f"{len(claims)} numbers"
        return Verdict(False, f"{len(invented)} of {of} {have} no source: {listed}")
    listed = "; ".join(dict.fromkeys(sources[:6])) + ("; …" if len(sources) > 6 else "")
    count = "1 number" if len(claims) == 1 else f"{len(claims)} numbers, all"
    return Verdict(True, f"{count} with a source: {listed}")
