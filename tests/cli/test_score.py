"""`braino score`: one score from standard input."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from braino_registry.cli import main
from braino_registry.scoring import units
from braino_registry.scoring.named import scores


class _Input(io.StringIO):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.buffer = io.BytesIO(text.encode())


def ask(monkeypatch: pytest.MonkeyPatch, capsys: Any, text: str, *args: str) -> tuple[int, str]:
    monkeypatch.setattr("sys.stdin", _Input(text))
    with pytest.raises(SystemExit) as stop:
        main(["score", *args])
    out = capsys.readouterr()
    return int(stop.value.code or 0), out.out + out.err


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("numerical", {"reported": "10.1", "reference": 10, "tolerance": 0.2}, 1.0),
        ("categorical", {"reported": " Alpha ", "reference": "alpha"}, 1.0),
        ("set", {"reported": ["a", "c"], "reference": ["a", "b"], "mode": "partial"}, 0.5),
        ("sequence", {"reported": ["a", "b"], "reference": ["a", "c"], "mode": "position"}, 0.5),
        ("semantic", {"judgement": {"score": 0.7}}, 0.7),
        ("artifact", {"path_ok": True, "exists": True, "name_ok": True, "size": 3,
                      "checks": [{"weight": 1, "passed": True}, {"weight": 3, "passed": False}]},
         0.25),
        ("instance", {"units": [{"weight": 60, "score": 1}, {"weight": 40, "score": 0.5}]}, 80.0),
        ("subset", {"instances": [{"difficulty": 1.0, "score": 50},
                                  {"difficulty": 2.0, "score": 100}]}, 250 / 3),
        ("overall", {"subsets": [50, 100]}, 75.0),
        ("overall", {"subsets": [50, None]}, None),
    ],
)  # fmt: skip
def test_units(
    monkeypatch: pytest.MonkeyPatch, capsys: Any, name: str, given: Any, value: float | None
) -> None:
    code, text = ask(monkeypatch, capsys, json.dumps(given), name)
    assert code == 0, text
    assert json.loads(text) == pytest.approx(value)


@pytest.mark.parametrize(
    ("name", "given", "found"),
    [
        ("mpad", {"scores": [0, 100]}, {"mpad": 100, "bounded_adjusted": 1}),
        ("confusion", {"truth": ["a", "b"], "predicted": ["a", "a"], "classes": ["a", "b"]},
         {"accuracy": 0.5}),
        ("events", {"reference": [[1, 3]], "predicted": [[2, 4]], "duration": 100},
         {"tp": 1, "fp": 0, "dice": 0.5}),
        ("seizures", {"truth": [[10, 20]], "predicted": {"events": []}, "duration": 60},
         {"tp": 0, "missed": True}),
        ("staging", {"truth": ["W", "N2"], "prediction": {}}, {"accuracy": 0.5, "empty": True}),
        ("corpus", {"task": "T6", "items": [{"truth": ["W"], "prediction": {}}]}, {}),
    ],
)  # fmt: skip
def test_metrics(
    monkeypatch: pytest.MonkeyPatch, capsys: Any, name: str, given: Any, found: dict[str, Any]
) -> None:
    code, text = ask(monkeypatch, capsys, json.dumps(given), name)
    assert code == 0, text
    assert json.loads(text).items() >= found.items()


@pytest.mark.parametrize(
    ("text", "args", "says"),
    [
        ("{}", ("numerical",), "is missing"),
        ("nope", ("numerical",), "no JSON"),
        ("[1]", ("numerical",), "standard input: $"),
        ('{"reported": NaN, "reference": 1}', ("numerical",), "NaN"),
        ("{}", ("nummerical",), "Did you mean 'numerical'?"),
        ('{"reported": [], "reference": [], "mode": "f2"}', ("set",), "Allowed: exact"),
        ('{"reported": 1, "reference": 1, "x": 1}', ("numerical",), "x"),
        ('{"reported": 1, "reference": 1}', ("numerical", "--profile", "lax"), "--profile"),
        ("{}", (), "Missing argument"),
        ('{"truth": ["Q"], "prediction": {}}', ("staging",), "Q"),
    ],
)
def test_bad_input_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: Any, text: str, args: tuple[str, ...], says: str
) -> None:
    code, told = ask(monkeypatch, capsys, text, *args)
    assert code == 2
    assert says in told


def test_every_score_is_listed_with_what_it_takes(capsys: Any) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["score", "--list", "--json"])
    assert stop.value.code is None or stop.value.code == 0
    listed = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in listed] == scores.names()
    assert all(row["about"].endswith(".") and row["input"]["required"] for row in listed)


def test_the_vectors_by_name(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """What the library gives for the published vectors, the command gives as well."""
    vectors = json.loads(
        (Path(__file__).parents[1] / "data" / "vectors" / "validation_units.json").read_text()
    )["vectors"]
    plain = [v for v in vectors if v["unit"] == "categorical" and "__float__" not in json.dumps(v)]
    for vector in plain[:8]:
        given = {"reported": vector["inputs"]["pred"], "reference": vector["config"]["gt"]}
        for profile in units.PROFILES:
            _, text = ask(
                monkeypatch, capsys, json.dumps(given), "categorical", "--profile", profile
            )
            column = "expected" if profile == "strict" else "released"
            assert json.loads(text) == vector[column]
