"""Sentences that say that something is over, and which known one each of them ends."""

import re

import regex

from fabric.language import stem
from fabric.text import word_set, words

from .changes import dates, negated, numbers
from .owners import USER, spoken_of
from .slots import LONG_AGO, Filled, bare, slot_of
from .small import turned


def stems(listed: str) -> frozenset[str]:
    """Return the stems of the words of a table written as one text."""
    return frozenset(stem(word, "english") for word in listed.split())


LIGHT = word_set(
    "a an the is are was were be been am has have had do does did not no never longer any more "
    "anymore to of in on at for with and or their his her its my our user really very much so as "
    "that this they he she i we it will going"
    " about s still just now by from used can could would"
)
_POLAR = stems(
    "like love enjoy prefer hate dislike detest adore stand fan favor favour into stop quit start "
    "give gave up given stopped began want avoid"
)
_ONLY_ENDS = re.compile(
    r"^(?:(?:is )?no longer|stopped|quits?|left|gave up|lost|sold|got (?:fired|laid off|divorced)|was "
    r"(?:fired|laid off)|broke up|split up|resigned|cancell?ed|(?:is )?unemployed)\b",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"^(?P<how>(?:is )?no longer|does not|did not|is not|stopped|quits?|left|gave up|used to|lost|sold|has no|"
    r"resigned)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_NO_JOB = regex.compile(
    r"^(?:(?:has|was|got|been|is) )*(?:fired|laid off|made redundant|unemployed|jobless|between jobs|out "
    r"of (?:work|job)|"
    r"retired|resigned|(?:quits?|lost|left) (?:their |my |his |her )?job|quits?)(?P<rest>\b(?:\s.*)?)$"
)
_JOBLESS = regex.compile(r"^is (?:unemployed|jobless|between jobs|out of (?:work|job)|retired)\b")
_APART = regex.compile(
    r"^(?:is |got |has |are )?(?:divorced|separated|single(?![\w-])|widowed|broke up|split up|broken up)\b(?P<rest>.*)$"
)
_NAMED = regex.compile(r"(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{N}'’&.-]*")
_FROM = regex.compile(r"^\s*(?:from|at|by|with)?\s*(?P<name>\p{Lu}.*)$")
_ADDED = regex.compile(r"^\s*(?:$|last\b|this\b|in\b|on\b|yesterday|today|recently|after\b|because\b|since\b|,)")
_WISHED = re.compile(
    r"(?:wants?|wanting|hopes?|plans?|would|will|is (?:moving|going|planning|thinking))\b", re.IGNORECASE
)
_SOMETIMES = re.compile(
    r"\b(?:(?:morning|evening|afternoon|night|noon|weekend|summer|winter|spring|autumn)s?|\w+days)\b", re.IGNORECASE
)
"""When something is not so, while at other times it may be."""
_JOBS = frozenset({"employer", "job title"})
_CLASSES = {
    stemmed: kind
    for kind, listed in {
        "job": "work join joined employed hired job interned started",
        "home": "live resides based moved",
        "have": "has have own drive keep adopted bought got",
        "take": "drink eat smoke",
        "like": "like love enjoy prefer adore fan favorite favourite",
        "study": "study attend enrolled majors",
    }.items()
    for stemmed in stems(listed)
}
"""What kind of a thing a verb says, by its stem; a verb that is not here is a kind of its own."""
_ENDS: dict[str, frozenset[str]] = {
    "left": frozenset({"job", "home", "study"}),
    "resigned": frozenset({"job"}),
    "quit": frozenset({"job", "study", "take", "have", "go", "play"}),
    "gave up": frozenset({"take", "like", "have", "play"}),
    "lost": frozenset({"have", "job"}),
    "sold": frozenset({"have"}),
    "has no": frozenset({"have"}),
}
_LEFT = _ENDS.keys() | {"quits"}
_OVER_VERBS = stems(
    "left lost sold resigned retired work works working worked joined join has own owns have drives drive "
    "lives live living moved drink drinks eat eats job company"
)


def only_ends(content: str) -> bool:
    """Return whether ``content`` says that something is over and names nothing in its place.

    >>> only_ends("No longer works at Google"), only_ends("Does not like tea")
    (True, False)
    """
    return _ONLY_ENDS.match(bare(content)) is not None


def ends(new: str, old: str, subject: str = USER) -> bool:
    """Return whether ``new`` ends what ``old`` says of the same one: "Left Google" and "Works at Google".

    >>> ends("Sold the boat", "Owns a boat"), ends("Left Google", "Likes Google"), ends("Sold the boat", "Likes boats")
    (True, False, False)
    """
    after, before = spoken_of(new, subject), spoken_of(old, subject)
    if after.owner != before.owner:
        return False
    said, known = bare(after.rest, subject), bare(before.rest, subject)
    held = slot_of(before.rest, subject)
    if held is not None and (_leaves_job(said, held) or _parts(said, held)):
        return True
    filled = slot_of(after.rest, subject)
    if filled is not None and _begins_again(filled, known, held):
        return True
    return not negated(old) and _undoes(said, known)


