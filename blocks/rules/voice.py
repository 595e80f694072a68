"""Turning what a speaker says of themselves into a sentence about them: contractions, person and verb forms."""

import re

_CONTRACTIONS = (
    (re.compile(r"\b(I)\s?['´`]?m\b(?!\w)"), r"\1 am"),
    (re.compile(r"\bi'm\b|\bim\b(?= (?:a|an|from|in|not|going|allergic|vegan|married|\d))"), "I am"),
    (re.compile(r"\bcan't\b|\bcannot\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"\bain't\b", re.IGNORECASE), "is not"),
    (re.compile(r"\b(do|does|did|is|are|was|were|have|has|had|would|could|should)n'?t\b", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\b(I|we|you|they)'?ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\b(we|you|they)'re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(I|we|you|they|he|she|it)'ll\b", re.IGNORECASE), r"\1 will"),
    (re.compile(r"\b(I|we|you|they)'d\b", re.IGNORECASE), r"\1 would"),
    (re.compile(r"\b(he|she|it|there|that|what)'s\b(?= (?:been|got|had)\b)", re.IGNORECASE), r"\1 has"),
    (re.compile(r"\b(he|she|it|there|that|what)'s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"\bgonna\b", re.IGNORECASE), "going to"),
    (re.compile(r"\bwanna\b", re.IGNORECASE), "want to"),
    (re.compile(r"\bgotta\b", re.IGNORECASE), "got to"),
    (re.compile(r"(?<![\w'])i(?![\w'.])"), "I"),
)
_PERSON = (
    (re.compile(r"\bI am\b"), "they are"),
    (re.compile(r"\bI was\b"), "they were"),
    (re.compile(r"\bI\b"), "they"),
    (re.compile(r"\b(?:my|our)\b", re.IGNORECASE), "their"),
    (re.compile(r"\b(?:me|us)\b"), "them"),
    (re.compile(r"\b(?:myself|ourselves)\b", re.IGNORECASE), "themself"),
    (re.compile(r"\b(?:mine|ours)\b", re.IGNORECASE), "theirs"),
)
_IRREGULAR = {"have": "has", "do": "does", "go": "goes", "am": "is", "are": "is", "be": "is", "were": "was"}
_TAIL = re.compile(
    r"(?:[\s,]+(?:too|as well|though|haha\w*|hehe|lol|lmao|tbh|imo|btw|actually|honestly|you know|now|"
    r"anyway|right now|at the moment"
    r"|by the way|thanks|thank you|please|so much|though|and all|of course|I think|I guess|I suppose|"
    r"unfortunately|sadly))+$",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """Return ``text`` with contractions written out and ``I`` in upper case.

    >>> plain("i'm not sure, I don't and we've")
    'I am not sure, I do not and we have'
    """
    for pattern, full in _CONTRACTIONS:
        text = pattern.sub(full, text)
    return " ".join(text.split())


def third_person(verb: str) -> str:
    """Return the third-person present of an English ``verb``.

    >>> [third_person(verb) for verb in ("work", "study", "teach", "have", "play")]
    ['works', 'studies', 'teaches', 'has', 'plays']
    """
    low = verb.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{low}es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return f"{low[:-1]}ies"
    return f"{low}s"


def about(text: str) -> str:
    """Return ``text`` as a sentence about the speaker: pronouns turned, filler at its end cut, first letter raised.

    >>> about("love my dog, though")
    'Love their dog'
    """
    for pattern, word in _PERSON:
        text = pattern.sub(word, text)
    text = trimmed(text)
    return text[:1].upper() + text[1:]


def trimmed(text: str) -> str:
    """Return ``text`` without end marks and without filler words at its end."""
    text = text.strip(' \t\n.,!?;:…-–—。！？"')
    return _TAIL.sub("", text).strip(" ,;:-–—")
