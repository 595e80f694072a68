"""The one judge of sameness: what a second claim is beside a first one."""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

import regex

from fabric.language import STOP_WORDS, guess_language, stem
from fabric.text import words

from .attributes import ATTRIBUTES, OTHER, Attribute, grammar, words_of
from .owners import SINGLE_KIN
from .places import extent
from .record import Claim, Verdict
from .values import (
    CLAUSE_SIGNS,
    denials,
    distinctive,
    holds_all,
    is_number,
    is_symbol,
    is_when,
    same_value,
    stems,
    tokens,
)

MISHEARD = 0.6
"""From this likeness on, of two names the one is taken for a slip of the other: Biscuit and Biscotti, Hanna and Anna."""
_RENAMES = regex.compile(r"\bname is\b|\bname ist\b|\bname was\b|\bspelled\b|\bis called\b", regex.IGNORECASE)
_APART = words_of("apart")
ALIKE = 0.6
"""From this share of common words on, two texts that are about one thing differ by the words that are left."""
SHORTEST_WITH_OPPOSITE = 4
PARAPHRASED = 4
"""Of how many words two texts are at least that may say one thing with hardly a word in common."""


def compare(known: Claim, new: Claim, *, alike: bool = False) -> Verdict:
    """Return what ``new`` is beside ``known``, which was said before it.

    ``same``: it says nothing else. ``refines``: one of the two says all that the other says, and more. ``replaces``:
    both cannot hold at a time. ``ends``: it says that the known one is over, or not so. ``unrelated``: both stand.

    Symmetric but for ``ends``, which is ``replaces`` the other way round. With ``alike``, something else (vectors,
    shared words) says already that both speak of one thing: then texts of no attribute are the same, too, where their
    words differ only in form, order of adverbs or additions; never where a number, date, name, symbol, order, negation
    or any word on both sides differs.

    >>> def said(text): return Claim("user", *text)
    >>> at = [Claim("user", "employer", name, "holds", f"Works at {name}") for name in ("Stripe", "Google")]
    >>> compare(*at), compare(at[0], at[0])
    ('replaces', 'same')
    """
    if known.subject != new.subject:
        return "unrelated"
    if known.text == new.text and known.polarity == new.polarity:
        return "same"
    one, other = ATTRIBUTES[known.attribute], ATTRIBUTES[new.attribute]
    if one.name == other.name == OTHER or (alike and {one.name, other.name} == {OTHER, "amount"}):
        return _texts(known, new, alike=alike)
    if one is other and one.name != "role":
        return _one_attribute(one, known, new)
    if {one.name, other.name} <= {"role", "employer"}:
        return _work(known, new)
    verdict = _across(one, other, known, new)
    if verdict == "unrelated" and OTHER in (one.name, other.name) and tokens(known.text) == tokens(new.text):
        return "same"
    return verdict


def is_single(claim: Claim) -> bool:
    """Return whether the place that a claim fills holds one value at a time."""
    return ATTRIBUTES[claim.attribute].single and not ATTRIBUTES[claim.attribute].loose and _is_one(claim)


def fuller(known: Claim, new: Claim) -> Claim:
    """Return the one of two claims, of which one refines the other, that says more; the first where neither does."""
    if known.attribute != new.attribute:
        return known if ATTRIBUTES[known.attribute].of else new
    said, held = len(_beside(new)), len(_beside(known))
    return new if said > held or (said == held and len(tokens(new.text)) > len(tokens(known.text))) else known


def overtaken(known: Sequence[Claim], new: Claim) -> list[int]:
    """Return which of some claims, last said last, the new one replaces or ends; the last said first.

    Of several of a kind, as dogs or sisters are, only one: whose name sounds most like a corrected one, or the last.

    >>> at = [Claim("user", "employer", name, "holds", f"Works at {name}") for name in ("Nokia", "Google", "Stripe")]
    >>> overtaken(at[:2], at[2])
    [1, 0]
    """
    found = [at for at in range(len(known) - 1, -1, -1) if compare(known[at], new) in ("replaces", "ends")]
    left = [at for at in found if new.former and same_value(new.former, known[at].value)]
    found = left or found
    own = [at for at in found if known[at].attribute == new.attribute]
    if len(own) > 1 and not ATTRIBUTES[new.attribute].single and not new.former and new.polarity == "holds":
        own = [max(own, key=lambda at: _likeness(known[at].value, new.value))]
    if not _is_one(new):
        own = own[:1]
    return [*own, *(at for at in found if known[at].attribute != new.attribute)]


