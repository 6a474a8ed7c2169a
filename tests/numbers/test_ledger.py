"""What the ledger takes in, and which printed numbers it grounds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braino_registry.numbers import Ledger, from_transcript, numbers_of_data, read_numbers
from tests.numbers.realistic import call, five_calls

RESULT = {
    "latency": 0.4297,
    "amplitude_uv": 31.2471,
    "relative": 0.13984,
    "share_percent": 12.5,
    "n_epochs": 80,
    "t": -5.1234,
    "p_value": 0.00031,
    "sfreq": 250.0,
}


def _ledger(result: Any = None, args: Any = None) -> Ledger:
    ledger = Ledger()
    ledger.add_result(RESULT if result is None else result, args or {}, source="a tool")
    return ledger


def _grounded(ledger: Ledger, text: str) -> bool:
    claims = [n for n in read_numbers(text) if n.exempt_reason is None]
    assert claims, text
    return all(ledger.grounds(n) is not None for n in claims)


@pytest.mark.parametrize(
    "text",
    ["0.4297 s", "0.43 s", "430 ms", "429.7 ms", "0.430", "31.2 µV", "31.25 µV", "31 µV",
     "3.125e-5 V", "31.2", "0.14", "0.1398", "14 %", "13.98 %", "12.5 %", "12.5", "80 epochs",
     "t = −5.12", "t=-5.1", "p = 0.0003", "p = 3.1e-4", "p = 3.1 × 10⁻⁴", "p < 0.001", "p < .05",
     "250 Hz", "0.25 kHz", "250"],
)  # fmt: skip
def test_honest_numbers(text: str) -> None:
    assert _grounded(_ledger(), text)


@pytest.mark.parametrize(
    "text",
    ["430", "0.43 ms", "430 s", "430 Hz", "0.44 s", "0.42 s", "0.42971 s", "31.2 mV", "31.24 µV",
     "-31.2 µV", "14", "0.125", "80 %", "80 ms", "t = 5.12", "t = 5.12 s", "250 ms", "25 Hz",
     "p < 0.0001", "p > 0.05", "11"],
)  # fmt: skip
def test_invented_numbers(text: str) -> None:
    assert not _grounded(_ledger(), text)


def test_a_quantity_may_go_without_its_unit_only_in_full() -> None:
    ledger = _ledger({"latency": 0.4297, "absolute_uv2": 40.933, "relative": 0.2884})
    for text in ("0.4297", "0.430", "40.933", "0.29", "0.4297 s", "0.43 s", "41 µV²"):
        assert _grounded(ledger, text), text
    for text in ("0.43", "0.4", "40.93", "41"):
        assert not _grounded(ledger, text), text


def test_a_tie_may_be_rounded_either_way() -> None:
    ledger = _ledger({"value": 0.125})
    assert _grounded(ledger, "0.12")
    assert _grounded(ledger, "0.13")


def test_last_bits_of_a_conversion() -> None:
    assert _grounded(_ledger({"relative": 0.1398}), f"{0.1398 * 100!r} %")


def test_lists_share_a_unit() -> None:
    ledger = _ledger({"fmin": 8.0, "fmax": 13.0})
    assert _grounded(ledger, "8–13 Hz")
    assert _grounded(ledger, "between 8 and 13 Hz")
    assert not _grounded(ledger, "8–14 Hz")


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"value": 93.726}, "93.726"),
        ({"expression": "93.726 * 1"}, "93.726"),
        ({"values": {"a": [1, {"b": 93.726}]}}, "93.726"),
        ({"note": "it is 93,726 here, or 93.726"}, "93.726"),
        ({"value": 93.7261}, "93.726"),
        ({"name": "T93.726"}, "93.726"),
    ],
)
def test_echoed_arguments_do_not_enter(args: dict[str, Any], text: str) -> None:
    ledger = Ledger()
    ledger.add_result(
        {"value": 93.726, "text": "93.726", "deep": [{"x": 93.726}]}, args, source="t"
    )
    assert not _grounded(ledger, text)


def test_an_echo_in_another_unit_does_not_enter() -> None:
    assert not _grounded(_ledger({"window_ms": 937.26}, {"tmax": 0.93726}), "937.26 ms")
    assert _grounded(_ledger({"n_times": 12500}, {"sfreq": 125}), "12500")


def test_an_echo_removes_nothing_that_another_call_reported() -> None:
    ledger = _ledger({"p_value": 0.03127})
    ledger.add_result({"p_value": 0.03127}, {"p": 0.03127}, source="another")
    assert _grounded(ledger, "p = 0.03127")


def test_what_explains_or_identifies_does_not_enter() -> None:
    result = {
        "definition": "over 93.726 samples",
        "description": "93.726",
        "hint": "try 93.726",
        "view": "view-93",
        "bids_subject": "93",
        "path": "sub-02/eeg/sub-02_run-93_eeg.vhdr",
        "note": "see sub-93_task-rest, T93 and version 93.7.26",
    }
    ledger = _ledger(result)
    assert ledger.entries == []
    assert _grounded(_ledger({"note": "93.726 % of the samples"}), "93.726 %")


def test_series_enter_as_far_as_a_preview_shows() -> None:
    ledger = _ledger({"data": [1000.5 + i for i in range(5000)]})
    assert _grounded(ledger, "1000.5")
    assert not _grounded(ledger, "5000.5")
    rows = [{"recording": f"sub-{i}", "duration": 1000.5 + i} for i in range(500)]
    assert _grounded(_ledger({"recordings": rows}), "1400.5 s")


def test_odd_values_are_ignored() -> None:
    deep: Any = 93.726
    for _ in range(60):
        deep = [deep]
    ledger = _ledger({"a": float("nan"), "b": float("inf"), "c": True, "d": None, "e": deep,
                      "f": 10**400, "g": object()})  # fmt: skip
    assert ledger.entries == []


def test_units_stand_beside_values_or_are_given() -> None:
    assert _grounded(_ledger({"value": 31.2, "unit": "uV"}), "31.2 µV")
    assert not _grounded(_ledger({"value": 31.2}), "31.2 µV")
    ledger = Ledger()
    ledger.add_result({"value": 31.2}, {}, source="t", units={"value": "µV"})
    assert _grounded(ledger, "31.2 µV")
    assert _grounded(_ledger({"relative": {"O1": 0.3456}}), "34.56 %")


def test_words_of_request_user_and_decisions_count() -> None:
    events: list[dict[str, Any]] = [
        {"type": "ask", "question": "Is it 93.726?", "reply": "50 Hz; we use 137 elsewhere."},
        {"type": "decide", "kind": "set-preprocessing", "status": "edited",
         "proposal": {"notch": 61.5}, "applied": {"notch": 51.5}, "say": "No, 52.5 Hz at most."},
        {"type": "decide", "kind": "x", "status": "approved",
         "proposal": {}, "applied": {"reasons": {"T8": "it has 93.726 µV"}, "limit": 77.5}},
        {"type": "call", "tool": "x", "args": {}, "ok": False, "error": {"problem": "93.726"}},
        {"type": "execute", "code": "print(93.726)", "stdout": "93.726"},
        {"type": "answer", "text": "93.726"},
    ]  # fmt: skip
    ledger = from_transcript(events, "Anything above 75.5 µV or 33.25?")
    for text in ("50 Hz", "137", "137 µV", "51.5 Hz", "52.5 Hz", "75.5 µV", "33.25 ms", "77.5 µV"):
        assert _grounded(ledger, text), text
    for text in ("93.726", "93.726 µV", "61.5 Hz", "75.5 Hz"):
        assert not _grounded(ledger, text), text


def test_grounds_value() -> None:
    ledger = _ledger()
    assert ledger.grounds_value(0.4297)
    assert ledger.grounds_value(0.43, "s")
    assert ledger.grounds_value(429.7, "ms")
    assert ledger.grounds_value(80)
    assert not ledger.grounds_value(0.4298)
    assert not ledger.grounds_value(429.7)
    assert not ledger.grounds_value(3)
    assert not ledger.grounds_value(float("nan"))


def test_sources_are_named() -> None:
    (number,) = read_numbers("31.2 µV")
    entry = _ledger().grounds(number)
    assert entry is not None
    assert (entry.source, entry.name, entry.value) == ("a tool", "amplitude_uv", 31.2471)


def test_data_of_an_answer() -> None:
    ledger = _ledger()
    units = {"peak": "ms", "share": "1", "count": None}

    def grounded(data: Any) -> bool:
        return all(ledger.grounds(n) for n in numbers_of_data(data, units) if not n.exempt_reason)

    assert grounded({"peak": 429.7, "share": 0.1398, "count": 80, "small": 3})
    assert grounded({"peak": 430, "note": "31.2 µV"})
    assert not grounded({"peak": 0.4297})
    assert not grounded({"share": 0.1399})
    assert not grounded({"other": [{"deep": 93.726}]})
    assert not grounded({"note": "93.726 µV"})


@given(st.floats(0.011, 9999, allow_subnormal=False), st.integers(0, 6))
def test_every_rounding_of_a_reported_number_is_grounded(value: float, decimals: int) -> None:
    ledger = _ledger({"value": value, "latency": value, "amplitude_uv": value})
    for text in (f"{value:.{decimals}f}", f"{value * 1000:.{decimals}f} ms", f"{value!r} µV"):
        claims = [n for n in read_numbers(text) if n.exempt_reason is None]
        assert all(ledger.grounds(n) for n in claims), text


@given(st.recursive(st.floats() | st.integers() | st.text() | st.none(), lambda inner: (
    st.lists(inner) | st.dictionaries(st.text(), inner)), max_leaves=20))  # fmt: skip
def test_a_tool_that_returns_its_arguments_launders_nothing(args: Any) -> None:
    ledger = Ledger()
    ledger.add_result({"echo": args}, args, source="echo")
    assert ledger.entries == []


def test_one_builder() -> None:
    events = five_calls()
    assert from_transcript(events).entries == from_transcript(iter(events), "").entries
    assert call(1, "x", {}, {})["ok"] is True


@pytest.mark.parametrize(
    ("value", "text", "grounded"),
    [
        (85.0, "85.0 %", True),
        (0.85, "85 %", True),
        (0.85, "85.0 %", True),
        (125.0, "125 Hz", True),
        (0.85, "0.85 s", True),
        (12.34, "12.3 µV", True),
        (85.0, "85.0", True),
        (0.85, "86 %", False),
        (0.85, "850 ms", False),
        (85.0, "0.85", False),
        (125.0, "0.125 kHz", False),
        (85.0, "-85 %", False),
    ],
)
def test_arithmetic_has_no_unit_of_its_own(value: float, text: str, grounded: bool) -> None:
    args = {"expression": "a / b", "values": {"a": 34.5, "b": 41.25}}
    event = {"n": 3, "type": "call", "tool": "calc", "args": args, "ok": True}
    ledger = from_transcript([{**event, "result": {"value": value, "expression": "a / b"}}])
    assert _grounded(ledger, text) is grounded
    other = from_transcript([{**event, "tool": "stats.ttest", "result": {"value": value}}])
    assert not _grounded(other, text) or text == "85.0"


def test_arithmetic_lends_no_unit_to_what_it_was_given() -> None:
    args = {"expression": "a * 1", "values": {"a": 93.726}}
    event = {"n": 3, "type": "call", "tool": "calc", "args": args, "ok": True}
    ledger = from_transcript([{**event, "result": {"value": 93.726, "expression": "a * 1"}}])
    assert not _grounded(ledger, "93.726 %")


def test_the_means_of_a_test_have_the_unit_of_what_it_compared() -> None:
    ledger = Ledger()
    rows = [{"amplitude_uv": value} for value in (7.613, 5.114, 3.331, 2.225)]
    ledger.add_result({"rows": rows}, {}, source="erp.by_recording")
    test = {"mean_a": 6.3635, "mean_b": 2.778, "mean_difference": 3.5855, "t": 3.871, "n_a": 2}
    args = {"a": [7.613, 5.114], "b": [3.331, 2.225], "paired": True}
    ledger.add_result(test, args, source="stats.ttest")
    for text in ("3.59 µV larger", "means of 6.36 and 2.78 µV", "a difference of 3.59", "t = 3.87"):
        assert _grounded(ledger, text), text
    for text in ("3.87 µV", "3.59 ms", "3.59 mV", "3.58 µV"):
        assert not _grounded(ledger, text), text


def test_the_means_of_different_things_have_no_unit() -> None:
    ledger = Ledger()
    ledger.add_result({"amplitude_uv": 7.613, "latency": 0.311}, {}, source="erp.measure")
    args = {"a": [7.613, 0.311], "b": [0.311, 7.613]}
    ledger.add_result({"mean_difference": 3.5855}, args, source="stats.ttest")
    assert _grounded(ledger, "3.59")
    assert not _grounded(ledger, "3.59 µV")


def _printed(code: str, output: str) -> Ledger:
    event = {"type": "execute", "n": 4, "code": code, "ok": True, "output": output, "error": None}
    return from_transcript([event])


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("0.4297\n", "0.43 s"),
        ("np.float64(12.3456)", "12.35 %"),
        ("{'alpha': 0.13984, 'n': 32}", "13.98 % of 32 channels"),
        ("[ 9.73 10.25 11.5 ]", "9.73 and 10.25 Hz"),
        ("O1    0.3456\nO2    0.2891\ndtype: float64", "O1 0.3456 and O2 28.91 %"),
        ("31.2471 uV^2", "31.25 µV²"),
        ("429.7 ms", "0.43 s"),
    ],
)
def test_what_code_printed_is_grounded(output: str, text: str) -> None:
    assert _grounded(_printed("print(x)", output), text)


@pytest.mark.parametrize(
    ("code", "output", "text"),
    [
        ("print(93.726)", "93.726", "93.726"),
        ("print(93.7261234)", "93.726", "93.73 %"),
        ("x = '93.726'\nprint(x)", "93.726", "93.726"),
        ("print(x)", "0.4297", "430 ms"),
        ("print(x)", "3.12471e-05", "31.2 µV"),
        ("x = 93.726", "", "93.726"),
    ],
)
def test_what_stands_in_the_code_or_names_another_unit_is_not(
    code: str, output: str, text: str
) -> None:
    assert not _grounded(_printed(code, output), text)
    assert not _grounded(from_transcript([
        {"type": "execute", "code": code, "ok": True, "output": "", "error": None},
        {"type": "execute", "code": "print(y)", "ok": True, "output": output, "error": None},
    ]), text)  # fmt: skip
