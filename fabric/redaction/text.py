"""The secrets of a text: found by all rules, and taken out. A long one is looked at in windows that overlap."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from ..slices import gap_after, paced
from .answered_secrets import in_dialogue
from .finding import Finding, apart, without
from .json_form import in_json
from .labels import labelled, stems
from .payment import payment
from .phrases import seed_phrases
from .shadow import shadow
from .shapes import shaped
from .shapes import signs as shape_signs
from .signs import Signs, lowered
from .tables import tabled
from .tokens import tokens

WINDOW = 12_000
"""How many characters are looked at together: a few milliseconds."""
BEFORE, BEHIND = 800, 1_200
"""How much of a text is seen in front of where a secret may begin in a window, and from there on at least."""
LONGEST = 24_000
"""How long a secret is at most: a private key in lines."""
AT_THE_END = 8
"""So near to the end of its window a secret may go on behind it."""
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
    if len(text) <= _SHORT:
        return _found(text)
    key = hash(text)
    if key in _clean:
        return []
    secrets = _of_long.get(key)
    if secrets is None:
        secrets = _found(text)
        _note(text, secrets)
    return list(secrets)


def _found(text: str) -> list[Finding]:
    inside = in_json(text, plainly)
    return plainly(text) if inside is None else inside


def plainly(text: str) -> list[Finding]:
    """Return the secrets in a text that is taken as it stands; a long one is looked at in windows."""
    return _looked_for(text) if len(text) <= WINDOW else in_windows(text, _looked_for)


def _looked_for(text: str) -> list[Finding]:
    seen = shadow(text)
    made = _in_plain(seen.text)
    return seen.back(apart(made)) if made else made


def _in_plain(text: str) -> list[Finding]:
    lower = lowered(text)
    signs = _signs().within(lower)
    made = [*tokens(text), *payment(text)]
    if len(text) >= _MANY:
        made.extend(seed_phrases(text, lower))
    if signs:
        made.extend(shaped(text, signs))
        made.extend(labelled(text, lower))
        made.extend(in_dialogue(text, lower))
        if "\n" in text:
            made.extend(tabled(text))
    return made


def redact(text: str) -> str:
    """Return ``text`` with every recognised secret replaced by ``[redacted]``; the rest is untouched, JSON stays JSON.

    >>> redact("my password: hunter2, and the key is AKIAABCDEFGHIJKLMNOP")
    'my password: [redacted], and the key is [redacted]'
    >>> redact('{"token": "USDC", "pin": 1234}')
    '{"token": "USDC", "pin": "[redacted]"}'
    """
    if hash(text) in _clean:
        return text
    secrets = found(text)
    if not secrets:
        _note(text, secrets)
        return text
    cleaned = without(text, secrets)
    if len(text) > _SHORT:
        _note(cleaned, [])  # it is read again wherever it passes, up to the store's own thread
    return cleaned


def _note(text: str, secrets: list[Finding]) -> None:
    if secrets:
        if len(_of_long) >= _KEPT_LONG:
            _of_long.clear()
        _of_long[hash(text)] = secrets
    else:
        if len(_clean) >= _KEPT:
            _clean.clear()
        _clean.add(hash(text))


_clean: set[int] = set()
"""Hashes of texts that have no secret: what is said is looked at again wherever something is drawn from it."""
_of_long: dict[int, list[Finding]] = {}
"""By hash, the secrets of long texts that have some."""
_SHORT, _KEPT, _KEPT_LONG = 4_000, 100_000, 16


def in_windows(text: str, find: Callable[[str], Sequence[Finding]]) -> list[Finding]:
    """Return what ``find`` finds in a text of any length, calling it with pieces of it.

    The pieces are cut between words and overlap: a secret counts in the one piece that shows enough on both sides of
    where it begins. A secret that reaches the end of its piece is looked at again in a longer one.
    """
    return apart(finding for some in paced(_windows(text, find)) for finding in some)


def _windows(text: str, find: Callable[[str], Sequence[Finding]]) -> Iterator[list[Finding]]:
    """Yield the findings of each window."""
    begin = own = 0
    while own < len(text):
        end = gap_after(text, begin + WINDOW)
        seen = _shifted(find(text[begin:end]), begin)
        cut = [finding.start for finding in seen if finding.end >= end - AT_THE_END and finding.start >= own]
        if cut and end < len(text):
            end = gap_after(text, cut[0] + LONGEST)
            seen = _shifted(find(text[begin:end]), begin)
        until = len(text) if end >= len(text) else end - BEHIND
        yield [finding for finding in seen if own <= finding.start < until]
        own, begin = until, until - BEFORE


def _shifted(findings: Sequence[Finding], by: int) -> list[Finding]:
    return [replace(finding, start=finding.start + by, end=finding.end + by) for finding in findings]
