"""What was recalled as text for a prompt: a bullet for each memory, and the block that they stand in."""

from collections.abc import Sequence
from datetime import datetime

from fabric.clock import utc
from fabric.text.prompt import DATA_NOTICE, escaped, memory_block

from ..formulas.prompt_budget import pack, tokens
from .config import BackendName
from .record import Found, Recalled

PREAMBLE = (
    f"{DATA_NOTICE} It was kept in earlier sessions and may be out of date: what is said or found in this one counts "
    "for more."
)
NO_ID = "(no id)"


def bullets(found: Sequence[Found], backend: BackendName) -> list[str]:
    """Return one line for each result, escaped, so that none can end the block that it stands in or look like two.

    On a server a line is ``- text [type] (when it was said)``, in this file
    ``- content (id: x) [source] (YYYY-MM-DD) c:score``; what is not known is left out, but a missing id is named.

    >>> bullets([Found("Uses tabs", id="a1", source="tool", score=0.812)], "local")
    ['- Uses tabs (id: a1) [tool] c:0.81']
    >>> bullets([Found("Uses tabs", id="a1", kind="world")], "hindsight")
    ['- Uses tabs [world]']
    """
    line = _on_server if backend == "hindsight" else _in_file
    return [" ".join(["-", *(part for part in map(_flat, line(result)) if part)]) for result in found]


def minute(at: datetime) -> str:
    """Return a moment as its UTC minute.

    >>> from datetime import UTC
    >>> minute(datetime(2026, 11, 29, 18, 5, 59, tzinfo=UTC))
    '2026-11-29 18:05 UTC'
    """
    return f"{utc(at):%Y-%m-%d %H:%M} UTC"


def memories_block(recalled: Recalled, backend: BackendName, most_tokens: int) -> str:
    """Return the ``<memories>`` block within so many tokens, the best memories first; "" where none is found or fits.

    About four characters are one token.
    """
    head = f"Current time: {minute(recalled.at)}\n"
    empty = memory_block("memories", head, PREAMBLE)
    lines = pack(bullets(recalled.found, backend), most_tokens - tokens(len(empty) + 1))
    return memory_block("memories", "\n".join([head, *lines]), PREAMBLE) if lines else ""


def _in_file(result: Found) -> Sequence[str]:
    return (
        result.content,
        f"(id: {result.id})" if result.id else NO_ID,
        f"[{result.source}]" if result.source else "",
        f"({utc(result.said_at):%Y-%m-%d})" if result.said_at is not None else "",
        f"c:{result.score:.2f}" if result.score is not None else "",
    )


def _on_server(result: Found) -> Sequence[str]:
    said_at = f"({utc(result.said_at).isoformat(timespec='seconds')})" if result.said_at is not None else ""
    return (result.content, f"[{result.kind}]" if result.kind else "", said_at)


def _flat(text: str) -> str:
    return " ".join(escaped(text).split())
