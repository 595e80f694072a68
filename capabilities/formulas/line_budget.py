"""How many lines fit into a prompt's budget of model tokens."""

from collections.abc import Iterable

CHARS_PER_TOKEN = 4


def tokens(characters: int) -> int:
    """Return ``ceil(characters / 4)``, the estimate used when no tokenizer is at hand; ``characters`` at least 0.

    >>> tokens(9)
    3
    """
    if characters < 0:
        raise ValueError(f"characters is {characters}: expected a length of at least 0")
    return -(-characters // CHARS_PER_TOKEN)


def pack(lines: Iterable[str], budget: int) -> list[str]:
    """Return the leading ``lines`` whose text, joined by newlines, is at most ``budget`` tokens by `tokens`.

    Stops at the first line that does not fit, so that what is kept is always the most important part; a budget below 1
    keeps only empty lines at most.

    >>> pack(["likes tea", "works at Stripe", "x"], 4)
    ['likes tea']
    """
    kept: list[str] = []
    used = 0
    for line in lines:
        used += len(line) + (1 if kept else 0)
        if tokens(used) > budget:
            break
        kept.append(line)
    return kept
