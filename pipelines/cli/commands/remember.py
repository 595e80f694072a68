"""The command that states a fact: remember."""

from typing import Annotated

import typer

from ..options import DEFAULT_FILE, File, Json, Org, Project, Session, User
from ..output import note, nothing_found, plain, say, write_json
from ..target import Target, opened


def remember(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help='The fact, such as "Is allergic to peanuts".', show_default=False)
    ],
    subject: Annotated[
        str, typer.Option("--subject", help="Whom it is about. Default: the user.", show_default=False)
    ] = "",
    tag: Annotated[list[str] | None, typer.Option("--tag", help="What it is filed under; repeat it for more.")] = None,
    file: File = DEFAULT_FILE,
    user: User = "",
    session: Session = "",
    project: Project = "",
    org: Org = "",
    as_json: Json = False,
) -> None:
    """Take in a fact as it is stated: it is stored, merged with what is known, or takes the place of what it changes.

    A file that does not exist is made.
    """
    asked = {"content": text, "tags": tag or [], **({"subject": subject} if subject else {})}
    with opened(Target(file, user, project, org, session), create=True) as at:
        outcome = at.run(at.mem.remember_block, asked)
        replaced = at.run(at.mem.why_block, outcome.replaced) if outcome.replaced else None
    if outcome.redacted:
        note(f"Secrets were taken out: {plain(', '.join(outcome.redacted))}.")
    if as_json:
        write_json(outcome)
        return
    if outcome.status == "skipped":
        raise nothing_found(f"not taken in: {plain(outcome.reason)}")
    before = f' in place of "{plain(replaced.content)}"' if replaced is not None else ""
    say(f"{outcome.status} {plain(outcome.id)}: {plain(outcome.content)}{before}")
