"""Moving a bank to a server and back: by documents, since a server's memories are what it made of those."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from fabric.clock import utc

from ..record import Carried
from ..transcript import said_by_user

if TYPE_CHECKING:
    from .client import Remote
    from .found import Document


async def documents(remote: "Remote", tags: Sequence[str]) -> list[Carried]:
    """Return the documents of a bank that are in the scope of these tags, oldest first."""
    found = [await remote.document(name) for name in await remote.document_names(tags)]
    held = [one for one in found if one is not None and one.text.strip()]
    return [_carried(one) for one in sorted(held, key=lambda one: one.said_at)]


async def new_to(remote: "Remote", carried: Sequence[Carried]) -> list[Carried]:
    """Return those that a bank does not hold in the same words."""
    new: list[Carried] = []
    for one in carried:
        known = await remote.document(one.document)
        if known is None or known.text.strip() != one.content.strip():
            new.append(one)
    return new


def _carried(one: "Document") -> Carried:
    user_text = said_by_user(one.text)
    return Carried(
        document=one.name,
        content=one.text,
        context=one.context,
        said_at=_time(one.said_at),
        is_transcript=bool(user_text),
        user_text=user_text,
    )


def _time(text: str) -> datetime | None:
    try:
        return utc(datetime.fromisoformat(text))
    except ValueError:
        return None
