"""Reading a stated text: the claim that one sentence makes, in the languages of ``attributes.json``."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

import regex

from fabric.language import NO_LATIN, STOP_WORDS, guess_language
from fabric.text import words

from .amounts import amount
from .attributes import (
    ATTRIBUTES,
    LANGUAGES,
    OTHER,
    Grammar,
    Pattern,
    compiled,
    grammar,
    patterns,
    patterns_for,
    words_of,
)
from .due import is_dated, thing_due
from .owners import own, owners
from .record import USER, Claim, ClaimFields, Polarity
from .values import in_digits, is_number, same_value, tokens, trimmed

CACHED = 8_192
LONGEST = 400
"""A longer text is no plain statement: it is not read."""
_LATIN = tuple(name for name in LANGUAGES if name not in ("english", "russian", "chinese", "japanese", "arabic"))
_UNSPACED = frozenset({"chinese", "japanese"})
_VERB_LAST = frozenset({"turkish"})
"""Languages whose sentences may begin with a value: its capital tells a name."""
_UNSPACED_SCRIPT = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_ARTICLE = regex.compile(
    r"(?:the|an?|their|his|her|my|der|die|das|den|dem|ein|eine|einen|el|la|los|las|un|una|le|les|l['’]|une|il|lo|gli|i|uno|"
    r"o|os|as|um|uma|het|de|een)\s+(?=\S)",
    regex.IGNORECASE,
)
_ARTICLES = regex.compile(r"(?<!\S)(?:the|an?|new|their)(?!\S)")
_WITHIN = regex.compile(r"(?P<who>\S.{1,40}? (?:is|are)) (?P<not>no longer|not|never)(?: any ?more)? (?P<rest>.+)")
_OPPOSITE: Mapping[str, Polarity] = {"over": "ended", "denied": "denied"}
_KEEPS_ARTICLE = frozenset({"home", "birthplace", "name", "employer", "school", "blood_type"})
_ANY_MORE = regex.compile(r"\s+(?:any ?more|any longer|at all)$")
_ELIDED = regex.compile(r"^[nN]['’](?=\p{L})")
_AROUND = '.,;:!?…"“”„«»()'
"""Signs that may stand around a word."""
_ROLE_BEHIND = compiled(r"^(?:,? )?as (?:an? |the )?(?P<v>{ROLE})(?=$|[ ,.])")


class Statement(Protocol):
    """What carries a claim: a record with the fields of `Claimed`, a subject and a content."""

    @property
    def subject(self) -> str:
        """Whom it is about."""
        ...

    @property
    def content(self) -> str:
        """What it says."""
        ...


def claim_of(record: Statement) -> Claim:
    """Return the claim of a record: as it is read, or as its fields have it where the reader finds no attribute.

    A field that the content does not bear out, such as a value whose words it lacks, counts for nothing.
    """
    own_fields = [str(getattr(record, name, "")) for name in ("category", "attribute", "value", "of", "former")]
    return _claimed(record.content, subject_key(record.subject), getattr(record, "polarity", "holds"), *own_fields)


@lru_cache(maxsize=CACHED)
def _claimed(
    text: str, subject: str, polarity: Polarity, category: str, attribute: str, value: str, of: str, former: str
) -> Claim:
    told = _fitting(_read(text, subject), category)
    if attribute in ("", OTHER) or not set(tokens(value)) <= set(tokens(text)) or not (value or polarity != "holds"):
        return told
    if told.attribute == attribute and same_value(told.value, value):
        return replace(told, of=told.of or ("" if told.subject != subject else of), former=told.former or former)
    if told.attribute not in (OTHER, "amount"):
        return told
    is_owner = bool(of) and not ATTRIBUTES[attribute].detail and not ATTRIBUTES[attribute].of
    whose = f"{of.casefold()} of {subject}" if is_owner else subject
    return Claim(whose, attribute, value, polarity, text, "" if is_owner else of, former)


def fields(claim: Claim, subject: str) -> ClaimFields:
    """Return a claim as the fields of a record that is filed under ``subject``; ``of`` names kin whose it is.

    >>> fields(Claim("mother of user", "home", "Rome", "holds", "Mother lives in Rome"), "user")["of"]
    'mother'
    """
    of = claim.subject.removesuffix(f" of {subject}") if claim.subject != subject else claim.of
    value = claim.value if claim.attribute != OTHER else ""
    return ClaimFields(attribute=claim.attribute, value=value, polarity=claim.polarity, of=of, former=claim.former)


def _fitting(claim: Claim, category: str) -> Claim:
    """Return a claim that was read, or one of no attribute where the record's category says that words mislead.

    One joins a gym and moves to Linux too, and not everybody who "is a runner" works as one.
    """
    allowed = ATTRIBUTES[claim.attribute].categories
    if not allowed or not category or category in allowed or claim.subject.partition(" of ")[2]:
        return claim
    loose = claim.attribute == "role" or not words_of("loose_verbs").isdisjoint(words(claim.text)[:4])
    return (
        Claim(claim.subject, OTHER, claim.text, "holds", claim.text) if loose and claim.polarity == "holds" else claim
    )


def read(text: str, subject: str = USER) -> Claim | None:
    """Return the claim that a sentence makes about ``subject``, or about whom it opens with; None where none is read.

    >>> claim = read("My mother lives in Rome")
    >>> claim.subject, claim.attribute, claim.value
    ('mother of user', 'home', 'Rome')
    >>> read("No longer works at Google").polarity, read("It rained") is None
    ('ended', True)
    """
    found = _read(text, subject_key(subject))
    return None if found.attribute == OTHER else found


def read_as(text: str, subject: str = USER) -> Claim:
    """Return what `read` does, or a claim of no attribute."""
    return _read(text, subject_key(subject))


@lru_cache(maxsize=CACHED)
def subject_key(subject: str) -> str:
    """Return the one spelling of a subject: "fixpoint labs", "Fixpoint-Labs" and "fixpoint_labs" are one."""
    return "-".join(subject.casefold().replace("_", " ").replace("-", " ").split()) or USER


@lru_cache(maxsize=CACHED)
def _read(text: str, subject: str) -> Claim:
    plain = own(" ".join(trimmed(text).split()), subject)
    if len(plain) > LONGEST:
        return Claim(subject, OTHER, plain, "holds", text)
    languages = tuple(_languages(text))
    found = _as_attribute(plain, text, subject, languages)
    if found is not None:
        return found
    for owner in owners(plain, subject):
        found = _as_attribute(owner.rest, text, owner.subject, languages)
        if found is not None:
            return found
    kin = ((owner.subject, owner.rest) for owner in owners(plain, subject) if " of " in owner.subject)
    whose, told = next(kin, (subject, plain))
    counted = amount(told)
    if counted is not None:
        return Claim(whose, "amount", counted[1], "holds", text, counted[0])
    core, polarity = _core(plain, languages[0])
    return Claim(subject, OTHER, core, polarity, text)


def _languages(text: str) -> Iterator[str]:
    """Yield the languages to read a text in: the likeliest, English, and where that is not sure, all of its script."""
    said = words(text[:200])
    first = guess_language(said)
    if first in LANGUAGES and first in NO_LATIN:
        yield from (first, "english")
        return
    told = {language for word in said for language in _telling().get(word, ())}
    told = told if first in told else set()
    sure = told if len(told) == 1 and told <= set(LANGUAGES) else {first} & set(LANGUAGES)
    yield from dict.fromkeys((*sure, "english", *(() if len(told) == 1 else _LATIN)))


@lru_cache(maxsize=1)
def _telling() -> Mapping[str, tuple[str, ...]]:
    """Return the words of two letters and more that stand in one language of the Latin script only, each with it."""
    found: dict[str, set[str]] = {}
    for language, listed in STOP_WORDS.items():
        for word in listed | (words_of("verbs") if language == "english" else frozenset()):
            found.setdefault(word, set()).add(language)
    return {word: tuple(held) for word, held in found.items() if len(word) > 1 and len(held) == 1}


def _as_attribute(plain: str, text: str, subject: str, languages: Iterable[str]) -> Claim | None:
    for language in languages:
        known = grammar(language)
        if known is None:
            continue
        bare = _unfilled(plain, known, "" if language in _UNSPACED else " ")
        bare = own(bare, subject) if bare != plain else bare
        bare = bare if language in _VERB_LAST else bare[:1].lower() + bare[1:]
        core, polarity = _core(bare, language)
        found = _matched(core, polarity, text, subject, language)
        if found is None and language == "english":  # some are worded without articles
            found = _matched(" ".join(_ARTICLES.sub(" ", core).split()), polarity, text, subject, language)
        if found is None and core != bare:  # a denial may be part of what is over: "is not allowed at"
            found = _matched(bare, "holds", text, subject, language)
        if found is not None:
            return found
    return None


def _core(text: str, language: str) -> tuple[str, Polarity]:
    """Return a sentence without what denies or ends it, and its polarity.

    >>> _core("does not like tea any more", "english"), _core("mag keinen Kaffee", "german")
    (('like tea', 'ended'), ('mag Kaffee', 'denied'))
    """
    known = grammar(language)
    if known is None:
        return text, "holds"
    for before, polarity, after in known.prefixes:
        found = before.match(text)
        if found is not None:
            rest, over = _without_more(found.expand(after) + text[found.end() :])
            return rest, "ended" if over or polarity == "ended" else "denied"
    if language == "english":
        found = _WITHIN.match(text)
        return (
            (f"{found['who']} {found['rest']}", "ended" if "longer" in found["not"] else "denied")
            if found
            else (text, "holds")
        )
    if language in _UNSPACED:
        return _without_signs(text, known)
    kept = [word for word in text.split() if word.strip(_AROUND).casefold() not in known.negations]
    kept = [_ELIDED.sub("", word) if word[:1] in "nN" else word for word in kept]
    if " ".join(kept) == text:
        return text, "holds"
    left = [word for word in kept if word.strip(_AROUND).casefold() not in known.no_longer]
    return " ".join(left), "ended" if len(left) < len(kept) else "denied"


def _without_more(text: str) -> tuple[str, bool]:
    rest = _ANY_MORE.sub("", text)
    return rest, rest != text and not text.endswith("at all")


def _without_signs(text: str, known: Grammar) -> tuple[str, Polarity]:
    """Return what `_core` does, of a script without spaces, where what denies may stand inside a word.

    >>> _core("不再住在北京", "chinese"), _core("橋は安全ではない", "japanese"), _core("橋は安全です", "japanese")
    (('住在北京', 'ended'), ('橋は安全', 'denied'), ('橋は安全', 'holds'))
    """
    bare = _unfilled(text, known, "")
    kept = _signs(known.negations).sub("", bare)
    if kept == bare:
        return bare, "holds"
    ended = _signs(known.no_longer).sub("", bare)
    return _unfilled(_signs(known.negations).sub("", ended), known, ""), "denied" if ended == bare else "ended"


@lru_cache(maxsize=8)
def _signs(signs: frozenset[str]) -> "regex.Pattern[str]":
    return regex.compile("|".join(sorted(signs, key=len, reverse=True)) or r"(?!)")


def _unfilled(text: str, known: Grammar, gap: str) -> str:
    return text if known.filler is None else " ".join(known.filler.sub(gap, text).split())


def _matched(core: str, polarity: Polarity, text: str, subject: str, language: str) -> Claim | None:
    anywhere = language in _UNSPACED
    known = grammar(language)
    guarded = known is not None and known.guards is not None and known.guards.search(text) is not None
    for pattern in patterns(language) if anywhere else patterns_for(core, language):
        if guarded and pattern.attribute.name != "plans":
            continue
        found = pattern.match.search(core) if anywhere else pattern.match.match(core)
        if found is not None:
            claim = _claim(pattern, found, core, polarity, text, subject, language)
            if claim is not None:
                return claim
    return None


def _claim(
    pattern: Pattern, found: "regex.Match[str]", core: str, polarity: Polarity, text: str, subject: str, language: str
) -> Claim | None:
    groups = {name: value for name, value in found.groupdict().items() if value}
    told = next((value for name, value in groups.items() if name[0] == "v"), "")
    attribute = pattern.attribute
    value, rest = _cut(told, language, single=attribute.single)
    if attribute.unless and compiled(attribute.unless).search(core) is not None:
        return None
    if attribute.cut and value:
        kept = compiled(attribute.cut).sub("", value) or value
        value, rest = kept, value[len(kept) :].strip() + " " + rest
    if not value and pattern.form == "says":
        return None
    if attribute.dated and not is_dated(value, language):
        return None
    if attribute.name == "owns" and is_number(tokens(value)[0] if tokens(value) else ""):
        return None
    if pattern.form != "says" and (pattern.form, polarity) != ("denied", "ended"):
        polarity = _OPPOSITE[pattern.form] if polarity == "holds" else "holds"
    if attribute.name not in _KEEPS_ARTICLE:
        value = _ARTICLE.sub("", value, count=1) if _ARTICLE.match(value) else value
    of = _detail(next((value for name, value in groups.items() if name[0] == "k"), ""))
    of = thing_due(of, language) if attribute.dated else of
    if attribute.of:
        of, _ = _cut(of, language) if of else ("", "")
    former = _ARTICLE.sub("", _cut(groups.get("f", ""), language)[0], count=1)
    role = _ROLE_BEHIND.match(rest) if attribute.name == "employer" and rest else None
    if role is not None:
        return Claim(subject, "role", role["v"], polarity, text, value, former, rest[role.end() :])
    return Claim(subject, attribute.name, in_digits(value, language), polarity, text, of, former, rest)


def _cut(value: str, language: str, *, single: bool = True) -> tuple[str, str]:
    """Return a value without what tells since when, why or, of a single value, with whom; and that."""
    known = grammar(language)
    trailing = None if known is None else known.trailing if single else known.trailing_many or known.trailing
    kept = value if trailing is None else trailing.sub("", value) or value
    return trimmed(kept), value[len(kept) :].strip()


def _detail(of: str) -> str:
    if _UNSPACED_SCRIPT.search(of):
        return of.strip()
    return " ".join(
        word.replace("colour", "color").replace("favour", "favor")
        for word in words(of)
        if word not in {"their", "my", "is", "s", "the", "a", "an"}
    )
