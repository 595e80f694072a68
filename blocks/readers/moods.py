"""In what mood a message says each thing: stated, asked, supposed, or taken back in the same breath, or quoted."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .casing import recased
from .clauses import clauses, unmarked
from .corrections import drop_corrected
from .patterns import Patterns, table
from .sentences import HIDDEN, machine_sentences, own_sentences
from .statements import QUESTION, statements
from .voice import plain

SpeechMood = Literal["stated", "asked", "supposed", "taken back", "quoted"]
"""How something is said; only what is stated is so by the speaker's own word. Quoted: a program of itself."""

_FORM = Patterns("moods")
_CLOSING = " \t\n,.;:!?？؟¿¡()…"


@dataclass(frozen=True, slots=True)
class Spoken:
    """One piece of a message as a statement, and the mood in which it was said."""

    text: str
    mood: SpeechMood


def said_in(text: str) -> Iterator[Spoken]:
    """Yield the pieces of a message, each as the statement that it is, asks for, or supposes.

    >>> [(said.text, said.mood) for said in said_in("Do I work at Google?")]
    [('I work at Google', 'asked')]
    >>> [(said.text, said.mood) for said in said_in("If I lived in Rome, I'd laugh")][0]
    ('I lived in Rome', 'supposed')
    >>> [(said.text, said.mood) for said in said_in("I'm vegan, is that ok?")][0]
    ('I am vegan', 'stated')
    """
    sentences = list(own_sentences(recased(text)))
    kept = drop_corrected(sentences)
    for sentence in kept:
        yield from _pieces(sentence)
    held = set(kept)
    for sentence in sentences:
        if sentence not in held:
            yield from (Spoken(piece.text, "taken back") for piece in _pieces(sentence))
    for sentence in machine_sentences(text):
        yield from (Spoken(piece.text, "quoted") for piece in _pieces(sentence))


def _pieces(sentence: str) -> Iterator[Spoken]:
    yield from (Spoken(clause, "stated") for clause in clauses(sentence))
    yield from (Spoken(seen.content, "stated") for seen, _ in statements(sentence) if seen is not None)
    whole = plain(sentence).strip(_CLOSING)
    is_asked = sentence.rstrip(" )\"'").endswith(QUESTION)
    told_as: SpeechMood = "taken back" if _FORM["joke"].search(whole) else "stated"
    for piece in _FORM["apart"].split(whole):
        told = unmarked(piece).strip(_CLOSING)
        if told and HIDDEN not in told:
            yield from _moods(told, "asked" if is_asked and piece == whole else told_as, is_asked=is_asked)


def _moods(told: str, otherwise: SpeechMood, *, is_asked: bool) -> Iterator[Spoken]:
    for form, statement in table("moods", "asked") if is_asked else ():
        asked = form.fullmatch(told)
        if asked:
            yield Spoken(asked.expand(statement), "asked")
            return
    supposed = _FORM["supposed"].search(told)
    if supposed is None:
        yield Spoken(told, otherwise)
        return
    yield Spoken(next(filter(None, supposed.groups())).strip(), "supposed")
    if supposed["a"] and supposed.start():
        yield Spoken(told[: supposed.start()].strip(), otherwise)
