"""A shelf: rows of one collection of another tier, as one session may see them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.search.base import SearchView

if TYPE_CHECKING:
    from numpy import bool_
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, slots=True)
class Shelf:
    """The rows of a collection, whose ``key`` is its name among the candidates. ``allowed`` says which may be found."""

    key: str
    index: SearchView
    allowed: "NDArray[bool_]"
