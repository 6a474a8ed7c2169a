"""Scoring reports as a language model reads them: its extraction in place of the rules' reading.

The model transcribes, it judges nothing: it sees the fields and the report, never an expected
value. Every question and answer is kept beside the run, and none is asked twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from braino_registry.runner.bench import Bench
from braino_registry.runner.models import Endpoint, Model, ReplyLog
from braino_registry.runner.records import Record
from braino_registry.runner.spec import TrialSpec
from braino_registry.runner.trial import realise
from braino_registry.runner.work import bind
from braino_registry.scoring import Answer, Evidence
from braino_registry.scoring.extraction import extracted, extraction_messages
from braino_registry.scoring.prompts import prompt

#: Name, in a run's folder, of what the model was asked and answered.
REPLIES = "parser-replies.jsonl"


def evidence_of(spec: TrialSpec, record: Mapping[str, Any], bench: Bench) -> Evidence | None:
    """Return what the checks of a finished trial saw; None where nothing was answered.

    Parameters
    ----------
    spec : TrialSpec
        Which trial.
    record : mapping
        Its record.
    bench : Bench
        Entries and data.

    Raises
    ------
    ReportError
        If the transcript is damaged.
    """
    from braino_registry.session import read_events

    if not record["transcript"] or not record["checks"]:
        return None
    events = read_events(spec.run.path / record["transcript"], whole=True)
    given = next((event for event in events if event["type"] == "answer"), None)
    if given is None:
        return None
    work = bind(spec, bench.registry, bench.salt)
    there = [n for n in given["artifacts"] if (spec.folder / "artifacts" / n).is_file()]
    return Evidence(
        request=work.request,
        events=events,
        answer=Answer(given["text"], given["data"], tuple(there)),
        artifacts=spec.folder / "artifacts",
        fields=work.fields,
        context=bench.vocabulary(work, realise(work, bench)),
        dataset=work.instance.dataset,
        profile=spec.profile,  # type: ignore[arg-type]
    )


@dataclass(frozen=True)
class Parser:
    """Reads the reports of a run by a language model.

    Parameters
    ----------
    endpoint : Endpoint
        Which model, and where.
    model : Model
        Asks it.
    bench : Bench
        Entries and data.
    """

    endpoint: Endpoint
    model: Model
    bench: Bench

    @classmethod
    def open(cls, endpoint: Endpoint, bench: Bench, run: Path) -> Parser:
        """Return a parser that keeps what it asks in the folder of a run."""
        return cls(endpoint, Model(endpoint, ReplyLog(run / REPLIES)), bench)

    def values(self, spec: TrialSpec, record: Record) -> dict[str, Any] | None:
        """Return what the model reads in the report of a trial; None where there is no report.

        Raises
        ------
        HostError
            If the model cannot be asked; what was answered until then is kept.
        """
        evidence = evidence_of(spec, record, self.bench)
        if evidence is None or not evidence.fields:
            return None
        return extracted(self.model.ask(extraction_messages(evidence)).text, evidence).values

    def document(self) -> dict[str, Any]:
        """Return what a report says of the parser."""
        return {
            "url": self.endpoint.url,
            "model": self.endpoint.model,
            "prompt": prompt("extract").reference(),
        }

    def close(self) -> None:
        """Close the connection."""
        self.model.close()
