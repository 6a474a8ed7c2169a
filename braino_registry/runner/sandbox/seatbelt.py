"""The sandbox of macOS: a profile that allows reading what is listed, and writing in two folders.

macOS has no mount namespaces, so paths are those of the host and files outside the list are not
hidden but refused.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from braino_registry.runner.sandbox import view
from braino_registry.runner.sandbox.engine import Launch, Probe
from braino_registry.runner.sandbox.view import View
from braino_registry.runner.tiers import Tier

_PROBE_SECONDS = 20.0
_SYSTEM = ("/usr/lib", "/usr/share", "/System", "/Library/Frameworks", "/private/etc/localtime",
           "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero")  # fmt: skip


class Seatbelt:
    """Holds an agent by ``sandbox-exec``."""

    name = "seatbelt"
    joins_groups = False

    def probe(self) -> Probe:
        """Run a program under a profile that denies everything it needs not."""
        if platform.system() != "Darwin":
            return Probe(self.name, False, "it runs on macOS only")
        if shutil.which("sandbox-exec") is None:
            return Probe(self.name, False, "there is no program sandbox-exec", "Update macOS.")
        profile = "(version 1)(deny default)(allow process-exec)(allow file-read*)"
        done = subprocess.run(
            ["sandbox-exec", "-p", profile, "/usr/bin/true"],
            capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False,
        )  # fmt: skip
        if done.returncode == 0:
            return Probe(self.name, True, "sandbox-exec works")
        return Probe(self.name, False, done.stderr.strip()[:300], "Use Docker or Podman.")

    @contextmanager
    def launch(self, seen: View, tier: Tier, temporary_bytes: int) -> Iterator[Launch]:
        """Give the command that starts an agent."""
        yield Launch(["sandbox-exec", "-p", profile(seen), *seen.command], environ=on_host(seen))

    def enforcement(self, tier: Tier) -> Mapping[str, str]:
        """Say by which means each limit is held."""
        return {
            "seconds": "process tree killed",
            "memory": "watcher on the tree" if tier.memory_bytes is not None else "none",
            "processes": "watcher on the tree",
            "file_size": "none",
            "output": "counted, process tree killed",
            "gpu": "environment variables",
            "network": "sandbox profile",
            "files": "sandbox profile",
        }

    def prepare(self, workspace: object) -> None:
        """Change nothing: the agent has the user's own id."""


def profile(seen: View) -> str:
    """Return the profile that shows what a view lists, in the sandbox's own language."""
    reads = [*_SYSTEM, *(str(bind.host) for bind in seen.binds if not bind.writable)]
    writes = [str(bind.host) for bind in seen.binds if bind.writable]
    lines = ["(version 1)", "(deny default)", "(allow process-fork)", "(allow sysctl-read)",
             "(allow mach-lookup)", "(allow signal (target same-sandbox))",
             "(allow file-read-metadata)"]  # fmt: skip
    lines += [f"(allow file-read* process-exec (subpath {_quoted(name)}))" for name in reads]
    lines += [f"(allow file-read* file-write* (subpath {_quoted(name)}))" for name in writes]
    hidden = [host_path(seen, name) for name in seen.hidden]
    lines += [f"(deny file-read* (subpath {_quoted(name)}))" for name in hidden]
    return "\n".join(lines)


def host_path(seen: View, inside: str) -> str:
    """Return where something of the view lies on the host."""
    for bind in reversed(seen.binds):
        if inside == bind.inside or inside.startswith(f"{bind.inside}/"):
            return f"{bind.host}{inside.removeprefix(bind.inside)}"
    return inside


def on_host(seen: View) -> dict[str, str]:
    """Return the agent's environment with paths of the host in place of those of the view."""
    environ = dict(seen.environ)
    workspace = host_path(seen, view.WORKSPACE)
    interface = host_path(seen, f"{view.CODE}/braino/agent.py")
    environ |= {"HOME": workspace, "TMPDIR": workspace}
    own = [str(bind.host.parent) for bind in seen.binds if bind.inside.startswith(view.CODE)]
    environ["PYTHONPATH"] = ":".join(
        dict.fromkeys([interface.removesuffix("/braino/agent.py"), *own])
    )
    return environ


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
