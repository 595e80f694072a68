"""Support: whether the turns that stay say what was drawn from them and from one that goes."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from capabilities.claims import Claim, compare, fuller, read_as
from fabric.lazy import lazy
from fabric.scope import Scope
from fabric.store.base import Row, Rows, Table

from ..readers.observe import observe_text
from .erased_texts import Texts
from .linked_records import Said
from .links import Node

if TYPE_CHECKING:
    from capabilities.traces import record as trace_records
    from capabilities.traces import table as trace_table
else:
    trace_records = lazy("capabilities.traces.record")
    trace_table = lazy("capabilities.traces.table")

LONGEST = 2000
"""How many characters of a turn are read for what it claims."""


def is_said_in(node: Node, turns: Iterable[str]) -> bool:
    """Return whether one of these texts says all that a record says: word for word, or as plain statements claim it."""
    texts = Texts.of(node.texts)
    claims = [read_as(text, node.record.get("subject") or "user") for text in node.texts]
    return any(texts.contained_in(turn) or _claims_all(turn, claims) for turn in turns)


def rest_on_others(
    rows: Rows,
    staying: Iterable[Node],
    gone: Said,
    ids: AbstractSet[str],
    texts_of: Callable[[list[Any]], list[str]],
) -> None:
    """Let records that stay name no turn and no record any more that went, where they rest on others too.

    ``texts_of`` returns what the turns say that some sources name.
    """
    entries: dict[tuple[str, Scope], dict[str, Row]] = defaultdict(dict)
    for node in staying:
        kept: list[Any] = node.record.get("sources") or []
        left = [source for source in kept if not gone.has(source)]
        if not left or len(left) == len(kept):
            continue
        record = _reduced(dict(node.record), left, len(kept) - len(left), ids)
        record = _retold(record, left[0], node, texts_of(left)) if node.kind == "trace" else record
        if node.kind == "working":
            entries[node.kept.row["id"], node.kept.owner][node.id] = record
        else:
            rows.put(Table(node.kept.table, {}), node.kept.owner, [record])
    for (key, owner), changed in entries.items():
        state = rows.read(key, owner)
        rows.write(key, owner, {**state, "entries": [changed.get(record["id"], record) for record in state["entries"]]})


def _reduced(record: Row, left: list[Any], lost: int, ids: AbstractSet[str]) -> Row:
    reduced: Row = {**record, "sources": left}
    if "reinforcement_count" in record:
        reduced["reinforcement_count"] = max(1, record["reinforcement_count"] - lost)
    if "source_episode_ids" in record:
        reduced["source_episode_ids"] = [
            episode_id for episode_id in record["source_episode_ids"] if episode_id not in ids
        ]
    return reduced


def _retold(record: Row, source: Mapping[str, Any], node: Node, turns: Iterable[str]) -> Row:
    """Return a trace as of the first turn that it rests on now, in the words of one that says the same."""
    record = {**record, "session": source["session"], "said_at": source["said_at"]}
    texts = Texts.of(node.texts)
    said = list(turns)
    if not texts or any(map(texts.contained_in, said)):
        return record
    other = next((turn for turn in said if is_said_in(node, [turn])), "")
    if not other:
        return record
    trace = trace_records.Trace.model_validate(record)
    return dict(trace_table.revised(trace, other, None, trace.updated_at).model_dump(mode="json"))


def _claims_all(turn: str, claims: list[Claim]) -> bool:
    told = list(_claims_of(turn[:LONGEST]))
    return any(_says(other, claim) for other in told for claim in claims)


def _claims_of(turn: str) -> Iterator[Claim]:
    yield read_as(turn)
    for seen in observe_text(turn):
        yield read_as(seen.content, seen.subject)


def _says(told: Claim, claim: Claim) -> bool:
    found = compare(claim, told)
    return found == "same" or (found == "refines" and fuller(claim, told) is told)
