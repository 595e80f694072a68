"""Reading one message of a user without a model: the lasting things it says."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from capabilities.claims import claim_of, compare, is_single, says_change
from capabilities.claims.record import USER
from capabilities.vocabulary import MAX_OBSERVATIONS, Observation
from fabric.slices import paced
from fabric.text.terms import LONG_CHARS
from fabric.text.words import words

from . import close_people as people
from .casing import recased
from .clauses import clauses, remember, unmarked
from .corrections import drop_corrected
from .patterns import Patterns
from .rule import families, first_of, observed
from .sentences import HIDDEN, own_sentences
from .statements import asks_for_work, statements
from .voice import about, plain

_SPEAKER = Patterns("speaker")
_ARTICLES = frozenset({"has", "a", "an"})
_Said = tuple[str, str]
"""Whom an observation is about, and what it says, in one spelling."""
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_AWAY = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_RELATIVE = re.compile(rf"\b(?:{'|'.join(_AWAY)})\b|\b(?:on|by|this|until|is) ({'|'.join(_DAYS)})\b", re.IGNORECASE)
_DATED = re.compile(r"\b\d{4}-\d\d-\d\d\b")


def observe_text(text: str, *, now: datetime | None = None) -> list[Observation]:
    """Return what one user message says that is worth remembering, in the order said, at most 25 observations.

    Only plain statements in the speaker's own voice count: no questions, conditions, quotations, pasted text, hearsay
    or requests, and nothing that is corrected right behind it. What is said in another language than English stays in
    its words, where its claim can be read. Dates stay as written; with ``now``, the
    speaker's own time, a plan for "tomorrow" or "on Friday" also gets its calendar day.

    >>> [(seen.category, seen.content) for seen in observe_text("I joined Stripe and my favorite color is teal.")]
    [('profession', 'Joined Stripe'), ('preference', 'Favorite color is teal')]
    >>> observe_text("Do I live in Rome?")
    []
    """
    found: dict[_Said, Observation] = {}
    known = ""
    before: Observation | None = None
    foreign = True
    sentences = drop_corrected(own_sentences(recased(text)))
    for sentence in paced(sentences) if len(text) > LONG_CHARS else sentences:
        foreign = foreign and not asks_for_work(sentence)
        read = list(_read(sentence, known, before))
        if not read and foreign:
            read = list(statements(sentence, known, before))
        for seen, person in read:
            known = person or known
            before = seen
            if seen is not None and HIDDEN not in seen.content:
                for said in _put_right(seen, sentence, found):
                    del found[said]
                found.setdefault((seen.subject, seen.content.casefold()), seen)
        if len(found) >= MAX_OBSERVATIONS:
            break
    kept = _without_implied(list(found.values()))[:MAX_OBSERVATIONS]
    return kept if now is None else [_dated(seen, now) for seen in kept]


def _put_right(seen: Observation, sentence: str, found: Mapping[_Said, Observation]) -> list[_Said]:
    """Return what was said before in the message that a sentence puts right by a word that what it says lacks.

    "Actually my favorite color is blue" leaves nothing of red; where "now" is part of what is said, both came in turn.
    """
    if not says_change(sentence) or says_change(seen.content):
        return []
    new = claim_of(seen)
    return [
        said
        for said, before in found.items()
        if before.subject == seen.subject and is_single(new) and compare(claim_of(before), new) == "replaces"
    ]


def _read(sentence: str, known: str, before: Observation | None) -> Iterator[tuple[Observation | None, str]]:
    """Yield what ``sentence`` says, each with the person whom "he" or "she" means from there on."""
    task = _SPEAKER["asked_to_do"].match(unmarked(sentence))
    if task:
        content = about(task[1])
        yield Observation(content=content, importance=0.6, durability="session", category="task"), ""
        return
    told = remember(unmarked(sentence))
    read = False
    for clause in clauses(told or sentence):
        person = people.named_person(clause) or known
        more = _more_of(before, clause)
        for seen in [more] if more is not None else _clause(clause, known):
            read = True
            before = seen
            yield (_raised(seen) if told else seen), person
        known = person
    if told and not read and HIDDEN not in told:
        yield _as_told(told), ""


def _more_of(before: Observation | None, clause: str) -> Observation | None:
    """Return what ``clause`` says only beside what was said right ``before``: who is at a firm now, a pet's name."""
    if before is None:
        return None
    at = _SPEAKER["now_at"].match(clause) if _SPEAKER["left"].match(before.content) else None
    if at is not None and (at["who"] == "I am") == (before.subject == USER):
        claim = {"attribute": "employer", "value": at["x"]}
        return observed(f"Works at {at['x']}", "profession", "persistent", 0.8, before.subject, claim)
    pet, named = _SPEAKER["has_pet"].match(before.content), _SPEAKER["pet_named"].match(clause)
    told = people.introduced(pet["kind"], named["name"]) if pet and named else None
    return told and told.model_copy(update={"subject": before.subject})


