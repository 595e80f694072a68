"""Programs that are ready at once: forked from a process that has imported the project, instead of importing it anew.

Most of what a short program costs is its imports, and the patterns that are compiled when they are first used. Each one
here is a process of its own all the same, with its own streams, environment, folder and end; a signal reaches it alone.
Tests of how a program starts take `subprocess` instead. Where there is no Linux, so does everybody.
"""

import atexit
import ctypes
import functools
import inspect
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MESSAGE_BYTES = 1 << 17
_PARENT_OF_ORPHANS = 36
"""``PR_SET_CHILD_SUBREAPER`` of ``prctl``: a process whose parent ended becomes a child of ours, for us to wait for."""
_LOCK = threading.Lock()
_ASKED = inspect.signature(subprocess.Popen._execute_child)  # type: ignore[attr-defined]


@functools.cache
def _server() -> socket.socket:
    """Start the process that programs are forked from, once; it ends when our end of the connection is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "tests.forkserver", str(theirs.fileno())]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
    theirs.close()
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


@contextmanager
def _adopting() -> Iterator[None]:
    change = ctypes.CDLL(None).prctl
    change(_PARENT_OF_ORPHANS, 1, 0, 0, 0)
    try:
        yield
    finally:
        change(_PARENT_OF_ORPHANS, 0, 0, 0, 0)


class _Forked(subprocess.Popen[Any]):
    """`subprocess.Popen` of ``[sys.executable, "-m" or "-c", what, *arguments]``; ``imports`` are further modules."""

    def __init__(self, args: list[str], *, imports: tuple[str, ...] = (), **options: Any) -> None:
        self._imports = imports
        super().__init__(args, **options)

    def _execute_child(self, *arguments: Any) -> None:
        asked = _ASKED.bind(self, *arguments).arguments
        program, kind, what, *rest = asked["args"]
        if program != sys.executable or kind not in ("-m", "-c"):
            raise ValueError(f"{asked['args']} does not begin with this Python and -m or -c")
        told = {
            "imports": self._imports,
            "kind": kind,
            "what": what,
            "arguments": [str(argument) for argument in rest],
            "cwd": str(asked["cwd"] or Path.cwd()),
            "env": dict(os.environ) if asked["env"] is None else asked["env"],
            "session": asked["start_new_session"],
        }
        ends = [asked["p2cread"], asked["c2pwrite"], asked["errwrite"]]
        streams = [own if end == -1 else end for own, end in enumerate(ends)]
        with _LOCK, _adopting():
            server = _server()
            socket.send_fds(server, [json.dumps(told).encode()], streams)
            self.pid = int(server.recv(MESSAGE_BYTES))
            server.recv(MESSAGE_BYTES)  # its parent has ended: it is our child now
        self._child_created = True
        names = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        self._close_pipe_fds(*(asked[name] for name in names))  # type: ignore[attr-defined]


def popen(args: list[str], *, imports: tuple[str, ...] = (), **options: Any) -> "subprocess.Popen[Any]":
    """Start a program as `subprocess.Popen` does, from a process that has imported the project and ``imports``."""
    return _Forked(args, imports=imports, **options) if sys.platform == "linux" else subprocess.Popen(args, **options)


def run(
    args: list[str],
    *,
    input: str | bytes | None = None,
    capture_output: bool = False,
    timeout: float | None = None,
    check: bool = False,
    **options: Any,
) -> "subprocess.CompletedProcess[Any]":
    """Run a program to its end as `subprocess.run` does."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} if capture_output else {}
    pipes |= {} if input is None else {"stdin": subprocess.PIPE}
    with popen(args, **pipes, **options) as process:
        try:
            printed, told = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(args, process.returncode, printed, told)
    if check:
        done.check_returncode()
    return done
