"""What is known already, as the judge is asked about it: an entry, an episode or a fact by its id and its claim."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce

from .compare import fuller, overtaken
from .read import Statement, claim_of
from .record import Claim


@dataclass(frozen=True, slots=True)
class Known:
    """One thing that is known. ``claim`` is read from subject and content where none is given."""

    id: str
    subject: str
    content: str
    category: str = ""
    confidence: float = 0.5
    reinforcement_count: int = 1
    claim: Claim = field(default_factory=Claim)

    def __post_init__(self) -> None:
        if not self.claim.text:
            object.__setattr__(self, "claim", claim_of(self))


def find_replaced(new: Claim, known_facts: Sequence[Known]) -> str:
    """Return the id of what a claim replaces or ends among what is known, last said last; "" for nothing.

    >>> find_replaced(Known("new", "user", "Joined Stripe").claim, [Known("old", "user", "Works at Google")])
    'old'
    """
    over = overtaken([fact.claim for fact in known_facts], new)
    return known_facts[over[0]].id if over else ""


def known_of(record: Statement, record_id: str, category: str = "", confidence: float = 0.5, count: int = 1) -> Known:
    """Return a record as something that is known."""
    return Known(record_id, record.subject, record.content, category, confidence, count, claim_of(record))


def grouped(known: Iterable[Known], together: Callable[[Sequence[Known], Known], bool]) -> list[list[Known]]:
    """Return what is known in groups: each joins the first group that it is together with, or begins one."""
    groups: list[list[Known]] = []
    for fact in known:
        group = next((group for group in groups if together(group, fact)), None)
        if group is None:
            groups.append([fact])
        else:
            group.append(fact)
    return groups


def fullest(group: Sequence[Known]) -> Known:
    """Return the one of a group that says most."""
    return reduce(lambda most, fact: fact if fuller(most.claim, fact.claim) is fact.claim else most, group)
