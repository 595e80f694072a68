"""Whether a trace is there already: a look-up in the index in memory that reads no row."""

from typing import TYPE_CHECKING

from .record import Trace

if TYPE_CHECKING:
    from fabric.search.base import SearchView


def same_trace(index: "SearchView | None", trace: Trace) -> str | None:
    """Return the id of the live trace with the same content, type and persona; None when there is none."""
    if index is None:
        return None
    hashes = index.columns["content_hash"]
    number = hashes.names.get(trace.content_hash)
    if number is None:
        return None
    same = (hashes.values == number) & index.alive & (index.columns["deleted"].values == 0)
    for name, wanted in (("type", trace.type), ("persona", trace.persona)):
        same &= index.columns[name].values == index.columns[name].names.get(wanted, -2)
    positions = same.nonzero()[0]
    return index.ids[int(positions[0])] if len(positions) else None
