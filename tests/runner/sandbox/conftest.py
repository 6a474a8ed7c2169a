from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from braino_registry.runner import tiers
from braino_registry.runner.sandbox.bubblewrap import Bubblewrap
from braino_registry.runner.sandbox.view import view_of


@dataclass
class Cell:
    """A sandbox in which tests run code."""

    engine: Bubblewrap
    inputs: Path
    workspace: Path
    code: Path
    factory: str = "own_agent:make"
    tier: str = "minimum"

    def run(self, code: str, *, passed: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        """Run Python code as an agent would run and return what it printed."""
        seen = view_of(
            self.inputs,
            self.workspace,
            self.factory,
            [str(self.code)],
            arguments=("-P", "-c", code),
            passed=passed,
        )
        with self.engine.launch(seen, tiers.get(self.tier), 1 << 24) as start:
            return subprocess.run(
                start.command,
                pass_fds=start.pass_fds,
                env=start.environ,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )


@pytest.fixture
def cell(tmp_path: Path) -> Cell:
    engine = Bubblewrap()
    found = engine.probe()
    if not found.works:
        pytest.skip(f"bubblewrap does not work here: {found.detail}")
    inputs, workspace, code = (tmp_path / name for name in ("in", "ws", "code"))
    for folder in (inputs, workspace, code):
        folder.mkdir()
    (inputs / "participants.tsv").write_text("participant_id\nsub-01\n")
    # Nothing but the sandbox protects them in these tests.
    (inputs / "participants.tsv").chmod(0o666)
    inputs.chmod(0o777)
    (code / "own_agent.py").write_text("import beside\nmake = beside.make\n")
    (code / "beside.py").write_text("def make(): return 'made'\n")
    (code / "truth.json").write_text('{"noisy": "T8"}')
    engine.prepare(workspace)
    return Cell(engine, inputs, workspace, code)
