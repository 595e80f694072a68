"""Whose data it is: the five scopes, and the one value without which no row is read or written."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from .errors import ScopeError

ScopeKind = Literal["session", "user", "agent", "project", "org"]
SCOPE_KINDS: tuple[ScopeKind, ...] = get_args(ScopeKind)
MAX_ID_CHARS = 512


class Scope(NamedTuple):
    """One owner of rows. ``key`` is an injective spelling of kind and ids, safe for any characters in them."""

    kind: ScopeKind
    key: str


@dataclass(frozen=True, slots=True)
class ScopeIds:
    """The ids a session was opened with. An organisation is a wall: ids inside one are not those inside another.

    >>> ScopeIds(session="monday", user="jake").scope("user").key
    '["user",null,"jake"]'
    """

    session: str
    user: str | None = None
    agent: str | None = None
    project: str | None = None
    org: str | None = None

    def __post_init__(self) -> None:
        for kind in SCOPE_KINDS:
            _check_id(kind, getattr(self, kind), required=kind == "session")

    def scope(self, kind: ScopeKind) -> Scope:
        """Return the scope of this kind; raise ScopeError when the session was opened without its id."""
        if kind not in SCOPE_KINDS:
            raise ScopeError(f"unknown scope {kind!r}: expected one of {', '.join(SCOPE_KINDS)}")
        own = getattr(self, kind)
        if own is None:
            raise ScopeError(
                f"this session has no {kind}: open it with fabric.session({self.session!r}, {kind}=...), "
                f"because a resource of {kind} scope is used"
            )
        if kind == "org":
            return _spelled(kind, own)
        return _spelled(kind, self.org, self.user, self.session) if kind == "session" else _spelled(kind, self.org, own)

    def has(self, kind: ScopeKind) -> bool:
        """Return whether the session was opened with an id of this kind."""
        return getattr(self, kind) is not None

    def as_dict(self) -> dict[str, str | None]:
        """Return the ids by kind."""
        return {kind: getattr(self, kind) for kind in SCOPE_KINDS}


@lru_cache(maxsize=1024)
def _spelled(kind: ScopeKind, *ids: str | None) -> Scope:
    """Return the scope of these ids; kept, since every read and write of a run spells the same few."""
    return Scope(kind, json.dumps([kind, *ids], separators=(",", ":")))


def _check_id(kind: str, value: object, *, required: bool) -> None:
    if value is None and not required:
        return
    if not isinstance(value, str):
        raise ScopeError(f"{kind} must be a string, got {type(value).__name__}: pass str({kind}) if that is its name")
    if not value.strip():
        raise ScopeError(f"{kind} must not be empty or blank")
    if len(value) > MAX_ID_CHARS:
        raise ScopeError(f"{kind} is {len(value)} characters long: at most {MAX_ID_CHARS} are accepted")
