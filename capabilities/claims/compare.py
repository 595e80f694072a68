"""The one judge of sameness: how a new claim relates to a known one."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache

from fabric.redaction.finding import REDACTED
from fabric.text.language import STOP_WORDS, language_of

from .attributes import ATTRIBUTES, OTHER, Attribute, form, grammar, words_of
from .owners import SINGLE_KIN
from .record import Claim, Verdict
from .text_comparison import compare_texts
from .values.places import extent, same_place
from .values.same_value import CLAUSE_SIGNS, is_number, is_when, same_value, stems, tokens

CACHED = 2_048
MISHEARD = 0.6
"""From this likeness on, of two names the one is taken for a slip of the other: Hanna and Anna."""
_WHOLES = {attribute.of for attribute in ATTRIBUTES.values()} - {""}
"""The attributes to which others belong, as a role does to an employer."""


def compare(known: Claim, new: Claim, *, alike: bool = False) -> Verdict:
    """Return how ``new`` relates to ``known``, which was said before it.

    ``same``: it says nothing else. ``refines``: one of the two says all that the other says, and more. ``replaces``:
    both cannot hold at a time. ``ends``: it says that the known one is over, or not so. ``unrelated``: both stand.

    Symmetric but for ``ends``, which is ``replaces`` the other way round. With ``alike``, something else (vectors,
    shared words) says already that both speak of one thing: then texts of no attribute are the same, too, where their
    words differ only in form, order of adverbs or additions; never where a number, date, name, symbol, order, negation
    or any word on both sides differs. What was redacted is never the same as anything else that was.

    >>> def said(text): return Claim("user", *text)
    >>> at = [Claim("user", "employer", name, "holds", f"Works at {name}") for name in ("Stripe", "Google")]
    >>> compare(*at), compare(at[0], at[0])
    ('replaces', 'same')
    """
    if {known.attribute, new.attribute} == {"amount", "age"}:
        known, new = _as_age(known), _as_age(new)
    if known.subject != new.subject or (REDACTED in known.text and REDACTED in new.text):
        return "unrelated"
    if known.text == new.text and known.polarity == new.polarity:
        return "same"
    attribute, other = ATTRIBUTES[known.attribute], ATTRIBUTES[new.attribute]
    names = {attribute.name, other.name}
    if names == {OTHER} or (alike and names == {OTHER, "amount"}):
        return compare_texts(known, new, alike=alike)
    if {attribute.of or attribute.name, other.of or other.name} <= _WHOLES:
        return _work(known, new)
    if attribute is other:
        return _one_attribute(attribute, known, new)
    is_same = OTHER in names and tokens(known.text) == tokens(new.text)
    return "same" if is_same else _across(attribute, other, known, new)


def _as_age(claim: Claim) -> Claim:
    """Return a claim that counts nothing but a name's years as the age that it may be: "Anna is 34"."""
    name, _, told = claim.text.strip(" .!").partition(" ")
    years = form("years").fullmatch(told) if claim.attribute == "amount" else None
    return claim if years is None else replace(claim, subject=name.casefold(), attribute="age", of="")


def is_single(claim: Claim) -> bool:
    """Return whether the place that a claim fills holds one value at a time."""
    return ATTRIBUTES[claim.attribute].single and not ATTRIBUTES[claim.attribute].loose and _is_one(claim)


def fuller(known: Claim, new: Claim) -> Claim:
    """Return the one of two claims, of which one refines the other, that says more; the first where neither does."""
    if known.attribute != new.attribute:
        return known if ATTRIBUTES[known.attribute].of else new
    said, held = len(_details(new)), len(_details(known))
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


@lru_cache(maxsize=CACHED)
def says_change(text: str) -> bool:
    """Return whether a text says that something is otherwise than before: "moved", "now", "jetzt"."""
    languages = dict.fromkeys((language_of(text), "english"))
    return any(grammar(language).changes.search(text) is not None for language in languages)


