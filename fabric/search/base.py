"""What a row is searched by: the types of its columns, and a match by its words."""

from typing import Literal, NamedTuple

ColumnType = Literal["text", "integer", "real", "boolean", "time"]


class Match(NamedTuple):
    """One row found by its words: how many of the asked words it holds, and how many different words it has."""

    id: str
    shared: int
    length: int
