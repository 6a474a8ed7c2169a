"""The trusted worker: one process per slot that holds data, tools, scripted user and scorer.

Run as ``python -m braino_registry.runner.worker``. It reads messages from its parent and answers
each; when the parent is gone, it ends the agent that is running, removes its temporary files and
goes too.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from braino_registry.errors import BrainoError
from braino_registry.runner import records, trees, wire
from braino_registry.runner.bench import Bench
from braino_registry.runner.place import make_private_folder

Message = dict[str, Any]


def main() -> None:
    """Serve the parent until it closes the pipe."""
    incoming, outgoing = _take_over_stdio()
    trees.adopt_orphans()
    inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
    state = _State()
    threading.Thread(target=_listen, args=(incoming, inbox, state), daemon=True).start()

    def send(message: Message) -> None:
        data = wire.encode(message)
        # Once the parent is gone, the agent is stopped, and what looks like its failure is none.
        # The listening thread ends this process; until then nothing more may be said.
        while data and not state.leaving.is_set():
            try:
                data = data[os.write(outgoing, data) :]
            except BrokenPipeError:
                break
        if data:
            threading.Event().wait()

    while True:
        message = inbox.get()
        send(_answer(message, state, send))


@dataclass
class _State:
    """What the listening thread must know, and tell, when the parent is gone."""

    bench: Bench | None = None
    scratch: Path | None = None
    leaving: threading.Event = field(default_factory=threading.Event)
    making: threading.Lock = field(default_factory=threading.Lock)

    def make_scratch(self, path: Path) -> None:
        """Make the folder for temporary files, unless there is nobody left to work for.

        It is this worker's own, made and removed by it: no other worker can miss it, and a parent
        that is killed before this message leaves none behind.
        """
        with self.making:
            if not self.leaving.is_set():
                make_private_folder(path)
                self.scratch = path

    def leave(self) -> None:
        """End this process at once, with whatever it has started and made."""
        self.leaving.set()
        trees.stop_descendants()
        with self.making:
            if self.scratch is not None:
                trees.remove_tree(self.scratch)
        os._exit(0)


def _take_over_stdio() -> tuple[int, int]:
    """Keep the pipes for messages; whatever prints to standard output goes to the log instead."""
    incoming, outgoing = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return incoming, outgoing


def _listen(incoming: int, inbox: queue.SimpleQueue[Message], state: _State) -> None:
    for message in wire.messages(incoming):
        inbox.put(message)
    # Nobody waits for an answer any more. Neither an analysis in the main thread, nor atexit
    # handlers, nor threads of an abandoned agent may delay the end.
    state.leave()


def _answer(message: Message, state: _State, send: Callable[[Message], None]) -> Message:
    try:
        if message["type"] == "init":
            state.make_scratch(Path(message["scratch"]))
            state.bench = _bench(message)
            bound_memory()
            return {"type": "ready", "pid": os.getpid()}
        if state.bench is None:
            raise RuntimeError("no init message came first")
        return _work(message, state.bench, send)
    except BrainoError as error:
        return _failed(error.problem, error.where, error.hint, error.exit_code)
    # A worker must answer whatever happens in it: the parent turns this into an error that
    # counts against the harness and never against the agent.
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        return _failed(f"{type(error).__name__}: {error}", "worker", "", 3)


def bound_memory() -> None:
    """Refuse this process more memory than the machine has.

    What an agent asks of a tool then fails as a call; without a bound the kernel would end the
    whole worker, and leave the trial unscored.
    """
    if not sys.platform.startswith("linux"):
        return
    import resource

    import psutil

    most = psutil.Process().memory_info().vms + psutil.virtual_memory().total
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _failed(problem: str, where: str, hint: str, exit_code: int) -> Message:
    return {
        "type": "failed",
        "problem": problem,
        "where": where,
        "hint": hint,
        "exit_code": exit_code,
    }


def _bench(init: Message) -> Bench:
    # Imported before the first trial, so that no agent's time is spent on it.
    from braino_registry import expected, scoring, session
    from braino_registry.datasets import Store
    from braino_registry.registry import Registry, Salt
    from braino_registry.tools.catalog import catalog

    del expected, session
    catalog().load()
    scoring.kind_versions()
    material = wire.salt_of(init)
    return Bench(
        registry=Registry.open([Path(folder) for folder in init["registry"]]),
        store=Store(None if init["cache"] is None else Path(init["cache"])),
        salt=Salt.none() if material is None else Salt(material),
        scratch=Path(init["scratch"]),
    )


def _work(message: Message, bench: Bench, send: Callable[[Message], None]) -> Message:
    from braino_registry.runner.spec import TrialSpec
    from braino_registry.runner.trial import regrade, run_trial

    spec = TrialSpec.from_document(message["spec"])

    def phase(name: str, seconds: float) -> None:
        send({"type": "phase", "name": name, "seconds": seconds})

    if message["type"] == "trial":
        finished = run_trial(spec, bench, phase)
        return {
            "type": "result",
            "record": records.checked(finished.record),
            "spent": finished.spent,
        }
    if message["type"] == "rescore":
        parsed = message.get("parsed")
        record = records.checked(regrade(spec, bench, message["former"], phase, parsed))
        return {"type": "result", "record": record, "spent": False}
    raise RuntimeError(f"unknown message {message['type']!r}")


if __name__ == "__main__":
    main()
