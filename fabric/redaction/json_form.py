"""JSON: its values are looked at one by one, with the name that each has, so that what is left is still JSON."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise

from ..slices import paced
from .finding import REDACTED, Finding
from .labels import LEAST_TOKEN, labelled, stems
from .shadow import shadow
from .signs import lowered
from .value import is_random

Find = Callable[[str], Sequence[Finding]]
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|-?\d[\d.eE+-]*+|[:{}\[\],]|true|false|null', re.DOTALL)
_PIECE = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.", re.DOTALL)
"""One character as it is written in a string; what is written as a pair of halves is one."""
LONGEST_NAME, LONGEST_VALUE = 100, 4_000
NAMES, VALUES = frozenset(("name", "key", "header", "variable", "type", "field", "label")), frozenset(("value", "val"))
"""Under what the name of a value stands beside it, and the value: {"name": "API_KEY", "value": "..."}."""
PRIVATE = frozenset(("d", "p", "q", "dp", "dq", "qi"))
"""Under what a JSON Web Key has its private numbers."""
_NUMBER = re.compile(r"(?=[0-9A-Za-z_-]*[g-zG-Z_-])[0-9A-Za-z_-]{42,2000}")


def in_json(text: str, find: Find) -> list[Finding] | None:
    """Return the secrets in a text that is a JSON object or array, None for other texts.

    Their places are those in ``text``, however deep in strings of strings a secret stands.
    """
    if text.lstrip()[:1] not in ("{", "[") or not _is_json(text):
        return None
    values = paced(_values(text))
    return [finding for name, start, end in values for finding in _in_value(name, text[start:end], start, find)]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _values(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield strings and numbers with the name they have: that of their list for what stands in one, "" for none."""
    name = paired = ""
    tokens = ((found[0], found.start(), found.end()) for found in _TOKEN.finditer(text))
    for (token, start, end), (after, _, _) in pairwise(chain(tokens, [("", 0, 0)])):
        if token[0] == '"' and after == ":":
            name = _plain(token)
            if len(name) >= LEAST_TOKEN + 4:
                yield "", start, end  # it may be a secret itself
        elif token[0] == '"' or token[0].isdigit() or token[0] == "-":
            yield paired if paired and name in VALUES else name, start, end
            paired = _plain(token) if name in NAMES and token[0] == '"' else paired
        elif token in ("{", "}", "]"):
            name = paired = ""


def _plain(token: str) -> str:
    value: str = json.loads(token)
    return value


def _in_value(name: str, token: str, start: int, find: Find) -> list[Finding]:
    if token[0] != '"':
        named = named_secret(name, token) if name else None
        return [Finding(start, start + len(token), named, f'"{REDACTED}"')] if named else []
    value = _plain(token)
    named = named_secret(name, value) if name else None
    if named:
        return [Finding(start + 1, start + len(token) - 1, named)]
    inside = in_json(value, find)
    secrets = find(value) if inside is None else inside
    return _escaped(secrets, token, start) if secrets else []


def _escaped(secrets: Sequence[Finding], token: str, start: int) -> list[Finding]:
    """Return findings in a string as those in the JSON around it, where some characters are written as several."""
    places: Sequence[int] = range(1, len(token))
    if "\\" in token:
        places = [piece.start() for piece in _PIECE.finditer(token, 1, len(token) - 1)] + [len(token) - 1]
    return [
        Finding(start + places[secret.start], start + places[secret.end], secret.kind, json.dumps(secret.instead)[1:-1])
        for secret in secrets
    ]


def named_secret(name: str, value: str) -> str:
    """Return the kind of secret that a value is by the name it has, "" for none.

    >>> named_secret("password", "hunter2"), named_secret("token", "USDC")
    ('password', '')
    """
    if not _may_name(name[: LONGEST_NAME + 1]):
        return ""
    if (
        len(name) > LONGEST_NAME
        or len(value) > LONGEST_VALUE
        or any(mark in text for text in (name, value) for mark in '"\n\\')
    ):
        return ""
    if name in PRIVATE:
        return "private_key" if _NUMBER.fullmatch(value) and is_random(value, 2 * LEAST_TOKEN) else ""
    name, value = shadow(name).text, shadow(value).text
    written = f'"{name}": "{value}"'
    whole = (len(name) + 5, len(written) - 1)
    return next(
        (finding.kind for finding in labelled(written, lowered(written)) if (finding.start, finding.end) == whole), ""
    )


@lru_cache(maxsize=4_096)
def _may_name(name: str) -> bool:
    """Return whether a name may be that of a secret: most are those of fields, and hold no label."""
    lower = lowered(shadow(name).text)
    return name in PRIVATE or any(stem in lower for stem in stems())
