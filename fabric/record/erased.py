"""What a transaction erased: a count per table, and what runs and logs in memory must be told of."""

from dataclasses import dataclass, field

from ..scope import Scope
from .meanwhile import Gone


@dataclass(slots=True)
class Erased:
    """What was taken out: a count per table, and the items of each session, for the logs that are in memory."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    items: dict[Scope, set[str] | None] = field(default_factory=dict[Scope, set[str] | None])
    """The items that were erased in each session, None for all of them."""
    turns: dict[Scope, set[int]] = field(default_factory=dict[Scope, set[int]])
    """The turns that were erased in each session, of which a run may still be about to store something."""
    gone: list[Gone] = field(default_factory=list[Gone])
    """The rows that went, for the runs under way that may have read them."""

    def count(self, table: str, number: int) -> None:
        """Add to a table's count."""
        if number:
            self.counts[table] = self.counts.get(table, 0) + number
