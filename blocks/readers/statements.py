"""Statements in other languages: whether one is the speaker's own and plain; what it claims is read elsewhere."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from capabilities.claims.attributes import ATTRIBUTES
from capabilities.claims.read import fields, read
from capabilities.claims.record import USER, Claim
from capabilities.vocabulary import Observation
from fabric.text.language import STOP_WORDS, guess_language
from fabric.text.words import words

from .acquaintances import opens_with, subject_left_out, told_of
from .close_people import subject_of
from .patterns import listed, written
from .sentences import HIDDEN, MAX_CLAUSE

QUESTION = ("?", "？", "؟")
"""The marks that end a question."""
_CLOSING = " \t\n.!…。！،,;"
_UNSURE = frozenset({"other", "amount"})
"""Attributes that tell nothing sure of somebody."""
_TOLD = frozenset({"spelled", "taken_back"})
"""Entries of a language that are not about one statement."""
_ENGLISH_WORDS = 2
"""With this many stop words of English, and more than of any other language, a sentence is English."""


_UNSPACED_CLAUSE = re.compile(r"[^\s,，]*[\u3400-\u9fff][^\s,，]*(?=[,，])")
"""The first clause of a sentence in a script without spaces: what denies something behind it denies nothing of it."""


@cache
def _forms() -> tuple[Mapping[str, re.Pattern[str]], ...]:
    """Return how statements look in each language of ``statements.json``.

    Each has ``begins``, where a statement of the speaker's own begins, or one of somebody close: at the start, behind
    a comma or an "and"; ``refused``, what makes a sentence a question, a condition, hearsay, doubt or play;
    ``request``, work on the text that follows; ``idle``, values that tell nothing of anybody; and ``passing``, what
    makes a deed one of the moment. How others are told of stands beside them; see `told_of`.
    """
    rows = listed("statements").values()
    return tuple(_Forms({name: form for name, form in row.items() if name not in _TOLD}) for row in rows)


class _Forms(Mapping[str, re.Pattern[str]]):
    """The forms of one language by name, each compiled when it is first asked for."""

    def __init__(self, forms: Mapping[str, Any]) -> None:
        own, joint = written(forms["own"]), written(forms["joint"])
        opened = rf"(?={own}|{written(forms['close'])})" if "close" in forms else rf"(?={own})"
        begins = rf"(?:^|[,;:：،，、]\s*|(?<!\w){joint}\s*)(?:{joint}\s*)?{opened}"
        self._forms = {name: form for name, form in forms.items() if name not in ("own", "joint")} | {"begins": begins}
        self._compiled: dict[str, re.Pattern[str]] = {}

    def __getitem__(self, name: str) -> re.Pattern[str]:
        if name not in self._compiled:
            self._compiled[name] = re.compile(written(self._forms[name]), re.IGNORECASE)
        return self._compiled[name]

    def __contains__(self, name: object) -> bool:
        return name in self._forms

    def __iter__(self) -> Iterator[str]:
        return iter(self._forms)

    def __len__(self) -> int:
        return len(self._forms)


@cache
def _spellings() -> tuple[tuple[re.Pattern[str], str], ...]:
    rows = (pair for row in listed("statements").values() for pair in row.get("spelled", ()))
    return tuple((re.compile(written(form), re.IGNORECASE), whole) for form, whole in rows)


def statements(
    sentence: str, known: str = "", before: Observation | None = None
) -> Iterator[tuple[Observation | None, str]]:
    """Yield what a sentence in another language than English says, its words as said, and whom "he" means from there.

    ``known`` is whom "he" or "she" means, ``before`` what was said last.

    >>> [(seen.content, seen.attribute, seen.value) for seen, _ in statements("Ich wohne in Berlin.") if seen]
    [('Ich wohne in Berlin', 'home', 'Berlin')]
    >>> list(statements("Wohne ich in Berlin?")), list(statements("Wenn ich in Berlin wohne, lache ich."))
    ([], [])
    """
    for form, whole in () if _is_english(sentence) else _spellings():
        sentence = form.sub(whole, sentence)
    spoken = _spoken(sentence)
    split = ((form["begins"].split(sentence)[1:], form) for form in spoken)
    pieces, language = max(split, key=lambda found: len(found[0]), default=(list[str](), dict[str, re.Pattern[str]]()))
    whose: str | None = None if known else ""
    for piece in (piece.strip(_CLOSING) for piece in pieces):
        left_out = subject_left_out(piece, language)
        if left_out and (whose is None or (left_out == "elided" and not whose)):
            continue
        said, name = (piece, whose or "") if left_out else told_of(piece, language, known)
        seen = _moved_on(said, name, before, language) or _stated(said, name, spoken)
        name = name or _introduced(seen)
        known, before = name or known, seen or before
        whose = whose if left_out else name or opens_with(piece, language)
        yield seen, known


def _introduced(seen: Observation | None) -> str:
    """Return the first name of whom a statement introduces, or ""."""
    is_somebody = seen is not None and seen.subject == USER and seen.attribute in ("relation", "partner")
    return seen.value.partition(" ")[0] if seen is not None and is_somebody else ""


def _stated(piece: str, name: str, spoken: Sequence[Mapping[str, re.Pattern[str]]]) -> Observation | None:
    """Return what ``piece`` says of the speaker, or of whoever is called ``name``; None where it is nothing sure."""
    subject = subject_of(name) if name else USER
    clause = _UNSPACED_CLAUSE.match(piece)
    if clause is not None and read(clause[0], subject) is not None:
        piece = clause[0]
    claim = read(piece, subject)
    if claim is None or claim.attribute in _UNSURE or not claim.subject.endswith(subject):
        return None
    said_little = any(form["idle"].search(claim.value) for form in spoken)
    of_the_moment = ATTRIBUTES[claim.attribute].deed and (name or any(form["passing"].search(piece) for form in spoken))
    return None if said_little or of_the_moment else _observed(piece, claim, subject)


def _moved_on(
    piece: str, name: str, before: Observation | None, language: Mapping[str, re.Pattern[str]]
) -> Observation | None:
    """Return who is at another firm now, right behind their leaving one: else one may be at a shop."""
    left = before is not None and before.attribute == "employer" and before.polarity == "ended"
    found = language["now_at"].match(piece) if left and "now_at" in language else None
    subject = subject_of(name) if name else USER
    if found is None or before is None or before.subject != subject:
        return None
    return _observed(piece, Claim(subject, "employer", found["x"], "holds", piece), subject)


def asks_for_work(sentence: str) -> bool:
    """Return whether ``sentence`` asks to translate or to rewrite what follows it, which is then nobody's statement.

    >>> asks_for_work("Übersetze ins Englische:"), asks_for_work("Ich übersetze Romane.")
    (True, False)
    """
    return any(form["request"].match(sentence) for form in _forms())


def _spoken(sentence: str) -> list[Mapping[str, re.Pattern[str]]]:
    """Return the forms of the languages in which ``sentence`` may be an own statement, none where it is none."""
    if HIDDEN in sentence or len(sentence) > MAX_CLAUSE or any(mark in sentence for mark in QUESTION):
        return []
    spoken = [] if _is_english(sentence) else [form for form in _forms() if form["begins"].search(sentence)]
    return [] if any(form["refused"].search(sentence) for form in spoken) else spoken


def _is_english(sentence: str) -> bool:
    """Return whether a sentence is English, and does not open as one of the speaker's own in a language just as likely.

    >>> _is_english("Me too, I like a walk"), _is_english("Me he mudado a Barcelona")
    (True, False)
    """
    spoken_words = words(sentence)
    known = _small(spoken_words, "english")
    if known < _ENGLISH_WORDS or guess_language(spoken_words) != "english":
        return False
    return not any(own.match(sentence) and _small(spoken_words, language) >= known for language, own in _own().items())


def _small(said: Sequence[str], language: str) -> int:
    return sum(word in STOP_WORDS[language] for word in said)


@cache
def _own() -> Mapping[str, re.Pattern[str]]:
    """Return by language how a statement of the speaker's own opens."""
    rows = listed("statements").items()
    return {
        language: re.compile(written(row["own"]), re.IGNORECASE) for language, row in rows if language in STOP_WORDS
    }


def _observed(piece: str, claim: Claim, subject: str) -> Observation:
    attribute = ATTRIBUTES[claim.attribute]
    category = attribute.category if claim.subject == subject else "relationship"
    worth = {"importance": attribute.importance, "durability": attribute.durability, "category": category}
    content = piece[:1].upper() + piece[1:]
    return Observation.model_validate({"subject": subject, "content": content, **worth, **fields(claim, subject)})
