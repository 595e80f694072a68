"""Commands of the person whose memory it is: why, forget and export."""

import json
import re
from collections import Counter
from contextlib import closing, nullcontext
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..options import DEFAULT_FILE, File, Json, Org, Project, Session, User
from ..output import counted, note, nothing_found, plain, say, write_json
from ..target import Opened, Target, opened

if TYPE_CHECKING:
    from blocks.forgetting.forget import Receipt


_STEERING = re.compile("[\x7f-\x9f]")
"""Control characters that JSON leaves as they are, and some terminals obey."""


class Whose(StrEnum):
    """Everything of whom can be forgotten."""

    user = "user"
    session = "session"
    project = "project"
    org = "org"


def why(
    memory_id: Annotated[
        str, typer.Argument(metavar="ID", help="Of any record: a fact, a belief, a trace.", show_default=False)
    ],
    file: File = DEFAULT_FILE,
    user: User = "",
    session: Session = "",
    project: Project = "",
    org: Org = "",
    as_json: Json = False,
) -> None:
    """Explain one memory: the words it rests on, who wrote it, and how it changed."""
    with opened(Target(file, user, project, org, session)) as at:
        tell_why(at, memory_id, as_json=as_json)


def tell_why(at: Opened, memory_id: str, *, as_json: bool = False) -> None:
    """Write why one memory is held."""
    from ..tiers import show_explanation

    found = at.run(at.mem.why_block, memory_id)
    if as_json:
        write_json(found)
    if found is None:
        raise nothing_found(f"nothing with the id {plain(memory_id)} is remembered")
    if not as_json:
        show_explanation(found)


