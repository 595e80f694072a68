"""A shelf: rows of one collection beside the tiers, as one session may see them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.flow.resource import Collection
from fabric.search.base import SearchView

if TYPE_CHECKING:
    from numpy import bool_
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, slots=True)
class Shelf:
    """The rows of a collection, whose key is its name among the candidates. ``allowed`` says which may be found."""

    collection: Collection[Any]
    index: SearchView
    allowed: "NDArray[bool_]"
    is_remade: bool = False
    """Whether the view is made anew when a row changes, so that what was found is looked at again when it is read."""
