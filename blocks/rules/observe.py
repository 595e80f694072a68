"""Reading one message of a user without a model: the lasting things it says."""

import re
from collections.abc import Iterator
from datetime import datetime

from capabilities.vocabulary import MAX_OBSERVATIONS, Observation
from fabric.text import words

from . import belongings, habits, identity, people, plans, taste, things, work
from .clauses import clauses, remember, unmarked
from .corrections import standing
from .rule import Rule, first_of
from .sentences import HIDDEN, own_sentences
from .voice import about, plain
from .when import dated

FAMILIES: tuple[tuple[Rule, ...], ...] = (
    identity.RULES,
    people.COUNTED,
    work.RULES[:4],
    plans.RULES,
    taste.RULES,
    work.RULES[4:],
    habits.RULES,
    things.RULES,
)
"""The tables in the order in which they are asked; the first rule that fits a clause has the word."""

_ADVERB = re.compile(
    r"^((?:I|we|We)(?: (?:am|have|do|was|are|will|would))?) (?:(?:also|really|just|still|actually|"
    r"currently|both|even|definitely|personally|honestly|truly|totally|kind of|sort of|kinda|sorta|"
    r"absolutely|certainly|probably|finally|recently|literally|simply|especially|particularly|mainly|"
    r"primarily|basically|completely|already|now|only|do(?= (?:like|love|enjoy|have|want|need|prefer|"
    r"hate|work|live|play|own|eat)\b)|did(?= (?:like|love|enjoy|have|get|buy|move|quit)\b)|too|sure|"
    r"first|soon|once|then|at least|actually) )+"
)
_SURE = re.compile(
    r"^(?:I|you) (?:think|guess|believe|know|feel like|must say|have to say|admit|swear|am (?:afraid|"
    r"sure|glad|happy|lucky)|suppose)(?: that)? (?=(?:I|my|we)\b)",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    r"^(?:me and (?:my|the) [\w-]+|my [\w-]+ and (?:I|me|myself)|(?:[A-Z][a-z]+|the [\w-]+) and I) ", re.IGNORECASE
)
_NOT_SO = re.compile(r", (?:and )?not (?!only|just|even|because|to\b)[\w' -]{2,40}$")
_INSTEAD = re.compile(r"^(I am )not ((?:\w+ )?(?:allergic|intolerant) to )([^,]+),? (?:it is|but(?: to)?|rather) (.+)$")
_ELIDED = re.compile(r"^(?:Love|Hate|Enjoy|Prefer|Can not stand) (?=\w)")
_WE = re.compile(r"^We\b")
_ASKED_TO_DO = re.compile(
    r"(?:remind me|remember|don't let me forget|do not forget|don't forget) to (?!(?:be|use|answer|"
    r"always|never|keep|include|reply|respond|write|check your)\b)(.{4,120})",
    re.IGNORECASE,
)


def observe_text(text: str, *, now: datetime | None = None) -> list[Observation]:
    """Return what one user message says that is worth remembering, in the order said, at most 25 observations.

    Only plain statements in the speaker's own voice count: no questions, conditions, quotations, pasted text, hearsay
    or requests, and nothing that is corrected right behind it. English only. Dates stay as written; with ``now``, the
    speaker's own time, a plan for "tomorrow" or "on Friday" also gets its calendar day.

    >>> [(seen.category, seen.content) for seen in observe_text("I joined Stripe and my favorite color is teal.")]
    [('profession', 'Joined Stripe'), ('preference', 'Favorite color is teal')]
    >>> observe_text("Do I live in Rome?")
    []
    """
    found: dict[tuple[str, str], Observation] = {}
    known = before = ""
    for sentence in standing(own_sentences(text)):
        for seen, person in _read(sentence, known, before):
            known = person or known
            before = seen.content if seen is not None and seen.subject == "user" else ""
            if seen is not None and HIDDEN not in seen.content:
                found.setdefault((seen.subject, seen.content.casefold()), seen)
        if len(found) >= MAX_OBSERVATIONS:
            break
    kept = _without_implied(list(found.values()))[:MAX_OBSERVATIONS]
    return kept if now is None else [_dated(seen, now) for seen in kept]


def _read(sentence: str, known: str, before: str) -> Iterator[tuple[Observation | None, str]]:
    task = _ASKED_TO_DO.match(unmarked(sentence))
    if task:
        content = about(task[1])
        yield Observation(content=content, importance=0.6, durability="session", category="task"), ""
        return
    told = remember(unmarked(sentence))
    claims = list(clauses(told or sentence))
    read = False
    for clause in claims:
        person = people.named_person(clause) or known
        moved = work.new_employer(clause, before)
        for seen in [moved] if moved is not None else _clause(clause, known):
            read = True
            before = seen.content if seen.subject == "user" else ""
            yield (_raised(seen) if told else seen), person
        known = person
    if told and not read and HIDDEN not in told:
        yield _as_told(told), ""


def _clause(clause: str, known: str) -> Iterator[Observation]:
    instead = _INSTEAD.match(_ADVERB.sub(r"\1 ", clause))
    if instead:
        yield from _clause(f"{instead[1]}not {instead[2]}{instead[3]}", known)
        yield from _clause(f"{instead[1]}{instead[2]}{instead[4]}", known)
        return
    whole = clause
    clause = _ELIDED.sub(lambda verb: f"I {verb[0].lower()}", clause)
    clause = _TOGETHER.sub("we ", _SURE.sub("", clause), count=1)
    clause, corrections = _NOT_SO.subn("", _WE.sub("we", _ADVERB.sub(r"\1 ", clause)))
    clause = belongings.without_companion(clause)
    seen = [one for one in people.people_in(clause, known) if one is not None]
    for family in FAMILIES:
        if seen:
            break
        seen = list(first_of(family, clause))
    seen += [one for one in belongings.companions(whole) if one is not None]
    yield from (belongings.corrected(one) if corrections else one for one in seen)
    mentioned = set(words(" ".join(one.content for one in seen)))
    for one in people.implied(whole):
        if one is not None and not set(words(one.content)) - {"has", "a", "an"} <= mentioned:
            yield one


def _dated(seen: Observation, now: datetime) -> Observation:
    if seen.category not in {"event", "task"}:
        return seen
    return seen.model_copy(update={"content": dated(seen.content, now)})


def _as_told(told: str) -> Observation | None:
    content = about(plain(told))
    if len(words(content)) < 2:
        return None
    return Observation(content=content[:500], importance=0.7, durability="persistent", category="attribute")


def _raised(seen: Observation) -> Observation:
    return seen.model_copy(update={"importance": max(seen.importance, 0.8)})


def _without_implied(seen: list[Observation]) -> list[Observation]:
    """Drop "Has a dog" where another observation already says more about the dog."""
    kept: list[Observation] = []
    for one in seen:
        core = set(words(one.content)) - {"has", "a", "an"}
        others = (set(words(other.content)) for other in seen if other is not one and other.content != one.content)
        if one.importance == 0.5 and one.category == "relationship" and any(core <= other for other in others):
            continue
        kept.append(one)
    return kept
