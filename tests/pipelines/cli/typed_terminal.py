"""The command line in a real terminal: a pseudo terminal that is typed into and read from."""

import os
import pty
import re
import select
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tests import forkserver

ROOT = Path(__file__).parents[3]
PATIENCE = 300.0
CTRL_C, CTRL_D, ENTER, TAB, UP = "\x03", "\x04", "\r", "\t", "\x1b[A"
PROMPT = "\x1b[?2004h"
"""What is written when a line begins: that what is pasted is to be marked as such."""
_OWN = """
import fcntl, runpy, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
runpy.run_module("pipelines", run_name="__main__", alter_sys=True)
"""
_STEERING = re.compile(r"\x1b(?!\[\?2004h)(\[[0-?]*[ -/]*[@-~]|[()][A-Za-z0-9]|[=>])")


class Terminal:
    """A command in a terminal of its own; ``seen`` is all that it wrote, ``text`` the same without what steers it."""

    def __init__(self, *args: object, **environment: str) -> None:
        self._master, slave = pty.openpty()
        known = {**os.environ, "PYTHONPATH": str(ROOT), "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm-256color"}
        known.pop("NO_COLOR", None)
        command = [sys.executable, "-c", _OWN, *(str(argument) for argument in args)]
        models = ("litellm",) if "--model" in args else ()
        ends = {"stdin": slave, "stdout": slave, "stderr": slave}
        self.process = forkserver.popen(
            command, imports=models, env={**known, **environment}, start_new_session=True, **ends
        )
        os.close(slave)
        self.seen = ""
        self._read_to = 0

    @property
    def text(self) -> str:
        """What was written, without the sequences that move, colour or erase; a line begins with `PROMPT`."""
        return _STEERING.sub("", self.seen)

    def press(self, text: str) -> None:
        """Press these keys."""
        os.write(self._master, text.encode())

    def expect(self, text: str) -> str:
        """Wait until ``text`` is written, after what was waited for before; return what came up to its end."""
        until = time.monotonic() + PATIENCE
        while (at := self.text.find(text, self._read_to)) < 0:
            if not self._read(until):
                raise AssertionError(f"{text!r} was not written after {self.text[self._read_to :]!r}")
        begin, self._read_to = self._read_to, at + len(text)
        return self.text[begin : self._read_to]

    def rest(self) -> str:
        """Wait for the end and return what came until then."""
        until = time.monotonic() + PATIENCE
        while self._read(until):
            pass
        return self.text[self._read_to :]

    def ended(self) -> int:
        """Wait for the end and return the exit code."""
        self.rest()
        return self.process.wait(timeout=PATIENCE)

    def _read(self, until: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return False
        try:
            got = os.read(self._master, 65536)
        except OSError:  # the other end is closed: Linux says so by an error
            return False
        self.seen += got.decode(errors="replace")
        return bool(got)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)
