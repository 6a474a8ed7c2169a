"""The interface for agent authors: values, factories, the example of the documentation, speed."""

from __future__ import annotations

import copy
import os
import pickle
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from braino import agent as interface
from braino.agent import (
    AgentAnswer,
    AgentUnusable,
    Decision,
    LimitReached,
    RequestRefused,
    Session,
    SessionEnded,
    ToolOutcome,
    check_factory,
    converse,
)
from braino_registry.session import Limits, serve
from tests.session.support import (
    COMMAND,
    REPO,
    check_events,
    open_session,
    run_agent,
    start_of,
)

EXAMPLE = """\
from braino.agent import AgentAnswer, Session


class MyAgent:
    name = "my-agent"
    model = "qwen3-4b-q4"

    def solve(self, request: str, session: Session) -> AgentAnswer:
        outcome = session.call("dataset.inspect", {})
        return AgentAnswer(text=f"The dataset has {outcome.result['n_subjects']} subjects.")


def make() -> MyAgent:
    return MyAgent()
"""


def test_the_documented_example_runs_as_printed(pristine: Path, tmp_path: Path) -> None:
    (tmp_path / "mymodule.py").write_text(EXAMPLE)
    session = open_session(tmp_path / "t", pristine)
    ending, code, _ = run_agent(session, "mymodule:make", path=[str(tmp_path)])
    assert ending.answer is not None
    assert (ending.answer.text, code) == ("The dataset has 2 subjects.", 0)
    hello = session.transcript.events[1]
    assert hello["data"] == {"name": "my-agent", "model": "qwen3-4b-q4"}


def test_the_current_directory_is_importable_only_if_the_session_says_so(
    pristine: Path, tmp_path: Path
) -> None:
    session = open_session(tmp_path / "t", pristine)
    # A name of its own: whoever follows the README has a mymodule.py where tests are run.
    (session.workspace / "only_in_the_workspace.py").write_text(EXAMPLE)
    ending, _, _ = run_agent(session, "only_in_the_workspace:make", path=[])
    assert ending.reason.startswith("import: there is no module called 'only_in_the_workspace'")


def test_values_do_not_change_and_compare_by_content() -> None:
    answer = AgentAnswer("x", {"a": 1}, artifacts=["p.png"])
    assert answer == AgentAnswer(text="x", data={"a": 1}, artifacts=["p.png"])
    assert answer != AgentAnswer("x")
    assert AgentAnswer("x").data is None
    assert AgentAnswer("x").artifacts == ()
    assert repr(Decision("approved", {})) == (
        "Decision(status='approved', applied={}, say='', error=None)"
    )
    assert copy.deepcopy(answer) == answer
    assert pickle.loads(pickle.dumps(answer)) == answer
    with pytest.raises(AttributeError, match="does not change"):
        answer.text = "y"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("args", "named"), [((), {}), (("a", None, (), 1), {}), (("a",), {"text": "b"}), ((), {"x": 1})]
)
def test_values_refuse_wrong_fields(args: tuple[object, ...], named: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="AgentAnswer takes text, data, artifacts"):
        AgentAnswer(*args, **named)  # type: ignore[arg-type]


