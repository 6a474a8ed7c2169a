"""What a client of the Model Context Protocol can call, whatever it sends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braino_registry.agents.command.endpoint import Exchange
from braino_registry.agents.mcp.offers import Offers
from tests.agents.test_command import JSON, Desk

NAMES = ("read_request", "ask_user", "request_decision", "list_files", "read_file", "write_file",
         "a__sum", "submit_answer")  # fmt: skip
#: Texts with what no file name and no UTF-8 can hold.
ODD = st.sampled_from(["", "a\0b", "\ud800", "\udcff", "../x", "a" * 5_000, "inputs", "workspace"])
ARGS = st.dictionaries(
    st.sampled_from(["folder", "path", "offset", "text", "base64", "question", "kind", "data"]),
    ODD | JSON | st.sampled_from([-1, 10**30, float("nan"), True]),
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "inputs").mkdir()
    return Desk(tmp_path)


def offers(desk: Desk) -> Offers:
    return Offers(Exchange("What is it?", desk), desk)


def test_the_first_answer_is_the_answer(desk: Desk) -> None:
    exchange = Exchange("What is it?", desk)
    offered = Offers(exchange, desk)
    refused = offered.do("submit_answer", {"text": "\ud800"})
    assert (refused.ok, exchange.answer) == (False, None)
    assert "cannot be sent on" in refused.text
    assert offered.do("submit_answer", {"text": "It is 3."}).ok
    again = offered.do("submit_answer", {"text": "It is 4."})
    assert not again.ok
    assert again.text.endswith("ended the session\nThe session is over.")
    assert not offered.do("a__sum", {}).ok
    assert exchange.answer is not None
    assert exchange.answer.text == "It is 3."
    assert desk.asked == []


@settings(deadline=None)
@given(st.sampled_from(NAMES) | st.text(max_size=300), ARGS | JSON)
def test_whatever_is_called_is_done_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, args: Any
) -> None:
    folder = tmp_path_factory.mktemp("desk")
    (folder / "inputs").mkdir()
    reply = offers(Desk(folder)).do(name, args)
    reply.text.encode()
    assert reply.ok or reply.text
    assert [path.name for path in folder.iterdir()] in (["inputs", "workspace"],
                                                        ["workspace", "inputs"])  # fmt: skip
