"""Numbers of payment cards and bank accounts, told from other numbers by their check digits."""

import re
from collections.abc import Iterator
from functools import cache

from .data import data
from .finding import Finding

_CARD = re.compile(r"(?<![\w.,+-])\d(?:[ -]?\d){12,18}(?![\w-]|[.,]\d)")
_GROUPS = re.compile(
    r"\d+|\d{4}(?P<sep>[ -])\d{4}(?P=sep)\d{4}(?P=sep)\d{4}(?:(?P=sep)\d{3})?|\d{4}[ -]\d{6}[ -]\d{4,5}"
)
_ACCOUNT = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{1,4}){3,8}(?![A-Za-z0-9])")
LEAST_DIGITS = 13
"""In how few digits a text has no number of a card; one of an account has as many letters and digits."""


def payment(text: str) -> Iterator[Finding]:
    """Yield the numbers of cards (by their issuer, length and Luhn's check digit) and of accounts (IBAN, modulo 97)."""
    if not _DIGITS.search(text):
        return
    for found in _CARD.finditer(text):
        if _GROUPS.fullmatch(found[0]) and _is_card(re.sub(r"[ -]", "", found[0])):
            yield Finding(found.start(), found.end(), "card_number")
    for found in _ACCOUNT.finditer(text):
        end = _end_of_account(found[0])
        if end:
            yield Finding(found.start(), found.start() + end, "iban")


_DIGITS = re.compile(r"\d{4}[ -]?\d{4}|[A-Z]{2}\d{2}")


@cache
def _issuers() -> dict[str, frozenset[int]]:
    return {start: frozenset(row["lengths"]) for row in data("cards.json")["issuers"] for start in row["starts"]}


def _is_card(digits: str) -> bool:
    from stdnum import luhn  # noqa: PLC0415  only for the few texts that hold such a number

    issued = (len(digits) in _issuers().get(digits[:length], ()) for length in range(1, 5))
    return any(issued) and luhn.is_valid(digits) and len(set(digits)) > 2


def _end_of_account(text: str) -> int:
    """Return how much of a text is the number of an account: a word in capitals may stand behind it; 0 for none."""
    from stdnum import iban  # noqa: PLC0415  as above

    end = len(text)
    while end >= LEAST_DIGITS:
        if iban.is_valid(text[:end], check_country=False):
            return end
        end = text.rfind(" ", 0, end)
    return 0
