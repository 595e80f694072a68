"""Systems: the collections of memory systems that have a name of their own, as a file tells which there are."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from fabric.flow.resource import Collection

from ..episodic import create_episodic_memory_resource
from ..keys import system_of, tier_of
from ..semantic import create_semantic_memory_resource
from ..turns import create_turns_resource

SEARCHED = {"turns": "turns", "episodic_memory": "episodes", "semantic_memory": "facts"}
"""What the rows of a tier are called, by the tier's key."""
_MAKERS: Mapping[str, Callable[[Any, str], Collection[Any]]] = {
    "turns": create_turns_resource,
    "episodic_memory": create_episodic_memory_resource,
    "semantic_memory": create_semantic_memory_resource,
}


def collections_of_others(tables: Iterable[str], *scopes: str) -> Iterator[tuple[str, Collection[Any]]]:
    """Yield what its rows are called, and the definition, of each collection of a named system among these tables.

    ``scopes`` are those that own rows of them: in a project's memory it is known whose each turn is.

    >>> [(name, one.key) for name, one in collections_of_others(["turns", "turns__team", "recipes__x"])]
    [('turns', 'turns__team')]
    """
    scope = "project" if "project" in scopes else "user"
    for table in tables:
        tier, system = tier_of(table), system_of(table)
        if system and tier in SEARCHED:
            yield SEARCHED[tier], _MAKERS[tier](scope, system)
