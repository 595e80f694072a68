"""Where the real server is, for a test: what ``make hindsight`` says in the environment."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.request import Request, urlopen

import pytest

URL = "THOUGHT_FABRIC_HINDSIGHT_URL"
TOKEN = "THOUGHT_FABRIC_HINDSIGHT_TOKEN"
CONTROL = "THOUGHT_FABRIC_HINDSIGHT_CONTROL"


@dataclass(frozen=True)
class RunningServer:
    """The real server: its address and token, and the things that only its starter can do."""

    url: str
    token: str
    control: str

    def kill(self) -> None:
        """End the server's process as a crash would; its database stays."""
        self._tell("/kill")

    def restart(self) -> None:
        """Start the server again and wait until it is healthy."""
        self._tell("/restart")

    @contextmanager
    def broken_model(self) -> Iterator[None]:
        """Let the server's model fail within the block: what needs it does not get done."""
        self._tell("/break")
        try:
            yield
        finally:
            self._tell("/mend")

    def _tell(self, verb: str) -> None:
        with urlopen(Request(self.control + verb, b""), timeout=900):
            pass


def running_server() -> RunningServer:
    """Return the real server, or skip the test where there is none."""
    if URL not in os.environ:
        pytest.skip(f"no Hindsight server: {URL} is not set (`make hindsight` starts one and sets it)")
    return RunningServer(*(os.environ.get(name, "") for name in (URL, TOKEN, CONTROL)))
