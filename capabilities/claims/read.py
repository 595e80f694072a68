"""Reading a stated text: the claim that one sentence makes, in the languages of ``attributes.json``."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

import regex

from fabric.text.language import NO_LATIN, STOP_WORDS, guess_language
from fabric.text.words import words

from .attributes import ATTRIBUTES, LANGUAGES, OTHER, Pattern, compiled, form, grammar, patterns_for, words_of
from .identity import subject_key
from .owners import Owner, own, owners
from .record import USER, Claim, ClaimFields, Polarity
from .values.amounts import amount
from .values.due import is_dated, thing_due
from .values.same_value import in_digits, is_number, same_value, tokens, trimmed

CACHED = 8_192
LONGEST = 400
"""A longer text is no plain statement: it is not read."""
_LATIN = tuple(name for name in LANGUAGES if name not in NO_LATIN and name != "english")
_UNSPACED = frozenset({"chinese", "japanese"})
_VERB_LAST = frozenset({"turkish"})
"""Languages whose sentences may begin with a value: its capital tells a name."""
_UNSPACED_SCRIPT = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_AROUND = r"""[.,;:!?…"“”„«»()]*"""
"""Signs that may stand around a word."""


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
    attribute = ATTRIBUTES[claim.attribute]
    if not attribute.categories or category in ("", *attribute.categories):
        return claim
    if claim.polarity != "holds" or " of " in claim.subject:
        return claim
    is_loose = not attribute.loose_words or not attribute.loose_words.isdisjoint(words(claim.text)[:4])
    return Claim(claim.subject, OTHER, claim.text, "holds", claim.text) if is_loose else claim


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
def _read(text: str, subject: str) -> Claim:
    plain = own(" ".join(trimmed(text).split()), subject)
    if len(plain) > LONGEST:
        return Claim(subject, OTHER, plain, "holds", text)
    languages = tuple(_languages(text))
    for told in _tellings(plain, languages):
        for owner in (Owner(subject, told), *owners(told, subject)):
            found = _as_attribute(owner.rest, text, owner.subject, languages)
            if found is not None:
                return found
    kin = ((owner.subject, owner.rest) for owner in owners(plain, subject) if " of " in owner.subject)
    whose, told = next(kin, (subject, plain))
    years = form("years").fullmatch(told)
    if years is not None:
        return Claim(whose, "age", years["v"], "holds", text)
    counted = amount(told)
    if counted is not None:
        return Claim(whose, "amount", counted[1], "holds", text, counted[0])
    core, polarity = _core(plain, languages[0])
    return Claim(subject, OTHER, core, polarity, text)


def _tellings(plain: str, languages: Sequence[str]) -> Iterator[str]:
    """Yield a sentence, and then without what it says by the way, in each language that it may be in.

    >>> list(_tellings("wohne seit März in Bremen", ["german"]))
    ['wohne seit März in Bremen', 'wohne in Bremen']
    """
    yield plain
    told = {plain}
    for language in languages:
        bared = _without(grammar(language).aside, plain, "" if language in _UNSPACED else " ")
        if bared not in told:
            told.add(bared)
            yield bared


def _languages(text: str) -> Iterator[str]:
    """Yield the languages to read a text in: the likeliest, English, and where that is not sure, all of its script."""
    spoken_words = words(text[:200])
    first = guess_language(spoken_words)
    if first in LANGUAGES and first in NO_LATIN:
        yield from (first, "english")
        return
    told = {language for word in spoken_words for language in _telling().get(word, ())}
    told = told if first in told else set[str]()
    sure = told if len(told) == 1 and told <= set(LANGUAGES) else {first} & set(LANGUAGES)
    yield from dict.fromkeys((*sure, "english", *(() if len(told) == 1 else _LATIN)))


@lru_cache(maxsize=1)
def _telling() -> Mapping[str, tuple[str, ...]]:
    """Return the words of two letters and more that stand in one language of the Latin script only, each with it."""
    found: dict[str, set[str]] = {}
    for language, listed in STOP_WORDS.items():
        for word in listed | (words_of("verbs") if language == "english" else frozenset[str]()):
            found.setdefault(word, set()).add(language)
    return {word: tuple(held) for word, held in found.items() if len(word) > 1 and len(held) == 1}


def _as_attribute(plain: str, text: str, subject: str, languages: tuple[str, ...]) -> Claim | None:
    for language in languages:
        gap = "" if language in _UNSPACED else " "
        bare = own(_without(grammar(language).filler, plain, gap), subject)
        bare = bare if language in _VERB_LAST else bare[:1].lower() + bare[1:]
        is_guarded = grammar(language).guards.search(text) is not None
        is_at_times = grammar(language).sometimes.search(text) is not None
        for core, polarity in _cores(bare, language):
            claim = _matched(core, polarity, language, is_guarded=is_guarded, is_at_times=is_at_times)
            if claim is not None:
                return replace(claim, subject=subject, text=text)
    return None


def _without(pattern: "regex.Pattern[str]", text: str, gap: str = " ") -> str:
    return " ".join(pattern.sub(gap, text).split())


def _cores(bare: str, language: str) -> Iterator[tuple[str, Polarity]]:
    """Yield what a sentence may say: without what denies it, without articles, and as it stands."""
    core, polarity = _core(bare, language)
    yield core, polarity
    if language == "english":  # some are worded without articles
        yield _without(form("small_word"), core), polarity
    if core != bare:  # a denial may be part of what is over: "is not allowed at"
        yield bare, "holds"


def _core(text: str, language: str) -> tuple[str, Polarity]:
    """Return a sentence without what denies or ends it, and its polarity.

    >>> _core("does not like tea any more", "english"), _core("mag keinen Kaffee", "german")
    (('like tea', 'ended'), ('mag Kaffee', 'denied'))
    >>> _core("不再住在北京", "chinese"), _core("橋は安全ではない", "japanese"), _core("橋は安全です", "japanese")
    (('住在北京', 'ended'), ('橋は安全', 'denied'), ('橋は安全', 'holds'))
    """
    for before, polarity, after in grammar(language).prefixes:
        found = before.match(text)
        if found is not None:
            rest = found.expand(after) + text[found.end() :]
            bare = form("any_more").sub("", rest)
            return bare, "ended" if bare != rest and not rest.endswith("at all") else polarity
    if language == "english":
        return text, "holds"
    denial, ending = _signs(language)
    filler = grammar(language).filler
    said = _without(filler, text, "") if language in _UNSPACED else text
    if denial.search(said) is None:
        return said, "holds"
    left = ending.sub("", said)
    rest = _without(denial, left, "")
    return _without(filler, rest, "") if language in _UNSPACED else rest, "denied" if left == said else "ended"


@lru_cache(maxsize=len(LANGUAGES))
def _signs(language: str) -> tuple["regex.Pattern[str]", "regex.Pattern[str]"]:
    """Return what finds the words that deny, and those that say "no longer"; in some scripts inside words."""
    known = grammar(language)
    denial, ending = ("|".join(sorted(listed, key=len, reverse=True)) for listed in (known.negations, known.no_longer))
    if language not in _UNSPACED:
        denial, ending = (rf"(?<!\S){_AROUND}(?:{choice}){_AROUND}(?!\S)" for choice in (denial, ending))
        denial += r"|(?<!\S)n['’](?=\p{L})"
    return regex.compile(denial, regex.IGNORECASE), regex.compile(ending or r"(?!)", regex.IGNORECASE)


def _matched(core: str, polarity: Polarity, language: str, *, is_guarded: bool, is_at_times: bool) -> Claim | None:
    anywhere = language in _UNSPACED
    for pattern in patterns_for("*" if anywhere else core, language):
        is_in_doubt = is_guarded or (is_at_times and pattern.attribute.single)
        if is_in_doubt and not pattern.attribute.wished:
            continue
        found = pattern.match.search(core) if anywhere else pattern.match.match(core)
        claim = None if found is None else _claim(pattern, found, polarity, language)
        if claim is not None:
            return claim
    return None


def _claim(pattern: Pattern, found: "regex.Match[str]", polarity: Polarity, language: str) -> Claim | None:
    """Return the claim of a match, without subject and text; None where its value is none of the attribute."""
    attribute = pattern.attribute
    groups = {name[0]: value for name, value in reversed(found.groupdict().items()) if value}
    value, rest = _cut(groups.get("v", ""), language, single=attribute.single)
    if attribute.cut and value:
        kept = compiled(attribute.cut).sub("", value) or value
        value, rest = kept, f"{value[len(kept) :].strip()} {rest}"
    if not _fits(pattern, value, found.string, language):
        return None
    if pattern.form != "says" and (pattern.form, polarity) != ("denied", "ended"):
        polarity = "holds" if polarity != "holds" else "ended" if pattern.form == "over" else "denied"
    value = value if attribute.keeps_article else _without_article(value)
    of = _detail(groups.get("k", ""))
    of = thing_due(of, language) if attribute.dated else of
    of = _cut(of, language)[0] if attribute.of else of
    former = _without_article(_cut(groups.get("f", ""), language)[0])
    for name, worded in attribute.behind.items():
        told = compiled(worded).match(rest)
        if told is not None:
            return Claim("", name, told["v"], polarity, "", value, former, rest[told.end() :])
    return Claim("", attribute.name, in_digits(value, language), polarity, "", of, former, rest)


def _fits(pattern: Pattern, value: str, core: str, language: str) -> bool:
    attribute = pattern.attribute
    if not value and pattern.form == "says":
        return False
    if attribute.unless and compiled(attribute.unless).search(core) is not None:
        return False
    if attribute.uncounted and any(map(is_number, tokens(value)[:1])):
        return False
    return not attribute.dated or is_dated(value, language)


def _without_article(value: str) -> str:
    found = form("article").match(value)
    return value[found.end() :] if found is not None else value


def _cut(value: str, language: str, *, single: bool = True) -> tuple[str, str]:
    """Return a value without what tells since when, why or, of a single value, with whom; and that."""
    known = grammar(language)
    trailing = known.trailing if single else known.trailing_many or known.trailing
    kept = trailing.sub("", value) or value
    return trimmed(kept), value[len(kept) :].strip()


def _detail(of: str) -> str:
    if _UNSPACED_SCRIPT.search(of):
        return of.strip()
    left = (word for word in words(of) if word not in words_of("no_details"))
    return " ".join(left).replace("colour", "color").replace("favour", "favor")