def says_change(text: str) -> bool:
    """Return whether a text says that something is otherwise than before: "moved", "now", "jetzt"."""
    languages = dict.fromkeys((guess_language(words(text)), "english"))
    known = (grammar(language) for language in languages)
    return any(one is not None and one.changes is not None and one.changes.search(text) is not None for one in known)


def _one_attribute(attribute: Attribute, known: Claim, new: Claim) -> Verdict:
    if attribute.detail and stems(known.of) != stems(new.of):
        return "unrelated"
    if _took_place(known, new):
        return "replaces"
    same = same_value(known.value, new.value)
    if known.polarity == "holds" == new.polarity:
        if same and attribute.name == "amount":
            return _texts(known, new, alike=False)
        return _fuller(known, new) if same else _another_value(attribute, known, new)
    if known.polarity != "holds" != new.polarity:
        return _fuller(known, new) if same else "unrelated"
    if new.polarity != "holds":
        return "ends" if not new.value or same or _denies_all(attribute, known, new) else "unrelated"
    return "replaces" if same or not known.value else "unrelated"


def _took_place(known: Claim, new: Claim) -> bool:
    """Return whether one of the two says that its value took the place of the other's."""
    if same_value(known.value, new.value) or "holds" not in (known.polarity, new.polarity):
        return False
    return (new.former != "" and same_value(new.former, known.value) and known.polarity == "holds") or (
        known.former != "" and same_value(known.former, new.value) and new.polarity == "holds"
    )


def _another_value(attribute: Attribute, known: Claim, new: Claim) -> Verdict:
    if not attribute.single:
        renamed = (
            attribute.detail and _RENAMES.search(new.text) is not None and _likeness(known.value, new.value) >= MISHEARD
        )
        return "replaces" if renamed or (attribute.detail and known.of in SINGLE_KIN) else "unrelated"
    changes = says_change(new.text) or says_change(known.text)
    if not _is_one(new):
        return "replaces" if _grew_older(attribute, known, new) and changes else "unrelated"
    if attribute.loose:
        return "replaces" if changes else "unrelated"
    if attribute.name in ("home", "birthplace") and not changes and extent(known.value) != extent(new.value):
        return "unrelated"
    return "replaces"


def _likeness(a: str, b: str) -> float:
    return SequenceMatcher(None, a.casefold(), b.casefold()).ratio()


def _grew_older(attribute: Attribute, known: Claim, new: Claim) -> bool:
    """Return whether it may be the same one of several: of children the one who is a year older, else anyone."""
    if attribute.name != "age":
        return True
    then, now = (next((int(token) for token in tokens(claim.value) if token.isdecimal()), -9) for claim in (known, new))
    return abs(now - then) == 1


def _is_one(claim: Claim) -> bool:
    """Return whether nobody else can be meant by the claim's subject: of sisters there may be several."""
    kin, _, of = claim.subject.partition(" of ")
    return not of or kin in SINGLE_KIN


def _fuller(known: Claim, new: Claim) -> Verdict:
    """Return how two texts that give one place one value differ: not at all, by what one adds, or by what each adds."""
    if tokens(known.text) == tokens(new.text):
        return "same"
    one, other = _beside(known), _beside(new)
    if not words_of("denials").isdisjoint(set(tokens(known.text)) ^ set(tokens(new.text))):
        return "unrelated"
    if one == other:
        return "same"
    return "refines" if one <= other or other <= one else "unrelated"


