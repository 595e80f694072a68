"""The server over HTTP: who a token belongs to, which origins may ask, and where it listens."""

import hmac
import json
import os
import re
import socket
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware, get_access_token
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from fabric.errors import ConfigurationError, ScopeError
from fabric.scope import ScopeIds
from fabric.sessions.toolhost import ToolHost
from fabric.telemetry.logger import logger

from .doorway import Doorway
from .offer import Offer
from .protocol import memory_server
from .shares import MAX_SESSIONS, Shares, share_of

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MIN_TOKEN_CHARS = 16
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
"""What a header can carry as a bearer token (RFC 6750)."""
PATH = "/mcp"


class Grant(BaseModel):
    """Whose memory a token opens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user: str
    session: str = "mcp"
    agent: str | None = None
    project: str | None = None
    org: str | None = None

    @property
    def ids(self) -> ScopeIds:
        """The ids that calls with the token have."""
        return ScopeIds(**self.model_dump())


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens and whose they are; they are compared in constant time."""

    grants: Mapping[str, Grant]

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return who a bearer token stands for, None for one that is not known."""
        found = [grant for grant in self.grants if hmac.compare_digest(grant.encode(), token.encode())]
        if not found:
            return None
        # What the session belongs to: a client with another token cannot take it over.
        return AccessToken(token=token, client_id=json.dumps(self.grants[found[0]].model_dump()), scopes=[])

    def owner(self) -> ScopeIds:
        """Return the ids of whoever sent the request that is being answered."""
        access = get_access_token()
        if access is None:
            raise ScopeError("the request has no token, so it is not known whose memory it asks for")
        return self.grants[access.token].ids


def read_tokens(path: Path) -> Tokens:
    """Read ``{"<token>": {"user": "jake", ...}, ...}``; ConfigurationError for what is no such file, without a token.

    A warning is logged when other users of the machine may read it.
    """
    try:
        given = json.loads(path.read_bytes(), object_pairs_hook=_once)
        grants = TypeAdapter(dict[str, Grant]).validate_python(given)
        checked = {token: grant for token, grant in grants.items() if grant.ids}
        readable = path.stat().st_mode & 0o077
    except (OSError, ValueError, ScopeError) as error:
        raise ConfigurationError(f'{path}: expected {{"TOKEN": {{"user": "NAME"}}}}; {_reason(error)}') from None
    if not checked or not all(len(text) >= MIN_TOKEN_CHARS and _TOKEN.fullmatch(text) for text in checked):
        raise ConfigurationError(
            f"{path}: give at least one token, each of {MIN_TOKEN_CHARS} or more letters, digits or -._~+/ and no "
            "spaces; openssl rand -hex 24 makes one"
        )
    if readable and os.name == "posix":
        logger(block="mcp").warning("other users of this machine can reach the file of tokens", do=f"chmod 600 {path}")
    return Tokens(checked)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a token or a field is given twice")
    return found


def _reason(error: Exception) -> str:
    """Return what is wrong, without the token under which it is."""
    if not isinstance(error, ValidationError):
        return str(error)
    return "; ".join(": ".join([*map(str, problem["loc"][1:]), problem["msg"]]) for problem in error.errors())


def web_app(
    offered: Offer,
    host: ToolHost,
    *,
    tokens: Tokens | None,
    bound_to: str,
    origins: Sequence[str] = (),
    share: int | None = None,
) -> Starlette:
    """Return the application that serves the offer at ``/mcp``.

    Each token may hold ``share`` sessions at once, by default as `share_of` says. Without ``tokens`` every request is
    for the host's owner, which is accepted on a loopback address only. ``origins`` are web pages that may ask, beside
    those of this machine when it listens there only. ConfigurationError for an open door.
    """
    if tokens is None and bound_to not in LOOPBACK:
        raise ConfigurationError(
            f"{bound_to} can be reached by other machines: name a file of tokens with --tokens, or listen on 127.0.0.1"
        )
    server = memory_server(offered, (lambda: host.of(tokens.owner())) if tokens is not None else (lambda: host))
    known = len(tokens.grants) if tokens is not None else 0
    share = share or share_of(known)
    local = [f"http://{name}{port}" for name in ("127.0.0.1", "localhost", "[::1]") for port in ("", ":*")]
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=bound_to,
        max_sessions=max(MAX_SESSIONS, share * known),
        token_verifier=tokens,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=bound_to in LOOPBACK,
            allowed_hosts=[origin.removeprefix("http://") for origin in local],
            allowed_origins=[*local, *origins],
        ),
    )
    if tokens is not None:
        backend: Any = BearerAuthBackend(tokens)
        app.user_middleware[:0] = [
            Middleware(AuthenticationMiddleware, backend=backend),
            Middleware(AuthContextMiddleware),
            Middleware(Shares, share=share),
        ]
    if bound_to not in LOOPBACK:
        app.user_middleware[:0] = [Middleware(_Origins, known=frozenset(origins))]
    return app


class _Origins:
    """Turns strange pages away where any name may lead to this server, so that the names of hosts cannot be checked.

    That a page makes its own name lead here gains it nothing: it has no token.
    """

    def __init__(self, app: ASGIApp, known: frozenset[str]) -> None:
        self._app = app
        self._known = known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        origin = Headers(scope=scope).get("origin") if scope["type"] == "http" else None
        answer = self._app if origin is None or origin in self._known else Response("Invalid Origin header", 403)
        await answer(scope, receive, send)


def listening(bound_to: str, port: int) -> socket.socket:
    """Return a socket that listens there; ConfigurationError when it cannot."""
    family = socket.AF_INET6 if ":" in bound_to else socket.AF_INET
    try:
        return socket.create_server((bound_to, port), family=family)
    except OSError as error:
        raise ConfigurationError(
            f"cannot listen on {bound_to}, port {port}: {error.strerror or error}; give another --port or --host"
        ) from error


class WebServer(uvicorn.Server):
    """A web server that leaves signals to its caller: its own handling ends the process before the file is closed."""

    def __init__(self, app: Starlette, bound_to: str, port: int, doorway: Doorway | None = None) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                host=bound_to,
                port=port,
                log_level="warning",
                timeout_graceful_shutdown=2,
                http=(doorway or Doorway()).protocol(),
            )
        )

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture none."""
        yield

    def stop(self) -> None:
        """Finish what was begun and end."""
        self.should_exit = True
