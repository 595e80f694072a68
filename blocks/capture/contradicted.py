"""Whether a message itself speaks against an observation of it: what it denies, only asks, supposes or takes back."""

from collections.abc import Sequence
from dataclasses import replace

from capabilities.claims import Claim, claim_of, compare, read_as
from capabilities.claims.attributes import OTHER, words_of
from capabilities.claims.record import USER
from capabilities.vocabulary import Observation
from fabric.text.language import LATIN_LANGUAGES, STOP_WORDS, language_of, stem
from fabric.text.words import content_words, words

from ..readers.moods import Spoken
from ..readers.patterns import Patterns

_FORM = Patterns("moods")
_MODAL = content_words("would could might may should")
_MINE = frozenset({"i", "we", "my", "me", "our", "ich", "wir", "je", "yo"})
REASONS = {
    "asked": "the message only asks it",
    "supposed": "the message only supposes it",
    "taken back": "the message takes it back",
    "quoted": "a program says it of itself",
}


def contradiction(observation: Observation, pieces: Sequence[Spoken]) -> str:
    """Return why the user's own words, in ``pieces``, speak against an observation, "" where they do not.

    They do where they deny what it says, or say it as nothing but a question, a supposition or what was not meant, and
    state it nowhere. What the message says in other words than the observation decides nothing.
    """
    claim = claim_of(observation)
    alike = [piece for piece in pieces if _speaks_of(piece, claim, observation)]
    if not alike:
        return ""
    agreeing = [said for said in alike if _polarity(said, claim) == claim.polarity]
    stated = [said for said in agreeing if said.mood == "stated"]
    if stated:
        return ""
    if agreeing:
        return "" if _FORM["modal"].search(observation.content) else REASONS[agreeing[-1].mood]
    return _denied(alike, claim)


def said_of_itself(observation: Observation, heard: str, answer: Sequence[Spoken]) -> bool:
    """Return whether an observation of the user is what the assistant says of itself, in the pieces of its answer.

    It is where the answer says it in the first person, and what was ``heard`` before says neither it nor its value.
    """
    claim, said = claim_of(observation), content(heard)
    value = content(observation.value or (claim.value if claim.attribute != OTHER else ""))
    if observation.subject != USER or not value.isdisjoint(said) or content(observation.content) <= said:
        return False
    own = (piece for piece in answer if piece.mood in ("stated", "quoted"))
    return any(_speaks_of(piece, claim, observation) for piece in own)


def _denied(alike: Sequence[Spoken], claim: Claim) -> str:
    stated = [said for said in alike if said.mood == "stated"]
    polarities = {_polarity(said, claim) for said in stated}
    is_past = polarities == {"ended"} and _FORM["past"].search(claim.text) is not None
    both_deny = _denies(claim.text, claim) and any(_denies(said.text, read_as(said.text)) for said in stated)
    return "" if not stated or is_past or both_deny else f"the message says the opposite: {stated[-1].text!r}"


def _denies(text: str, claim: Claim) -> bool:
    """Return whether a text says that something is not so, or no longer so."""
    return claim.polarity != "holds" or not words_of("denials").isdisjoint(words(text))


def _polarity(message: Spoken, claim: Claim) -> str:
    read = read_as(message.text)
    return read.polarity if read.attribute == claim.attribute else claim.polarity


def _speaks_of(message: Spoken, claim: Claim, observation: Observation) -> bool:
    """Return whether a piece is about just what the observation says, in whatever mood, so or not so."""
    read = read_as(message.text)
    alike = (read.subject, read.attribute) == (claim.subject, claim.attribute)
    if alike and compare(_as_affirmed(read), _as_affirmed(claim)) in ("same", "refines"):
        return True
    heard = words(message.text)
    is_about = not _MINE.isdisjoint(heard[:1]) if observation.subject == USER else observation.subject in heard
    own, said_of = (content(text) for text in (observation.content, message.text))
    return is_about and bool(own) and own == said_of


def content(text: str, language: str = "") -> frozenset[str]:
    """Return the stems of the words that carry meaning, without those that only tell a mood or the speaker.

    >>> sorted(content("Ich habe keinen Hund", "german")), sorted(content("I would like a dog"))
    (['hund', 'kein'], ['dog', 'like'])
    """
    language = language or language_of(text)
    if language in LATIN_LANGUAGES and language != "english":
        return frozenset(stem(word, language) for word in words(text) if word not in STOP_WORDS[language])
    return content_words(text) - _MODAL - _MINE


def _as_affirmed(claim: Claim) -> Claim:
    return replace(claim, polarity="holds", text=claim.value or claim.text)
