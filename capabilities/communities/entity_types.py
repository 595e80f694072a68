"""What an entity is, told without a model: by its own words, by how it is written, and by the words around it."""

import json
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import regex

from .names import USER, key_of
from .record import EntityType, NamedEntity

_BUILT = regex.compile(r"\p{Ll}\p{Lu}|\p{L}\p{N}|\p{N}\p{L}|\+\+|#$|\.(?:js|ts|io|py|NET)$|\p{L}-\p{N}")
"""How products are written: TypeScript, GPT-4, C++, Node.js."""
_WORD = regex.compile(r"[\p{L}\p{N}']+")
_REACH = 40
"""How many characters on each side of a name are looked at."""


def type_of(name: str, text: str) -> EntityType:
    """Return what a name in a text most likely is.

    >>> type_of("Oslo", "I moved to Oslo."), type_of("Rosa", "My sister Rosa has a cat."), type_of("C++", "I use C++.")
    ('location', 'person', 'technology')
    >>> type_of("Bank of Norway", ""), type_of("Jazz Festival", ""), type_of("Ariadne", "The boat is Ariadne")
    ('organization', 'event', 'concept')
    """
    if key_of(name) == USER:
        return "person"
    own = {word.casefold() for word in _WORD.findall(name)}
    for kind, words in _data("words").items():
        if own & words:
            return kind
    return "technology" if _BUILT.search(name) else _by_context(name, text)


def _by_context(name: str, text: str) -> EntityType:
    votes: Counter[EntityType] = Counter()
    for found in regex.finditer(rf"(?<![\p{{L}}\p{{N}}]){regex.escape(name)}(?![\p{{L}}\p{{N}}])", text):
        before = _WORD.findall(text[max(0, found.start() - _REACH) : found.start()].casefold())
        after = _WORD.findall(text[found.end() : found.end() + _REACH].casefold())
        votes.update(kind for kind, words in _data("before").items() if before and before[-1] in words)
        votes.update(kind for kind, words in _data("after").items() if after and after[0] in words)
        if after[:1] == ["s"] or text[found.end() : found.end() + 2] in {"'s", "\N{RIGHT SINGLE QUOTATION MARK}s"}:
            votes["person"] += 1
    return votes.most_common(1)[0][0] if votes else "concept"


def attribute_type(attribute: str) -> EntityType | None:
    """Return what the value of a claim's attribute is; None for values that are no entities, such as an age."""
    return cast("dict[str, EntityType]", _file()["attributes"]).get(attribute)


def named(name: str, text: str) -> NamedEntity:
    """Return a name in a text as an entity."""
    return NamedEntity(name=name, type=type_of(name, text))


@cache
def _file() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((Path(__file__).parent / "entity_types.json").read_text("utf-8"))
    return loaded


@cache
def _data(part: str) -> Mapping[EntityType, frozenset[str]]:
    return {kind: frozenset(words) for kind, words in _file()[part].items()}
