"""Numbers of payment cards and bank accounts, told from other numbers by their check digits."""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from ..lazy import lazy
from .finding import Finding
from .signs import data

if TYPE_CHECKING:
    from stdnum import iban, luhn, numdb
else:
    iban = lazy("stdnum.iban")
    luhn = lazy("stdnum.luhn")
    numdb = lazy("stdnum.numdb")

_BETWEEN = r"[\s.\-/_\u00b7\u2013\u2014\u2022|:*]"
_CARD = re.compile(rf"\d(?<![\w.,+-].)(?:{_BETWEEN}{{0,3}}\d){{12,18}}(?![\w-]|[.,]\d)")
_NOT_DIGIT = re.compile(r"\D+")
_GROUPINGS = frozenset(((4, 4, 4, 4), (4, 4, 4, 4, 3), (4, 6, 5), (4, 6, 4), (8, 8), (6, 10), (6, 6, 4)))
"""How the digits of a card are written; other groups count beside a word for a card only."""
_NAMED = re.compile(data("cards.json")["names"], re.IGNORECASE)
NEAR = 60
"""How many characters before a number the word for a card may stand."""
_ACCOUNT = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z]{2}|[a-z]{2})(?=\d{2})")
"""The country with which the number of an account begins."""
_PART = re.compile(r"(\d+)!([nac])")
_SPACED = {"n": "(?: ?[0-9])", "a": "(?: ?[A-Za-z])", "c": "(?: ?[A-Za-z0-9])"}


def payment(text: str) -> Iterator[Finding]:
    """Yield the numbers of cards (by their issuer, length and Luhn's check digit) and of accounts (IBAN, modulo 97)."""
    for found in _CARD.finditer(text):
        if _is_written_so(text, found) and _is_card(_NOT_DIGIT.sub("", found[0])):
            yield Finding(found.start(), found.end(), "card_number")
    for country in _ACCOUNT.finditer(text) if _MAY_BEGIN.search(text) else ():
        form = _form(country[0].upper())
        account = form.match(text, country.end()) if form is not None else None
        if account is not None and _is_account(country[0] + account[0]):
            yield Finding(country.start(), account.end(), "iban")


_MAY_BEGIN = re.compile(r"\d\d(?<=[A-Za-z]{2}\d\d)")


def _is_written_so(text: str, found: "re.Match[str]") -> bool:
    """Return whether digits are grouped as those of a card are, or a word for one stands before them."""
    sizes = tuple(map(len, _NOT_DIGIT.split(found[0])))
    if len(sizes) == 1 or sizes in _GROUPINGS or set(sizes) == {1} or set(sizes) == {2}:
        return True
    return _NAMED.search(text, max(0, found.start() - NEAR), found.start()) is not None


@cache
def _issuers() -> dict[str, frozenset[int]]:
    return {start: frozenset(row["lengths"]) for row in data("cards.json")["issuers"] for start in row["starts"]}


def _is_card(digits: str) -> bool:

    issued = (len(digits) in _issuers().get(digits[:length], ()) for length in range(1, 5))
    return any(issued) and luhn.is_valid(digits) and len(set(digits)) > 1


@cache
def _form(country: str) -> "re.Pattern[str] | None":
    """Return what follows a country in the number of an account, which has one length there; None for no country."""
    (_, told), *_ = numdb.get("iban").info(country)
    parts = [f"{_SPACED[kind]}{{{length}}}" for length, kind in _PART.findall(told.get("bban", ""))]
    return re.compile(rf"\d{{2}}{''.join(parts)}(?![A-Za-z0-9])") if parts else None


def _is_account(number: str) -> bool:

    return iban.is_valid(number, check_country=False)
