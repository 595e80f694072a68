"""Tags as they are kept with what is remembered: each once, not too many, none too long."""

from collections.abc import Iterable

from fabric.errors import RefusedError

MAX_TAGS = 50
"""How many tags a trace may be given at once."""
MAX_TAG_CHARS = 200


def unite_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the tags, each once, blank ones left out, in order.

    >>> unite_tags(["ui", " ", "ui ", "a,b"])
    ('ui', 'a,b')
    """
    return tuple(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))


def checked_tags(tags: Iterable[str], most: int = MAX_TAGS) -> tuple[str, ...]:
    """Return the tags as they are kept; RefusedError for too many at once, or one that is too long."""
    kept = unite_tags(tags)
    if len(kept) > most:
        raise RefusedError(f"{len(kept)} tags are too many, {most} are the most", do="Keep those that matter.")
    long = next((tag for tag in kept if len(tag) > MAX_TAG_CHARS), "")
    if long:
        reason = f"a tag has {len(long):,} characters, {MAX_TAG_CHARS} are the most"
        raise RefusedError(reason, do="Give words to find it by; what is to be remembered is the content.")
    return kept


def cut_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the tags that a model gives as they are kept: the first of them, without any that is too long."""
    return tuple(tag for tag in unite_tags(tags) if len(tag) <= MAX_TAG_CHARS)[:MAX_TAGS]
