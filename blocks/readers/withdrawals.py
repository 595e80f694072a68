"""Messages that withdraw what was said right before as a whole, or what they name of it; their words are data."""

import re
from functools import cache
from typing import Literal, NamedTuple

from .patterns import listed

_OPENING = 300
"""Within so many characters the words must come that withdraw."""
_SIGNS = r"[\s.,:;!?…–—()'\"-]*"


Means = Literal["said", "that", "untrue"]
_MEANS: tuple[Means, ...] = ("said", "that", "untrue")


class Withdrawal(NamedTuple):
    """How a message withdraws: ``said`` names the message itself, ``that`` may mean a request, ``untrue`` an answer.

    ``rest`` is what follows, "" where the message says nothing else; ``is_about`` says that it is what is withdrawn,
    ``is_sentence`` that it stands in a sentence of its own.
    """

    means: Means
    rest: str = ""
    is_about: bool = False
    is_sentence: bool = False


def withdrawal(text: str) -> Withdrawal | None:
    """Return how a message withdraws what was said before it, None where it does not open so, or asks whether it is so.

    >>> withdrawal("That's not true. I have no dog.")
    Withdrawal(means='untrue', rest='I have no dog.', is_about=False, is_sentence=True)
    >>> withdrawal("Never mind, forget what I said about Rome.")
    Withdrawal(means='said', rest='Rome.', is_about=True, is_sentence=False)
    >>> withdrawal("I lied to him."), withdrawal("Das stimmt nicht?")
    (None, None)
    """
    text = text.replace("’", "'").strip()
    found = filter(None, (_opening(form, text) for form in _forms()))
    told = (withdrawal for withdrawal in found if not (withdrawal.means == "untrue" and text.endswith("?")))
    return min(told, key=lambda withdrawal: len(withdrawal.rest), default=None)


def _opening(form: re.Pattern[str], text: str) -> Withdrawal | None:
    """Return how a text opens in one language, by what says most of several in a row: "That's not true. Forget it."."""
    opened: list[re.Match[str]] = []
    while found := form.match(text, 0, _OPENING):
        opened.append(found)
        text = text[found.end() :]
    means: Means | None = next((kind for kind in _MEANS if any(found[kind] for found in opened)), None)
    if means is None:
        return None
    last = opened[-1]
    return Withdrawal(means, text, bool(last["about"]), any(sign in ".!…\n" for sign in last["end"]))


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    return tuple(_compiled(**row) for row in listed("withdrawals").values())


def _compiled(opening: str, about: str, courtesy: str, **means: str) -> re.Pattern[str]:
    kinds = "|".join(f"(?P<{name}>{form})" for name, form in means.items())
    before = rf"(?:(?:{opening})(?!\w){_SIGNS})*"
    behind = rf"(?P<end>{_SIGNS}(?:(?:{courtesy})(?!\w){_SIGNS})*)"
    followed = rf"(?!\w)(?=\s*(?:$|[.,:;!?…–—()]|(?:{courtesy}|{about})(?!\w)))"
    return re.compile(rf"{_SIGNS}{before}(?:{kinds}){followed}{behind}(?P<about>(?:{about})(?!\w)\s*)?", re.IGNORECASE)
