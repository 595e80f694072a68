"""With which letters a text can begin that a pattern matches, so that patterns of others need not be compiled."""

import regex

_PIECE = regex.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?P<\w+>|\(\?[a-z]*:|\(\?<?[=!]|\(|\)|\||.", regex.DOTALL)
_OPTIONAL = frozenset({"?", "*"})


def openings(pattern: str) -> frozenset[str] | None:
    r"""Return the letters, folded, that a match of a pattern begins with; None where it may be any, or nothing.

    >>> sorted(openings(r"(?:has |have )?moved to (?P<v>.+)") or ""), openings(r"(?P<v>\w+) is dead")
    (['h', 'm'], None)
    """
    return _of_choice([found[0] for found in _PIECE.finditer(pattern)])


def _of_choice(pieces: list[str]) -> frozenset[str] | None:
    """Return the openings of a choice, None where one of what it may be can begin with anything."""
    found: set[str] = set()
    depth, start = 0, 0
    for at, piece in enumerate([*pieces, "|"]):
        depth += piece.startswith("(") - (piece == ")")
        if piece == "|" and depth == 0:
            words = _of_sequence(pieces[start:at])
            if words is None:
                return None
            found |= words
            start = at + 1
    return frozenset(found)


def _of_sequence(pieces: list[str]) -> frozenset[str] | None:
    found: set[str] = set()
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        end = _end(pieces, at) if piece.startswith("(") else at
        is_optional = end + 1 < len(pieces) and pieces[end + 1] in _OPTIONAL
        if piece.startswith(("(?=", "(?!", "(?<=", "(?<!")) or piece == "^":
            at = end + 1
            continue
        words = (
            _of_choice(pieces[at + 1 : end]) if end > at else frozenset({piece.casefold()}) if piece.isalpha() else None
        )
        if words is None:
            return None
        found |= words
        if not is_optional:
            return frozenset(found)
        at = end + 2
    return None


def _end(pieces: list[str], at: int) -> int:
    """Return the place of the bracket that closes the one at a place."""
    depth = 0
    for place in range(at, len(pieces)):
        depth += pieces[place].startswith("(") - (pieces[place] == ")")
        if depth == 0:
            return place
    return len(pieces) - 1
