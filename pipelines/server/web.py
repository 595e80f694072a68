"""The server over HTTP: who a token belongs to, which origins may ask, and where it listens."""

import hmac
import json
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
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware

from fabric.errors import ConfigurationError, ScopeError
from fabric.scope import ScopeIds
from fabric.toolhost import ToolHost

from .offer import Offer
from .protocol import memory_server

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MIN_TOKEN_CHARS = 16
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
        found = [known for known in self.grants if hmac.compare_digest(known.encode(), token.encode())]
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
    """Read ``{"<token>": {"user": "jake", ...}, ...}``; ConfigurationError for what is no such file."""
    try:
        grants = TypeAdapter(dict[str, Grant]).validate_json(path.read_bytes())
        checked = {token: grant for token, grant in grants.items() if grant.ids}
    except (OSError, ValidationError, ScopeError) as error:
        reason = "; ".join(one["msg"] for one in error.errors()) if isinstance(error, ValidationError) else str(error)
        raise ConfigurationError(f'{path}: expected {{"TOKEN": {{"user": "NAME"}}}}; {reason}') from error
    if not checked or min(map(len, checked)) < MIN_TOKEN_CHARS:
        raise ConfigurationError(f"{path}: give at least one token, each of {MIN_TOKEN_CHARS} characters or more")
    return Tokens(checked)


def web_app(
    offered: Offer, host: ToolHost, *, tokens: Tokens | None, bound_to: str, origins: Sequence[str] = ()
) -> Starlette:
    """Return the application that serves the offer at ``/mcp``.

    Without ``tokens`` every request is for the host's owner, which is accepted on a loopback address only.
    ``origins`` are web pages that may ask, beside those of this machine. ConfigurationError for an open door.
    """
    if tokens is None and bound_to not in LOOPBACK:
        raise ConfigurationError(
            f"{bound_to} can be reached by other machines: name a file of tokens with --tokens, or listen on 127.0.0.1"
        )
    server = memory_server(offered, (lambda: host.of(tokens.owner())) if tokens is not None else (lambda: host))
    local = [f"http://{name}:*" for name in ("127.0.0.1", "localhost", "[::1]")]
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=bound_to,
        token_verifier=tokens,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=["127.0.0.1:*", "localhost:*", "[::1]:*", bound_to, f"{bound_to}:*"],
            allowed_origins=[*local, *origins],
        ),
    )
    if tokens is not None:
        _require(app, tokens)
    return app


def _require(app: Starlette, tokens: Tokens) -> None:
    backend: Any = BearerAuthBackend(tokens)
    app.user_middleware[:0] = [Middleware(AuthenticationMiddleware, backend=backend), Middleware(AuthContextMiddleware)]


class WebServer(uvicorn.Server):
    """A web server that leaves signals to its caller: its own handling ends the process before the file is closed."""

    def __init__(self, app: Starlette, bound_to: str, port: int) -> None:
        super().__init__(
            uvicorn.Config(app, host=bound_to, port=port, log_level="warning", timeout_graceful_shutdown=2)
        )

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture none."""
        yield

    def stop(self) -> None:
        """Finish what was begun and end."""
        self.should_exit = True
