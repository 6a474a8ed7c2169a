"""The baseline reads words, asks before it changes data, and says what is missing."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from braino.agent import Decision, DecisionSpec, Execution, ToolOutcome, ToolSpec
from braino_registry.agents import scripted
from braino_registry.agents.scripted.findings import Finding, fill, words_for
from braino_registry.agents.scripted.reading import Request
from braino_registry.registry import Registry
from braino_registry.session.decision import specs

INSPECTED = {
    "name": "A dataset",
    "subjects": ["01"],
    "tasks": ["eyesopen"],
    "recordings": [
        {
            "recording": "sub-01_task-eyesopen",
            "bids_subject": "01",
            "bids_task": "eyesopen",
            "sfreq": 250.0,
        }
    ],
}
INFO = {
    "ch_names": ["Fp1", "Pz", "O1", "VEOG"],
    "ch_types": {"eeg": 3, "eog": 1},
    "sfreq": 250.0,
    "duration": 60.0,
    "events": {"target": 40, "standard": 160},
}
MARKED: Mapping[str, Any] = {
    "bad_channels": {"type": "set", "of": "channel", "description": "Channels that are bad"}
}


class Table:
    """A session whose tools return what a test says, and which keeps what was called."""

    paradigm = "tools"
    inputs = workspace = Path("/nowhere")
    limits: Mapping[str, float] = {"tool_calls": 80.0}

    def __init__(
        self,
        results: Mapping[str, Any],
        fields: Mapping[str, Any] | None = None,
        ruling: Decision | None = None,
    ) -> None:
        base = {"dataset.inspect": INSPECTED, "recording.info": INFO}
        self.results: dict[str, Any] = {**base, **results}
        self.fields = None if fields is None else dict(fields)
        self.ruling = ruling
        self.done: list[tuple[str, dict[str, Any]]] = []

    def tools(self) -> list[ToolSpec]:
        return [ToolSpec(name, "1.0.0", "", {}, {}) for name in self.results]

    def decisions(self) -> list[DecisionSpec]:
        return []

    def call(self, tool: str, args: dict[str, Any] | None = None) -> ToolOutcome:
        self.done.append((tool, dict(args or {})))
        found = self.results[tool]
        if isinstance(found, str):
            return ToolOutcome(False, {}, found)
        return ToolOutcome(True, found)

    def ask(self, question: str, options: Sequence[str] | None = None) -> str:
        self.done.append(("ask", {"question": question}))
        return "Take FDR, please."

    def decide(self, kind: str, proposal: dict[str, Any], why: str = "") -> Decision:
        self.done.append((kind, dict(proposal)))
        assert self.ruling is not None
        return self.ruling

    def execute(self, code: str) -> Execution:
        raise AssertionError("there is no code to run")

    def report_usage(self, **tokens_and_cost: float | None) -> None:
        raise AssertionError("there is no model whose usage could be reported")


def solve(request: str, table: Table) -> Any:
    return scripted.make().solve(request, table)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "spans", "epoch"),
    [
        ("the mean from 300 to 600 ms at Pz", [(0.3, 0.6)], None),
        ("between 0.3 and 0.6 s after it", [(0.3, 0.6)], None),
        ("epochs from 200 ms before to 1 s after the tone", [], (-0.2, 1.0)),
        ("8 to 12.5 Hz as a share of 1 to 40 Hz", [], None),
    ],
)
def test_times_are_read(
    text: str, spans: list[tuple[float, float]], epoch: tuple[float, float] | None
) -> None:
    request = Request(text)
    assert request.spans("s") == [pytest.approx(span) for span in spans]
    assert request.epoch == (None if epoch is None else pytest.approx(epoch))


def test_bands_subjects_and_names_are_read() -> None:
    request = Request(
        "Relative alpha power of subject 07, 8 to 12.5 Hz of 1 to 40 Hz, at P3 and O1"
    )
    assert request.subject == "07"
    assert request.bands == ["alpha"]
    assert request.spans("Hz") == [(8.0, 12.5), (1.0, 40.0)]
    assert request.named(["O1", "O2", "P3", "P", "Cz"]) == ["P3", "O1"]
    assert Request("how large is the P3 at Pz?").named(["P3", "Pz"]) == ["Pz"]
    assert Request("faces with eyes closed").mentioned(["face", "eyesclosed", "car"]) == [
        "face", "eyesclosed",
    ]  # fmt: skip


def test_values_go_to_the_fields_that_their_words_and_units_fit() -> None:
    fields = {
        "latency": {"type": "number", "unit": "ms", "description": "Latency of the peak"},
        "amplitude": {"type": "number", "unit": "µV", "description": "Amplitude of the peak"},
        "n": {"type": "number", "description": "Number of targets"},
        "side": {"type": "label", "labels": ["left", "right"], "description": "Larger side"},
    }
    findings = [
        Finding("amplitude of the peak", 12.34567, "µV"),
        Finding("latency of the peak", 0.432, "s"),
        Finding("number of targets", 40, "count"),
        Finding("larger side", "middle"),
    ]
    values = fill(fields, findings)
    assert values == {"latency": 432, "amplitude": 12.35, "n": 40}
    assert words_for(fields, values).splitlines() == [
        "Latency of the peak: 432 ms.",
        "Amplitude of the peak: 12.35 µV.",
        "Number of targets: 40.",
    ]


BAD = {
    "preprocess.filter": {"view": "view-1"},
    "quality.bad_channels": {
        "channels": ["Fp1", "O1"], "flat_channels": [], "noisy_channels": ["Fp1", "O1"],
        "drifting_channels": [],
    },
}  # fmt: skip
MARK = "Find the bad channels in subject 01 and mark them."


def test_marking_asks_and_reports_what_was_applied() -> None:
    table = Table(BAD, MARKED, Decision("edited", {"channels": ["O1"]}))
    answer = solve(MARK, table)
    assert answer.data == {"bad_channels": ["O1"]}
    assert "Fp1" not in answer.text
    proposal = {"channels": ["Fp1", "O1"], "recording": "sub-01_task-eyesopen"}
    assert ("mark-bad-channels", proposal) in table.done
    assert ("quality.bad_channels", {"view": "view-1"}) in table.done


def test_a_rejection_is_not_claimed_as_marked() -> None:
    answer = solve(MARK, Table(BAD, MARKED, Decision("rejected", {})))
    assert answer.data == {"bad_channels": []}
    assert "rejected" in answer.text


def test_only_looking_decides_nothing() -> None:
    table = Table(BAD, MARKED)
    solve("Which channels are noisy? Do not mark anything yet. Bad channels of subject 01.", table)
    assert [name for name, _ in table.done if name.startswith("mark")] == []


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("What was the mean heart rate of subject 01?", "no ECG channel"),
        ("How many blinks of subject 01 between 90 and 95 s in the EOG?", "Nothing was recorded"),
        ("Relative alpha power of subject 01 with eyes closed", "no recording with eyes closed"),
        ("Absolute power of subject 01 from 130 to 140 Hz", "half of the sampling rate"),
        ("Relative alpha power of subject 09", "no recording of subject 09"),
    ],
)
def test_what_is_missing_is_said_instead_of_a_number(request_: str, said: str) -> None:
    answer = solve(request_, Table({}, {"x": {"type": "number", "description": "Heart rate"}}))
    assert said in answer.text
    assert answer.data is None


def test_an_empty_dataset_is_said_to_be_empty() -> None:
    empty = {"dataset.inspect": {**INSPECTED, "recordings": []}}
    answer = solve("Find the bad channels and mark them.", Table(empty, MARKED))
    assert "no recording" in answer.text


def test_a_tool_that_fails_gives_no_value() -> None:
    table = Table({"spectrum.peak": "fmin is above fmax"}, {"f": {"type": "number", "unit": "Hz"}})
    answer = solve("Where is the largest peak of subject 01 between 7 and 13 Hz?", table)
    assert answer.data is None
    assert "fmin is above fmax" in answer.text


def test_it_knows_no_entry() -> None:
    """No id of a task or of a dataset stands in its source: it goes by words of requests."""
    registry = Registry.open(environ={})
    ids = {task.id for task in registry.tasks()} | {one.id for one in registry.datasets()}
    constants = {
        node.value
        for path in Path(scripted.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    # A decision may be called as a task is, and agents have to know decisions.
    assert constants & ids <= {spec["kind"] for spec in specs()}
