"""The commands inside a chat, each the same as the command of that name outside of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import typer

from .commands.explain import forget_asked, tell_why, write_export
from .commands.inspect import Part, recall_about, show_part
from .notices import Seen, recalled_lines
from .output import aside, error_line, expected_errors, note, plain, say
from .target import Opened

_COMMAND = re.compile(r"\s*/([A-Za-z]*)(?:\s+(.*?))?\s*", re.DOTALL)
_ABOUT = re.compile(r"about\s+(.+)", re.DOTALL | re.IGNORECASE)
RECALLED = "recalled"
EMPTY = {
    "working": "nothing in this session's working memory yet",
    "episodes": "no episodes yet",
    "facts": "no facts yet",
    "turns": "no turns yet",
}
"""What is said of a part that holds nothing."""
QUIT = "quit"


@dataclass(frozen=True, slots=True)
class Command:
    """One command: what may stand behind its name, what it does, and the function that does it."""

    takes: str
    what: str
    run: Callable[[Opened, Seen, str], None]


def command_of(line: str) -> tuple[str, str] | None:
    """Return the command and what stands behind it, None for a message.

    A path is a message, and so is what begins with two slashes.

    >>> command_of("/why 2"), command_of("/usr/bin/env fails"), command_of("//why is that?")
    (('why', '2'), None, None)
    """
    found = _COMMAND.fullmatch(line)
    return (found[1].lower(), found[2] or "") if found else None


def message_of(line: str) -> str:
    """Return the message that a line says: of two slashes at its beginning, one is left.

    >>> message_of("//why is that?")
    '/why is that?'
    """
    return line.lstrip().removeprefix("/") if line.lstrip().startswith("//") else line


def obey(name: str, rest: str, at: Opened, seen: Seen) -> None:
    """Do what a command asks for; whatever is wrong with it is said, and the chat goes on."""
    try:
        _command(name).run(at, seen, rest)
    except typer.Exit:  # it has said why
        pass
    except typer.Abort:
        note("Nothing was changed.")
    except typer.BadParameter as error:
        note(f"error: {plain(error.message)}")
    except KeyboardInterrupt:
        note("(stopped)")
    except expected_errors() as error:
        note(error_line(error))


def completions() -> list[str]:
    """Return what a line may be completed to."""
    parts = [f"/show {part}" for part in (*Part, RECALLED)]
    return [*(f"/{name}" for name in COMMANDS), "/forget about ", *parts]


def _help(_at: Opened, _seen: Seen, _rest: str) -> None:
    width = max(len(f"{name} {command.takes}") for name, command in COMMANDS.items())
    for name, command in COMMANDS.items():
        say(f"/{f'{name} {command.takes}':<{width}}  {command.what}")
    say("N is the number of what was recalled or learned. To say something that begins with a slash, write two: //etc.")


def _why(at: Opened, seen: Seen, rest: str) -> None:
    tell_why(at, seen.id(_needed(rest, "the number or id of a memory: /why 2")))


def _forget(at: Opened, seen: Seen, rest: str) -> None:
    rest = _needed(rest, "the number or id of a memory, or about and a name: /forget 2, /forget about Ann")
    about = _ABOUT.fullmatch(rest)
    forget_asked(at, {"subject": about[1]} if about else {"id": seen.id(rest)})


def _show(at: Opened, seen: Seen, rest: str) -> None:
    if rest == RECALLED:
        for line in recalled_lines(seen, None) or ["nothing went into the last prompt"]:
            aside(line)
        return
    if rest not in ["", *Part]:
        raise typer.BadParameter(f"/show {rest}: expected {', '.join(Part)} or {RECALLED}")
    show_part(at, Part(rest) if rest else Part.all, empty=EMPTY.get(rest, "nothing is remembered yet"))


def _recall(at: Opened, _seen: Seen, rest: str) -> None:
    from capabilities.memory.recall.recall import RecallRequest

    recall_about(at, RecallRequest(cue=_needed(rest, "a few words: /recall where she works"), limit=10))


def _export(at: Opened, _seen: Seen, rest: str) -> None:
    out = Path(rest).expanduser() if rest else None
    if out is not None and out.exists() and not typer.confirm(f"{plain(out)} exists. Write over it?", err=True):
        raise typer.Abort
    write_export(at, out)


def _quit(_at: Opened, _seen: Seen, _rest: str) -> None:
    raise EOFError


def _needed(rest: str, what: str) -> str:
    if not rest:
        raise typer.BadParameter(f"expected {what}")
    return rest


def _command(name: str) -> Command:
    if name in COMMANDS:
        return COMMANDS[name]
    near = get_close_matches(name, COMMANDS, n=1)
    meant = f"did you mean /{near[0]}?" if near else "/help lists the commands."
    raise typer.BadParameter(f"there is no command /{name}; {meant} To say it in the chat, write //{name}")


COMMANDS = {
    "help": Command("", "List the commands.", _help),
    "why": Command("N|ID", "Explain a memory: the words it rests on, and how it changed.", _why),
    "forget": Command("N|ID|about NAME", "Delete a memory, or all about somebody, for good.", _forget),
    "show": Command("[PART]", f"Show what is remembered: {', '.join(Part)}, or {RECALLED} just now.", _show),
    "recall": Command("CUE", "Recall what is remembered about a few words.", _recall),
    "export": Command("[FILE]", "Write everything that is remembered as JSON lines.", _export),
    QUIT: Command("", "Leave, as Ctrl-D does.", _quit),
}
