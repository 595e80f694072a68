"""Says whether a value of one type could be taken where another is wanted. When in doubt the answer is yes.

``parsed`` tells whether pydantic will check the value, and so convert it (a dict becomes a model, "7" becomes 7), or
whether a plain function takes it as it is.
"""

import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Literal, Never, NoReturn, Union, get_args, get_origin
from uuid import UUID

from pydantic import AfterValidator, BaseModel

from ..lazy import lazy
from ..narrowing import is_tuple

if TYPE_CHECKING:
    from pydantic import fields
else:
    fields = lazy("pydantic.fields")

_NUMBERS = (int, float, complex, Decimal)
_TEXTS = (str, bytes, bytearray)
_SCALARS = (*_NUMBERS, *_TEXTS, date, datetime, time, timedelta, UUID, PurePath, Enum)
_SERIES = (list, tuple, set, frozenset, Sequence, AbstractSet, Collection, Iterable)


def fits(produced: Any, wanted: Any, *, parsed: bool = True) -> bool:
    """Return whether some value of type ``produced`` could be taken as ``wanted``.

    >>> fits(int, str), fits(dict, BaseModel), fits(str | None, str), fits(list[int], list[str])
    (False, True, True, False)
    >>> fits(str, int), fits(str, int, parsed=False)
    (True, False)
    """
    given = _bare(produced, lambda extra: _converts(extra) or isinstance(extra, AfterValidator))
    taken = _bare(wanted, lambda extra: parsed and _converts(extra))
    if given in (Any, object, Never, NoReturn) or taken in (Any, object):
        return True
    for whole, other, swap in ((given, taken, False), (taken, given, True)):
        if get_origin(whole) in (Union, types.UnionType):
            return any(
                fits(*((other, argument) if swap else (argument, other)), parsed=parsed) for argument in get_args(whole)
            )
    if Literal in (get_origin(given), get_origin(taken)):
        return _literals_fit(given, taken, parsed)
    if given is type(None) or taken is type(None):
        return given is taken
    return _classes_fit(given, taken, parsed)


def either(*several: Any) -> Any:
    """Return the type of a value that has one of these types: Any when one of them is not known.

    >>> either(int, None, int)
    typing.Optional[int]
    """
    if not several or any(kind is Any for kind in several):
        return Any
    return Union[tuple(several)]  # noqa: UP007  made of any number of types


def shown_type(kind: Any) -> str:
    """Return a type as messages write it."""
    return kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind).replace("typing.", "")


def _bare(kind: Any, changes: Callable[[Any], bool]) -> Any:
    """Return the type without its wrappings: Any when nothing can be said about the values it stands for."""
    while True:
        if get_origin(kind) is Annotated:
            kind, *extras = get_args(kind)
            if any(changes(extra) for extra in extras):
                return Any
        elif hasattr(kind, "__supertype__"):
            kind = kind.__supertype__
        elif hasattr(kind, "__value__"):
            kind = kind.__value__
        elif kind is None:
            return type(None)
        else:
            return Any if _opaque(kind) else kind


def _opaque(kind: Any) -> bool:
    origin = get_origin(kind)
    return (
        not isinstance(kind, type) and origin not in (Union, types.UnionType, Literal) and not isinstance(origin, type)
    )


def _converts(extra: Any) -> bool:

    if isinstance(extra, fields.FieldInfo):
        return any(getattr(entry, "coerce_numbers_to_str", False) for entry in extra.metadata)
    return hasattr(extra, "__get_pydantic_core_schema__") and not isinstance(extra, AfterValidator)


def _literals_fit(given: Any, taken: Any, parsed: bool) -> bool:
    values = get_args(given) if get_origin(given) is Literal else None
    allowed = get_args(taken) if get_origin(taken) is Literal else None
    if values is not None and allowed is not None:
        return any(value in allowed for value in values)
    if values is not None:
        return any(fits(type(value), taken, parsed=parsed) for value in values)
    return any(fits(given, type(value), parsed=parsed) for value in allowed or ())


def _classes_fit(given: Any, taken: Any, parsed: bool) -> bool:
    given_class, taken_class = _class(given), _class(taken)
    if _protocol(given_class) or _protocol(taken_class) or Callable in (given_class, taken_class):
        return not _scalar(given_class) or _protocol(taken_class)
    if _mapping(given_class) and _mapping(taken_class):
        return _arguments_fit(given, taken, parsed)
    if _series(given_class) and _series(taken_class):
        return _elements_fit(given, taken, parsed) if parsed or _related(given_class, taken_class) else False
    if _related(given_class, taken_class) or _same_generic(given_class, taken_class):
        return True
    if _mapping(given_class):
        return _record(taken_class) or (parsed and _own_parser(taken_class))
    return (
        _conversions_fit(given, taken, given_class, taken_class)
        if parsed
        else _both(_NUMBERS, given_class, taken_class)
    )


