"""Where the chat's next line comes from: a terminal with line editing, or a pipe."""

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from contextvars import copy_context
from typing import Protocol

from .output import note

SIGN = "> "


class Asking(Protocol):
    """What asks for the next line."""

    interactive: bool
    """Whether somebody sits there: Ctrl-C clears the line instead of ending the chat."""

    def ask(self) -> str:
        """Return the next line; EOFError when there is none any more, KeyboardInterrupt for Ctrl-C."""
        ...

    def wake(self) -> None:
        """Say, from any thread, that there is something to tell."""
        ...


class Terminal:
    """A line with editing, history and completion; ``tell`` is called when it begins and at every `wake`.

    What is written meanwhile stands above the line.
    """

    interactive = True

    def __init__(self, completions: Sequence[str], tell: Callable[[], None]) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.shortcuts import CompleteStyle

        self._tell = tell
        self._context = copy_context()
        self._prompt: PromptSession[str] = PromptSession(
            SIGN,
            completer=WordCompleter(list(completions), sentence=True),
            complete_style=CompleteStyle.READLINE_LIKE,
            complete_while_typing=False,
        )

    def ask(self) -> str:
        """Return the next line; Ctrl-C on one that is empty is told how to leave."""
        try:
            with _above_the_line():
                return self._prompt.prompt(pre_run=self._tell)
        except KeyboardInterrupt:
            if not self._prompt.default_buffer.text:
                note("Ctrl-D leaves.")
            raise

    def wake(self) -> None:
        """Tell now if the line is open; else what there is to tell is told before the next one."""
        loop = self._prompt.app.loop
        if loop is not None and self._prompt.app.is_running:
            with suppress(RuntimeError):  # it was closed just now
                loop.call_soon_threadsafe(self._tell, context=self._context)


class Pipe:
    """Plain lines of stdin."""

    interactive = False

    def ask(self) -> str:
        """Return the next line."""
        return input(SIGN if sys.stdin.isatty() else "")

    def wake(self) -> None:
        """Nothing is told while a line is read."""


def asking(completions: Sequence[str], tell: Callable[[], None]) -> Asking:
    """Return what asks: a terminal where both ends are one, else a pipe."""
    return Terminal(completions, tell) if sys.stdin.isatty() and sys.stdout.isatty() else Pipe()


def _above_the_line() -> AbstractContextManager[None]:
    """Let what is written, from whatever thread, stand above the line; stderr goes elsewhere if it is no terminal."""
    from prompt_toolkit.patch_stdout import patch_stdout

    return patch_stdout(raw=True) if sys.stderr.isatty() else nullcontext()
