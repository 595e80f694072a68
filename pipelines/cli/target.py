"""Where a command works: which file, whose memory, which conversation, and the opened file itself."""

import getpass
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .options import EMBEDDER_VARIABLE, FORMAT_VARIABLE

if TYPE_CHECKING:
    from fabric import Clock, Fabric, Session
    from fabric.flow.block import Block

    from ..system import MemorySystem
    from .holdings import Holdings

_FORMATS = {"always": True, "never": False, "auto": None}
NO_SESSION = "command-line"
"""The session of commands that look at no conversation."""


@dataclass(frozen=True, slots=True)
class Target:
    """What the options say. Blank ids are not given."""

    file: Path
    user: str = ""
    project: str = ""
    org: str = ""
    session: str = ""
    model: str = ""
    embedder: str = field(default_factory=lambda: os.environ.get(EMBEDDER_VARIABLE, ""))
    """What `memory_system` takes, or "none"; "" for the default."""
    api_base: str = ""
    api_key: str = field(default="", repr=False)

    @property
    def owner(self) -> dict[str, str | None]:
        """The ids of whose memory it is, as `Fabric.session` takes them."""
        return {"user": self.user or _login(), "project": self.project or None, "org": self.org or None}

    @property
    def whose(self) -> str:
        """Whose memory it is, in words."""
        return f"project {self.project}" if self.project else f"user {self.user or _login()}"

    @property
    def scope(self) -> str:
        """Whether it is the memory of a user or of a project."""
        return "project" if self.project else "user"

    def memory(self) -> "MemorySystem":
        """Return the memory system: all three tiers, of the project if one is named, else of the user."""
        from ..system import memory_system

        embedder = self.embedder or "default"
        return memory_system(
            model=self.model or None,
            api_base=self.api_base,
            api_key=self.api_key,
            response_format=_response_format(),
            episodic={"scope": self.scope},
            semantic=True,
            embedder=embedder,
        )


@dataclass(frozen=True, slots=True)
class Opened:
    """An opened file and the memory in it."""

    fabric: "Fabric"
    mem: "MemorySystem"
    target: Target

    def session(self, name: str = "") -> "Session":
        """Return the session of this name, else that of the options, else the one that was last remembered."""
        return self.fabric.session(name or self.target.session or self._newest_session(), **self.target.owner)

    def run(self, block: "Block[Any, Any]", value: Any = None) -> Any:
        """Run a block in the session and return its output."""
        return self.session().run(block, value).output

    def holdings(self, session: str = "") -> "Holdings":
        """Return everything the memory holds."""
        from .holdings import holdings_block

        found: Holdings = self.session(session).run(holdings_block(self.mem)).output
        return found

    def _newest_session(self) -> str:
        from .holdings import newest_session_block

        session = self.fabric.session(NO_SESSION, **self.target.owner)
        return str(session.run(newest_session_block(self.mem)).output) or NO_SESSION


@contextmanager
def opened(
    target: Target, *, create: bool = False, clock: "Clock | None" = None, log: str = "warning"
) -> Generator[Opened]:
    """Open the file, made anew only when ``create``; StoreError when it is missing or cannot be opened.

    What the engine logs from the level ``log`` on goes to stderr.
    """
    from fabric import Fabric
    from fabric.errors import StoreError

    if not create and not target.file.exists():
        begin = "name the right one, or begin one with chat, replay or import"
        raise StoreError(f"{target.file}: there is no such file; {begin}")
    with _log_to_stderr(log), Fabric(target.file, clock=clock) as fabric:
        yield Opened(fabric, target.memory(), target)


@contextmanager
def _log_to_stderr(level: str) -> Generator[None]:
    """Keep what the engine logs out of stdout, which belongs to the command's result."""
    import structlog

    was_set, before = structlog.is_configured(), structlog.get_config()
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),  # what stderr is then: a prompt may be open on it
    )
    try:
        yield
    finally:
        if was_set:
            structlog.configure(**before)
        else:
            structlog.reset_defaults()


def _response_format() -> bool | None:
    from fabric.errors import ConfigurationError

    given = os.environ.get(FORMAT_VARIABLE, "auto").strip().lower() or "auto"
    if given not in _FORMATS:
        raise ConfigurationError(f"{FORMAT_VARIABLE} is {given!r}; expected one of {', '.join(_FORMATS)}")
    return _FORMATS[given]


def _login() -> str:
    try:
        return getpass.getuser() or "me"
    except (KeyError, OSError, ImportError):  # no such entry: a container's bare user id, or no pwd module
        return "me"
