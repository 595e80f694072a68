"""The commands of a coding agent's bank: retain and reflect; ``recall --bank`` looks into it."""

from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..options import DEFAULT_FILE, File, Json, Model, Org, User
from ..output import counted, note, nothing_found, plain, printable, say, write_json
from ..target import NO_SESSION, Target, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from blocks.retain.shapes import Answer
    from capabilities.retain.record import Flushed
    from fabric.flow.block import Block
    from pipelines.retain import RetainSystem


class Kept(StrEnum):
    """Where banks are kept."""

    local = "local"
    hindsight = "hindsight"


class Scoped(StrEnum):
    """How banks are told apart."""

    shared = "global"
    per_project = "per-project"
    tagged = "per-project-tagged"


_BANK = typer.Option("--bank", "-b", metavar="DIR", help="A directory of the project whose bank it is.", exists=True)
BankOf = Annotated[Path, _BANK]
AnyBank = Annotated[Path | None, _BANK]
BackendOption = Annotated[
    Kept,
    typer.Option("--backend", envvar="THOUGHT_FABRIC_RETAIN", help="Where banks are kept.", show_envvar=True),
]
ScopingOption = Annotated[
    Scoped | None,
    typer.Option("--scoping", help="One bank for all projects, one each, or own memories beside shared ones."),
]


def retain(
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT...", help="What to keep, one fact each.", show_default=False)
    ] = None,
    context: Annotated[str, typer.Option("--context", help="Where they are from.", show_default=False)] = "",
    send: Annotated[bool, typer.Option("--flush", help="Send what is queued, and try again what failed.")] = False,
    move: Annotated[
        Kept | None, typer.Option("--move", help="Copy the bank of the other backend to this one.", show_default=False)
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove everything of this bank from the file.")] = False,
    bank: BankOf = Path(),
    backend: BackendOption = Kept.local,
    scoping: ScopingOption = None,
    file: File = DEFAULT_FILE,
    user: User = "",
    org: Org = "",
    model: Model = "",
    as_json: Json = False,
) -> None:
    """Keep facts for later sessions in the bank of a project, in the file or on a Hindsight server.

    A file that does not exist is made. Copying a bank twice changes nothing.
    """
    if sum((bool(texts), send, move is not None, clear)) != 1:
        raise typer.BadParameter("give what to keep, or one of --flush, --move and --clear")
    system = retain_system(bank, backend, scoping, model)
    with _at(Target(file, user, org=org), create=True) as run:
        if texts:
            items = [{"content": text, **({"context": context} if context else {})} for text in texts]
            _told(run(system.retain, {"items": items}), as_json=as_json)
        elif move is not None:
            system.backend = move.value
            moved = run(system.move_to(move.value))
            line = f"{counted(moved.taken, 'memories')} copied to {move.value}; {moved.known} were there already."
            _say(line, {"taken": moved.taken, "known": moved.known}, as_json=as_json)
        elif clear:
            cleared = run(system.clear)
            _say(plain(cleared), {"text": cleared}, as_json=as_json)
        done = run(system.flush, {"again": send})
        if send and as_json:
            write_json(done)
        _flushed(done, says_all=send and not as_json)


def reflect(
    query: Annotated[str, typer.Argument(metavar="QUESTION", help="What is to be answered.", show_default=False)],
    context: Annotated[str, typer.Option("--context", help="What it is asked for.", show_default=False)] = "",
    bank: BankOf = Path(),
    backend: BackendOption = Kept.local,
    scoping: ScopingOption = None,
    file: File = DEFAULT_FILE,
    user: User = "",
    org: Org = "",
    model: Model = "",
    as_json: Json = False,
) -> None:
    """Have a question answered from what is kept in the bank of a project: with --model, or on a server, in words."""
    system = retain_system(bank, backend, scoping, model)
    with _at(Target(file, user, org=org)) as run:
        _told(run(system.reflect, {"query": query, "context": context or None}), as_json=as_json)


def recall_from_bank(target: Target, query: str, bank: Path, backend: Kept, *, as_json: bool) -> None:
    """Show what a project's bank holds about a question."""
    system = retain_system(bank, backend, None, "")
    with _at(target) as run:
        _told(run(system.recall, {"query": query}), as_json=as_json)


def retain_system(bank: Path, backend: Kept, scoping: Scoped | None, model: str) -> "RetainSystem":
    """Return the memory of a coding agent that works in this directory."""
    from pipelines.retain import retain_memory

    told: Any = scoping.value if scoping is not None else None
    return retain_memory(backend=backend.value, scoping=told, cwd=bank, model=model or None)


@contextmanager
def _at(target: Target, *, create: bool = False) -> "Generator[Callable[..., Any]]":
    """Open the file, and give what runs a block in it."""
    with opened(target, create=create, log="error") as at:  # what a queue logs is told here in a line
        session = at.fabric.session(NO_SESSION, user=target.owner["user"], org=target.owner["org"])

        def run(block: "Block[Any, Any]", value: Any = None) -> Any:
            return session.run(block, value).output

        yield run


def _say(line: str, value: object, *, as_json: bool) -> None:
    if as_json:
        write_json(value)
    else:
        say(line)


def _told(answer: "Answer", *, as_json: bool) -> None:
    if as_json:
        write_json(answer)
    if answer.details.get("useless"):
        raise nothing_found(plain(answer.text))
    if answer.details.get("redacted"):
        note(f"Secrets were taken out: {plain(', '.join(answer.details['redacted']))}.")
    for failed in answer.details.get("failed", ()):
        note(f"item {failed['index'] + 1} was not kept: {plain(failed['reason'])}")
    if not as_json:
        say(printable(answer.text))


def _flushed(done: "Flushed", *, says_all: bool) -> None:
    if says_all:
        note(f"{counted(done.done, 'memories')} done, {done.waiting} waiting")
    if done.problem or done.given_up:
        note(f"{done.waiting} wait for another try, {done.given_up} were given up: {plain(done.problem)}")
