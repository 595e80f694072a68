"""Which bank a directory's memories are kept in, and what tells projects apart: by git checkout, not by name alone."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

from fabric.errors import ConfigurationError
from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.scope import Scope, ScopeIds
from fabric.store.base import Rows, RowVectors

T = TypeVar("T")
Scoping = Literal["global", "per-project", "per-project-tagged"]
DEFAULT_BANK = "thought-fabric"
"""The name of a bank on a server that nobody named."""
SHARED_BANK = "default"
"""The name of the bank in a file that all projects share."""
MAX_BANK_CHARS = 64
BANK_PROJECT = "retain:"
"""What the project of a bank begins with, so that it is none that a session was opened with."""


@dataclass(frozen=True, slots=True)
class Bank:
    """Where memories are written, and where they are looked for: the banks by id, the first that of writing.

    ``tags`` are put on what is written.
    """

    id: str
    reads: tuple[str, ...]
    tags: tuple[str, ...] = ()


def server_bank(scoping: Scoping, cwd: str | Path, bank_id: str = "", prefix: str = "") -> Bank:
    """Return the bank on a server: shared, one for each project, or shared with a tag for each project.

    >>> server_bank("global", ".", "team", prefix="acme").reads
    ('acme-team',)
    """
    label = project_label(cwd)
    shared = f"{prefix}-{bank_id or DEFAULT_BANK}" if prefix else bank_id or DEFAULT_BANK
    if scoping == "per-project":
        return Bank(f"{shared}-{label}", (f"{shared}-{label}",))
    tags = (f"project:{label}",) if scoping == "per-project-tagged" else ()
    return Bank(shared, (shared,), tags)


def local_bank(scoping: Scoping, cwd: str | Path, bank_id: str = "") -> Bank:
    """Return the bank in a file: two projects whose directories have one name have two, told apart by their path.

    With "per-project-tagged" the shared bank is read, too.
    """
    label, shared = project_label(cwd), bank_id or SHARED_BANK
    if scoping == "global":
        return Bank(shared, (shared,))
    where = hashlib.sha256(str(primary_checkout(cwd)).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", f"{bank_id}-{label}" if bank_id else label).strip("-") or "project"
    own = f"{plain[: MAX_BANK_CHARS - len(where) - 1]}-{where}"
    return Bank(own, (own, shared) if scoping == "per-project-tagged" else (own,))


def project_label(cwd: str | Path) -> str:
    """Return the name of a directory's project: that of its primary git checkout, in lower case.

    So all worktrees of a repository, and all directories in it, have one.
    """
    return (primary_checkout(cwd).name.removesuffix(".git") or "root").lower()


def primary_checkout(cwd: str | Path) -> Path:
    """Return the directory of the repository that a directory belongs to, or itself where there is none.

    A worktree belongs to the checkout that it was made from. ConfigurationError for what is no path of a directory.
    """
    try:
        here = Path(cwd).expanduser().resolve(strict=True)
        for folder in (here, *here.parents):
            if (folder / ".git").exists():
                return _primary(folder, folder / ".git")
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigurationError(f"cwd is {str(cwd)!r}: {error}; give the directory of the project") from error
    if not here.is_dir():
        raise ConfigurationError(f"cwd is {str(cwd)!r}: that is no directory; give the directory of the project")
    return here


def _primary(checkout: Path, git: Path) -> Path:
    """Follow the file that a worktree has for ``.git``; a submodule, whose file looks alike, is a project itself."""
    if git.is_dir():
        return checkout
    own = checkout / git.read_text(encoding="utf-8", errors="surrogateescape").strip().removeprefix("gitdir:").strip()
    shared = own / "commondir"
    if not shared.is_file():
        return checkout
    common = (own / shared.read_text(encoding="utf-8", errors="surrogateescape").strip()).resolve()
    return common.parent if common.name == ".git" else common


def in_bank(tx: Transaction, bank_id: str) -> Transaction:
    """Return the same transaction as one of a bank, which is a scope of its own: resources of a project are the bank's.

    An organisation stays a wall: two of them share no bank, whatever it is called. No session's project is a bank.
    """
    inside = Transaction(tx.rows, replace(tx.ids, project=f"{BANK_PROJECT}{bank_id}"))
    inside.embedded = tx.embedded
    return inside


async def transact_in(
    ctx: Context, bank_id: str, work: Callable[[Transaction], T], vectors: RowVectors | None = None
) -> T:
    """Do ``work`` in one transaction of a bank; ``vectors`` are those of the rows that it stores."""

    def inside(tx: Transaction) -> T:
        tx.embedded = vectors
        return work(in_bank(tx, bank_id))

    return await ctx.transact(inside)


def bank_in(rows: Rows, ids: ScopeIds, scope: Scope) -> Transaction:
    """Return what is done with the rows of a bank, by its scope, as a transaction of it."""
    _, _, project = json.loads(scope.key)
    return Transaction(rows, replace(ids, project=project))


def bank_scopes(rows: Rows, org: str | None) -> list[Scope]:
    """Return the scopes of all banks of an organisation that ever held anything."""
    found: list[Scope] = []
    for scope in rows.owners():
        if scope.kind == "project":
            _, owner, project = json.loads(scope.key)
            if owner == org and project.startswith(BANK_PROJECT):
                found.append(scope)
    return found
