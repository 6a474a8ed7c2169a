"""Apptainer, as clusters offer it: an image of the user's, everything else hidden."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from braino_registry.runner.sandbox import view
from braino_registry.runner.sandbox.bubblewrap import limits
from braino_registry.runner.sandbox.containers import IMAGE_VARIABLE
from braino_registry.runner.sandbox.engine import Launch, Probe, why_not
from braino_registry.runner.sandbox.view import View
from braino_registry.runner.tiers import Tier

_PROBE_SECONDS = 60.0
#: What apptainer itself needs of the environment; its first process runs beside the agent.
_OWN = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "TMPDIR", "XDG_RUNTIME_DIR", "LD_LIBRARY_PATH",
    "APPTAINER_CACHEDIR", "APPTAINER_CONFIGDIR", "APPTAINER_TMPDIR",
)  # fmt: skip


class Apptainer:
    """Holds an agent by ``apptainer exec``; the image has Python and the agent's packages."""

    name = "apptainer"
    joins_groups = True

    def probe(self) -> Probe:
        """Run the image's Python."""
        if shutil.which(self.name) is None:
            fix = "On a cluster: module load apptainer."
            return Probe(self.name, False, "there is no program apptainer", fix)
        image = os.environ.get(IMAGE_VARIABLE)
        if image is None:
            fix = f"Set {IMAGE_VARIABLE} to a .sif with Python and the agent's packages."
            return Probe(self.name, False, "no image is named", fix)
        try:
            done = subprocess.run(
                [*self._frame(), image, "python3", "--version"],
                capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return Probe(self.name, False, why_not(error), "Ask the cluster's staff.")
        if done.returncode == 0:
            return Probe(self.name, True, done.stdout.strip())
        said = done.stderr.strip().splitlines()
        fix = "User or network namespaces may be forbidden here: use a node that allows them."
        return Probe(self.name, False, said[-1][:300] if said else "it failed", fix)

    @contextmanager
    def launch(self, seen: View, tier: Tier, temporary_bytes: int) -> Iterator[Launch]:
        """Give the command that starts an agent."""
        carried = {f"APPTAINERENV_{name}": seen.environ[name] for name in seen.secrets}
        own = {name: os.environ[name] for name in _OWN if name in os.environ}
        yield Launch(self.command(seen, tier), environ={**own, **carried})

    def command(self, seen: View, tier: Tier) -> list[str]:
        """Return the words that run an agent in the image."""
        words = [*self._frame(), "--pwd", view.WORKSPACE]
        for bind in seen.binds:
            if bind.inside.startswith((view.CODE, view.INPUTS, view.WORKSPACE)):
                mode = "rw" if bind.writable else "ro"
                words += ["--bind", f"{bind.host}:{bind.inside}:{mode}"]
        for name, value in seen.environ.items():
            if name not in ("PATH", "HOME", *seen.secrets):
                words += ["--env", f"{name}={value}"]
        image = os.environ.get(IMAGE_VARIABLE, "")
        return [*words, image, *limits(tier), "python3", *seen.command[1:]]

    def enforcement(self, tier: Tier) -> Mapping[str, str]:
        """Say by which means each limit is held."""
        return {
            "seconds": "process tree killed",
            "memory": "rlimit per process, watcher on the tree"
            if tier.memory_bytes is not None
            else "none",
            "processes": "rlimit of the user",
            "file_size": "rlimit per process",
            "output": "counted, process tree killed",
            "gpu": "no device nodes",
            "network": "namespace without interfaces",
            "files": "mount namespace",
        }

    def prepare(self, workspace: object) -> None:
        """Change nothing: the agent has the user's own id."""

    def _frame(self) -> list[str]:
        return [
            self.name, "exec", "--containall", "--cleanenv", "--no-home", "--no-privs",
            "--net", "--network", "none",
        ]  # fmt: skip