def _beside(claim: Claim) -> frozenset[str]:
    """Return the words of what a sentence adds to its value, without those that say since when."""
    added = [
        token
        for token in tokens(claim.rest)
        if not is_when(token) and not is_number(token) and token not in CLAUSE_SIGNS
    ]
    language = guess_language(words(claim.text))
    return frozenset(added) - STOP_WORDS.get(language, frozenset()) - words_of("when")


def _denies_all(attribute: Attribute, known: Claim, new: Claim) -> bool:
    """Return whether who denies the one denies the other: who likes no coffee likes no black coffee either."""
    if attribute.name == "plans":
        return _calls_off(known, new)
    said, held = frozenset(tokens(new.value)), frozenset(tokens(known.value))
    return not attribute.single and bool(said) and said < held and 2 * len(said) >= len(held)


def _calls_off(known: Claim, new: Claim) -> bool:
    said, held = _plan(new.value), _plan(known.text)
    return bool(said - {"trip"}) and said - {"trip"} <= held and ("trip" not in said or "trip" in held)


def _plan(text: str) -> frozenset[str]:
    travel, light = words_of("travel"), words_of("light")
    told = {"trip" if word in travel else word for word in tokens(text) if word not in light}
    return frozenset(stem for word in told for stem in stems(word) or (word,))


def _work(known: Claim, new: Claim) -> Verdict:
    """Compare a role and an employer, or two roles: "manager of Stripe" tells who the employer is."""
    at, now_at = _employer(known), _employer(new)
    another = bool(at) and bool(now_at) and not same_value(at, now_at)
    if _took_place(known, new):
        return "replaces"
    if new.polarity != "holds" and known.polarity == "holds":
        if not new.value and not new.of:
            return "ends"
        if new.attribute == "employer":
            return "ends" if same_value(at, now_at) else "unrelated"
        return "ends" if not another and same_value(known.value, new.value) else "unrelated"
    if known.polarity != "holds":
        anew = (not known.value and not known.of) or (
            known.attribute == new.attribute and same_value(known.value, new.value)
        )
        return (
            "same"
            if new.polarity != "holds" and anew
            else "replaces"
            if anew and new.polarity == "holds"
            else "unrelated"
        )
    if another:
        return "replaces"
    if known.attribute != new.attribute:
        return "refines" if at and now_at else "unrelated"
    if not same_value(known.value, new.value):
        return "replaces" if _is_one(new) or says_change(new.text) else "unrelated"
    return _fuller(known, new) if at == now_at else "refines"


def _employer(claim: Claim) -> str:
    return claim.value if claim.attribute == "employer" else claim.of


def _across(one: Attribute, other: Attribute, known: Claim, new: Claim) -> Verdict:
    """Compare claims of two attributes of which the new one may end the other's: "sold the car", "is single"."""
    if other.like == one.name or one.like == other.name:
        same = same_value(known.value, new.value) and known.polarity == new.polarity
        return "same" if same else "unrelated"
    if one.name in words_of("switched") and new.former and new.polarity == "holds" == known.polarity:
        if same_value(new.former, known.value):
            return "replaces"
    how = other.ends.get(one.name, "")
    if not how or known.polarity != "holds":
        return "unrelated"
    if how == "apart":
        return _parted(known, new)
    if new.polarity == "holds":
        return "unrelated"
    return "ends" if same_value(new.value, known.value) or (how == "any" and not new.value) else "unrelated"


def _parted(known: Claim, new: Claim) -> Verdict:
    if new.attribute == "partner":
        begins = new.polarity == "holds" and says_change(new.text)
        return "replaces" if begins and _APART.intersection(tokens(known.value)) else "unrelated"
    if not _APART.intersection(tokens(new.value)) or new.polarity != "holds":
        return "unrelated"
    return "ends" if not new.former or same_value(new.former, known.value) else "unrelated"


