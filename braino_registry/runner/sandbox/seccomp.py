"""A system call filter for Linux: the calls that a program needs to leave its namespaces fail.

The filter is a classic BPF program as the kernel's seccomp takes it (``linux/seccomp.h``,
``linux/bpf_common.h``). It is written here because no maintained package makes one; the numbers
are those of the kernel's system call tables for x86-64 and arm64.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Sequence
from functools import cache

_EPERM, _ENOSYS = 1, 38
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _SET, _RETURN = 0x20, 0x15, 0x45, 0x06
_NR, _ARCH, _ARGUMENT_0 = 0, 4, 16
_NEWUSER = 0x10000000
_X32 = 0x40000000
_ARCHES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

#: Calls that fail with EPERM, by architecture: mounts, namespaces, other processes' memory,
#: kernel keys and programs, asynchronous interfaces that get round a filter, and memory that
#: belongs to no process (System V; what programs use today lies in a folder that has a size).
_DENIED = {
    "x86_64": {
        "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "unshare": 272,
        "setns": 308, "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311,
        "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "add_key": 248,
        "request_key": 249, "keyctl": 250, "io_uring_setup": 425, "io_uring_enter": 426,
        "io_uring_register": 427, "open_tree": 428, "move_mount": 429, "fsopen": 430,
        "fsconfig": 431, "fsmount": 432, "fspick": 433, "mount_setattr": 442,
        "kexec_load": 246, "init_module": 175, "finit_module": 313, "delete_module": 176,
        "open_by_handle_at": 304, "pidfd_getfd": 438, "shmget": 29, "msgget": 68,
    },
    "aarch64": {
        "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "unshare": 97,
        "setns": 268, "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271,
        "bpf": 280, "perf_event_open": 241, "userfaultfd": 282, "add_key": 217,
        "request_key": 218, "keyctl": 219, "io_uring_setup": 425, "io_uring_enter": 426,
        "io_uring_register": 427, "open_tree": 428, "move_mount": 429, "fsopen": 430,
        "fsconfig": 431, "fsmount": 432, "fspick": 433, "mount_setattr": 442,
        "kexec_load": 104, "init_module": 105, "finit_module": 273, "delete_module": 106,
        "open_by_handle_at": 265, "pidfd_getfd": 438, "shmget": 194, "msgget": 186,
    },
}  # fmt: skip
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435


@cache
def program(machine: str | None = None) -> bytes | None:
    """Return the filter as the array of ``struct sock_filter`` that seccomp takes.

    Parameters
    ----------
    machine : str | None
        As ``platform.machine()`` says; by default this computer's.

    Returns
    -------
    bytes | None
        None for an architecture whose calls are not known here.
    """
    machine = platform.machine() if machine is None else machine
    if machine not in _ARCHES:
        return None
    lines = [_jump(_LOAD, _ARCH), _jump(_EQUAL, _ARCHES[machine], 1, 0), _jump(_RETURN, _KILL)]
    lines.append(_jump(_LOAD, _NR))
    if machine == "x86_64":  # the x32 numbers would be a second way to every call
        lines += [_jump(_SET, _X32, 0, 1), _jump(_RETURN, _ERRNO | _ENOSYS)]
    lines += _fail(list(_DENIED[machine].values()), _EPERM)
    # Its flags lie in memory, which a filter cannot read; programs then fall back to clone.
    lines += _fail([_CLONE3], _ENOSYS)
    lines += [
        _jump(_EQUAL, _CLONE[machine], 0, 3),
        _jump(_LOAD, _ARGUMENT_0),
        _jump(_SET, _NEWUSER, 0, 1),
        _jump(_RETURN, _ERRNO | _EPERM),
        _jump(_RETURN, _ALLOW),
    ]
    return b"".join(lines)


def _fail(numbers: Sequence[int], error: int) -> list[bytes]:
    return [
        line
        for number in numbers
        for line in (_jump(_EQUAL, number, 0, 1), _jump(_RETURN, _ERRNO | error))
    ]


def _jump(code: int, value: int, true: int = 0, false: int = 0) -> bytes:
    """Return one instruction: its code, where to go on, and its value."""
    return struct.pack("=HBBI", code, true, false, value)
