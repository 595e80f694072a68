"""A question as ranking sees it: its words with weights, whom it names, and its vectors."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fabric.text.language import stem
from fabric.text.terms import MAX_CUE, Cue, read_cue
from fabric.text.words import word_set

from .people import NOBODY, People

if TYPE_CHECKING:
    from ..meaning import Embedded, Meaning

Floats = NDArray[np.float32]
FRAME_WEIGHT = 0.35
"""What a word that only frames the question weighs beside one that names what is asked for."""
FRAME_WORDS = frozenset(
    stem(word, "english")
    for word in word_set(
        "many much total number amount average difference order first last latest earliest recent most recently "
        "currently current now ago past since before after day week month year time today yesterday date long old "
        "often remind mentioned mention said say told tell discussed talked talk asked previous previously earlier "
        "conversation chat going wanted want wondering wonder know remember recall check confirm looking different "
        "type kind sort one two three four five six seven eight nine ten passed happened happen used use name called "
        "give given suggest suggestion recommend recommendation advice tip help need any think"
    )
)
_SEVERAL = re.compile(
    r"\b(how many|how much|total|altogether|combined|average|order|sequence|chronological|timeline"
    r"|list|all|every|each|both|summar(?:y|i[sz]e)|overview|compared?|difference)\b"
)
"""What a question says that counts, adds up, orders, lists or compares: several turns answer it, not one."""
_FIRST_PERSON = re.compile(r"\b(i|my|me|mine|i'm|i've|i'd|we|our|us)\b")
_SECOND_PERSON = re.compile(r"\b(you|your|our)\b")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. ``word_vectors`` has a row per word of the cue; both vectors are None without a model."""

    cue: Cue
    weights: tuple[float, ...]
    speakers: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    vector: Floats | None = None
    word_vectors: Floats | None = None
    meaning: str = field(default="")
    """The cue without the names of speakers: what is embedded."""
    is_about_several: bool = False
    """Whether several turns may answer it together."""
    people: People = NOBODY
    """Whom it asks about, where memories are concerned."""
    is_foreign: bool = False
    """Whether it is in a language that the embedder knows little of: then its vector counts less."""


def read_question(text: str, speakers: Iterable[str] = ()) -> Question:
    """Return the question; ``speakers`` are the names of those whose turns are stored.

    >>> asked = read_question("When did Ana move?", ["Ana Lopes", "Ben"])
    >>> asked.speakers, asked.meaning
    (frozenset({'Ana Lopes'}), 'When did  move?')
    """
    cue = read_cue(text)
    lowered = cue.text.casefold().replace("\u2019", "'")
    named = named_speakers(cue.text, speakers)
    roles = {"user"} if _FIRST_PERSON.search(lowered) else set[str]()
    if _SECOND_PERSON.search(lowered):
        roles.add("assistant")
    meaning = cue.text
    for name in sorted(named):
        meaning = re.sub(rf"\b{re.escape(_first_name(name))}\b(['\u2019]s)?", "", meaning, flags=re.IGNORECASE)
    return Question(
        cue,
        frame_weights([word.terms[0] for word in cue.words]),
        named,
        frozenset(roles),
        meaning=meaning,
        is_about_several=bool(_SEVERAL.search(lowered)),
    )


def with_vectors(question: Question, embedded: "Embedded", meaning: "Meaning") -> Question:
    """Return the question with the vectors of its meaning and of its words, where there are any."""
    if embedded.vectors is None:
        return question
    of_words = meaning.words
    spelled = [word.spelling for word in question.cue.words]
    return replace(
        question,
        vector=embedded.vectors[0],
        is_foreign=meaning.is_foreign(question.cue.language),
        word_vectors=of_words(spelled) if of_words is not None and spelled else None,
    )


def frame_weights(terms: Sequence[str]) -> tuple[float, ...]:
    """Return 1 per word, less for those that only frame the question, unless all do.

    >>> frame_weights(["how", "mani", "dog"])
    (1.0, 0.35, 1.0)
    """
    weights = tuple(FRAME_WEIGHT if term in FRAME_WORDS else 1.0 for term in terms)
    return weights if max(weights, default=1.0) > FRAME_WEIGHT else (1.0,) * len(weights)


def named_speakers(text: str, speakers: Iterable[str]) -> frozenset[str]:
    """Return the speakers whose first name stands in the question."""
    spoken = set(re.findall(r"\w+", text[:MAX_CUE].casefold()))
    return frozenset(name for name in speakers if _first_name(name) in spoken)


def _first_name(name: str) -> str:
    return (name.casefold().split() or [""])[0]