def forget(
    memory: Annotated[
        str, typer.Argument(metavar="ID", help="One memory, with all it was made from.", show_default=False)
    ] = "",
    memory_id: Annotated[str, typer.Option("--id", help="The same, named as an option.")] = "",
    subject: Annotated[str, typer.Option("--subject", help="All that is remembered about somebody.")] = "",
    scope: Annotated[
        Whose | None, typer.Option("--scope", help="All of the user, session, project or org.", show_default=False)
    ] = None,
    tag: Annotated[str, typer.Option("--tag", help="What is filed under a tag, and rests on that alone.")] = "",
    preview: Annotated[bool, typer.Option("--preview", help="Only tell what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    file: File = DEFAULT_FILE,
    user: User = "",
    session: Session = "",
    project: Project = "",
    org: Org = "",
    as_json: Json = False,
) -> None:
    """Delete for good, from everywhere in the file. Give one of an ID, --subject, --tag, --scope."""
    if memory.strip() and memory_id.strip() and memory != memory_id:
        raise typer.BadParameter(f"two ids are given, {memory} and {memory_id}; forget one after the other")
    asked = {"id": memory or memory_id, "subject": subject, "tag": tag, "scope": scope.value if scope else ""}
    given = {name: value for name, value in asked.items() if value.strip()}
    if len(given) != 1:
        raise typer.BadParameter("expected exactly one of an ID, --subject, --tag and --scope")
    if scope is Whose.project and not project:
        raise typer.BadParameter("--scope project needs --project, the project to forget")
    if scope is Whose.session and not session:
        raise typer.BadParameter("--scope session needs --session, the conversation to forget")
    if scope is Whose.org and not org:
        raise typer.BadParameter("--scope org needs --org, the organisation to forget")
    with opened(Target(file, user, project, org, session)) as at:
        if preview:
            tell_preview(at, given, as_json=as_json)
        else:
            forget_asked(at, given, yes=yes, as_json=as_json)


def tell_preview(at: Opened, given: dict[str, str], *, as_json: bool = False) -> None:
    """Write what forgetting would delete, and what it would leave; nothing is changed."""
    covered = at.run(at.mem.forget_block, {**given, "preview": True})
    if as_json:
        write_json(covered)
    else:
        _tell_left(covered)
    if not covered.found:
        raise nothing_found("there is nothing to forget")
    if not as_json:
        say(f"This would be deleted: {_rows(covered)}.")


def forget_asked(at: Opened, given: dict[str, str], *, yes: bool = False, as_json: bool = False) -> None:
    """Forget what one of id, subject and scope names, asked for unless ``yes``, and write the receipt."""
    if not yes:
        covered = at.run(at.mem.forget_block, {**given, "preview": True})
        if covered.found and not typer.confirm(_question(given, at, covered), err=True):
            raise typer.Exit(1)
    receipt = at.run(at.mem.forget_block, given)
    if as_json:
        write_json(receipt)
    if not as_json:
        _tell_left(receipt)
    if not receipt.found:
        raise nothing_found("there was nothing to forget")
    if not as_json:
        say(f"Forgotten for good: {_rows(receipt)}.")


def _question(given: dict[str, str], at: Opened, covered: "Receipt") -> str:
    return f"This deletes {_rows(covered)}. Forget {_named(given, at)} for good?"


def _rows(receipt: "Receipt") -> str:
    from blocks.owned_records import kind_of, kinds

    known, counts = set(kinds().values()), Counter[str]()
    for where, number in receipt.removed.items():
        counts[f"{kind_of(where)}s" if kind_of(where) in known else where] += number
    return ", ".join(counted(number, plain(name)) for name, number in counts.items())


def _tell_left(receipt: "Receipt") -> None:
    """Write to stderr what is left and may still tell of what was forgotten, with ids that ``forget`` takes."""
    if receipt.left:
        about = f" of {plain(receipt.asked.subject)}" if receipt.asked.subject else ""
        note(f"Left, though it may still tell{about}: forget ID takes each of these.")
        _tell_ids(receipt.left)
    if receipt.stays:
        note("Stays, since it says something else or was said elsewhere too:")
        _tell_ids(receipt.stays)


def _tell_ids(ids: dict[str, list[str]]) -> None:
    for kind, these in ids.items():
        note(f"  {kind}: {', '.join(plain(item) for item in these)}")


def _named(given: dict[str, str], at: Opened) -> str:
    if "scope" in given:
        owners = {**at.target.owner, "session": at.target.session}
        return f"everything of {given['scope']} {plain(owners[given['scope']])}"
    if "tag" in given:
        return f"everything filed under {plain(given['tag'])}"
    if "subject" in given:
        return f"everything about {plain(given['subject'])}"
    found = at.run(at.mem.why_block, given["id"])
    if found is None:
        return plain(given["id"])
    others = [f'"{plain(version.content)}"' for version in found.history if version.id != given["id"]]
    versions = f" and its other versions {', '.join(others)}" if others else ""
    return f'"{plain(found.content)}"{versions}, with all it was made from,'


def export(
    subject: Annotated[str, typer.Option("--subject", help="Only what is about somebody or names them.")] = "",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file to write. Default: stdout.", show_default=False)
    ] = None,
    file: File = DEFAULT_FILE,
    user: User = "",
    session: Session = "",
    project: Project = "",
    org: Org = "",
) -> None:
    """Write everything that is kept as JSON lines: memories, turns, minds, traces, messages, each naming its kind."""
    with opened(Target(file, user, project, org, session)) as at:
        write_export(at, out, subject)


def _escaped(char: re.Match[str]) -> str:
    return f"\\u{ord(char[0]):04x}"


def write_export(at: Opened, out: Path | None, subject: str = "") -> None:
    """Write what is remembered as JSON lines to a file, or to stdout."""
    if out is not None and out.resolve() == at.target.file.resolve():
        raise typer.BadParameter(f"{out} is the memory's own file; name another one")
    with closing(at.mem.export(at.session(), {"subject": subject or None})) as records:
        first = next(records, None)
        if first is None:
            raise nothing_found("nothing is remembered")
        written = 0
        with nullcontext() if out is None else out.open("w", encoding="utf-8", errors="backslashreplace") as target:
            for record in chain([first], records):
                typer.echo(_STEERING.sub(_escaped, json.dumps(record, ensure_ascii=False)), file=target)
                written += 1
    if out is not None:
        say(f"{written} records in {out}")
