"""What recall can be asked for."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from capabilities.claims import subject_key
from capabilities.hypothesis import NONE, GivenHypothesis
from capabilities.sources import Source
from capabilities.vocabulary import AskedSubject, Category, Moment, Tag
from fabric.errors import ConfigurationError
from fabric.validation import complaints, shown

from .ranked import OTHER_TIERS, TIERS, RankedMemory, Tier

LIMIT = 10
"""How many results a cue gives unless it is said."""
MOST_RESULTS = 400
CHARS_A_RESULT = 40
"""How many results a budget of tokens may give: one for so many of its characters, at most `MOST_RESULTS`."""
AtLeastOne = Annotated[int, Field(ge=1)]


def _in_order(span: tuple[datetime, datetime]) -> tuple[datetime, datetime]:
    if span[0] > span[1]:
        raise ValueError("a while begins before it ends; give (from, to)")
    return span


class RecallRequest(BaseModel):
    """What to recall: a cue, or None for everything, and what to leave out.

    ``session``, ``since`` and ``until`` (both included) and ``tags`` (all of them) are about the turns: a fact, an
    episode or an entry is taken when one of the turns it rests on is, a trace, goal, belief or reflection also by its
    own tags, session and time. ``as_of`` recalls the facts that were true then, ``known_at`` those that were known
    then, ``valid_during`` those that were true at any time from the first moment to the second, both included; these
    look at facts only, since the other tiers keep no past. A turn, a trace and an entry of a mind have no subject and
    no category: with one of them asked for, only the other tiers are looked at. Without a cue, turns are left out, and
    what stands beside the tiers unless ``tiers`` asks for it. ``tokens`` ends the results before the first whose text
    would not fit any more, at 4 characters a token; with it, and without a ``limit``, a cue gives as many results as
    fit. ``explain`` also prints why each result stands above the next. ``hypothesis`` is an answer as it might be,
    whose meaning is looked for, too (HyDE).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cue: str | None = None
    limit: AtLeastOne | None = None
    tokens: AtLeastOne | None = None
    tiers: Annotated[tuple[Tier, ...], Field(min_length=1)] = TIERS
    subject: AskedSubject | None = None
    category: Category | None = None
    tags: tuple[Tag, ...] = ()
    session: str | None = None
    since: Moment | None = None
    until: Moment | None = None
    as_of: Moment | None = None
    known_at: Moment | None = None
    valid_during: Annotated[tuple[Moment, Moment], AfterValidator(_in_order)] | None = None
    explain: bool = False
    hypothesis: GivenHypothesis = NONE
    _whom: frozenset[str] = PrivateAttr(frozenset())

    @property
    def subjects(self) -> frozenset[str] | None:
        """The subjects that are meant by ``subject``, once it was looked up; None for all."""
        return None if self.subject is None else self._whom or frozenset({subject_key(self.subject)})

    def about(self, subjects: frozenset[str]) -> "RecallRequest":
        """Return the same request for what is about these subjects."""
        found = self.model_copy()
        found._whom = subjects  # noqa: SLF001  its own
        return found

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "RecallRequest":
        """Return the request that these options mean; ConfigurationError naming the first one that cannot work."""
        tiers = options.get("tiers")
        given = {**options, "tiers": (tiers,)} if isinstance(tiers, str) else options
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            hint = f"; the options are {', '.join(cls.model_fields)}" if first["type"] == "extra_forbidden" else ""
            hint = f"; the tiers are {', '.join(TIERS)}" if first["loc"] == ("tiers",) else hint
            hint = "; give a list of tags, as in tags=['work']" if first["loc"] == ("tags",) else hint
            told = next(complaints(error)).partition(": ")
            raise ConfigurationError(f"recall: {told[0]} is {shown(first['input'])}: {told[2]}{hint}") from error

    @property
    def is_past(self) -> bool:
        """Whether it asks for the facts of another time."""
        return (self.as_of, self.known_at, self.valid_during) != (None, None, None)

    @property
    def is_about(self) -> bool:
        """Whether it asks for a subject or a category."""
        return (self.subject, self.category) != (None, None)

    @property
    def most(self) -> int:
        """How many results a cue gives at most."""
        if self.limit is not None or self.tokens is None:
            return self.limit or LIMIT
        return min(MOST_RESULTS, LIMIT + self.tokens * 4 // CHARS_A_RESULT)

    @property
    def asks_for_turns(self) -> bool:
        """Whether it leaves out what rests on other turns than those it asks for."""
        return bool(self.tags) or (self.session, self.since, self.until) != (None, None, None)

    def fits(self, memory: RankedMemory, has_tags: Callable[[str], bool]) -> bool:
        """Return whether a memory is asked for, by itself and by where it is from; ``has_tags`` as `rests_on_such`."""
        if not self.wants(memory):
            return False
        is_other = memory.source in OTHER_TIERS
        return self.wants_of_other_tier(memory, has_tags) if is_other else self.rests_on_such(memory.sources, has_tags)

    def wants(self, memory: RankedMemory) -> bool:
        """Return whether a memory is of the tiers, the subject and the category that are asked for."""
        return (
            memory.source in self.tiers
            and (self.subjects is None or memory.subject in self.subjects)
            and self.category in (None, memory.category)
        )

    def rests_on_such(self, sources: Iterable[Source], has_tags: Callable[[str], bool]) -> bool:
        """Return whether one of a memory's sources is a turn that is asked for; ``has_tags`` tells it of its id."""
        return not self.asks_for_turns or any(self._is_such(source) and has_tags(source.turn_id) for source in sources)

    def wants_of_other_tier(self, memory: RankedMemory, has_tags: Callable[[str], bool]) -> bool:
        """Return whether a memory of no tier is asked for, by its own tags, session and time or by a turn of its."""
        if memory.said_at is not None and set(self.tags) <= set(memory.tags):
            own = Source(turn_id="", session=memory.session, turn=memory.turn, said_at=memory.said_at)
            if self._is_such(own):
                return True
        return self.rests_on_such(memory.sources, has_tags)

    def _is_such(self, source: Source) -> bool:
        said_at = source.said_at
        return (
            self.session in (None, source.session)
            and (self.since is None or said_at >= self.since)
            and (self.until is None or said_at <= self.until)
        )
