"""Turns that say nothing of anything: greetings, agreement, questions. Where facts are known, they come behind them."""

import json
from functools import lru_cache
from pathlib import Path

import regex

from fabric.text.words import normalise, words

SHORT = 80
"""A longer text is no mere greeting."""
SHORTEST = 2
"""A word of so few letters tells nothing."""
_SENTENCE = regex.compile(r"[^.!?。！？\n]+(?P<end>[.!?。！？\n]+|$)")
_NAME = regex.compile(r"(?<=[\p{L},] )\p{Lu}\p{L}+")


def says_nothing(text: str) -> bool:
    """Return whether a text only greets, agrees or asks.

    >>> says_nothing("Nice to meet you, Jake!"), says_nothing("I live in Oslo.")
    (True, False)
    """
    text = text.strip()
    return only_asks(text) or (len(text) <= SHORT and _is_small_talk(text))


def only_asks(text: str) -> bool:
    """Return whether a text consists of questions.

    >>> only_asks("Where do I live?"), only_asks("I live in Oslo. Where do you?"), only_asks("我住在哪里？")
    (True, False, True)
    """
    ends = [found["end"] for found in _SENTENCE.finditer(text[:400]) if found[0].strip()]
    return bool(ends) and all(end[:1] in "?？" and end for end in ends)


def words_told(text: str) -> frozenset[str]:
    """Return the words of a text beyond questions and small talk.

    >>> sorted(words_told("Great! Rome is old. Do you like it?"))
    ['old', 'rome']
    """
    said, _ = _words()
    statements = (found[0] for found in _SENTENCE.finditer(text) if found["end"][:1] not in ("?", "？"))
    return frozenset(word for sentence in statements for word in words(sentence) if word not in said)


def is_small_talk(word: str) -> bool:
    """Return whether a word, in lower case, is one of greetings, thanks and agreement.

    >>> is_small_talk("wow"), is_small_talk("rome")
    (True, False)
    """
    said, unspaced = _words()
    return word in said or word in unspaced


def asks_the_same(text: str, cue: str) -> bool:
    """Return whether a text is the question itself that is asked again."""
    return words(text) == words(cue) and only_asks(text)


def names(cue: str, value: str) -> bool:
    """Return whether a cue holds a word of a value, so that what denies the value is an answer.

    >>> names("Est-ce que j'aime l'opéra ?", "l'opéra"), names("¿Qué música me gusta?", "el fútbol")
    (True, False)
    """
    asked = normalise(cue)
    return any(word in asked for word in words(value) if len(word) > SHORTEST or not word.isascii())


def _is_small_talk(text: str) -> bool:
    said, unspaced = _words()
    plain = normalise(text).strip(" .!?。！？,，~")
    if plain in unspaced:
        return True
    return all(word in said for word in words(_NAME.sub("", text))) and bool(words(text))


@lru_cache(maxsize=1)
def _words() -> tuple[frozenset[str], frozenset[str]]:
    listed = json.loads(Path(__file__).with_name("smalltalk.json").read_text(encoding="utf-8"))
    unspaced = frozenset(" ".join(listed[name] for name in ("chinese", "japanese")).split())
    return frozenset(word for text in listed.values() for word in text.split()), unspaced
