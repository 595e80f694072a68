"""Cutting a sentence into clauses, and refusing those that claim nothing: questions, conditions, hearsay, requests."""

from collections.abc import Iterator, Sequence

from .patterns import Patterns, everyday, table
from .sentences import HIDDEN, MAX_CLAUSE
from .voice import plain

_FORM = Patterns("clauses")
_ASKED_WORDS = ("when", "how", "what", "who", "where", "why", "me ", "you", "your", "it", "us", "them", "those")


def asks(sentence: str) -> bool:
    """Return whether a sentence asks something, or for something to be done.

    >>> asks("Where is Rome?"), asks("Book me a flight, please."), asks("I live in Rome.")
    (True, True, False)
    """
    said = unmarked(plain(sentence))
    is_question = sentence.rstrip(" )\"'").endswith(("?", "？"))
    return is_question or bool(_FORM["asks"].match(said) or _FORM["request"].match(said))


def remember(sentence: str) -> str:
    """Return what the speaker asks to be remembered in ``sentence``, or ``""``.

    >>> remember("Please remember that my locker code is 4417.")
    'my locker code is 4417.'
    """
    told = _FORM["remember"].match(sentence)
    if told is None or (sentence.endswith("?") and not sentence.lower().startswith(("can you", "could you"))):
        return ""
    rest = sentence[told.end() :]
    if told[0].lower().strip(" ,:") in {"know", "save", "store", "note"} and ":" not in told[0]:
        return ""
    return "" if rest.lower().startswith(_ASKED_WORDS) else rest.rstrip("?")


def clauses(sentence: str) -> Iterator[str]:
    """Yield the plain claims of one sentence, contractions written out and openers such as "Well," cut.

    >>> list(clauses("Well, I'm a nurse and I live in Rome, do you?"))
    ['I am a nurse', 'I live in Rome']
    """
    if sentence.rstrip(" )\"'").endswith(("?", "？")) or "?" in sentence[-4:]:
        asked = _FORM["asked_tail"].search(sentence)
        if asked is None:
            return
        sentence = sentence[: asked.start()]
    sentence = _spelled_out(_plainly(unmarked(plain(sentence))))
    if HIDDEN in sentence or _FORM["asks"].match(sentence) or _FORM["request"].match(sentence):
        return
    if _FORM["unreal"].search(sentence):
        return
    pieces = [_plainly(unmarked(piece.strip(" ,.!()"))) for piece in _FORM["joint"].split(sentence)]
    for clause in _upheld(pieces):
        if 3 < len(clause) <= MAX_CLAUSE and not _FORM["hearsay"].search(clause) and not _FORM["asks"].match(clause):
            yield clause


def _spelled_out(sentence: str) -> str:
    """Return ``sentence`` with what it leaves out written out, and without what is said to the listener aside.

    >>> _spelled_out("I left Sony and joined Sega, please keep that in mind")
    'I left Sony and I joined Sega'
    """
    for pattern, written in table("clauses", "spelled"):
        sentence = pattern.sub(written, sentence)
    return sentence


def _plainly(clause: str) -> str:
    """Return a clause in the words that rules know, where it says the same in others.

    >>> _plainly("I handed in my notice at Sony"), _plainly("Sega hired me")
    ('I resigned from Sony', 'I started working at Sega')
    """
    for pattern, text in everyday():
        clause, found = pattern.subn(text, clause, count=1)
        if found:
            return clause
    return clause


def takes_back(sentence: str) -> bool:
    """Return whether ``sentence`` denies what was said right before it.

    >>> takes_back("But the test was negative."), takes_back("But I like it.")
    (True, False)
    """
    adverse = _FORM["adverse"].match(sentence)
    return adverse is not None and _denies(unmarked(plain(sentence[adverse.end() :]).strip(" ,.!")))


def _upheld(pieces: Sequence[str]) -> Iterator[str]:
    """Yield the pieces of a sentence that it does not deny itself: "I am allergic, but the test was negative"."""
    for piece, behind in zip(pieces, [*pieces[1:], ""], strict=True):
        if not _denies(piece) and not _denies(behind, piece) and not _FORM["taken_back"].search(piece):
            yield piece


def _denies(piece: str, text: str = "") -> bool:
    """Return whether ``piece`` denies a ``text``; "but I am not" denies only what was said of oneself."""
    found = _FORM["takes_back"].match(piece)
    return found is not None and not (found["mine"] and text and not text.startswith("I "))


def unmarked(text: str) -> str:
    """Return ``text`` without the discourse markers it opens with.

    >>> unmarked("Oh, well, actually I moved")
    'I moved'
    """
    for _ in range(6):
        marker = _FORM["marker"].match(text)
        if marker is None:
            return text
        text = text[marker.end() :]
    return text
