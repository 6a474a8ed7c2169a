"""`codeact` in real trials: a scripted model writes code that reaches full marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from braino_registry.agents.codeact import make
from braino_registry.runner import try_task
from tests.agents.codeact.talking import Line, observation
from tests.agents.llm.support import Tried
from tests.agents.scripted_server import Say, ScriptedServer, in_turn

FIND = """<execute>
import mne
raw = mne.io.read_raw_brainvision(
    "/input/sub-02/eeg/sub-02_task-rest_eeg.vhdr", preload=True)
raw.filter(1.0, None)
spread = dict(zip(raw.ch_names, raw.get_data("eeg").std(axis=1) * 1e6))
for name in sorted(spread, key=spread.get)[-2:]:
    print(name, round(spread[name], 2), "uV")
</execute>"""


def propose(seen: list[dict[str, Any]]) -> str:
    names = [line.split()[0] for line in observation(seen).splitlines()]
    listed = ", ".join(f'"{name}"' for name in names)
    return f'<decide kind="mark-bad-channels" why="noisy">{{"channels": [{listed}]}}</decide>'


SECRET = "<execute>import os; dict(os.environ)</execute>"

LOOK = """<execute>
rows = open("/input/sub-02/eeg/sub-02_task-rest_channels.tsv").read().splitlines()
head = rows[0].split("\\t").index("status")
print(*[row.split("\\t")[0] for row in rows[1:] if row.split("\\t")[head] == "bad"], sep=", ")
</execute>"""


def report(seen: list[dict[str, Any]]) -> str:
    return f"<solution>Marked {observation(seen)} as bad in subject 02.</solution>"


ALPHA = """<execute>
import glob, mne, numpy as np
from scipy.signal import welch
file, = glob.glob("/input/sub-01/eeg/*task-rest*.vhdr")
raw = mne.io.read_raw_brainvision(file, preload=True).pick("eeg")
raw.filter(0.5, 40, fir_design="firwin", fir_window="hamming")
fs = raw.info["sfreq"]
f, p = welch(raw.get_data(), fs, "hamming", int(4 * fs), int(2 * fs), detrend="constant")
def band(lo, hi):
    keep = (f >= lo) & (f <= hi)
    return np.trapezoid(p[:, keep], f[keep], axis=1)
