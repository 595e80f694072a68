"""How far a session is kept in a bank, and which sessions have turns that are not."""

from pydantic import BaseModel, ConfigDict

from capabilities.retain.backend import Backend
from capabilities.retain.banks import in_bank
from capabilities.retain.session import RETAIN_STATE
from fabric.flow.resource import Collection, Resource, Transaction
from fabric.store.base import Where


class Unkept(BaseModel):
    """A session whose last turns, up to ``turns``, are not kept in the bank yet: the user's next session sees to it."""

    model_config = ConfigDict(frozen=True)

    id: str
    bank: str
    session: str
    turns: int


UNKEPT = Collection("retain_unkept", Unkept, "user", {"bank": "text"}, required=False)
"""Is the user's, and forgotten with what else is theirs."""
NOBODYS_UNKEPT = Collection("retain_unkept_of_nobody", Unkept, "project", {"bank": "text"}, required=False)
"""The same of sessions without a user; it lives in the bank, see `in_bank`."""
STATE_RESOURCES: tuple[Resource, ...] = (RETAIN_STATE, UNKEPT, NOBODYS_UNKEPT)


def bank_key(backend: Backend) -> str:
    """Return what a bank is called in a session's state.

    A bank in the file and one on a server may have one name.
    """
    return f"{backend.name}:{backend.bank.id}"


def retained_through(tx: Transaction, backend: Backend) -> int:
    """Return the session's watermark: the last of the user's turns that is retained in the bank, 0 for none."""
    return tx.read(RETAIN_STATE).retained_through_user_turn.get(bank_key(backend), 0)


def has_begun(tx: Transaction, backend: Backend) -> bool:
    """Return whether the session was seen with this bank before."""
    return bank_key(backend) in tx.read(RETAIN_STATE).retained_through_user_turn


def begin(tx: Transaction, backend: Backend) -> None:
    """Mark the session as begun with this bank."""
    if not has_begun(tx, backend):
        put_retained_through(tx, backend, 0)


def put_retained_through(tx: Transaction, backend: Backend, turn: int) -> None:
    """Write up to which of the user's turns the session is retained (its watermark)."""
    state = tx.read(RETAIN_STATE)
    moved = {**state.retained_through_user_turn, bank_key(backend): turn}
    tx.write(RETAIN_STATE, state.model_copy(update={"retained_through_user_turn": moved}))


def note_unkept(tx: Transaction, backend: Backend, turns: int) -> None:
    """Take note that the session's turns up to ``turns`` are there; none is needed where all that are noted are kept.

    Work on an earlier turn, which may be done after that on a later one, takes nothing back.
    """
    most = max(turns, unkept_turns(tx, backend))
    if most <= retained_through(tx, backend):
        drop_unkept(tx, backend, most)
        return
    inside, collection = _shelf(tx, backend)
    bank, session = bank_key(backend), tx.ids.session
    inside.put(collection, [Unkept(id=_note_id(tx, backend), bank=bank, session=session, turns=most)])


def unkept_turns(tx: Transaction, backend: Backend) -> int:
    """Return up to which turn the session has some that are noted as not kept, 0 for none."""
    inside, collection = _shelf(tx, backend)
    noted = inside.get(collection, _note_id(tx, backend))
    return 0 if noted is None else noted.turns


def drop_unkept(tx: Transaction, backend: Backend, turns: int) -> None:
    """Take back what was noted of the session, unless more turns than these are."""
    if unkept_turns(tx, backend) <= turns:
        inside, collection = _shelf(tx, backend)
        inside.delete(collection, [_note_id(tx, backend)])


def _note_id(tx: Transaction, backend: Backend) -> str:
    return f"{bank_key(backend)} {tx.ids.session}"


def unkept_elsewhere(tx: Transaction, backend: Backend) -> list[str]:
    """Return the user's other sessions that have turns which are not kept."""
    inside, collection = _shelf(tx, backend)
    noted = inside.find(collection, Where("bank", "=", bank_key(backend)))
    return [row.session for row in noted if row.session != tx.ids.session]


def _shelf(tx: Transaction, backend: Backend) -> tuple[Transaction, Collection[Unkept]]:
    return (tx, UNKEPT) if tx.ids.has("user") else (in_bank(tx, backend.bank.id), NOBODYS_UNKEPT)