def _one_attribute(attribute: Attribute, known: Claim, new: Claim) -> Verdict:
    if attribute.detail and stems(known.of) != stems(new.of):
        return "unrelated"
    if _took_place(known, new):
        return "replaces"
    same = same_value(known.value, new.value) or (attribute.place and same_place(known.value, new.value))
    if known.polarity == "holds" == new.polarity:
        return _fuller(known, new) if same else _another_value(attribute, known, new)
    if known.polarity != "holds" != new.polarity:
        return _fuller(known, new) if same else "unrelated"
    return _turned(attribute, known, new, same=same)


def _turned(attribute: Attribute, known: Claim, new: Claim, *, same: bool) -> Verdict:
    """Compare a claim that holds with one that denies or ends."""
    if new.polarity == "holds":
        return "replaces" if same or not known.value else "unrelated"
    return "ends" if not new.value or same or _denies_all(attribute, known, new) else "unrelated"


def _took_place(known: Claim, new: Claim) -> bool:
    """Return whether one of the two says that its value took the place of the other's."""
    if same_value(known.value, new.value) or "holds" not in (known.polarity, new.polarity):
        return False
    return (new.former != "" and same_value(new.former, known.value) and known.polarity == "holds") or (
        known.former != "" and same_value(known.former, new.value) and new.polarity == "holds"
    )


def _another_value(attribute: Attribute, known: Claim, new: Claim) -> Verdict:
    if not attribute.single:
        renamed = form("renames").search(new.text) is not None and _likeness(known.value, new.value) >= MISHEARD
        return "replaces" if attribute.detail and (renamed or known.of in SINGLE_KIN) else "unrelated"
    changes = says_change(new.text) or says_change(known.text)
    if not _is_one(new):
        return "replaces" if changes and (not attribute.grows or _grew_older(known, new)) else "unrelated"
    if attribute.loose or _is_vaguer(known.value, new.value):
        return "replaces" if changes else "unrelated"
    if attribute.place and not changes and extent(known.value) != extent(new.value):
        return "unrelated"
    return "replaces"


def _is_vaguer(known: str, new: str) -> bool:
    """Return whether the new one of two values tells only of what kind it is: "a hospital" behind "St Mary's"."""
    return form("kind").match(new) is not None and form("kind").match(known) is None


def _likeness(a: str, b: str) -> float:
    return SequenceMatcher(None, a.casefold(), b.casefold()).ratio()


def _grew_older(known: Claim, new: Claim) -> bool:
    """Return whether it may be the same one of several: of children the one who is a year older."""
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
    if known.attribute == "amount":
        return compare_texts(known, new)
    one, other = _details(known), _details(new)
    if new.polarity == "holds" and not words_of("denials").isdisjoint(set(tokens(known.text)) ^ set(tokens(new.text))):
        return "unrelated"
    if one == other:
        return "same"
    return "refines" if one <= other or other <= one else "unrelated"


def _details(claim: Claim) -> frozenset[str]:
    """Return the words of what a sentence adds to its value, without those that say since when."""
    added = [
        token
        for token in tokens(claim.rest)
        if not is_when(token) and not is_number(token) and token not in CLAUSE_SIGNS
    ]
    language = language_of(claim.text)
    return frozenset(added) - STOP_WORDS.get(language, frozenset()) - words_of("when")


def _denies_all(attribute: Attribute, known: Claim, new: Claim) -> bool:
    """Return whether who denies the one denies the other: who likes no coffee likes no black coffee either."""
    if attribute.ends.get(attribute.name) == "called off":
        return _calls_off(known, new)
    said, held = frozenset(tokens(new.value)), frozenset(tokens(known.value))
    return attribute.in_part and bool(said) and said < held and 2 * len(said) >= len(held)


def _calls_off(known: Claim, new: Claim) -> bool:
    said, held = _plan(new.value), _plan(known.text)
    return bool(said - {"trip"}) and said - {"trip"} <= held and ("trip" not in said or "trip" in held)


