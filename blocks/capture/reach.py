"""How far a retraction reaches: all of the message before it, what it names of it, or the last statement."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from capabilities.claims import Claim, claim_of, compare
from capabilities.claims.attributes import words_of
from capabilities.retrieval.chatter import words_told
from capabilities.vocabulary import Observation
from fabric.text.language import STOP_WORDS, language_of
from fabric.text.words import printable, words

from ..readers.clauses import asks
from ..readers.observe import observe_text
from ..readers.sentences import own_sentences
from ..readers.withdrawals import Withdrawal
from .contradicted import content

Reach = Literal["all", "named", "last"]
Told = tuple[str, str]
"""Whom something is about, and what it says."""
OWN_WORDS = 2
"""With so many words that the user did not say, an answer says something itself that may be denied."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a retraction names of the message before: what its own claims speak against, or else the words in both.

    ``least`` is how many of the words a memory must share to be meant: as many as the one that shares most.
    """

    claims: tuple[Claim, ...] = ()
    shared: frozenset[str] = frozenset()
    language: str = ""
    least: int = 1

    def __bool__(self) -> bool:
        """Return whether anything is named."""
        return bool(self.claims or self.shared)

    def among(self, found: Iterable[Told]) -> "Named":
        """Return the same with everything known that the message before said."""
        return replace(self, least=max((self._shared(*told) for told in found), default=0))

    def means(self, subject: str, text: str) -> bool:
        """Return whether a memory is among what is named."""
        if self.claims:
            return _opposed(subject, text, self.claims)
        return 0 < self.least <= self._shared(subject, text)

    def _shared(self, subject: str, text: str) -> int:
        return len(_words(f"{subject} {text}", self.language) & self.shared)


def told_by(text: str) -> list[Told]:
    """Return what rules read in a message."""
    return [(seen.subject, seen.content) for seen in observe_text(printable(text))]


def named_by(rest: str, before: str, withdrawn: Withdrawal | None) -> Named:
    """Return what the rest of a retraction names of the message before it; what is called untrue must be denied."""
    language, told = language_of(f"{before}\n{rest}"), told_by(before)
    said = (claim_of(seen) for seen in observe_text(printable(rest)))
    claims = tuple(claim for claim in said if any(_opposed(*pair, (claim,)) for pair in told))
    denials = words_of("denials")
    if withdrawn is not None and withdrawn.means == "untrue" and not withdrawn.is_about:
        rest = rest if not denials.isdisjoint(words(rest)) else ""
    return Named(claims, _words(rest, language) & _words(before, language), language)


def reach_of(
    withdrawn: Withdrawal | None, named: Named, before: str, answers: Sequence[str], *, is_correction: bool
) -> Reach | None:
    """Return how far a retraction reaches into the message ``before`` it, which had ``answers``; None for not at all.

    "That's not true" may be said of an answer, and "ignore that" of a question or request: these take nothing back.
    """
    if withdrawn is None:
        return "named" if named else "last"
    if named and not (withdrawn.means == "said" and withdrawn.is_sentence):
        return "named"
    if withdrawn.is_about:
        return None
    if _means_all(withdrawn, before, answers):
        return "all"
    return "last" if is_correction else None


def _means_all(withdrawn: Withdrawal, before: str, answers: Sequence[str]) -> bool:
    if withdrawn.means == "said":
        return True
    asking = [asks(sentence) for sentence in own_sentences(before)]
    if (withdrawn.rest and not withdrawn.is_sentence) or not asking:
        return False
    if withdrawn.means == "that":
        return not asking[-1]
    own = {word for answer in answers for word in words_told(answer)} - set(words(before))
    return not any(asking) and len(own) < OWN_WORDS


def _words(text: str, language: str) -> frozenset[str]:
    """Return the words of a text that can name something: no denial, no word that stands in every sentence."""
    return content(text, language) - _idle(language)


@cache
def _idle(language: str) -> frozenset[str]:
    return content(" ".join([*words_of("denials"), *STOP_WORDS.get(language, ())]), language)


def _opposed(subject: str, text: str, claims: Sequence[Claim]) -> bool:
    known = claim_of(Observation(subject=subject, content=text, importance=0))
    return any(compare(known, claim) in ("replaces", "ends") for claim in claims)