share = 100 * (band(8, 13) / band(0.5, 40)).mean()
print(f"{share:.2f} % over {len(raw.ch_names)} channels")
</execute>"""


def alpha(seen: list[dict[str, Any]]) -> str:
    found = observation(seen).splitlines()[-1].split(" %")[0]
    return f"<solution>The mean relative alpha power of subject 01 is {found} %.</solution>"


DRAW = """<execute>
import glob, mne, matplotlib.pyplot as plt
from scipy.signal import welch
file, = glob.glob("/input/sub-01/eeg/*task-rest*.vhdr")
raw = mne.io.read_raw_brainvision(file, preload=True).pick("eeg").notch_filter(50)
f, p = welch(raw.get_data(), raw.info["sfreq"], nperseg=1024)
keep = (f >= 1) & (f <= 70)
figure, axes = plt.subplots(figsize=(8, 5))
axes.semilogy(f[keep], p[:, keep].T * 1e12)
axes.set(xlabel="Frequency (Hz)", ylabel="Density (uV^2/Hz)")
figure.savefig("psd.png", dpi=100)
</execute>"""


SEIZURES = """<execute>
import glob, mne, numpy as np
file, = glob.glob("/input/*.edf")
raw = mne.io.read_raw_edf(file, preload=True).filter(3, 20)
data, fs = raw.get_data() * 1e6, int(raw.info["sfreq"])
whole = data.shape[1] // fs * fs
length = np.abs(np.diff(data, append=0))[:, :whole].reshape(len(data), -1, fs).sum(axis=2)
change = np.sort(length / np.median(length, axis=1, keepdims=True), axis=0)[-8:].mean(axis=0)
hot = np.convolve(change, np.ones(10) / 10, "same") > 2
edges = np.flatnonzero(np.diff(np.r_[0, hot, 0])).reshape(-1, 2)
print([{"onset_sec": int(a), "offset_sec": int(b)} for a, b in edges if b - a >= 30])
</execute>"""


def seizures(seen: list[dict[str, Any]]) -> str:
    found = observation(seen).splitlines()[-1].replace("'", '"')
    return f'<solution>```json\n{{"seizure_events": {found}}}\n```</solution>'


def drawn(seen: list[dict[str, Any]]) -> str:
    assert "ran and printed nothing" in observation(seen)
    return "<solution>The power spectral density is in psd.png.</solution>"


def attempt(task: str, *lines: Line, keep: Path | None = None, **options: Any) -> Tried:
    """Run a trial with a model that says these lines, over real HTTP."""
    script = in_turn(*(_said(line) for line in lines))
    with ScriptedServer(script) as server:
        agent = make("scripted", base_url=server.url, input_price=1.0, output_price=2.0)
        record = try_task(
            task, agent=agent, paradigm="code", allow_unsandboxed_code=True, keep=keep, **options
        )
    return Tried(record, server, keep or Path("nowhere"))


def _said(line: Line) -> Any:
    if isinstance(line, str):
        return Say(line)
    return lambda body: Say(line(body["messages"]))


def test_bad_channels_are_found_decided_on_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789")
    tried = attempt(
        "bad-channels-ask", FIND, propose, SECRET, LOOK, report,
        instance="sub-02", keep=tmp_path / "run",
    )  # fmt: skip
    record = tried.record
    assert (record["outcome"], record["score"]) == ("passed", 1), record["reason"]
    asked = {check["id"] for check in record["checks"]}
    assert "filters-first" not in asked
    assert "grounded" in asked
    assert any("filters-first" in note for note in record["notes"])
    assert record["usage"]["tool_calls"] == 3
    for name, sent in (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens")):
        assert tried.usage[name] == tried.server.total(sent) > 0
    assert {key for key in tried.server.keys if key} == {"Bearer sk-planted-0123456789"}
    kept = b"".join(path.read_bytes() for path in tried.folder.rglob("*") if path.is_file())
    assert b"sk-planted" not in kept


def test_an_analysis_reaches_full_marks() -> None:
    record = attempt("fa-01-relative-alpha", ALPHA, alpha, instance="rest-clinic-01").record
    assert (record["outcome"], record["score"], record["ungated"]) == ("passed", 1, 1)
    assert all(check["passed"] for check in record["checks"])


@pytest.mark.slow
def test_a_picture_reaches_full_marks(tmp_path: Path) -> None:
    tried = attempt(
        "fa-17-figure-of-the-spectrum", DRAW, drawn, instance="rest-clinic-01",
        keep=tmp_path / "run",
    )  # fmt: skip
    assert (tried.outcome, tried.record["score"]) == ("passed", 1), tried.record["checks"]


@pytest.mark.slow
def test_seizures_of_an_hour_reach_full_marks() -> None:
    """Line length over 3 to 20 Hz, in the one file that is shown of the recording."""
    record = attempt(
        "seizure-detection", SEIZURES, seizures, instance="scalp-monitoring-a-3"
    ).record
    assert (record["outcome"], record["score"]) == ("scored", 1), record["reason"]


@pytest.mark.parametrize(
    "lines",
    [
        ["<solution>Marked T8 as bad in subject 02.</solution>"],
        ["<execute>print(1)</execute>", "<solution>Marked T8 as bad.</solution>"],
    ],
    ids=["no code", "code that reads nothing"],
)
def test_who_never_reached_for_the_data_scores_nothing(lines: list[str]) -> None:
    record = attempt("bad-channels-ask", *lines, instance="sub-02").record
    assert (record["passed"], record["score"]) == (False, 0)
    assert "no successful use of the data" in record["reason"]


def test_a_number_that_stands_in_the_code_is_no_finding() -> None:
    record = attempt(
        "fa-01-relative-alpha",
        "<execute>import os; os.listdir('/input'); print(12.345)</execute>",
        "<solution>The mean relative alpha power is 12.345 %.</solution>",
        instance="rest-clinic-01",
    ).record
    grounded = next(check for check in record["checks"] if check["id"] == "grounded")
    assert not grounded["passed"]
