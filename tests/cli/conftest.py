from __future__ import annotations

from pathlib import Path

import pytest

from braino_registry.cli import main
from tests.cli.shell import Done, Inside


@pytest.fixture
def inside(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Inside:
    """Run the command line in this process, where no process of its own is of interest."""
    monkeypatch.setattr("signal.signal", lambda number, handler: None)

    def run(*arguments: str, cwd: Path | None = None, **environ: str) -> Done:
        with monkeypatch.context() as here:
            if cwd is not None:
                here.chdir(cwd)
            for name, value in environ.items():
                here.setenv(name, value)
            with pytest.raises(SystemExit) as stop:
                main(list(arguments))
        return Done(int(str(stop.value.code)), *capsys.readouterr())

    return run
