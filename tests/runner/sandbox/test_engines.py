"""Engines that are not on this computer: what they would be told, by a program in their place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from braino_registry.errors import HostError, UsageError
from braino_registry.runner import tiers
from braino_registry.runner.sandbox import choosing, seatbelt
from braino_registry.runner.sandbox.apptainer import Apptainer
from braino_registry.runner.sandbox.bubblewrap import Bubblewrap
from braino_registry.runner.sandbox.containers import IMAGE_VARIABLE, Container
from braino_registry.runner.sandbox.view import Bind, View, view_of

STAND_IN = """#!{python}
import json, pathlib, sys
with open({log!r}, "a") as log:
    log.write(json.dumps(sys.argv[1:]) + "\\n")
said = {said!r}
sys.stderr.write(said)
sys.exit({code})
"""


class StandIn:
    """A program that notes what it was told."""

    def __init__(self, folder: Path, name: str, *, code: int = 0, said: str = "") -> None:
        self._log = folder / f"{name}.log"
        program = folder / name
        program.write_text(
            STAND_IN.format(python=sys.executable, log=str(self._log), said=said, code=code)
        )
        program.chmod(0o755)

    @property
    def told(self) -> list[list[str]]:
        return [json.loads(line) for line in self._log.read_text().splitlines()]


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv(IMAGE_VARIABLE, raising=False)
    monkeypatch.delenv(choosing.VARIABLE, raising=False)
    choosing.probe.cache_clear()
    yield folder
    choosing.probe.cache_clear()


@pytest.fixture
def seen(tmp_path: Path) -> View:
    for name in ("in", "ws", "code"):
        (tmp_path / name).mkdir()
    (tmp_path / "code" / "mine.py").write_text("")
    folder = str(tmp_path / "code")
    return view_of(
        tmp_path / "in", tmp_path / "ws", "mine:make", [folder], arguments=("-c", "pass"),
        environ={"LANG": "C.UTF-8", "SECRET": "x"},
    )  # fmt: skip


@pytest.mark.parametrize("program", ["docker", "podman"])
def test_a_container_gets_the_view_and_no_more(bin_folder: Path, seen: View, program: str) -> None:
    words = Container(program).command(seen, tiers.get("minimum"), 1 << 20)
    text = " ".join(words)
    assert words[:4] == [program, "run", "--rm", "--network"]
    assert "--cap-drop ALL" in text
    assert "--read-only" in text
    assert "no-new-privileges" in text
    mounted = [word for word in words if word.startswith("type=bind")]
    writable = [word for word in mounted if not word.endswith(",readonly")]
    assert len(writable) == 1
    assert writable[0].endswith("target=/workspace")
    assert "SECRET" not in text
    assert words[-3:] == list(seen.command)[-3:]


@pytest.mark.parametrize("program", ["docker", "podman"])
def test_with_an_image_its_own_python_is_used(
    bin_folder: Path, seen: View, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(IMAGE_VARIABLE, "lab/eeg:3")
    words = Container(program).command(seen, tiers.get("minimum"), 1 << 20)
    assert words[-4:] == ["lab/eeg:3", "python3", "-c", "pass"]
    targets = [w.split("target=")[1].split(",")[0] for w in words if w.startswith("type=bind")]
    assert {t.split("/")[1] for t in targets} == {"agent", "input", "workspace"}


def test_an_engine_that_answers_is_probed_by_a_run(bin_folder: Path) -> None:
    stand_in = StandIn(bin_folder, "docker")
    found = Container("docker").probe()
    assert found.works
    assert [words[0] for words in stand_in.told] == ["image", "run"]


def test_an_engine_that_fails_says_why_and_what_to_do(bin_folder: Path) -> None:
    StandIn(bin_folder, "podman", code=125, said="cannot connect to the engine\n")
    found = Container("podman").probe()
    assert not found.works
    assert found.detail == "it cannot make an image: cannot connect to the engine"
    assert "podman run" in found.fix


def test_an_engine_that_does_not_answer_or_start_is_told_in_words(
    bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    StandIn(bin_folder, "docker")
    for error, words in (
        (subprocess.TimeoutExpired(["docker", "run"], 60.0), "it did not answer within 60 s"),
        (PermissionError(13, "Permission denied"), "it cannot be started: Permission denied"),
    ):

        def fail(*args: object, error: Exception = error, **options: object) -> None:
            raise error

        monkeypatch.setattr(subprocess, "run", fail)
        assert Container("docker").probe().detail == words


def test_apptainer_needs_an_image_and_binds_three_places(
    bin_folder: Path, seen: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    StandIn(bin_folder, "apptainer")
    assert IMAGE_VARIABLE in Apptainer().probe().fix
    monkeypatch.setenv(IMAGE_VARIABLE, "/images/eeg.sif")
    assert Apptainer().probe().works
    words = Apptainer().command(seen, tiers.get("minimum"))
    binds = [words[at + 1] for at, word in enumerate(words) if word == "--bind"]
    assert all(b.split(":")[1].startswith(("/agent", "/input", "/workspace")) for b in binds)
    assert "--containall" in words
    assert words[words.index("--network") + 1] == "none"


def test_the_macos_profile_denies_by_default() -> None:
    seen = View(
        (Bind(Path("/data/in"), "/input"), Bind(Path("/data/ws"), "/workspace", writable=True)),
        {}, (), {}, ("python3",),
    )  # fmt: skip
    text = seatbelt.profile(seen)
    assert text.splitlines()[1] == "(deny default)"
    assert '(allow file-read* file-write* (subpath "/data/ws"))' in text
    assert '(allow file-read* process-exec (subpath "/data/in"))' in text
    assert "network" not in text


def test_without_any_engine_the_run_is_refused_with_the_fix(bin_folder: Path) -> None:
    with pytest.raises(HostError) as caught:
        choosing.choose()
    assert "bubblewrap: there is no program bwrap" in caught.value.problem
    assert "apt install bubblewrap" in caught.value.hint


def test_an_engine_by_name_and_an_unknown_one(
    bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    StandIn(bin_folder, "docker")
    monkeypatch.setenv(choosing.VARIABLE, "docker")
    assert choosing.choose().name == "docker"
    monkeypatch.setenv(choosing.VARIABLE, "dokcer")
    with pytest.raises(UsageError, match="no sandbox called"):
        choosing.choose()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="engines of Linux")
@pytest.mark.parametrize("engine", [Bubblewrap(), Apptainer()])
def test_what_runs_beside_an_agent_gets_nothing_of_this_environment(
    engine: Bubblewrap | Apptainer, seen: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret-1")
    with engine.launch(seen, tiers.get("minimum"), 1 << 20) as start:
        assert start.environ is not None
        assert "PATH" in start.environ
        assert "secret-1" not in start.environ.values()
        assert "secret-1" not in " ".join(start.command)


def test_a_bubblewrap_that_fails_is_not_used(bin_folder: Path) -> None:
    for name in ("prlimit", "setpriv"):
        StandIn(bin_folder, name)
    StandIn(bin_folder, "bwrap", code=1, said="bwrap: setting up uid map: Permission denied\n")
    found = Bubblewrap().probe()
    assert not found.works
    assert "uid map" in found.detail
    assert "apparmor" in found.fix


def test_an_interpreter_named_by_a_detour_is_still_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "env" / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / "here").mkdir()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "here" / ".." / "env/bin/python"))
    seen = view_of(tmp_path, tmp_path, "x:y", [], arguments=())
    assert seen.command == (str(tmp_path / "env/bin/python"),)
    assert tmp_path / "env" in [bind.host for bind in seen.binds]


@pytest.mark.skipif(os.name != "posix", reason="the view lists paths of a POSIX host")
def test_the_view_hides_the_registry_of_the_environment(seen: View) -> None:
    insides = [bind.inside for bind in seen.binds]
    assert "/agent/mine.py" in insides
    assert "/agent/braino/agent.py" in insides
    assert not [name for name in insides if "braino_registry" in name]
