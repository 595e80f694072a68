"""The secrets of a text: found by all rules, and taken out."""

from functools import cache

from .finding import Finding, apart, without
from .json_form import in_json
from .labels import labelled, stems
from .payment import payment
from .phrases import seed_phrases
from .shapes import shaped
from .shapes import signs as shape_signs
from .signs import Signs, lowered
from .tokens import tokens

_MANY = 48
"""How long a text is at least that is a seed phrase: the shortest has twelve words of three letters."""


@cache
def _signs() -> Signs:
    return Signs([*stems(), *shape_signs()])


def found(text: str) -> list[Finding]:
    """Return the secrets in a text, by place; in a text that is JSON, in its values.

    >>> [str(one) for one in found("use AKIAABCDEFGHIJKLMNOP, the pin is 4711")]
    ['aws_access_key at 4-24', 'pin at 37-41']
    """
    inside = in_json(text, plainly)
    return plainly(text) if inside is None else inside


def plainly(text: str) -> list[Finding]:
    """Return the secrets in a text that is taken as it stands; a long one without any is looked through once."""
    if len(text) <= _SHORT:
        return _looked_for(text)
    if hash(text) in _clean:
        return []
    secrets = _looked_for(text)
    if not secrets:
        _note_clean(text)
    return secrets


def _looked_for(text: str) -> list[Finding]:
    lower = lowered(text)
    signs = _signs().within(lower)
    made = [*tokens(text), *payment(text)]
    if len(text) >= _MANY:
        made.extend(seed_phrases(text, lower))
    if signs:
        made.extend(shaped(text, signs))
        made.extend(labelled(text, lower))
    return apart(made) if made else made


def redact(text: str) -> str:
    """Return ``text`` with every recognised secret replaced by ``[redacted]``; the rest is untouched, JSON stays JSON.

    >>> redact("my password: hunter2, and the key is AKIAABCDEFGHIJKLMNOP")
    'my password: [redacted], and the key is [redacted]'
    >>> redact('{"token": "USDC", "pin": 1234}')
    '{"token": "USDC", "pin": "[redacted]"}'
    """
    if len(text) > _SHORT:
        secrets = found(text)
        return without(text, secrets) if secrets else text
    if hash(text) in _clean:
        return text
    secrets = found(text)
    if secrets:
        return without(text, secrets)
    _note_clean(text)
    return text


def _note_clean(text: str) -> None:
    if len(_clean) >= _KEPT:
        _clean.clear()
    _clean.add(hash(text))


_clean: set[int] = set()
"""Hashes of texts that have no secret: what is said is looked at again wherever something is drawn from it."""
_SHORT, _KEPT = 4_000, 20_000
