"""Options of agents that ask models, and what is known of models."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from braino.agent import AgentUnusable
from braino_registry.agents.llm.models import Known, Price, known, table
from braino_registry.agents.llm.settings import Settings
from braino_registry.agents.llm.veil import Veil


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    settings = Settings.read("some-model")
    assert settings.base_url == "https://api.openai.com/v1"
    body = settings.body(seed=7)
    assert body == {"model": "some-model", "max_tokens": 4096, "seed": 7, "temperature": 0.0}
    json.dumps(settings.document(), allow_nan=False)


def test_the_environment_names_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")
    assert Settings.read("m").local
    assert not Settings.read("m", base_url="https://models.example/v1").local


def test_everything_that_is_asked_for_is_sent_and_recorded() -> None:
    settings = Settings.read(
        "m", temperature=0.7, top_p=0.9, seed=3, max_tokens=99, stop="END", reasoning="low",
        extra_body={"repeat_penalty": 1.1},
    )  # fmt: skip
    body = settings.body(seed=7)
    assert body == {
        "model": "m", "max_tokens": 99, "seed": 3, "temperature": 0.7, "top_p": 0.9,
        "stop": ["END"], "extra_body": {"reasoning_effort": "low", "repeat_penalty": 1.1},
    }  # fmt: skip
    told = settings.document()
    assert told["sent"] == body
    assert told["extra_body"] == {"repeat_penalty": 1.1}


def test_reasoning_is_off_as_far_as_is_known_how() -> None:
    assert Settings.read("Qwen/Qwen3-8B").body(0)["extra_body"] == {
        "chat_template_kwargs": {"enable_thinking": False}
    }
    assert "extra_body" not in Settings.read("Qwen/Qwen3-8B", reasoning="default").body(0)
    five = Settings.read("gpt-5-mini").body(0)
    assert five["extra_body"] == {"reasoning_effort": "minimal"}
    assert "temperature" not in five
    assert five["max_completion_tokens"] == 4096


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("base_url", "ftp://x/v1"), ("base_url", "http://user:word@x/v1"), ("base_url", "x"),
        ("base_url", "http://x/v1?api_key=abc"), ("base_url", "http://x/v1#a"),
        ("base_url", "http://[::1"), ("base_url", "http://a:b/v1"), ("base_url", 7),
        ("temperature", 3), ("temperature", "hot"), ("temperature", True), ("max_tokens", 0),
        ("max_tokens", 1.5), ("stop", [""]), ("stop", 7), ("reasoning", "much"),
        ("extra_body", []), ("stream", "yes"), ("timeout", 0), ("retries", -1),
        ("context_tokens", 5), ("protocol", "xml"), ("key_env", "a b"), ("seed", -1),
        ("input_price", -1), ("cached_price", float("nan")), ("no_such_option", 1),
    ],
)  # fmt: skip
def test_an_option_that_cannot_be_is_refused(name: str, value: Any) -> None:
    with pytest.raises(AgentUnusable) as caught:
        Settings.read("m", **{name: value})
    assert name in caught.value.problem
    assert caught.value.hint


def test_the_table_of_models() -> None:
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", table()["as_of"])
    for row in table()["models"]:
        re.compile(row["match"])
        assert row["context"] >= 4_096
        assert ("input" in row) == ("output" in row) == ("host" in row)
        if "cached" in row:
            assert row["cached"] <= row["input"] <= row["output"]


def test_a_price_holds_for_the_providers_own_server() -> None:
    assert known("gpt-4o-mini-2024-07-18", "api.openai.com").price == Price(0.15, 0.6, 0.075)
    assert known("gpt-4o-mini", "proxy.example").price is None
    assert known("gpt-4o-mini-of-mine", "api.openai.com").price is None
    assert known("gpt-4o-2024-05-13", "api.openai.com") == Known(context=128_000)  # it cost more
    later = known("gpt-5-2027-01-01", "api.openai.com")
    assert (later.price, later.no_sampling) == (None, True)
    assert Settings.read("gpt-4o", base_url="https://proxy.example/v1").price is None
    given = Settings.read("m", input_price=1, output_price=4)
    assert given.price == Price(1, 4)
    assert given.document()["price_from"] == "options"
    official = Settings.read("gpt-4o", base_url="https://api.openai.com/v1").document()
    assert (official["price_from"], official["prices_as_of"]) == ("table", table()["as_of"])
    assert Settings.read("m").document()["price_from"] is None


def test_a_cost_is_known_only_if_its_parts_are() -> None:
    price = Price(input=2.0, output=8.0, cached=0.5)
    assert price.of(1_000_000, 500_000) == pytest.approx(6.0)
    assert price.of(1_000_000, 0, cached=400_000) == pytest.approx(0.6 * 2 + 0.4 * 0.5)
    assert price.of(10, 0, cached=1_000) == pytest.approx(10 * 0.5e-6)
    assert price.of(None, 5) is None
    assert price.of(5, None) is None


def test_a_veil_hides_a_key_and_not_a_word() -> None:
    veil = Veil("sk-planted")
    assert veil.over("a sk-planted b") == "a [key] b"
    assert "sk-planted" not in repr(veil)
    assert veil.short(ValueError("x\n sk-planted")) == "x [key]"
    assert Veil("a").over("a banana") == "a banana"
    assert Veil(None).over("text") == "text"
