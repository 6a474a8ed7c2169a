"""Whether an answer to a task of EEGAgentBench is right, and what it adds to the task's metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from braino_registry.scoring.kinds import check
from braino_registry.scoring.model import Evidence, Verdict
from braino_registry.scoring.parts import NAME, deferred_or

_TEXT = deferred_or(NAME)
_PARAMETERS: dict[str, Any] = {
    "required": ["task", "truth"],
    "properties": {
        "task": {
            "enum": ["T1", "T2", "T3", "T4", "T5", "T6"],
            "description": "whose answer and metrics",
        },
        "truth": {
            **deferred_or({"type": ["string", "array"], "minLength": 1}),
            "description": "the label; events as pairs or with onset and duration; or stages",
        },
        "options": {**deferred_or({"type": "array", "minItems": 2}), "description": "of T1"},
        "cluster": {**_TEXT, "description": "what is drawn together; by default the instance"},
        "subject": {**_TEXT, "description": "over whom Event-F1 is averaged"},
        "duration": {**deferred_or({"type": "number", "exclusiveMinimum": 0})},
        "about": {
            "type": "object",
            "minProperties": 1,
            "description": "what analyses group by, such as the level of an artefact",
        },
    },
    "if": {"properties": {"task": {"const": "T5"}}},
    "then": {"required": ["duration"]},
}


@check("corpus", version="1.1.0", parameters=_PARAMETERS)
def corpus_answer(spec: Mapping[str, Any], evidence: Evidence) -> Verdict:
    """Require the right label, every seizure without a false alarm, or every epoch's right stage.

    What the answer adds to the corpus metrics of its task is kept beside the verdict. The answer
    is the field of the data, else of the first JSON object in the text; under ``strict`` a label
    may stand in the text alone, must not be contradicted by it, and an answer that is not there at
    all scores nothing. Under ``published`` an answer at which the released scorer breaks off is
    marked.
    """
    from braino_registry.scoring.corpus_answers import judge  # numpy is not loaded for a listing

    return judge(spec, evidence)
