"""Agents that work by code, for the tests of runs."""

from __future__ import annotations

from braino.agent import AgentAnswer, Session


class Coder:
    """Runs one piece of code, tries a tool, and answers with what came of both."""

    name, model = "coder", None

    def solve(self, request: str, session: Session) -> AgentAnswer:
        outcome = session.call("calc", {"expression": "1 + 1"})
        code = session.code or {}
        done = session.execute(
            f"import os\nfound = sorted(os.listdir({code.get('inputs')!r}))\n"
            f"open('made.txt', 'w').write('y')\nprint(len(found), 'files')"
        )
        listed = [spec.name for spec in session.tools()]
        return AgentAnswer(
            f"{done.output.strip()}; tools: {listed}; {outcome.error}", artifacts=["made.txt"]
        )


class Caller:
    """Uses a tool, and tries code."""

    name, model = "caller", None

    def solve(self, request: str, session: Session) -> AgentAnswer:
        assert session.call("dataset.inspect", {}).ok
        assert session.code is None
        session.execute("1 + 1")
        return AgentAnswer("no code was refused")
