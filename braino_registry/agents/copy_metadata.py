"""``copy-metadata``: answers from sidecars, as if nobody had to look at the signals."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from braino.agent import AgentAnswer, Session
from braino_registry.agents import looking

_KEYS = (
    "PowerLineFrequency",
    "SamplingFrequency",
    "EEGReference",
    "RecordingDuration",
    "EEGChannelCount",
    "ECGChannelCount",
    "EOGChannelCount",
    "TaskName",
)


class CopyMetadata:
    """The agent that reads sidecars."""

    name = "copy-metadata"
    model = None

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Put what the sidecars say into sentences."""
        sentences = [
            sentence
            for name, text in looking.sidecars(session.inputs)
            for sentence in _sentences(name, text)
        ]
        return AgentAnswer(" ".join(dict.fromkeys(sentences)))


def _sentences(name: str, text: str) -> Iterator[str]:
    """Yield what one sidecar says, in words."""
    who = name.rsplit("/", 1)[-1].rsplit("_", 1)[0]
    if name.endswith("participants.tsv"):
        table = looking.rows(text)
        yield f"The dataset has {len(table)} subjects."
        for column in table[0] if table else {}:
            counts = Counter(row.get(column, "") for row in table)
            if column != "participant_id" and len(counts) < 6:
                yield f"{column}: {', '.join(f'{key} {n}' for key, n in counts.items())}."
    elif name.endswith("_events.tsv"):
        counts = Counter(row.get("trial_type", row.get("value", "")) for row in looking.rows(text))
        yield f"{who} has {', '.join(f'{n} {key}' for key, n in counts.items())} events."
    elif name.endswith("_channels.tsv"):
        table = looking.rows(text)
        bad = [row.get("name", "") for row in table if row.get("status") == "bad"]
        types = Counter(row.get("type", "") for row in table)
        yield f"{who} has {', '.join(f'{n} {key}' for key, n in types.items())} channels."
        yield f"Marked as bad in {who}: {', '.join(bad) or 'none'}."
        if not types.get("ECG"):
            yield f"There is no ECG channel in {who}, so the heart rate cannot be told."
    elif name.endswith("_eeg.json"):
        try:
            sidecar = json.loads(text)
        except (ValueError, RecursionError):
            return
        for key in _KEYS:
            if key in sidecar:
                yield f"{who}: {key} is {sidecar[key]}."


def make() -> CopyMetadata:
    """Return an agent that reads sidecars."""
    return CopyMetadata()
