"""Turning what a speaker says of themselves into a sentence about them: contractions, person and verb forms."""

from functools import cache

from fabric.text.words import word_set

from .patterns import Patterns, listed, table

_VOICE = Patterns("voice")
_MINUS = frozenset("-−–")
_NOT_PAST = word_set("need feed breed bleed speed")


def plain(text: str) -> str:
    """Return ``text`` with contractions written out and ``I`` in upper case.

    >>> plain("i'm not sure, I don't and we've")
    'I am not sure, I do not and we have'
    """
    for pattern, full in table("voice", "contractions"):
        text = pattern.sub(full, text)
    return " ".join(text.split())


def third_person(verb: str) -> str:
    """Return the third-person present of an English ``verb``.

    >>> [third_person(verb) for verb in ("work", "study", "teach", "have", "play")]
    ['works', 'studies', 'teaches', 'has', 'plays']
    """
    low = verb.lower()
    if low in listed("english/speech")["voice"]["irregular"]:
        return str(listed("english/speech")["voice"]["irregular"][low])
    if low.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{low}es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return f"{low[:-1]}ies"
    return f"{low}s"


def conjugated(verb: str) -> str:
    """Return ``verb``, with what follows it, in the third person; a past form stays as it is.

    >>> conjugated("work out"), conjugated("bought"), conjugated("am going")
    ('works out', 'bought', 'is going')
    """
    first, _, rest = verb.partition(" ")
    low = first.lower()
    past = low in _past() or (low.endswith("ed") and low not in _NOT_PAST)
    if past or low in {"am", "are"}:
        return verb.replace("am ", "is ").replace("are ", "is ")
    return f"{third_person(first)} {rest}".strip()


@cache
def _past() -> frozenset[str]:
    return word_set("".join(listed("english/speech")["voice"]["past"]))


def about(text: str) -> str:
    """Return ``text`` as a sentence about the speaker: pronouns turned, filler at its end cut, first letter raised.

    >>> about("love my dog, though")
    'Love their dog'
    """
    text = trimmed(third(text))
    return text[:1].upper() + text[1:]


def third(text: str) -> str:
    """Return ``text`` with its pronouns of the first person in the third."""
    for pattern, word in table("voice", "person"):
        text = pattern.sub(word, text)
    return text


def trimmed(text: str) -> str:
    """Return ``text`` without end marks and without filler words at its end."""
    text = _VOICE["tail"].sub("", _unclosed(text, ' \t\n.,!?;:…-–—。！？"'))
    return _unclosed(text, " ,;:-–—")


def _unclosed(text: str, closing: str) -> str:
    """Return ``text`` without such marks around it, but with the minus of a grade or a blood type: "A-"."""
    bare = text.strip(closing)
    minus = text[text.find(bare) + len(bare) :][:1]
    return bare + minus if minus in _MINUS and _VOICE["graded"].search(bare) else bare
