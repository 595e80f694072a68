"""When two beliefs are one, and when the one says of it what the other does not: asked of the one judge of claims."""

from collections.abc import Iterable

from capabilities.claims import Verdict, compare, read_as


def judged(held: str, text: str) -> Verdict:
    """Return how a belief relates to a known one, of which vectors or shared words tell that they are alike."""
    return compare(read_as(held), read_as(text), alike=True)


def names_another(held: str, text: str) -> bool:
    """Return whether two texts are about two things; a changed value, or a denial, is of one thing.

    >>> names_another("Alice likes tea", "Bob likes tea"), names_another("The limit is 100", "The limit is 200")
    (True, False)
    """
    return judged(held, text) == "unrelated"


def claims_another(held: str, text: str) -> bool:
    """Return whether a text says of the same thing something else than the one that is held: no longer, another value.

    >>> claims_another("The bridge is safe", "The bridge is not safe"), claims_another("Tea is hot", "Tea is hot!")
    (True, False)
    """
    return judged(held, text) in ("replaces", "ends")


def best(offered: Iterable[tuple[str, str, float]], text: str, threshold: float) -> str | None:
    """Return the id of the most similar of ``(id, text, similarity)`` that says what ``text`` says, if any does."""
    same = [
        (similarity, belief_id)
        for belief_id, said, similarity in offered
        if similarity >= threshold and not names_another(said, text)
    ]
    return max(same, key=lambda pair: pair[0])[1] if same else None
