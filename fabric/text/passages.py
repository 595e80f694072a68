"""Where a long text is cut into passages, each of which has a vector of its own: one for many topics says little."""

from collections.abc import Iterator
from itertools import groupby, pairwise

import regex

from ..slices import paced, slices
from .words import UNSPACED

SIZE = 300
"""About how long a passage is, in letters: some 50 words."""
LONG = 540
"""Up to this length, some 90 words, a text is not cut."""
MOST = 256
"""How many passages a text has at most; those of a longer one are longer."""
WIDE = 3
"""For how many letters a character of a script without spaces stands."""
_UNSPACED = regex.compile(f"[{UNSPACED}]")
_END = regex.compile(r"[\p{Sentence_Terminal}…]+[\p{Pe}\p{Pf}\"']*(?:\s+|$)|[。！？｡]+[\p{Pe}\p{Pf}\"']*\s*|\n\s*")
_WORD = regex.compile(rf"\s*\S{{1,{SIZE // WIDE}}}\s*")


def passages(text: str) -> list[tuple[int, int]]:
    """Return where the passages of a long text begin and end, in order; [] for a text that is not long.

    They are runs of whole sentences, about equally long, which together are the text. Of a sentence that is longer
    than a passage, they are runs of words.

    >>> passages("It rained all day.")
    []
    >>> text = " ".join(f"This sentence says that {n} is a number." for n in range(15))
    >>> [text[begin:end].strip()[-9:] for begin, end in passages(text)]
    ['a number.', 'a number.']
    """
    if len(text) * WIDE <= LONG or (total := sum(map(_weight, slices(text)))) <= LONG:
        return []
    share = total / min(MOST, max(2, round(total / SIZE)))
    numbered = groupby(_numbered(text, share), key=lambda pair: pair[0])
    runs = [[span for _, span in group] for _, group in numbered]
    return [(run[0][0], run[-1][1]) for run in runs]


def sentences(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a text in any language begin and end, spaces behind them included.

    >>> [text[begin:end] for text in ["Is it? Yes.", "雨だ。寒い。"] for begin, end in sentences(text)]
    ['Is it? ', 'Yes.', '雨だ。', '寒い。']
    """
    ends = dict.fromkeys([0, *(match.end() for match in paced(_END.finditer(text))), len(text)])
    return list(pairwise(ends))


def _numbered(text: str, share: float) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield pieces of the text, each with the number of the passage in which its middle lies."""
    before = 0
    for begin, end, weight in _pieces(text):
        yield int((before + weight / 2) / share), (begin, end)
        before += weight


def _pieces(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield where each piece begins and ends, and its weight."""
    for begin, end in paced(sentences(text)):
        weight = _weight(text[begin:end])
        if weight > SIZE:
            yield from ((*match.span(), _weight(match.group())) for match in _WORD.finditer(text, begin, end))
        else:
            yield begin, end, weight


def _weight(text: str) -> int:
    return len(text) if text.isascii() else len(text) + (WIDE - 1) * len(_UNSPACED.findall(text))
