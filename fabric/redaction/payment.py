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
_ACCOUNT = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z]{2}|[a-z]{2})(?=\d{2})")
"""The country with which the number of an account begins."""
_PART = re.compile(r"(\d+)!([nac])")
_SPACED = {"n": "(?: ?[0-9])", "a": "(?: ?[A-Za-z])", "c": "(?: ?[A-Za-z0-9])"}


def payment(text: str) -> Iterator[Finding]:
    """Yield the numbers of cards (by their issuer, length and Luhn's check digit) and of accounts (IBAN, modulo 97)."""
    if not _DIGITS.search(text):
        return
    for found in _CARD.finditer(text):
        if _GROUPS.fullmatch(found[0]) and _is_card(re.sub(r"[ -]", "", found[0])):
            yield Finding(found.start(), found.end(), "card_number")
    for country in _ACCOUNT.finditer(text):
        form = _form(country[0].upper())
        account = form.match(text, country.end()) if form is not None else None
        if account is not None and _is_account(country[0] + account[0]):
            yield Finding(country.start(), account.end(), "iban")


_DIGITS = re.compile(r"\d{4}[ -]?\d{4}|\b(?:[A-Z]{2}|[a-z]{2})\d{2}")


@cache
def _issuers() -> dict[str, frozenset[int]]:
    return {start: frozenset(row["lengths"]) for row in data("cards.json")["issuers"] for start in row["starts"]}


def _is_card(digits: str) -> bool:
    from stdnum import luhn  # noqa: PLC0415  only for the few texts that hold such a number

    issued = (len(digits) in _issuers().get(digits[:length], ()) for length in range(1, 5))
    return any(issued) and luhn.is_valid(digits) and len(set(digits)) > 2


@cache
def _form(country: str) -> "re.Pattern[str] | None":
    """Return what follows a country in the number of an account, which has one length there; None for no country."""
    from stdnum import numdb  # noqa: PLC0415  as above

    (_, told), *_ = numdb.get("iban").info(country)
    parts = [f"{_SPACED[kind]}{{{length}}}" for length, kind in _PART.findall(told.get("bban", ""))]
    return re.compile(rf"\d{{2}}{''.join(parts)}(?![A-Za-z0-9])") if parts else None


def _is_account(number: str) -> bool:
    from stdnum import iban  # noqa: PLC0415  as above

    return iban.is_valid(number, check_country=False)
