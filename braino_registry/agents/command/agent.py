"""The agent that hands its session to a program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from braino.agent import AgentAnswer, Session
from braino_registry.agents.command.endpoint import Endpoint, Exchange
from braino_registry.agents.command.program import Heard, Program

#: Loopback is never reached through a proxy.
DIRECT = {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
_PRINTED = 1 << 20


class ProgramFailed(Exception):
    """A program has ended without an answer."""


class CommandAgent:
    """An agent that starts a program for every trial and does what it asks.

    The program finds the session's address in ``BRAINO_ENDPOINT`` (see `endpoint`), the request in
    ``BRAINO_REQUEST`` and on its standard input, the folders in ``BRAINO_INPUTS`` and
    ``BRAINO_WORKSPACE``; the latter is its current directory. If it sends no answer, what it
    prints to standard output is the answer.

    Parameters
    ----------
    program : Program
        What is started.
    name : str
        What reports call it.
    model : str | None
        Handed on in ``BRAINO_MODEL``.
    """

    scheme = "cmd"

    def __init__(self, program: Program, name: str, model: str | None = None) -> None:
        self.program, self.name, self.model = program, name, model

    @classmethod
    def make(
        cls,
        command: str,
        files: Sequence[str] = (),
        name: str | None = None,
        model: str | None = None,
    ) -> Self:
        """Return an agent that runs a command.

        Parameters
        ----------
        command : str
            A command line, split as a shell would.
        files : sequence of str
            Its words that name files.
        name : str | None
            What reports call it; by default after its first file, or its program.
        model : str | None
            Handed on to it.
        """
        program = Program(command, tuple(files))
        return cls(program, name or named(cls.scheme, program), model)

    def preflight(self) -> None:
        """Look for the program before the first trial."""
        self.program.words()

    def solve(self, request: str, session: Session) -> AgentAnswer:
        """Run the program on the request.

        Raises
        ------
        SessionEnded
            If the session has ended, by a limit for example.
        ProgramFailed
            If the program fails before it has answered.
        """
        exchange = Exchange(request, session)
        with self.serving(exchange, session) as addresses:
            heard = self.program.run(
                {**surroundings(request, session, self.model), **addresses},
                request,
                exchange.over,
                folder=Path(session.workspace),
                most=_PRINTED,
            )
        if exchange.ended is not None:
            raise exchange.ended
        return exchange.answer or printed_answer(heard, self.program.command)

    @contextmanager
    def serving(self, exchange: Exchange, session: Session) -> Iterator[dict[str, str]]:
        """Serve the session, and give the variables by which the program finds it."""
        with Endpoint(exchange, int(session.limits["message_bytes"])) as endpoint:
            yield {"BRAINO_ENDPOINT": endpoint.address}


def surroundings(request: str, session: Session, model: str | None) -> dict[str, str]:
    """Return what is added to the environment of a program."""
    given = {
        **DIRECT,
        "BRAINO_REQUEST": request,
        "BRAINO_INPUTS": str(session.inputs),
        "BRAINO_WORKSPACE": str(session.workspace),
    }
    return given if model is None else {**given, "BRAINO_MODEL": model}


def printed_answer(heard: Heard, command: str) -> AgentAnswer:
    """Return what a program has printed as its answer.

    Raises
    ------
    ProgramFailed
        If it failed, or printed too much or nothing.
    """
    if heard.exit_code != 0:
        raise ProgramFailed(
            f"{command!r} ended with code {heard.exit_code} and gave no answer; what it printed "
            "stands in agent.log"
        )
    if heard.cut:
        raise ProgramFailed(f"{command!r} printed more than {_PRINTED} bytes and gave no answer")
    if not heard.text.strip():
        raise ProgramFailed(f"{command!r} ended without an answer, and printed nothing")
    return AgentAnswer(heard.text.strip())


def named(scheme: str, program: Program) -> str:
    """Return a short name for a program."""
    words = [*program.files, *program.command.split()]
    return f"{scheme}-{Path(words[0]).stem}" if words else scheme


make = CommandAgent.make
