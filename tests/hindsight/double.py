"""A server that speaks Hindsight's HTTP without its model and database: deterministic, quick, and able to misbehave."""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.stub_server.loopback import LoopbackHandler, LoopbackServer

from .banks import Bank, Operation
from .routes import Answer, Call, Refused, find

TOLD = {"detail": "told to fail"}
OPEN: dict[str, Any] = {
    "/health": {"status": "healthy", "database": "connected"},
    "/version": {"api_version": "1.1.0", "features": {"observations": False, "worker": True}},
}
"""What is answered without a token."""


@dataclass(frozen=True)
class Request:
    """One request as it came, with the status that it was answered with; 0 where the answer was withheld."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    status: int = 0


@dataclass(frozen=True)
class Fault:
    """One way to misbehave.

    ``status`` answers with an error. ``cut`` closes the connection without an answer, ``torn`` in the middle of one;
    ``hang`` keeps it open and says nothing; ``dies`` ends the whole server. With ``done`` the request is carried out
    before, so that only its acknowledgement is lost. ``delay`` seconds pass before anything happens.
    """

    status: int = 0
    cut: bool = False
    torn: bool = False
    hang: bool = False
    dies: bool = False
    done: bool = False
    delay: float = 0.0
    retry_after: float | None = None


@dataclass
class _Rule:
    fault: Fault
    every: int
    times: int | None
    path: str
    matched: int = 0


class HindsightDouble:
    """The double: its banks are what it keeps, and ``requests`` what it was asked.

    With a ``token``, a request without it is refused. Work that the server does after its answer is done at once, or
    with ``holding`` when ``work`` is called: until then its operations are pending.
    """

    def __init__(self, *, token: str | None = None, holding: bool = False) -> None:
        self.token, self.holding = token, holding
        self.banks: dict[str, Bank] = {}
        self.requests: list[Request] = []
        self._waiting: list[tuple[Bank, Operation]] = []
        self._rules: list[_Rule] = []
        self._broken: str | None = None
        self._lock, self._life = threading.RLock(), threading.Lock()
        self._closing = threading.Event()
        self._listener: _Listener | None = _Listener(self)
        self.url = self._listener.url
        self._port = self._listener.server_address[1]
        self._listener.start()

    def misbehave(self, fault: Fault, *, every: int = 1, times: int | None = None, path: str = "") -> None:
        """Apply a fault to each ``every``-th request whose path ends so, ``times`` times or until ``behave``."""
        with self._lock:
            self._rules.append(_Rule(fault, every, times, path))

    def behave(self) -> None:
        """Answer as one should from now on; what hangs is let go."""
        with self._lock:
            self._rules.clear()
            self._closing.set()
            self._closing = threading.Event()

    def work(self) -> None:
        """Do what waits to be done: batches to store, mental models to refresh."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
            for bank, operation in waiting:
                bank.work(operation, self._broken)

    @contextmanager
    def broken_model(self) -> Iterator[None]:
        """Let the server's model fail within the block: what is not done in the background is answered with 500,
        and what is, is given up; asked for again by its id, it is not tried again unless ``/retry`` says so."""
        self._broken = "Error code: 503 - the model is broken"
        try:
            yield
        finally:
            self._broken = None

    def die(self) -> None:
        """Stop listening and drop all connections, as a killed process would; what it keeps is kept."""
        self._closing.set()
        with self._life:
            if self._listener is not None:
                listener, self._listener = self._listener, None
                listener.stop()

    @property
    def is_dead(self) -> bool:
        """Whether nothing listens."""
        return self._listener is None

    def revive(self) -> None:
        """Listen again at the same address."""
        with self._life:
            if self._listener is None:
                self._closing = threading.Event()
                self._listener = _Listener(self, self._port)
                self._listener.start()

    def fault_for(self, path: str) -> Fault:
        """Return how a request is to be mistreated, which may be not at all."""
        with self._lock:
            for rule in self._rules:
                if not path.endswith(rule.path) or rule.times == 0:
                    continue
                rule.matched += 1
                if rule.matched % rule.every == 0:
                    rule.times = None if rule.times is None else rule.times - 1
                    return rule.fault
        return Fault()

    def carry_out(self, request: Request) -> Answer:
        """Do what a request asks for and return status and body."""
        address = urlsplit(request.path)
        with self._lock:
            try:
                if address.path in OPEN:
                    return 200, OPEN[address.path]
                self._admit(request)
                function, names = find(request.method, unquote(address.path))
                bank, *rest = names or ("",)
                call = Call(self.banks, bank, tuple(rest), parse_qs(address.query), request.body, self._broken)
                answer = function(call)
            except Refused as refused:
                return refused.status, {"detail": refused.detail}
            self._waiting += call.background
            return answer

    def _admit(self, request: Request) -> None:
        if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
            raise Refused(401, "Authentication failed: Invalid API key")

    def finish(self, request: Request, status: int) -> None:
        """Note a request with its status, and do what was left for after the answer."""
        with self._lock:
            self.requests.append(replace(request, status=status))
            if not self.holding:
                self.work()

    def wait(self) -> None:
        """Wait until the server behaves again or is gone."""
        self._closing.wait()


@contextmanager
def hindsight_double(*, token: str | None = None, holding: bool = False) -> Iterator[HindsightDouble]:
    """Give a running double, which is gone at the end."""
    double = HindsightDouble(token=token, holding=holding)
    try:
        yield double
    finally:
        double.die()


class _Listener(LoopbackServer):
    def __init__(self, double: HindsightDouble, port: int = 0) -> None:
        super().__init__(_Handler, port)
        self.double = double


class _Handler(LoopbackHandler):
    server: _Listener

    def respond(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        sent = self.rfile.read(length)
        headers = {name.lower(): value for name, value in self.headers.items()}
        double = self.server.double
        try:
            request = Request(self.command, self.path, headers, json.loads(sent) if sent else None)
        except ValueError:
            self._send(422, {"detail": [{"type": "json_invalid", "loc": ["body", 0], "msg": "JSON decode error"}]})
            return
        fault = double.fault_for(urlsplit(self.path).path)
        time.sleep(fault.delay)
        failed = fault.status or fault.cut or fault.hang or fault.dies
        status, body = double.carry_out(request) if fault.done or not failed else (fault.status, TOLD)
        withheld = fault.cut or fault.torn or fault.hang or fault.dies
        double.finish(request, 0 if withheld else fault.status or status)
        if fault.dies:
            threading.Thread(target=double.die, daemon=True).start()
        if fault.hang or fault.dies:
            double.wait()
        if fault.cut or fault.hang or fault.dies:
            self.close_connection = True
        else:
            self._send(fault.status or status, TOLD if fault.status else body, fault)

    def _send(self, status: int, body: Any, fault: Fault | None = None) -> None:
        written = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(written)))
        if fault and fault.retry_after is not None:
            self.send_header("retry-after", str(fault.retry_after))
        self.end_headers()
        self.wfile.write(written[: len(written) // 2] if fault and fault.torn else written)
        self.close_connection = self.close_connection or bool(fault and fault.torn)