def _leaves_job(said: str, held: Filled) -> bool:
    found = _NO_JOB.match(said)
    if found is None or held.slot not in _JOBS:
        return False
    named = _FROM.match(found["rest"])
    if named is None:
        return _ADDED.match(found["rest"]) is not None
    return not held.value.isdisjoint(words(named["name"])) or bool(dates(named["name"]))


def parted_from_another(said: Filled, held: Filled) -> bool:
    """Return whether ``said`` parts somebody from one person, and ``held`` joins them to another."""
    found = _APART.match(said.said)
    return found is not None and _APART.match(held.said) is None and not _may_be_one(found["rest"], held.said)


def _parts(said: str, held: Filled) -> bool:
    """Return whether who is together with somebody no longer is; with a name, only with that one."""
    found = _APART.match(said)
    if (
        found is None
        or LONG_AGO.search(said)
        or held.slot not in {"partner", "relationship status"}
        or _APART.match(held.said)
    ):
        return False
    return _may_be_one(found["rest"], held.said)


def _may_be_one(a: str, b: str) -> bool:
    named, other = (set(words(" ".join(_NAMED.findall(text)))) for text in (a, b))
    return not named or not other or not named.isdisjoint(other)


def leaves(text: str) -> bool:
    """Return whether ``text`` says that something is left, sold, lost or given up."""
    found = _ENDED.match(bare(text))
    return (
        found is not None
        and found["how"].lower() in _LEFT
        and not (words(found["rest"])[:1] or [""])[0].endswith("ing")
    )


def _begins_again(filled: Filled, known: str, held: Filled | None) -> bool:
    if filled.slot == "employer":
        return _JOBLESS.match(known) is not None
    return filled.slot == "partner" and held is not None and held.value == frozenset({"single"})


def _undoes(said: str, known: str) -> bool:
    found = _ENDED.match(said)
    if found is None or _stays(found["how"].lower(), found["rest"], known):
        return False
    over = undated(about(found["rest"]) - _OVER_VERBS, said)
    held = undated(about(known) - _OVER_VERBS, known)
    if not over or not over <= held or 2 * len(over) < len(held):
        return False
    return not _ended_kinds(found["how"].lower(), found["rest"]).isdisjoint(_kinds(known))


def _stays(how: str, rest: str, known: str) -> bool:
    """Return whether what is known is past or wished, or over at times only, or one of several, or of another sort."""
    return (
        known.startswith(("used to", "interned"))
        or (_WISHED.match(known) is not None and _WISHED.match(rest.strip()) is None)
        or (_SOMETIMES.search(rest) is not None and _SOMETIMES.search(known) is None)
        or (how in ("sold", "lost") and bool(numbers(known)))
        or turned(rest, known)
    )


def _ended_kinds(how: str, rest: str) -> frozenset[str]:
    how = how.removesuffix("s") if how == "quits" else how
    listed = words(rest)
    if how in _ENDS and not (listed and listed[0].endswith("ing")):
        return _ENDS[how]
    own = _kinds(" ".join(listed[:1])) if listed else frozenset[str]()
    if listed and listed[0] in {"at", "with", "in", "a", "an", "the"} and "no longer" in how:
        return frozenset({"job", "home", "study", "is"})
    if how in ("is not", "is no longer"):
        return own | {"is"}
    return own | {"like"} if "take" in own else own


def _kinds(text: str) -> frozenset[str]:
    return frozenset(_CLASSES.get(stemmed, stemmed) for one in words(text)[:3] for stemmed in [stem(one, "english")])


def about(text: str) -> frozenset[str]:
    """Return what a sentence is about: the stems of its words without helpers, denials and words of liking."""
    letters = {f"letter {letter}" for letter in regex.findall(r"(?<![\p{L}\p{N}])(?!I\b)\p{Lu}(?![\p{L}\p{N}])", text)}
    told = (word for word in words(text) if word not in LIGHT and not word.endswith("n't"))
    return frozenset(stem(word, "english") for word in told) - _POLAR | letters


def undated(found: frozenset[str], text: str) -> frozenset[str]:
    """Return the stems without those that tell when."""
    when = {
        stem(word, "english")
        for word in words(text)
        if dates(f"in {word.capitalize()}") or numbers(word) or word in {"next", "last", "week", "month", "year", "ago"}
    }
    return found - when