def _class(kind: Any) -> Any:
    """Return the class of a type's values, without its arguments."""
    origin = get_origin(kind) or kind
    return dict if hasattr(origin, "__total__") and dict in origin.__mro__ else origin  # a TypedDict of any module


def _both(kinds: tuple[type, ...], kind: type[Any], other: type[Any]) -> bool:
    return issubclass(kind, kinds) and issubclass(other, kinds)


def _conversions_fit(given: Any, taken: Any, kind: type[Any], other: type[Any]) -> bool:
    if issubclass(other, BaseModel) and other.__pydantic_root_model__:  # RootModel itself takes long to import
        return fits(given, other.model_fields["root"].annotation)
    if _own_parser(other):
        return True
    if _both(_SCALARS, kind, other):
        return other is not str or issubclass(kind, (*_TEXTS, Enum))
    if issubclass(kind, BaseModel) and _series(other):  # a model iterates over its fields, as pairs
        return _elements_fit(list[tuple[str, Any]], taken, parsed=True)
    if issubclass(other, BaseModel):  # pydantic reads the attributes of anything that is not of a built-in type
        return kind.__module__ != "builtins" and kind not in _SERIES and not _missing(kind, other)
    return is_dataclass(other) and not _scalar(kind) and not _series(kind)


def _missing(kind: type[Any], model: type[BaseModel]) -> list[str]:
    """Return the required fields of ``model`` that objects of ``one`` surely lack."""
    config: Mapping[str, Any] = getattr(kind, "model_config", {})
    if config.get("extra") == "allow" or not isinstance(getattr(kind, "model_fields", None), dict):
        return []
    return [
        name
        for name, info in model.model_fields.items()
        if info.is_required()
        and info.alias is None
        and info.validation_alias is None
        and name not in kind.model_fields
        and not hasattr(kind, name)
    ]


def _own_parser(kind: type[Any]) -> bool:
    """Return whether a class says itself what it can be made from, so that nothing can be known here."""
    if issubclass(kind, BaseModel):
        validators = kind.__pydantic_decorators__.model_validators.values()
        return any(validator.info.mode in ("before", "wrap") for validator in validators)
    return hasattr(kind, "__get_pydantic_core_schema__")


def _arguments_fit(given: Any, taken: Any, parsed: bool) -> bool:
    pairs = zip(get_args(given), get_args(taken), strict=False)
    return all(fits(one, other, parsed=parsed) for one, other in pairs)


def _elements_fit(given: Any, taken: Any, parsed: bool) -> bool:
    of_given, of_taken = _elements(given), _elements(taken)
    if is_tuple(of_given) and is_tuple(of_taken):
        return len(of_given) == len(of_taken) and all(
            fits(a, b, parsed=parsed) for a, b in zip(of_given, of_taken, strict=True)
        )
    if is_tuple(of_given):
        return all(fits(a, of_taken, parsed=parsed) for a in of_given)
    if is_tuple(of_taken):
        return all(fits(of_given, b, parsed=parsed) for b in of_taken)
    return fits(of_given, of_taken, parsed=parsed)


def _elements(kind: Any) -> Any:
    """Return the type of a series' elements, or the tuple of types of a tuple of fixed length."""
    arguments = get_args(kind)
    if (get_origin(kind) or kind) is not tuple:
        return arguments[0] if arguments else Any
    if not arguments:
        return Any
    return arguments[0] if arguments[-1] is ... else arguments


def _related(kind: type[Any], other: type[Any]) -> bool:
    return issubclass(kind, other) or issubclass(other, kind)


def _same_generic(first: type[Any], other: type[Any]) -> bool:
    families = [getattr(kind, "__pydantic_generic_metadata__", {}).get("origin") or kind for kind in (first, other)]
    return _related(*families)


def _record(kind: type[Any]) -> bool:
    return issubclass(kind, BaseModel) or is_dataclass(kind)


def _mapping(kind: type[Any]) -> bool:
    return issubclass(kind, Mapping)


def _series(kind: type[Any]) -> bool:
    if _scalar(kind) or _mapping(kind):
        return False
    return (
        kind in _SERIES
        or issubclass(kind, (Sequence, AbstractSet))
        or (not _record(kind) and issubclass(kind, Iterable))
    )


def _scalar(kind: type) -> bool:
    return issubclass(kind, _SCALARS)


def _protocol(kind: type) -> bool:
    return bool(getattr(kind, "_is_protocol", False)) and kind not in _SERIES