def _plan(text: str) -> frozenset[str]:
    travel, light = words_of("travel"), words_of("light")
    told = {"trip" if word in travel else word for word in tokens(text) if word not in light}
    return frozenset(stem for word in told for stem in stems(word) or (word,))


def _work(known: Claim, new: Claim) -> Verdict:
    """Compare a role and an employer, or two of one: "manager of Stripe" tells who the employer is."""
    at, now_at = _employer(known), _employer(new)
    another = bool(at) and bool(now_at) and not same_value(at, now_at)
    another = another and (says_change(new.text) or not _is_vaguer(at, now_at))
    if _took_place(known, new):
        return "replaces"
    if known.polarity != "holds" or new.polarity != "holds":
        return _left_work(known, new, another=another)
    if another:
        return "replaces"
    if known.attribute != new.attribute:
        return "refines" if at and now_at else "unrelated"
    if same_value(known.value, new.value):
        return _fuller(known, new) if same_value(at, now_at) else "refines"
    return "replaces" if _is_one(new) or says_change(new.text) else "unrelated"


def _left_work(known: Claim, new: Claim, *, another: bool) -> Verdict:
    """Compare two claims about work of which at least one says that it is over, or not so."""
    same = known.attribute == new.attribute and same_value(known.value, new.value)
    if known.polarity != "holds":
        anew = same or not (known.value or known.of)
        if new.polarity != "holds":
            return "same" if anew else "unrelated"
        return "replaces" if anew else "unrelated"
    if not new.value and not new.of:
        return "ends"
    left = same_value(_employer(known), _employer(new)) if not ATTRIBUTES[new.attribute].of else same and not another
    return "ends" if left else "unrelated"


def _employer(claim: Claim) -> str:
    return claim.of if ATTRIBUTES[claim.attribute].of else claim.value


def _across(attribute: Attribute, other: Attribute, known: Claim, new: Claim) -> Verdict:
    """Compare claims of two attributes of which the new one may end the other's: "sold the car", "is single"."""
    if other.like == attribute.name or attribute.like == other.name:
        same = same_value(known.value, new.value)
        return "same" if same and known.polarity == new.polarity else "unrelated"
    if known.polarity != "holds":
        anew = new.polarity == "holds" and attribute.ends.get(other.name) == "kind" and _of_kind(new, known)
        return "replaces" if anew else "unrelated"
    if new.polarity == "holds" and attribute.name in words_of("switched") and _took_place(known, new):
        return "replaces"
    how = other.ends.get(attribute.name, "")
    return _moved(how, known, new) if new.polarity == "holds" else _ended(how, known, new)


def _moved(how: str, known: Claim, new: Claim) -> Verdict:
    """Compare two claims that hold: of who is a couple or apart, and of a plan and the day it is moved to."""
    apart = words_of("apart")
    if how == "apart" and not apart.isdisjoint(tokens(new.value)):
        return "ends" if not new.former or same_value(new.former, known.value) else "unrelated"
    is_other = (how == "together" and not apart.isdisjoint(tokens(known.value))) or (
        how == "moved" and new.of != "" and _plan(new.of) <= _plan(f"{known.text} {known.value}")
    )
    return "replaces" if is_other and says_change(new.text) else "unrelated"


def _ended(how: str, known: Claim, new: Claim) -> Verdict:
    """Compare a claim that holds with one that says that something else is over or not so."""
    if how == "called off":
        return "ends" if _calls_off(known, new) else "unrelated"
    if how == "kind":
        return "ends" if _of_kind(known, new) else "unrelated"
    is_over = same_value(known.value, new.value) if how in ("any", "value") else False
    return "ends" if is_over or (how == "any" and not new.value) else "unrelated"


def _of_kind(claim: Claim, kind: Claim) -> bool:
    """Return whether a claim tells of one of a kind: Rex the dog, where there is no dog any more."""
    return bool(claim.of) and stems(claim.of)[-1:] == stems(kind.value)[-1:]