def _texts(known: Claim, new: Claim, *, alike: bool) -> Verdict:
    """Compare two texts of which no attribute was read, or which count the same."""
    one, other = _told(known), _told(new)
    a, b = tokens(one), tokens(other)
    if (known.polarity == "holds") != (new.polarity == "holds"):
        if not _core(one) or _core(one) != _core(other) or _symbols(a) != _symbols(b):
            return "unrelated"
        return "ends" if new.polarity != "holds" else "replaces"
    if a == b:
        return "same"
    shorter, longer = sorted((one, other), key=lambda text: len(tokens(text)))
    if _only_adds(shorter, longer):
        return "refines"
    return _likened(a, b, one, other) if alike else "unrelated"


def _told(claim: Claim) -> str:
    return claim.value if claim.attribute == OTHER else claim.text


def _only_adds(shorter: str, longer: str) -> bool:
    """Return whether the longer text holds all of the shorter, and adds no sign and nothing that may deny it."""
    less, more = tokens(shorter), tokens(longer)
    if len(less) < 2 or not holds_all(more, less):
        return False
    language, said = guess_language(words(longer[:200])), words(shorter[:200])
    known = denials(language)
    evidence = STOP_WORDS.get(language, frozenset()) | (words_of("verbs") if language == "english" else frozenset())
    if known is None or evidence.isdisjoint(said):
        return False
    added = (Counter(more) - Counter(less)).keys()
    return (
        all(token in CLAUSE_SIGNS for token in added if is_symbol(token))
        and words_of("denials").isdisjoint(added)
        and known.isdisjoint(added)
    )


def _likened(a: tuple[str, ...], b: tuple[str, ...], one: str, other: str) -> Verdict:
    """Compare two texts that are known to be about one thing.

    Where most words are shared, a word that stands on each side alone is the difference; where few are, both may say
    one thing in other words, unless they name different things or are too short to tell.
    """
    has_signs = bool(_symbols(a) or _symbols(b))
    first, second = (list(a), list(b)) if has_signs else (_weighed(a), _weighed(b))
    only, lacking = set(first) - set(second), set(second) - set(first)
    shared = len(set(first) & set(second)) >= ALIKE * min(len(set(first)), len(set(second)))
    if _opposed(set(a) - set(b), set(b) - set(a)):
        return "replaces" if shared else "unrelated"
    if _symbols(a) != _symbols(b) or _numbers(a) != _numbers(b) or _order(first, second) != _order(second, first):
        return "unrelated"
    if not words_of("denials").isdisjoint(only | lacking) or _rival(distinctive(one), distinctive(other)):
        return "unrelated"
    if only and lacking:
        return "unrelated" if shared or min(len(first), len(second)) < PARAPHRASED else "same"
    return "refines" if only or lacking else "same"


def _weighed(found: tuple[str, ...]) -> list[str]:
    """Return the tokens that make a difference, English ones by their stems: not "a", "is" or "really"."""
    return [
        stem(token, "english") if token.isascii() else token for token in found if token not in words_of("weightless")
    ]


def _rival(a: frozenset[str], b: frozenset[str]) -> bool:
    return bool(a - b) and bool(b - a)


def _order(a: Sequence[str], b: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(token for token in a if token in b))


def _opposed(ours: set[str], theirs: set[str]) -> bool:
    """Return whether a word of the one stands in the other as its opposite: safe and unsafe, enable and disable."""
    return any(
        f"{before}{word}" == opposite or (word[:2] == "en" and f"dis{word[2:]}" == opposite)
        for one, other in ((ours, theirs), (theirs, ours))
        for word in one
        if len(word) >= SHORTEST_WITH_OPPOSITE
        for opposite in other
        for before in ("un", "in", "im", "ir", "il", "dis", "non")
    )


def _core(text: str) -> list[str]:
    """Return the stems of what a sentence says, without small words and those that only say "now"."""
    known = grammar(guess_language(words(text[:200])))
    bare = text if known is None or known.filler is None else known.filler.sub(" ", text)
    return [stem for stem in stems(bare) if stem not in words_of("light")]


def _symbols(found: tuple[str, ...]) -> list[str]:
    return [token for token in found if is_symbol(token)]


def _numbers(found: tuple[str, ...]) -> list[str]:
    return [token for token in found if (is_number(token) and token != "1") or is_when(token)]