def _clause(clause: str, known: str) -> Iterator[Observation]:
    instead = _SPEAKER["instead"].match(_SPEAKER["adverb"].sub(r"\1 ", clause))
    if instead:
        yield from _clause(f"{instead[1]}not {instead[2]}{instead[3]}", known)
        yield from _clause(f"{instead[1]}{instead[2]}{instead[4]}", known)
        return
    whole = clause
    clause, corrections = _SPEAKER["not_so"].subn("", _in_first_person(clause))
    clause = people.without_companion(clause)
    found = [seen for seen in people.people_in(clause, known) if seen is not None]
    for family in families():
        if found:
            break
        found = list(first_of(family, clause))
    found += [seen for seen in people.companions(whole) if seen is not None]
    yield from (people.corrected(seen) if corrections else seen for seen in found)
    mentioned = set(words(" ".join(seen.content for seen in found)))
    for seen in people.implied(whole):
        if seen is not None and not set(words(seen.content)) - _ARTICLES <= mentioned:
            yield seen


def _in_first_person(clause: str) -> str:
    """Return ``clause`` with its subject "I" or "we" and without adverbs and "I think" before its verb."""
    clause = _SPEAKER["elided"].sub(lambda verb: f"I {verb[0].lower()}", clause)
    clause = _SPEAKER["together"].sub("we ", _SPEAKER["sure"].sub("", clause), count=1)
    return _SPEAKER["we"].sub("we", _SPEAKER["adverb"].sub(r"\1 ", clause))


def _dated(seen: Observation, now: datetime) -> Observation:
    if seen.category not in {"event", "task"}:
        return seen
    value = dated(seen.value, now) if seen.attribute == "due" else seen.value
    return seen.model_copy(update={"content": dated(seen.content, now), "value": value})


def _as_told(told: str) -> Observation | None:
    content = about(plain(told))
    if len(words(content)) < 2:
        return None
    return Observation(content=content[:500], importance=0.7, durability="persistent", category="attribute")


def _raised(seen: Observation) -> Observation:
    return seen.model_copy(update={"importance": max(seen.importance, 0.8)})


def _without_implied(found: list[Observation]) -> list[Observation]:
    """Drop "Has a dog" where another observation already says more about the dog."""
    kept: list[Observation] = []
    for seen in found:
        core = set(words(seen.content)) - _ARTICLES
        others = (set(words(other.content)) for other in found if other is not seen and other.content != seen.content)
        if seen.importance == 0.5 and seen.category == "relationship" and any(core <= other for other in others):
            continue
        kept.append(seen)
    return kept


def dated(content: str, now: datetime) -> str:
    """Return ``content`` with the calendar day it names by distance or weekday added, in the time zone of ``now``.

    A weekday means the next one. The words themselves stay as written.

    >>> dated("Has a dentist appointment tomorrow at 9", datetime(2026, 11, 28))
    'Has a dentist appointment tomorrow at 9 (2026-11-29)'
    >>> dated("Their flight is on Monday", datetime(2026, 11, 28))
    'Their flight is on Monday (2026-11-30)'
    """
    found = _RELATIVE.search(content)
    if found is None or _DATED.search(content):
        return content
    away = (_DAYS.index(found[1].lower()) - now.weekday() - 1) % 7 + 1 if found[1] else _AWAY[found[0].lower()]
    return f"{content} ({(now + timedelta(days=away)).date().isoformat()})"