FACTORIES = """\
import missing_dependency_of_mine
"""
VARIANTS = """\
class Good:
    name = "good"
    model = "default"
    def solve(self, request, session):
        return None

class Frozen(Good):
    model = property(lambda self: "fixed")

class Bare:
    name = "bare"
    def solve(self, request, session):
        return None

class Nothing:
    name = "nothing"
    def run(self):
        return None

def make(): return Good()
def make_model(model=None):
    good = Good()
    good.model = f"given {model}"
    return good
def make_any(**options): return make_model(options["model"])
def make_frozen(): return Frozen()
def make_bare(): return Bare()
def make_nothing(): return Nothing()
def make_none(): return None
def raises(): raise RuntimeError("no GPU")
def needs(argument): return Good()
def leaves(): raise SystemExit(4)
class Holder:
    make = staticmethod(make)
value = 3
"""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    folder = tmp_path / "agents"
    folder.mkdir()
    (folder / "variants_for_test.py").write_text(VARIANTS)
    (folder / "needy_for_test.py").write_text(FACTORIES)
    (folder / "broken_for_test.py").write_text("1 / 0\n")
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("variants_for_test", "needy_for_test", "broken_for_test"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return [str(folder)]


@pytest.mark.parametrize(
    ("factory", "model", "has"),
    [
        ("make", None, "default"),
        ("make", "m", "m"),
        ("make_model", "m", "given m"),
        ("make_any", "m", "given m"),
        ("Holder.make", "m", "m"),
        ("Good", None, "default"),
        ("make_frozen", "fixed", "fixed"),
    ],
)
def test_model_reaches_the_agent(
    modules: list[str], factory: str, model: str | None, has: str
) -> None:
    assert check_factory(f"variants_for_test:{factory}", model, modules).model == has


UNUSABLE = [
    ("variants_for_test", None, "import", "does not name a factory", "Write module:factory"),
    ("agent.py:make", None, "import", "does not name a factory", "Write module:factory"),
    ("not_there:make", None, "import", "there is no module called 'not_there'", "looked in /"),
    ("not_there.inner:make", None, "import", "no module called 'not_there'", "looked in /"),
    ("variants_for_test.x:make", None, "import", "called 'variants_for_test.x'", "looked in /"),
    (
        "needy_for_test:make",
        None,
        "import",
        "needs the module missing_dependency_of_mine",
        "looked",
    ),
    ("broken_for_test:make", None, "import", "ZeroDivisionError: division by zero", ""),
    ("variants_for_test:mke", None, "import", "has no 'mke'", "Did you mean make"),
    ("variants_for_test:value", None, "factory", "is a int, not a factory", "Name a function"),
    ("variants_for_test:raises", None, "factory", "RuntimeError: no GPU", ""),
    ("variants_for_test:leaves", None, "factory", "SystemExit: 4", ""),
    ("variants_for_test:needs", None, "factory", "missing 1 required positional", ""),
    (
        "variants_for_test:make_nothing",
        None,
        "factory",
        "Nothing, which has no solve(",
        "name, run",
    ),
    ("variants_for_test:make_none", None, "factory", "NoneType, which has no solve(", "it has:"),
    (
        "variants_for_test:make_bare",
        "m",
        "factory",
        "cannot be given the model 'm'",
        "accept model",
    ),
    ("variants_for_test:make_frozen", "m", "factory", "cannot be given the model 'm'", "accept"),
]


def test_of_a_module_that_is_not_there_the_folder_and_the_near_one_are_named(
    modules: list[str], tmp_path: Path
) -> None:
    (tmp_path / "mymodule_for_test.py").write_text("")
    with pytest.raises(AgentUnusable) as caught:
        check_factory("mymodul_for_test:make", None, [str(tmp_path), str(tmp_path / "none")])
    assert caught.value.where.startswith(f"looked in {tmp_path}, ")
    assert caught.value.where.endswith(", and among the installed packages")
    assert "site-packages" not in caught.value.where
    assert os.path.join(sys.base_prefix, "lib") not in caught.value.where
    assert caught.value.hint.startswith("Did you mean mymodule_for_test? Install it, or ")


@pytest.mark.parametrize(("spec", "model", "kind", "problem", "more"), UNUSABLE)
def test_unusable(
    modules: list[str], spec: str, model: str | None, kind: str, problem: str, more: str
) -> None:
    with pytest.raises(AgentUnusable) as caught:
        check_factory(spec, model, modules)
    assert caught.value.kind == kind
    assert problem in caught.value.problem
    assert more in f"{caught.value.where} {caught.value.hint}"


class Talker:
    """An agent that lives in this process and uses the whole interface."""

    name = "talker"
    model = None

    def solve(self, request: str, session: Session) -> AgentAnswer:
        assert request == "Find the bad channels."
        assert (session.paradigm, session.fields) == ("tools", {"n": {"type": "number"}})
        assert session.limits["tool_calls"] == 200
        assert session.inputs.is_dir()
        assert session.workspace.is_dir()
        assert "dataset.inspect" in [spec.name for spec in session.tools()]
        kinds = {spec.kind: spec.proposal for spec in session.decisions()}
        assert "channels" in kinds["mark-bad-channels"]["properties"]
        failed = session.call("nothing")
        assert failed == ToolOutcome(False, {}, "there is no tool 'nothing'\nUse dataset.inspect.")
        assert session.call("measure", {}).result == {"amplitude_uv": 12.345, "missing_uv": None}
        assert session.ask("Is it 50 or 60 Hz?", ("50", "60")) == "50 Hz, we are in Europe."
        invalid = session.decide("mark-bad-channels", {"channels": ["Nz"]})
        assert (invalid.status, invalid.applied) == ("invalid", {})
        assert "no channel called 'Nz'" in str(invalid.error)
        rejected = session.decide("reject-epochs", {"epochs": []}, "no reason")
        assert rejected == Decision("rejected", {}, "Keep them.")
        with pytest.raises(RequestRefused, match="runs no code"):
            session.execute("1")
        with pytest.raises(RequestRefused, match="too large: at most"):
            session.ask("x" * (9 << 20))
        with pytest.raises(TypeError, match="object is not a JSON value"):
            session.call("measure", {"a": object()})
        with pytest.raises(ValueError, match="not JSON compliant"):
            session.call("measure", {"a": float("inf")})
        session.report_usage(input_tokens=10, cost=None)
        replies: list[ToolOutcome] = []
        threads = [
            threading.Thread(target=lambda: replies.append(session.call("dataset.inspect")))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [reply.result["n_subjects"] for reply in replies] == [2] * 8
        return AgentAnswer("talked", {"n": 1})


def in_process(session: object, agent: object, **more: object) -> tuple[object, int]:
    ours, theirs = socket.socketpair()
    status: list[int] = []

    def run() -> None:
        with theirs:
            status.append(converse(theirs.fileno(), theirs.fileno(), agent))  # type: ignore[arg-type]

    thread = threading.Thread(target=run)
    thread.start()
    with ours:
        start = start_of(session, "unused:unused", **more)  # type: ignore[arg-type]
        ending = serve(ours, ours, session, start, deadline=time.monotonic() + 10)  # type: ignore[arg-type]
    thread.join(5)
    assert not thread.is_alive()
    check_events(session)  # type: ignore[arg-type]
    return ending, status[0]


def test_whole_interface_in_process(pristine: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "t", pristine)
    ending, status = in_process(session, Talker(), fields={"n": {"type": "number"}})
    assert (ending.outcome, ending.reason, status) == ("finished", "", 0)  # type: ignore[attr-defined]
    assert session.usage["input_tokens"] == 10
    assert session.usage["cost"] is None
    assert session.usage["tool_calls"] == 11  # 10 calls and an execution


def test_an_agent_learns_which_limit_it_reached(pristine: Path, tmp_path: Path) -> None:
    seen: list[Exception] = []

    class Greedy(Talker):
        def solve(self, request: str, session: Session) -> AgentAnswer:
            try:
                for _ in range(3):
                    session.ask("Why?")
            except LimitReached as error:
                seen.append(error)
                try:
                    session.ask("Why?")
                except SessionEnded as error:
                    seen.append(error)
                raise
            return AgentAnswer("")

    session = open_session(tmp_path / "t", pristine, limits=Limits(questions=2))
    ending, status = in_process(session, Greedy())
    assert ending.reason == "questions: more than 2 questions"  # type: ignore[attr-defined]
    assert isinstance(seen[0], LimitReached)
    assert seen[0].limit == "questions"
    assert type(seen[1]) is SessionEnded
    assert status == 1


def test_another_protocol_is_refused(pristine: Path, tmp_path: Path) -> None:
    session = open_session(tmp_path / "t", pristine)
    start = {**start_of(session, "x:y"), "protocol": "session/2"}
    ours, theirs = socket.socketpair()
    with ours, theirs:
        thread = threading.Thread(target=converse, args=(theirs.fileno(), theirs.fileno()))
        thread.start()
        ending = serve(ours, ours, session, start, deadline=time.monotonic() + 5)
        thread.join(5)
    assert "the session speaks session/2, this agent session/1" in ending.reason


def test_a_check_only_says_hello() -> None:
    check = (
        b'{"type":"check","protocol":"session/1","agent":{"factory":"%b","model":null,"path":[]}}\n'
    )
    for factory, expected in (
        (
            b"braino_registry.agents.null:make",
            b'"type":"hello","protocol":"session/1","name":"null"',
        ),
        (b"nowhere:make", b'"type":"error","kind":"import","message":"there is no module called'),
    ):
        done = subprocess.run(COMMAND, input=check % factory, capture_output=True, timeout=20)
        assert expected in done.stdout
        assert done.stdout.count(b"\n") == 1
        assert done.returncode == (0 if b"hello" in expected else 1)


def test_only_the_standard_library_and_little_of_it_is_loaded() -> None:
    code = "import sys, braino.agent; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(REPO)!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    heavy = {"typing", "dataclasses", "inspect", "pathlib", "traceback", "importlib.metadata"}
    assert not loaded & heavy
    assert not [name for name in loaded if name.startswith(("braino_registry", "numpy", "msgspec"))]


def test_every_name_an_author_needs_is_there() -> None:
    for name in (
        "Agent",
        "AgentAnswer",
        "Decision",
        "Execution",
        "Session",
        "ToolOutcome",
        "ToolSpec",
    ):
        assert getattr(interface, name).__doc__
