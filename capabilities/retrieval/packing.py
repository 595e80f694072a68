"""Evidence for a prompt: the best texts that fit into a number of tokens, in the order in which they were said."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from fabric.text.passages import passages, sentences

from ..formulas.prompt_budget import CHARS_PER_TOKEN, tokens

LONG_CHARS = 800
"""From this length on, only the part of a text is taken that holds most of the question's words."""
NEAREST = 2.0
"""How many terms the nearest passage counts for."""
HEAD_TOKENS = 6
"""What a line costs that says when a session was."""
SHORTEST_CHARS = 240
"""To what length a text is cut at most, where no more room is left."""
MARKS = ": …  …\n"
"""What stands around a text that was cut, in its line."""
MISSES = 10
"""After so many texts that did not fit no further one is tried."""
TermsOf = Callable[[str], frozenset[str]]
"""The terms of a text."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One text that may be taken: its line, which session it belongs to, and when it was said."""

    text: str
    session: str
    said_at: datetime
    order: int
    """Its place among the texts of one time."""
    speaker: str = ""
    note: str = ""
    """What stands behind it, also where it is cut."""
    nearest: int = -1
    """Which passage of a long text (`fabric.text.passages`) comes nearest to the question, -1 for none."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The passages that were taken, each with its line. ``is_full``: no further one would have been tried."""

    lines: list[tuple[Passage, str]]
    is_full: bool


def choose(passages: Iterable[Passage], budget: int, terms_of: TermsOf, asked: frozenset[str]) -> Chosen:
    """Return the best of the passages, which come best first, that take at most ``budget`` tokens (4 characters each).

    Texts of equal words are taken once.
    """
    used, misses = 0, 0
    chosen: list[tuple[Passage, str]] = []
    heads: set[tuple[str, str]] = set()
    seen: set[str] = set()
    for passage in passages:
        key = " ".join(passage.text.casefold().split())
        if key in seen:
            continue
        head = (passage.session, _head(passage))
        for_head = 0 if head in heads else HEAD_TOKENS
        room = (budget - used - for_head) * CHARS_PER_TOKEN - len(passage.speaker + passage.note) - len(MARKS)
        line = _line(passage, terms_of, asked, min(LONG_CHARS, max(room, SHORTEST_CHARS)))
        cost = cost_of(line) + for_head
        if used + cost > budget:
            misses += 1
            if misses == MISSES:
                break
            continue
        used += cost
        seen.add(key)
        heads.add(head)
        chosen.append((passage, line))
    return _cut(Chosen(chosen, is_full=misses == MISSES), budget)


def _cut(chosen: Chosen, budget: int) -> Chosen:
    """Leave out the last while the text is too long: where sessions went on at once, dates stand more than once."""
    lines = list(chosen.lines)
    while len(written(lines)) > budget * CHARS_PER_TOKEN:
        lines.pop()
    return Chosen(lines, chosen.is_full or len(lines) < len(chosen.lines))


def cost_of(line: str) -> int:
    """Return the estimated tokens of a line with its end.

    >>> cost_of("hello")
    2
    """
    return tokens(len(line) + 1)


def crop(text: str, terms_of: TermsOf, asked: frozenset[str], limit: int = LONG_CHARS, nearest: int = -1) -> str:
    """Return the run of whole sentences, at most ``limit`` characters long, that holds most of the asked terms.

    What lies in the ``nearest`` of the text's passages counts as some terms more.

    >>> crop("It rained. We saw a cat. Then we slept.", lambda text: frozenset(text.split()), frozenset({"cat."}), 16)
    '… We saw a cat. …'
    """
    if len(text) <= limit:
        return text
    spans = [(begin, end) for begin, end in sentences(text) if text[begin:end].strip()] or [(0, len(text))]
    shared = [terms_of(text[begin:end]) & asked for begin, end in spans]
    begin, end = _best_run(spans, shared, _shares(text, spans, nearest), limit)
    run = " ".join(text[first:last].strip() for first, last in spans[begin:end])[:limit]
    return ("… " if begin else "") + run + (" …" if end < len(spans) or len(run) == limit else "")


def _shares(text: str, spans: Sequence[tuple[int, int]], nearest: int) -> list[float]:
    """Return which share of the nearest passage each sentence is."""
    cut = passages(text) if nearest >= 0 else []
    if not 0 <= nearest < len(cut):
        return [0.0] * len(spans)
    low, high = cut[nearest]
    return [max(0, min(end, high) - max(begin, low)) / (high - low) for begin, end in spans]


def _best_run(
    spans: Sequence[tuple[int, int]], shared: Sequence[frozenset[str]], shares: Sequence[float], limit: int
) -> tuple[int, int]:
    """Return the run with most different terms; of equal ones the longest, then the earliest."""
    best, run = (-1.0, -1), (0, 1)
    for begin in range(len(spans)):
        size, near, terms = 0, 0.0, frozenset[str]()
        for end in range(begin, len(spans)):
            size += spans[end][1] - spans[end][0] + 1
            if size > limit and end > begin:
                break
            terms |= shared[end]
            near += shares[end]
            if (len(terms) + NEAREST * near, min(size, limit)) > best:
                best, run = (len(terms) + NEAREST * near, min(size, limit)), (begin, end + 1)
    return run


def _line(passage: Passage, terms_of: TermsOf, asked: frozenset[str], limit: int) -> str:
    text = " ".join(crop(passage.text, terms_of, asked, limit, passage.nearest).split())
    line = f"{passage.speaker}: {text}" if passage.speaker else text
    return f"{line} {passage.note}" if passage.note else line


def written(chosen: Sequence[tuple[Passage, str]]) -> str:
    """Return the lines as text: a session's stand together under its date, in the order in which they were said.

    The same lines give the same bytes.

    >>> print(written([(Passage("We moved.", "s1", datetime(2022, 5, 21), 0, "Ana"), "Ana: We moved.")]))
    [21 May 2022]
    Ana: We moved.
    """
    lines: list[str] = []
    last = ""
    for passage, line in sorted(chosen, key=lambda taken: (taken[0].said_at, taken[0].session, taken[0].order)):
        head = _head(passage)
        if passage.session + head != last:
            lines.append(head)
            last = passage.session + head
        lines.append(line)
    return "\n".join(lines)


def _head(passage: Passage) -> str:
    return f"[{passage.said_at.day} {passage.said_at:%B %Y}]"
