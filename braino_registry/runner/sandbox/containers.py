"""Docker and Podman: an empty image in which the same mounts are shown as everywhere else.

On Linux the agent's interpreter and packages are the host's, mounted read-only into an image that
holds nothing, so that a result does not depend on the engine. Where the engine runs in a virtual
machine (macOS, Windows) the host's programs cannot run in it: then ``BRAINO_SANDBOX_IMAGE`` names
an image that has Python and the agent's packages.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from braino_registry.runner.sandbox import view
from braino_registry.runner.sandbox.engine import Launch, Probe, why_not
from braino_registry.runner.sandbox.view import View
from braino_registry.runner.tiers import Tier

IMAGE_VARIABLE = "BRAINO_SANDBOX_IMAGE"
_EMPTY = "braino-sandbox-empty:1"
_PROBE_SECONDS = 60.0
_NOBODY = "65534:65534"


class Container:
    """Holds an agent by a container engine.

    Parameters
    ----------
    program : {"docker", "podman"}
        The engine's command.
    """

    joins_groups = False

    def __init__(self, program: str) -> None:
        self.name = program

    def probe(self) -> Probe:
        """Ask the engine to run a program in the image that agents get."""
        if shutil.which(self.name) is None:
            fix = f"Install {self.name}, or use another engine."
            return Probe(self.name, False, f"there is no program {self.name}", fix)
        image = os.environ.get(IMAGE_VARIABLE)
        if image is None and not sys.platform.startswith("linux"):
            fix = f"Set {IMAGE_VARIABLE} to an image with Python and the agent's packages."
            return Probe(self.name, False, "its containers cannot run this system's Python", fix)
        try:
            if image is None:
                self._make_empty()
            mounts = [] if image else ["-v", "/usr:/usr:ro", *_loader()]
            program = ["/usr/bin/true"] if image is None else ["true"]
            command = [*self._frame(), *mounts, image or _EMPTY, *program]
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False
            )
        except subprocess.CalledProcessError as error:
            said = (error.stderr or b"").decode(errors="replace")
            return Probe(self.name, False, f"it cannot make an image: {_last(said)}", self._fix())
        except (OSError, subprocess.TimeoutExpired) as error:
            return Probe(self.name, False, why_not(error), self._fix())
        if done.returncode != 0:
            return Probe(self.name, False, _last(done.stderr), self._fix())
        return Probe(self.name, True, f"{self.name} runs containers")

    @contextmanager
    def launch(self, seen: View, tier: Tier, temporary_bytes: int) -> Iterator[Launch]:
        """Give the command that starts an agent."""
        yield Launch(self.command(seen, tier, temporary_bytes))

    def command(self, seen: View, tier: Tier, temporary_bytes: int) -> list[str]:
        """Return the words that run an agent in a container.

        Parameters
        ----------
        seen : View
            What it sees.
        tier : Tier
            What it may use.
        temporary_bytes : int
            Size of its temporary folder.
        """
        image = os.environ.get(IMAGE_VARIABLE)
        ours = (view.CODE, view.INPUTS, view.WORKSPACE)
        binds = [b for b in seen.binds if image is None or b.inside.startswith(ours)]
        words = [*self._frame(), "-i", "--workdir", view.WORKSPACE]
        if os.name == "posix":
            user = f"{os.geteuid()}:{os.getegid()}" if os.geteuid() else _NOBODY
            words += ["--user", user]
        words += ["--pids-limit", str(tier.processes)]
        words += ["--ulimit", f"fsize={tier.file_bytes}", "--ulimit", "core=0"]
        if tier.memory_bytes is not None:
            words += ["--memory", str(tier.memory_bytes), "--memory-swap", str(tier.memory_bytes)]
        words += ["--tmpfs", f"{view.TEMPORARY}:rw,nosuid,nodev,size={temporary_bytes}"]
        for bind in binds:
            mode = "rw" if bind.writable else "ro"
            words += ["--mount", _mount(str(bind.host), bind.inside, mode)]
        for name in seen.hidden if image is None else ():
            words += ["--tmpfs", f"{name}:ro,size=4k"]
        if image is None:
            words += _loader()
        for name, value in seen.environ.items():
            # By name alone, the engine takes the value from the environment it is started in.
            words += ["--env", name if name in seen.secrets else f"{name}={value}"]
        return [*words, image or _EMPTY, *_interpreter(seen, image)]

    def enforcement(self, tier: Tier) -> Mapping[str, str]:
        """Say by which means each limit is held."""
        return {
            "seconds": "container killed",
            "memory": "cgroup" if tier.memory_bytes is not None else "none",
            "processes": "cgroup",
            "file_size": "rlimit per process",
            "output": "counted, container killed",
            "gpu": "no device nodes",
            "network": "namespace without interfaces",
            "files": "mount namespace",
        }

    def prepare(self, workspace: object) -> None:
        """Let the container's user write to the workspace where root starts it."""
        if os.name == "posix" and os.geteuid() == 0:
            uid, _, gid = _NOBODY.partition(":")
            os.chown(str(workspace), int(uid), int(gid))

    def _frame(self) -> list[str]:
        return [
            self.name, "run", "--rm", "--network", "none", "--read-only", "--cap-drop", "ALL",
            "--security-opt", "no-new-privileges", "--ipc", "private", "--init",
        ]  # fmt: skip

    def _make_empty(self) -> None:
        """Make the image that holds nothing, unless it is there."""
        known = subprocess.run(
            [self.name, "image", "inspect", _EMPTY],
            capture_output=True, timeout=_PROBE_SECONDS, check=False,
        )  # fmt: skip
        if known.returncode == 0:
            return
        import io
        import tarfile

        nothing = io.BytesIO()
        with tarfile.open(fileobj=nothing, mode="w"):
            pass
        subprocess.run(
            [self.name, "import", "-", _EMPTY],
            input=nothing.getvalue(), capture_output=True, timeout=_PROBE_SECONDS, check=True,
        )  # fmt: skip

    def _fix(self) -> str:
        return f"Start the engine and see that `{self.name} run --rm hello-world` works."


def _mount(host: str, inside: str, mode: str) -> str:
    text = f"type=bind,source={host},target={inside}"
    return text if mode == "rw" else f"{text},readonly"


def _loader() -> list[str]:
    """Return mounts for the folders that name the dynamic loader, where they are no links."""
    words = []
    for name in ("/lib", "/lib64", "/bin"):
        real = os.path.realpath(name)
        if os.path.isdir(real):
            words += ["--mount", _mount(real, name, "ro")]
    return words


def _interpreter(seen: View, image: str | None) -> list[str]:
    return list(seen.command) if image is None else ["python3", *seen.command[1:]]


def _last(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"
