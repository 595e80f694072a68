"""Shares: no token holds more than its share of the sessions that the server has room for."""

import time
from collections import defaultdict
from dataclasses import dataclass, field

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import DEFAULT_SESSION_IDLE_TIMEOUT
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_SESSIONS = 1_000
"""How many clients may be connected at once; one that says nothing for half an hour is taken for gone."""
LEAST = 10
"""How many sessions a token may hold, however many tokens there are."""


def share_of(tokens: int) -> int:
    """Return how many sessions each of so many tokens may hold: never more than half of them.

    >>> share_of(1), share_of(4), share_of(5_000)
    (500, 250, 10)
    """
    return max(LEAST, MAX_SESSIONS // max(2, tokens))


@dataclass(slots=True)
class _Session:
    requests: int = 0
    used: float = field(default_factory=time.monotonic)

    @property
    def is_open(self) -> bool:
        return self.requests > 0 or time.monotonic() - self.used < DEFAULT_SESSION_IDLE_TIMEOUT


class Shares:
    """Answers 429 to a token that would open a session beyond its share; stands behind what knows the tokens."""

    def __init__(self, app: ASGIApp, share: int) -> None:
        self._app = app
        self._share = share
        self._held: defaultdict[str, dict[str, _Session]] = defaultdict(dict)
        self._opening: defaultdict[str, int] = defaultdict(int)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        user = scope.get("user")
        if scope["type"] != "http" or not isinstance(user, AuthenticatedUser):
            await self._app(scope, receive, send)
            return
        token, session = user.access_token.token, Headers(scope=scope).get(MCP_SESSION_ID_HEADER)
        if session is None:
            await self._opened(token, scope, receive, send)
        else:
            await self._continued(token, session, scope, receive, send)

    async def _opened(self, token: str, scope: Scope, receive: Receive, send: Send) -> None:
        held = self._held[token] = {name: record for name, record in self._held[token].items() if record.is_open}
        if len(held) + self._opening[token] >= self._share:
            await _refusal(self._share)(scope, receive, send)
            return

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                made = Headers(raw=message.get("headers", [])).get(MCP_SESSION_ID_HEADER)
                if made is not None:
                    held_now = self._held[token]
                    held_now.setdefault(made, _Session())
            await send(message)

        self._opening[token] += 1
        try:
            await self._app(scope, receive, noting)
        finally:
            self._opening[token] -= 1

    async def _continued(self, token: str, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        known = self._held[token].get(session)
        if known is None:  # somebody else's, or none
            await self._app(scope, receive, send)
            return
        known.requests += 1
        try:
            await self._app(scope, receive, send)
        finally:
            known.requests -= 1
            known.used = time.monotonic()
            if scope["method"] == "DELETE":
                self._held[token].pop(session, None)


def _refusal(share: int) -> JSONResponse:
    told = (
        f"this token has {share} sessions open, which is its share of the server: end one with DELETE and its "
        "Mcp-Session-Id, or use one session for several calls; one that says nothing for half an hour ends by itself"
    )
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": told}}
    return JSONResponse(error, 429, headers={"Retry-After": "60"})
