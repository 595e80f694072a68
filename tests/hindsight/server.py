"""The real Hindsight server on loopback, our stub as its model: ``python -m tests.hindsight.server [COMMAND ...]``.

Installs the server when it is not there, starts it on a new database, and runs the command with what tells a test
where it is: ``THOUGHT_FABRIC_HINDSIGHT_URL``, ``..._TOKEN`` and ``..._CONTROL``. Without a command it prints them and
serves until it is interrupted.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.error import URLError
from urllib.request import urlopen

from tests.stub_server import Received, StubReply, StubServer, failure
from tests.stub_server.loopback import LoopbackHandler, LoopbackServer

from .environment import CACHE, MINUTES, Database, free_port, installed
from .model import DIMENSIONS, answer, word_vector
from .running import CONTROL, TOKEN, URL

SECRET = "token-of-the-tests"


class HindsightServer:
    """The API server as a process of its own, which can be killed and started again; entered, it is healthy."""

    def __init__(self, programs: Path, database: str, model: str) -> None:
        self._programs, self._database, self._model = programs, database, model
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{self._port}"
        self.log = CACHE / "server.log"

    def start(self) -> None:
        """Start the process and wait until it says that it is healthy; RuntimeError with its log when it ends."""
        output = self.log.open("ab")
        folder = Path(tempfile.gettempdir())  # it reads the settings of a file that it finds above where it starts
        program = self._programs / "hindsight-api"
        self._process = subprocess.Popen(
            [program],
            cwd=folder,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        output.close()
        end = time.monotonic() + 10 * MINUTES
        while not self._healthy():
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the server did not start; its log is {self.log}")
            time.sleep(0.2)

    def kill(self) -> None:
        """End the process as a crash would, whatever it does."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(5 * MINUTES)

    def restart(self) -> None:
        """Start a killed server again, at the same address and with the same database."""
        assert self._process is not None
        if self._process.poll() is None:
            self.kill()
        self.start()

    def _healthy(self) -> bool:
        try:
            with urlopen(f"{self.url}/health", timeout=5) as told:
                return bool(told.status == 200)
        except (URLError, OSError):
            return False

    def _environment(self) -> dict[str, str]:
        ours = {
            "DATABASE_URL": self._database,
            "LLM_PROVIDER": "openai",
            "LLM_API_KEY": "none",
            "LLM_MODEL": "stub",
            "LLM_BASE_URL": f"{self._model}/v1",
            "EMBEDDINGS_PROVIDER": "openai",
            "EMBEDDINGS_OPENAI_API_KEY": "none",
            "EMBEDDINGS_OPENAI_BASE_URL": f"{self._model}/v1",
            "EMBEDDINGS_OPENAI_MODEL": "stub",
            "RERANKER_PROVIDER": "rrf",
            "HOST": "127.0.0.1",
            "PORT": str(self._port),
            "SKIP_LLM_VERIFICATION": "true",
            "WORKER_ID": "tests",  # what a killed server had begun is taken up by one of the same name
            "LLM_MAX_RETRIES": "1",  # a broken model is given up in seconds, not in minutes
            "LLM_INITIAL_BACKOFF": "0.1",
            "WORKER_TASK_RETRY_BACKOFF_SECONDS": "1",
            "TENANT_EXTENSION": "hindsight_api.extensions.builtin.tenant:ApiKeyTenantExtension",
            "TENANT_API_KEY": SECRET,
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HINDSIGHT_")}
        return {**kept, "NO_PROXY": "127.0.0.1", **{f"HINDSIGHT_API_{name}": value for name, value in ours.items()}}

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(MINUTES)
            except subprocess.TimeoutExpired:
                self.kill()


class Model:
    """What the server's model answers; broken, it answers nothing but that it is not available."""

    def __init__(self) -> None:
        self._broken = False

    def __call__(self, received: Received) -> StubReply:
        return failure(503, "the model is broken") if self._broken else answer(received)

    def break_down(self) -> None:
        """Answer with status 503 from now on."""
        self._broken = True

    def mend(self) -> None:
        """Answer as before."""
        self._broken = False


class Control(LoopbackServer):
    """What a test tells the starter over HTTP, by a path for each verb; answered when it is done."""

    def __init__(self, server: HindsightServer, model: Model) -> None:
        super().__init__(_Handler)
        verbs = {"kill": server.kill, "restart": server.restart, "break": model.break_down, "mend": model.mend}
        self.verbs = {f"/{name}": verb for name, verb in verbs.items()}

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Handler(LoopbackHandler):
    server: Control

    def respond(self) -> None:
        self.server.verbs[self.path]()
        self.send_response(204)
        self.send_header("content-length", "0")
        self.end_headers()


def stop(number: int, _: object) -> None:
    """End the program on a signal as on an error: what was started is stopped."""
    raise SystemExit(128 + number)


def main(command: list[str]) -> int:
    """Start everything, run the command, stop everything, and return the command's exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    with ExitStack() as stack:
        began, code = time.monotonic(), 0
        programs = installed()
        print(f"installed after {time.monotonic() - began:.0f} s", flush=True)
        answering = Model()
        model = stack.enter_context(StubServer(otherwise=answering, embed_text=word_vector, dimensions=DIMENSIONS))
        database = stack.enter_context(Database(programs))
        (CACHE / "server.log").unlink(missing_ok=True)
        server = stack.enter_context(HindsightServer(programs, database.url, model.url))
        control = stack.enter_context(Control(server, answering))
        print(f"healthy after {time.monotonic() - began:.0f} s", flush=True)
        told = {URL: server.url, TOKEN: SECRET, CONTROL: control.url}
        if command:
            code = subprocess.run(command, env={**os.environ, **told}, check=False).returncode
        else:
            print("\n".join(f"export {name}='{value}'" for name, value in told.items()), flush=True)
            signal.pause()
        asked = [received.path.rpartition("/")[2] for received in model.requests]
        print(f"the model was asked {asked.count('completions')} times, for vectors {asked.count('embeddings')} times")
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
