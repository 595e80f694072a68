"""What kind of value something is: as isinstance says it, but a type checker then takes what is inside for Any."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from typing_extensions import TypeIs


def is_mapping(value: object) -> TypeIs[Mapping[Any, Any]]:
    """Return whether ``value`` is a mapping of any kind."""
    return isinstance(value, (dict, Mapping))  # a dict is known as one many times as fast as any other mapping


def is_dict(value: object) -> TypeIs[dict[Any, Any]]:
    """Return whether ``value`` is a dict, as JSON's objects are."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeIs[list[Any]]:
    """Return whether ``value`` is a list, as JSON's arrays are."""
    return isinstance(value, list)


def is_list_or_tuple(value: object) -> TypeIs[list[Any] | tuple[Any, ...]]:
    """Return whether ``value`` is a list or a tuple."""
    return isinstance(value, list | tuple)


def is_sequence(value: object) -> TypeIs[Sequence[Any]]:
    """Return whether ``value`` is a sequence of any kind, as texts and bytes are too."""
    return isinstance(value, Sequence)


def is_tuple(value: object) -> TypeIs[tuple[Any, ...]]:
    """Return whether ``value`` is a tuple."""
    return isinstance(value, tuple)


def is_set(value: object) -> TypeIs[set[Any] | frozenset[Any]]:
    """Return whether ``value`` is a set or a frozenset."""
    return isinstance(value, set | frozenset)


def is_iterable(value: object) -> TypeIs[Iterable[Any]]:
    """Return whether ``value`` can be iterated over, as texts and mappings can too."""
    return isinstance(value, Iterable)
