"""Names: what makes two of them one, and by what a cue finds them."""

from collections.abc import Iterable, Iterator

from fabric.text.language import STOP_WORDS
from fabric.text.words import normalise

USER = "user"
"""The name of who says "I" and has no other here."""
LONGEST = 6
"""Words of a name at most that a cue is searched for."""


def key_of(name: str) -> str:
    """Return the key of a name: its words in lower case, joined by underscores.

    >>> key_of("New  York") == key_of("new york")
    True
    """
    return "_".join(normalise(name).split())


def name_terms(names: Iterable[str]) -> list[str]:
    """Return the terms that names are found by: each as a whole, and its words.

    >>> name_terms(["Ann Lee", "Oslo"])
    ['ann_lee', 'ann', 'lee', 'oslo']
    """
    found: dict[str, None] = {}
    for key in map(key_of, names):
        found.update(dict.fromkeys([key, *(word for word in key.split("_") if word not in STOP_WORDS["english"])]))
    found.pop("", None)
    return list(found)


def cue_terms(words: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Yield what a cue may name, the longest first: the places of the words, from and to, and the term.

    >>> [term for *_, term in cue_terms(["where", "is", "new", "york"])][:2]
    ['where_is_new_york', 'where_is_new']
    """
    some = [key_of(word) for word in words]
    for count in range(min(LONGEST, len(some)), 0, -1):
        for start in range(len(some) - count + 1):
            if count > 1 or some[start] not in STOP_WORDS["english"]:
                yield start, start + count, "_".join(some[start : start + count])
