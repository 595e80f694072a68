"""Which types could fit: what pydantic would take is never refused, what can never be right is."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NewType, Protocol, TypeVar

from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    RootModel,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.errors import PydanticSchemaGenerationError
from typing_extensions import TypedDict

from fabric.flow.compatibility import either, fits

T = TypeVar("T")
UserId = NewType("UserId", str)


class Animal(BaseModel):
    name: str


class Dog(Animal):
    tricks: list[str] = []


class Person(BaseModel):
    name: str
    age: int


class Parsed(BaseModel):
    text: str

    @model_validator(mode="before")
    @classmethod
    def from_text(cls, data: Any) -> Any:
        return {"text": data} if isinstance(data, str) else data


class Names(RootModel[list[str]]):
    pass


class Box(BaseModel, Generic[T]):
    content: T


@dataclasses.dataclass
class Point:
    x: int


class Movie(TypedDict):
    title: str


class Color(Enum):
    RED = "red"


class Speaks(Protocol):
    def speak(self) -> str: ...


class Plain:
    pass


FIT = [
    (Any, str),
    (str, Any),
    (object, str),
    (str, object),
    (int, int),
    (int, float),
    (bool, int),
    (str, int),
    (Dog, Animal),
    (Animal, Dog),
    (Person, Animal),
    (dict, Animal),
    (dict[str, Any], Animal),
    (Movie, Animal),
    (Mapping[str, Any], dict[str, int]),
    (Plain, Animal),
    (Color, Animal),
    (Path, Animal),
    (str | None, str),
    (int | None, str | None),
    (int | str, str),
    (str, int | list[str]),
    (None, str | None),
    (list[int], list[float]),
    (list, list[int]),
    (list[Dog], list[Animal]),
    (tuple[int, ...], list[int]),
    (tuple[int, int, int], tuple[int, ...]),
    (tuple[int, str], list[int | str]),
    (list[int], set[int]),
    (list[str], Sequence[str]),
    (list[str], Iterable[str]),
    (dict[str, Dog], dict[str, Animal]),
    (Literal["a"], str),
    (str, Literal["a"]),
    (Literal["a", "b"], Literal["b", "c"]),
    (Literal["red"], Color),
    (Annotated[str, Field(min_length=1)], str),
    (int, Annotated[str, Field(coerce_numbers_to_str=True)]),
    (int, Annotated[str, BeforeValidator(str)]),
    (Annotated[str, AfterValidator(len)], list[int]),
    (UserId, str),
    (str, UserId),
    (str, Parsed),
    (int, Parsed),
    (list[str], Names),
    (Box[int], Box[Any]),
    (Plain, Speaks),
    (dict[str, int], Point),
    (str, datetime),
    (T, str),
    (Movie, dict[str, Any]),
    (type[int], Any),
    (Callable[[], int], Callable[..., Any]),
]
CLASH = [
    (int, str),
    (str, Animal),
    (Animal, str),
    (Animal, Person),
    (int, None),
    (None, str),
    (list[int], list[str]),
    (list[str], str),
    (str, list[str]),
    (str, dict),
    (dict[str, int], dict[str, str]),
    (dict, list),
    (Animal, list[Animal]),
    (list[Animal], Animal),
    (tuple[int, str], tuple[int]),
    (tuple[int, int], list[str]),
    (Literal["a"], Literal["b"]),
    (Literal[1], str),
    (int | float, str | None),
    (Annotated[int, Field(gt=0)], Annotated[str, Field(min_length=1)]),
    (Animal, dict[str, Any]),
    (list[int], Names),
    (str, Point),
    (int, Movie),
]


AS_IT_IS = [(str, int), (Person, Animal), (list[int], set[int]), (str, datetime), (Literal["red"], Color)]


def test_what_could_fit_is_taken():
    assert [pair for pair in FIT if not fits(*pair)] == []


def test_what_can_never_fit_is_refused():
    assert [pair for pair in CLASH if fits(*pair)] == []


def test_a_plain_function_converts_nothing():
    assert [pair for pair in AS_IT_IS if not fits(*pair) or fits(*pair, parsed=False)] == []


VALUES: list[Any] = [0, 1, True, 1.5, "a", "1", "red", b"x", None, [], [1], ["a"], (1, "a"), {"a"}, {}]
VALUES += [
    {"name": "Jo"},
    {"a": 1},
    Animal(name="Jo"),
    Dog(name="Rex"),
    Person(name="Jo", age=3),
    Point(1),
    Color.RED,
    datetime(2026, 1, 1, tzinfo=UTC),
]
TYPES: list[Any] = [kind for pair in (*FIT, *CLASH) for kind in pair if not isinstance(kind, TypeVar)]


def larger(kinds: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return containers and choices of types."""
    return st.one_of(
        kinds.map(lambda kind: list[kind]),
        kinds.map(lambda kind: dict[str, kind]),
        kinds.map(lambda kind: tuple[kind, ...]),
        kinds.map(lambda kind: either(kind, None)),
        st.tuples(kinds, kinds).map(lambda pair: either(*pair)),
        st.tuples(kinds, kinds).map(lambda pair: tuple[pair]),
    )


def type_of(value: Any) -> Any:
    """Return the type of a value with what it holds; an empty container fits whatever it could hold."""
    if isinstance(value, list | set) and value:
        return type(value)[either(*map(type_of, value))]
    if isinstance(value, tuple):
        return tuple[tuple(map(type_of, value))] if value else tuple
    return type(value)


def refused(wanted: Any, values: Iterable[Any]) -> list[Any]:
    """Return the values that pydantic takes as a type, and `fits` would not."""
    try:
        adapter = TypeAdapter(wanted)
    except PydanticSchemaGenerationError:
        return []
    known = type if "Iterable" in str(wanted) else type_of  # what an Iterable holds is checked when it is asked for
    return [value for value in values if _taken(adapter, value) and not fits(known(value), wanted)]


def _taken(adapter: TypeAdapter[Any], value: Any) -> bool:
    try:
        adapter.validate_python(value, from_attributes=True)
    except (ValidationError, AttributeError, TypeError):  # a set of what has no hash
        return False
    return True


def test_no_type_of_these_is_refused_whose_values_pydantic_takes():
    assert {str(kind): found for kind in TYPES if (found := refused(kind, VALUES))} == {}


@given(st.recursive(st.sampled_from(TYPES), larger, max_leaves=4), st.lists(st.sampled_from(VALUES), max_size=3))
def test_no_type_is_refused_whose_values_pydantic_takes(wanted: Any, several: list[Any]):
    assert refused(wanted, [*VALUES, several, tuple(several)]) == []
