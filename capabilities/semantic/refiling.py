"""What older files have of a user under a spelling that others share: it is filed under the exact id when used."""

from collections.abc import Collection as Several
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from fabric.flow.resource import Collection, Transaction
from fabric.lazy import lazy
from fabric.search.views import ids_at

from ..claims import subject_key, user_subject
from ..sources import Source

if TYPE_CHECKING:
    import numpy as np

    from fabric.search.base import SearchView  # whoever only makes a memory needs no numpy
else:
    np = lazy("numpy")


M = TypeVar("M", bound=BaseModel)


class _LookedAt(dict[tuple[str, str], int]):
    """By user and former subject, how many of an index's rows were looked at."""


def refile_own(tx: Transaction, collection: Collection[M], former: Several[str] = ()) -> int:
    """File what the user of a transaction alone has said of themselves under their exact id; return how many rows.

    Only rows of a collection that users share, that stand under their id in the spelling of names ("anna" for "Anna")
    or under one of ``former`` subjects, and of whose turns this user said every one: what rests on others' turns too
    stays where it is. A row is looked at once for each user.
    """
    user = tx.ids.user
    if not user or collection.scope in ("user", "session"):
        return 0
    own = user_subject(user)
    wanted = {subject_key(user), *former} - {own}
    index = tx.index(collection) if wanted else None
    if index is None:
        return 0
    mine = [row for name in sorted(wanted) for row in _under(tx, collection, index, name) if _is_said_by(row, user)]
    tx.put(collection, [row.model_copy(update={"subject": own}) for row in mine])
    return len(mine)


def _under(tx: Transaction, collection: Collection[M], index: "SearchView", name: str) -> list[M]:

    looked_at = index.derived(_LookedAt)
    start = looked_at.get((tx.ids.user or "", name), 0)
    looked_at[tx.ids.user or "", name] = len(index.ids)
    subject = index.columns["subject"]
    if name not in subject.names:
        return []
    places = np.flatnonzero((subject.values[start:] == subject.names[name]) & index.alive[start:]) + start
    return tx.get_many(collection, ids_at(index, places)) if len(places) else []


def _is_said_by(row: BaseModel, user: str) -> bool:
    sources: list[Source] = getattr(row, "sources", [])
    return bool(sources) and all(source.user == user for source in sources)
