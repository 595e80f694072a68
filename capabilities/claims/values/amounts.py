"""Sentences that count one thing: "5 years at Google" and "6 years at Google" give one place another number."""

from functools import lru_cache
from itertools import pairwise

from fabric.text.language import stem
from fabric.text.words import words

from ..attributes import form, words_of
from .same_value import CLAUSE_SIGNS, COMPARED, day_names, is_number, is_symbol, is_when, tokens


@lru_cache(maxsize=COMPARED)
def amount(text: str) -> tuple[str, str] | None:
    """Return what a sentence counts and how many there are, None where it counts nothing or several things.

    A number that says which thing is meant ("Invoice number 18"), or when something was, counts nothing, and what
    somebody did they may have done twice.

    >>> amount("Has 2 cats"), amount("Paid invoice #17"), amount("Visited Oslo in 2019")
    (('cat', '2'), None, None)
    """
    listed = [token for token in tokens(form("number_sign").sub(" number ", text)) if token not in CLAUSE_SIGNS]
    free = [at for at, token in enumerate(listed) if is_number(token) and not _designates(listed, at)]
    if len(free) != 1 or form("of_a_day").search(text):
        return None
    at = free[0]
    if (
        (len(listed[at]) == 4 and listed[at][:2] in ("19", "20"))
        or _is_near_date(listed, at)
        or not _is_state(listed, at)
    ):
        return None
    first = at - 1 if at and is_symbol(listed[at - 1]) else at
    last = at + 1 if at + 1 < len(listed) and is_symbol(listed[at + 1]) else at
    rest = [stem(token, "english") for token in listed[:first] + listed[last + 1 :] if token not in words_of("light")]
    return (" ".join(rest) or "number", "".join(listed[first : last + 1]))


def _designates(listed: list[str], at: int) -> bool:
    """Return whether a number says which thing is meant: "invoice 17", or "pull request 815" at the end."""
    before, owner = listed[at - 1] if at else "", listed[at - 2] if at > 1 else ""
    if before in words_of("naming"):
        return owner not in words_of("valued")
    is_last = at == len(listed) - 1 and len(listed) > 2
    return is_last and before.isalpha() and not before.endswith("s") and before not in words_of("light")


def _is_near_date(listed: list[str], at: int) -> bool:
    near = [token for token in listed if token not in {"am", "pm", "de"}]
    place = near.index(listed[at])
    close = near[max(0, place - 1) : place + 2]
    return any(is_when(token) or token in day_names() for token in close) or any(
        is_number(one) and is_when(other) for one, other in pairwise(near)
    )


def _is_state(listed: list[str], at: int) -> bool:
    """Return whether a sentence says how it is, and not what was done."""
    before = listed[:at]
    if not before:
        return True
    first = listed[0]
    if first in words_of("past_verbs") or first.endswith("ed") or not words(first):
        return False
    return not words_of("states_verbs").isdisjoint(before) or any(word.endswith("s") for word in before)
