"""The question that a session's first turn asks the bank: its message, and what was said before, within a limit."""

from collections.abc import Sequence

from .transcript import Said

PRIOR_CONTEXT = "Prior context:"


def compose_query(earlier: Sequence[Said], message: str, turns: int, most: int) -> str:
    r"""Return the question: a line for each message of the turns before, the user's message last.

    ``turns`` counts the user's turns that are looked at, the present one included. Of ``most`` characters the message
    has the first, and alone is it cut; lines fill what is left from the newest on, so that the oldest fall away.

    >>> from datetime import UTC, datetime
    >>> said = Said("user", "We use pytest.", 1, datetime(2026, 1, 2, tzinfo=UTC))
    >>> compose_query([said], "How do I run one test?", 2, 800)
    'Prior context:\nuser: We use pytest.\n\nHow do I run one test?'
    """
    current = message.strip()[:most]
    room = most - len(current) - len(PRIOR_CONTEXT) - 2
    numbers = sorted({said.turn for said in earlier})
    wanted = set(numbers[-(turns - 1) :] if turns > 1 else ())
    lines: list[str] = []
    for said in reversed(earlier):
        line = f"{said.role}: {' '.join(said.text.split())}"
        room -= len(line) + 1
        if said.turn not in wanted or room < 0:
            break
        lines.insert(0, line)
    return "\n".join([PRIOR_CONTEXT, *lines, "", current]) if lines else current
