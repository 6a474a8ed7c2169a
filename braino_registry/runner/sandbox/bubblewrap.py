"""bubblewrap: unprivileged namespaces on Linux, the engine of first choice there.

Two recipes, because a sandbox that root starts must not leave the agent root. An ordinary user
gets a user namespace in which nothing is allowed. Root makes the other namespaces without one and
drops to a user id that owns nothing: as user 0, even when mapped, the kernel enforces no limit on
processes, and a setuid file left in the workspace would be root's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path

from braino_registry.runner.sandbox import seccomp, view
from braino_registry.runner.sandbox.engine import Launch, Probe, why_not
from braino_registry.runner.sandbox.view import View
from braino_registry.runner.tiers import Tier

_FIRST_UID = 200_000
_UIDS = 100_000
_PROBE_SECONDS = 20.0
_SHARED_BYTES = 1 << 28
_OWN = ("PATH", "LD_LIBRARY_PATH")
_NAMESPACES = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
               "--unshare-cgroup-try")  # fmt: skip
_INSTALL = "Install it: apt install bubblewrap, dnf install bubblewrap, or pacman -S bubblewrap."
_APPARMOR = (
    "User namespaces are restricted here. As root: sysctl -w "
    "kernel.apparmor_restrict_unprivileged_userns=0 kernel.unprivileged_userns_clone=1, or give "
    "bwrap an AppArmor profile that allows userns."
)


class Bubblewrap:
    """Holds an agent by ``bwrap``."""

    name = "bubblewrap"
    joins_groups = True

    def probe(self) -> Probe:
        """Run a program that tries to make a read-only folder writable."""
        if not sys.platform.startswith("linux"):
            return Probe(self.name, False, "it runs on Linux only")
        program = shutil.which("bwrap")
        if program is None:
            return Probe(self.name, False, "there is no program bwrap", _INSTALL)
        for helper in ("prlimit", "setpriv"):
            if shutil.which(helper) is None:
                fix = "Install util-linux."
                return Probe(self.name, False, f"there is no program {helper}", fix)
        attempt = "mount -o remount,bind,rw /usr 2>/dev/null && echo open || echo held"
        command = [program, *self._frame(), "--ro-bind", "/usr", "/usr", *_links(), *self._drop(),
                   "/bin/sh", "-c", attempt]  # fmt: skip
        try:
            done = subprocess.run(
                command, env=_own_environ(), capture_output=True, text=True,
                timeout=_PROBE_SECONDS, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return Probe(self.name, False, why_not(error), _INSTALL)
        if done.stdout.strip() == "held":
            return Probe(self.name, True, _version(program))
        if done.stdout.strip() == "open":
            why = "a program in it could make a read-only folder writable"
            return Probe(self.name, False, why, "Run as an ordinary user, or update bubblewrap.")
        said = done.stderr.strip().splitlines()
        return Probe(
            self.name, False, f"bwrap failed: {said[-1] if said else done.returncode}", _APPARMOR
        )

    @contextmanager
    def launch(self, seen: View, tier: Tier, temporary_bytes: int) -> Iterator[Launch]:
        """Give the command that starts an agent."""
        environ = [
            word for name, value in seen.environ.items() for word in ("--setenv", name, value)
        ]
        # Not on the command line, which every user of the computer can read.
        with _file("\0".join(environ).encode() + b"\0") as secret, _filter() as held:
            command = [
                "bwrap",
                *self._frame(),
                # Whatever can be written to without leaving a trace on the disk has a size.
                "--size", str(temporary_bytes), "--perms", "1777", "--tmpfs", view.TEMPORARY,
                "--size", str(_SHARED_BYTES), "--perms", "1777", "--tmpfs", view.SHARED,
                *_mounts(seen),
                "--remount-ro", "/dev", "--remount-ro", "/",
                "--chdir", view.WORKSPACE,
                "--clearenv", "--args", str(secret),
                *([] if held is None else ["--seccomp", str(held)]),
                *self._drop(),
                *limits(tier),
                *seen.command,
            ]  # fmt: skip
            yield Launch(command, (secret,) if held is None else (secret, held), _own_environ())

    def enforcement(self, tier: Tier) -> Mapping[str, str]:
        """Say by which means each limit is held."""
        return {
            "seconds": "process tree killed",
            "memory": "rlimit per process, watcher on the tree"
            if tier.memory_bytes is not None
            else "none",
            "processes": "rlimit of the sandbox's user",
            "file_size": "rlimit per process",
            "output": "counted, process tree killed",
            "gpu": "no device nodes",
            "network": "namespace without interfaces",
            "files": "mount namespace, system call filter"
            if seccomp.program() is not None
            else "mount namespace",
        }

    def prepare(self, workspace: Path) -> None:
        """Give the workspace to the user id that the agent gets where root starts it."""
        if os.geteuid() == 0:
            os.chown(workspace, _uid(), _uid())

    def _frame(self) -> list[str]:
        own = () if os.geteuid() == 0 else ("--unshare-user", "--disable-userns")
        capabilities = () if os.geteuid() == 0 else ("--cap-drop", "ALL")
        return [
            *own, *_NAMESPACES, *capabilities,
            "--die-with-parent", "--new-session", "--dev", "/dev", "--proc", "/proc",
        ]  # fmt: skip

    def _drop(self) -> list[str]:
        """Return the words that make a process of root's nobody's."""
        if os.geteuid() != 0:
            return []
        uid = str(_uid())
        return [
            "setpriv", "--reuid", uid, "--regid", uid, "--clear-groups",
            "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs",
        ]  # fmt: skip


def limits(tier: Tier) -> list[str]:
    """Return the words that limit each process of an agent."""
    words = ["prlimit", "--core=0", f"--nproc={tier.processes}", f"--fsize={tier.file_bytes}"]
    if tier.memory_bytes is not None:
        words.append(f"--as={tier.memory_bytes}")
    return words


def _own_environ() -> dict[str, str]:
    """Return the environment of bwrap itself, which an agent of the same user can read.

    Nothing is left of this process's but where the program and its libraries are looked for.
    """
    kept = {name: os.environ[name] for name in _OWN if name in os.environ}
    return {"PATH": os.defpath, **kept}


def _uid() -> int:
    """Return a user id for the agents of this process, which serves one slot."""
    return _FIRST_UID + os.getpid() % _UIDS


def _mounts(seen: View) -> list[str]:
    """Return the words for binds, links and hidden folders, with the folders above them."""
    words: list[str] = []
    shown = dict.fromkeys(bind.inside for bind in seen.binds)
    made = {"", view.TEMPORARY}
    for inside in shown:
        for name in accumulate(inside.split("/")[1:-1], "{}/{}".format, initial=""):
            if name in shown:
                break  # what lies in a bind is there already
            if name not in made:
                words += ["--perms", "755", "--dir", name]
                made.add(name)
    for bind in seen.binds:
        words += ["--bind" if bind.writable else "--ro-bind", str(bind.host), bind.inside]
    for name, target in seen.links.items():
        words += ["--symlink", target, name]
    for name in seen.hidden:
        words += ["--perms", "755", "--tmpfs", name, "--remount-ro", name]
    return words


def _links() -> list[str]:
    names = ("/lib", "/lib64", "/bin", "/sbin")
    return [
        word for name in names if os.path.islink(name)
        for word in ("--symlink", os.readlink(name), name)
    ]  # fmt: skip


@contextmanager
def _filter() -> Iterator[int | None]:
    """Give an open file that holds the system call filter, where there is one."""
    text = seccomp.program()
    if text is None:
        yield None
        return
    with _file(text) as file:
        yield file


@contextmanager
def _file(content: bytes) -> Iterator[int]:
    """Give an open file without a name, in memory, that holds some bytes."""
    file = os.memfd_create("braino")
    try:
        with open(file, "wb", closefd=False) as writer:
            writer.write(content)
        os.lseek(file, 0, os.SEEK_SET)
        yield file
    finally:
        os.close(file)


def _version(program: str) -> str:
    done = subprocess.run(
        [program, "--version"], capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False
    )
    return done.stdout.strip()
