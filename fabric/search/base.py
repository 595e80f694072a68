"""What searching sees of one scope's rows: columns, postings and vectors by position. Who gives it has recall.

Every row has a position, a number from 0 on, in the order in which rows came; arrays have one cell each. A row that was
changed or deleted leaves its position behind, dead. Terms and texts are numbered in the same way, each from 0 on.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from numpy import bool_, float32, int32, int64, uint16
    from numpy.typing import NDArray

T = TypeVar("T")
ColumnType = Literal["text", "integer", "real", "boolean", "time"]


class Match(NamedTuple):
    """One row found by its words: how many of the asked words it holds, and how many different words it has."""

    id: str
    shared: int
    length: int


class Ids(Protocol):
    """The ids of rows by position."""

    def __len__(self) -> int:
        """Return how many there are."""
        ...

    def __getitem__(self, position: int, /) -> str:
        """Return the id of the row at a position."""
        ...

    def __iter__(self) -> Iterator[str]:
        """Yield them in the order of the positions."""
        ...


class ColumnView(Protocol):
    """One kept column."""

    @property
    def names(self) -> Mapping[str, int]:
        """The texts of a column of texts, with their numbers; some may stand in no row any more."""
        ...

    @property
    def values(self) -> "NDArray[Any]":
        """The cells: of a text its number, -1 for none; else float64, NaN for none, a time in seconds since 1970."""
        ...


class PostingsView(Protocol):
    """Which rows hold which terms. A token is a term, or a term, a tab and how it was spelled in the text."""

    @property
    def terms(self) -> Mapping[str, int]:
        """The terms with their numbers, in the order of these; some may stand in no row any more."""
        ...

    @property
    def frequencies(self) -> "NDArray[int32]":
        """In how many live rows each term stands."""
        ...

    @property
    def tokens(self) -> Mapping[str, int]:
        """The tokens with their numbers, in the order of these."""
        ...

    @property
    def token_terms(self) -> "NDArray[int32]":
        """The number of each token's term."""
        ...

    @property
    def token_counts(self) -> "NDArray[int32]":
        """How often each token stands in the live rows."""
        ...

    def of(self, term: int) -> "tuple[NDArray[int32], NDArray[uint16]]":
        """Return the positions that hold a term, ascending, and how often each does; dead ones may be among them."""
        ...

    def lists(self, terms: Sequence[int]) -> "list[tuple[int, NDArray[int32], NDArray[uint16]]]":
        """Return what `of` does for many terms, each list with the place of its term; a term may have two lists."""
        ...

    def name(self, term: int) -> str:
        """Return the term of a number."""
        ...

    def terms_from(self, number: int) -> list[str]:
        """Return the terms with this number or a higher one, in order."""
        ...

    def tokens_from(self, number: int) -> list[str]:
        """Return the tokens with this number or a higher one, in order."""
        ...


class VectorsView(Protocol):
    """The unit vectors of rows in one space, and those of the passages of long texts."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def present(self) -> "NDArray[bool_]":
        """Which positions have a vector; as long as this view, which may end before the newest positions."""
        ...

    @property
    def is_exact(self) -> bool:
        """Whether `quick` is exact."""
        ...

    def __len__(self) -> int:
        """Return how many positions this view has."""
        ...

    def at(self, position: int) -> "NDArray[float32]":
        """Return the vector of a position, shape (dimension,), zeros where it has none."""
        ...

    def quick(self, query: "NDArray[float32]") -> "NDArray[float32]":
        """Return the cosine of each position with a unit vector, about right; of passages, that of the nearest."""
        ...

    def exact(self, query: "NDArray[float32]", positions: "NDArray[int64]") -> "NDArray[float32]":
        """Return the exact cosines of some positions with a unit vector; of passages, that of the nearest."""
        ...

    def passage_cosines(self, position: int, query: "NDArray[float32]") -> "NDArray[float32]":
        """Return the exact cosine of each passage of a position with a unit vector, none where its text is short."""
        ...


class SearchView(Protocol):
    """The rows of one scope in one collection, as searching sees them.

    What a transaction gives is the store's own, to be read inside it only. What `frozen` makes of it stays as it is,
    and may be read on any thread. No array here can be written into: the rows are changed by the store alone.
    """

    @property
    def numbering(self) -> object:
        """Equal in two views whose positions, terms and texts have the same numbers."""
        ...

    @property
    def changes(self) -> int:
        """How often something changed so far; where that and `numbering` are equal, two views are."""
        ...

    @property
    def size(self) -> int:
        """How many positions there are, dead ones among them."""
        ...

    @property
    def ids(self) -> Ids:
        """The ids of the rows by position."""
        ...

    @property
    def alive(self) -> "NDArray[bool_]":
        """Which positions are those of rows that are there."""
        ...

    @property
    def places(self) -> "NDArray[int64]":
        """Where each row stands in the order of first insertion: any numbers that ascend in it."""
        ...

    @property
    def lengths(self) -> "NDArray[int32]":
        """How many tokens each row has."""
        ...

    @property
    def different(self) -> "NDArray[int32]":
        """How many different terms each row has."""
        ...

    @property
    def total_length(self) -> int:
        """How many tokens the live rows have together."""
        ...

    @property
    def thread(self) -> str:
        """The kept column whose rows follow one another, "" for none."""
        ...

    @property
    def before(self) -> "NDArray[int32]":
        """The position of the row before each in its thread, -1 for none."""
        ...

    @property
    def after(self) -> "NDArray[int32]":
        """The position of the row after each in its thread, -1 for none."""
        ...

    @property
    def columns(self) -> Mapping[str, ColumnView]:
        """The kept columns by name."""
        ...

    @property
    def postings(self) -> PostingsView:
        """Which rows hold which terms."""
        ...

    @property
    def vectors(self) -> VectorsView | None:
        """The vectors of the space that was asked for; None where no row has one."""
        ...

    def __len__(self) -> int:
        """Return how many rows there are."""
        ...

    def position_of(self, row_id: str) -> int:
        """Return the position of a row, -1 where it is not there; in a frozen view also where it was changed since."""
        ...

    def derived(self, kind: type[T], *arguments: Any) -> T:
        """Return ``kind(*arguments)``, made when first asked for and kept as long as `numbering` is the same.

        It is what readers work out of the rows, such as the vectors of their terms: one of each kind, shared by all
        views of the rows and used on any thread.
        """
        ...

    def frozen(self) -> "SearchView":
        """Return what is seen now, to be read on any thread; to be called inside the transaction."""
        ...
