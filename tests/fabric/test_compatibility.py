"""Which types could fit: what pydantic would take is never refused, what can never be right is."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NewType, Protocol, TypeVar

import pytest
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

from fabric.flow.compatibility import fits

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


@pytest.mark.parametrize(("produced", "wanted"), FIT)
def test_what_could_fit_is_taken(produced: Any, wanted: Any):
    assert fits(produced, wanted)


@pytest.mark.parametrize(("produced", "wanted"), CLASH)
def test_what_can_never_fit_is_refused(produced: Any, wanted: Any):
    assert not fits(produced, wanted)


@pytest.mark.parametrize(
    ("produced", "wanted"),
    [(str, int), (Person, Animal), (list[int], set[int]), (str, datetime), (Literal["red"], Color)],
)
def test_a_plain_function_converts_nothing(produced: Any, wanted: Any):
    assert fits(produced, wanted)
    assert not fits(produced, wanted, parsed=False)


VALUES = [0, 1, True, 1.5, "a", "1", "red", b"x", None, [], [1], ["a"], (1, "a"), {"a"}, {}, {"name": "Jo"}, {"a": 1}]
VALUES += [
    Animal(name="Jo"),
    Dog(name="Rex"),
    Person(name="Jo", age=3),
    Point(1),
    Color.RED,
    datetime(2026, 1, 1, tzinfo=UTC),
]
TYPES = sorted({kind for pair in (*FIT, *CLASH) for kind in pair if not isinstance(kind, TypeVar)}, key=str)


@pytest.mark.parametrize("wanted", TYPES, ids=str)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_no_type_is_refused_whose_values_pydantic_takes(value: Any, wanted: Any):
    """Empty containers fit whatever they could hold, so they prove nothing about their type."""
    try:
        TypeAdapter(wanted, config=None).validate_python(value, from_attributes=True)
    except (ValidationError, AttributeError):
        return
    except PydanticSchemaGenerationError:
        return
    assert fits(type(value), wanted)
