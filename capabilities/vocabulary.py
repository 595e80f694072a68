"""The words every tier shares: how long an observation lasts, what it is about, and its shape."""

import json
import unicodedata
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from fabric.clock import utc
from fabric.lazy import lazy
from fabric.models.answers.schema import Answer, Slips
from fabric.narrowing import is_list, is_mapping

from .claims.identity import subject_key, user_id
from .claims.record import Claimed

if TYPE_CHECKING:
    from fabric import redaction
else:
    redaction = lazy("fabric.redaction")

Durability = Literal["transient", "session", "persistent", "permanent"]
"""How long an observation stays true, shortest first."""

Category = Literal[
    "identity", "event", "preference", "task", "relationship", "profession", "belief", "attribute", "pattern"
]
"""What an observation is about."""

FactCategory = Literal["identity", "relationship", "preference", "belief", "profession", "attribute", "pattern"]
"""The categories stable enough to be facts: every category but ``event`` and ``task``."""

FACT_CATEGORIES: frozenset[str] = frozenset(
    {"identity", "relationship", "preference", "belief", "profession", "attribute", "pattern"}
)
LASTING: frozenset[str] = frozenset({"persistent", "permanent"})

_WORDS: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "slips.json").read_text(encoding="utf-8"))
TEXT_SLIPS = Slips(is_text=True)
"""What marks the sentence of a record that a model answers with."""
SHARE_SLIPS = Slips(other=0.5)
"""What a model's importance or confidence counts as where it gave none."""
CATEGORY_SLIPS = Slips(_WORDS["category"], other="attribute", absent="attribute")
FACT_CATEGORY_SLIPS = Slips(
    {word: "attribute" if means in ("event", "task") else means for word, means in _WORDS["category"].items()},
    other="attribute",
)
DURABILITY_SLIPS = Slips(_WORDS["durability"], other="persistent", absent="persistent")
ACTION_SLIPS = Slips(_WORDS["action"])

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
MAX_OBSERVATION_CHARS = 2_000
"""An observation longer than this is refused as absurd."""

MAX_OBSERVATIONS = 25
"""At most this many observations are taken from one model call."""

Unit = Annotated[float, Field(ge=0.0, le=1.0)]
"""A number between 0 and 1."""

Moment = Annotated[datetime, AfterValidator(utc)]
"""A time in UTC; one given without a zone is taken as UTC."""


def _without_secrets(given: Any) -> Any:
    """Return a name as it was given without secrets in it: in lower case, with hyphens, they would not be known."""
    if not isinstance(given, str) or len(given) < LEAST_SECRET:
        return given

    return redaction.redact(given)


LEAST_SECRET = 12
"""How long a name is at least that may be a secret."""
Subject = Annotated[
    str,
    StringConstraints(strip_whitespace=True, to_lower=True, min_length=1, max_length=120),
    AfterValidator(subject_key),
    BeforeValidator(_without_secrets),
]
"""Who a fact is about: ``user``, a lowercase first name, or a hyphenated organisation."""

AskedSubject = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
"""Whom somebody asks about, as they name them: a user's exact id, or a name in any spelling."""

SPEAKER = frozenset({"", "user", "the user", "i", "me", "myself", "the speaker"})
"""How whoever speaks is named as a subject, in lower case."""


def _named(given: Any) -> Any:
    """Return the one name that a subject was given as; whoever speaks and nobody named is the user."""
    several = list(given.values()) if is_mapping(given) else given if is_list(given) else [given]
    names = [name for name in several if isinstance(name, str) and name.strip()]
    nobody = all(name in (None, False) or (isinstance(name, str) and not name.strip()) for name in several)
    if len(names) > 1 or not (names or nobody):
        raise ValueError("a subject is one name, such as 'anna', or 'user': state one fact of each person")
    name = names[0].strip() if names else ""
    return "user" if name.casefold() in SPEAKER else name


def _spoken(given: Any) -> Any:
    """Return a subject that somebody states, whoever speaks as the user."""
    speaks = isinstance(given, str) and bool(given.strip()) and given.strip().casefold() in SPEAKER
    return "user" if speaks else given


StatedSubject = Annotated[Subject, BeforeValidator(_spoken)]
"""The same as somebody states it: "me" is whoever states it."""
ObservedSubject = Annotated[Subject, BeforeValidator(_named)]
"""The same as an observer names it: nobody named is the user, and so is whoever speaks."""


def about(subject: str, content: str) -> str:
    """Return a memory as a prompt tells it: whose it is stands before what is not the user's.

    >>> about("user", "Likes tea"), about("anna", "Lives in Lisbon"), about("%41nna", "Lives in Oslo")
    ('Likes tea', 'about anna: Lives in Lisbon', 'about Anna: Lives in Oslo')
    """
    return content if subject in ("", "user") else f"about {user_id(subject)}: {content}"


def _one_word(tag: str) -> str:
    words = unicodedata.normalize("NFKC", tag).casefold().split()
    if not words or any(unicodedata.category(char) in ("Cc", "Cs") for word in words for char in word):
        raise ValueError("a tag is a short text without control characters")
    return "-".join(words)


Tag = Annotated[
    str,
    StringConstraints(min_length=1, max_length=120),
    AfterValidator(_one_word),
    BeforeValidator(_without_secrets),
]
"""What a turn is filed under, in lower case; words are joined by hyphens: "Trip to Rome" is ``trip-to-rome``."""


class Observation(Claimed, BaseModel):
    """One thing worth remembering, as the observer returns it.

    ``replaces`` is the id of the working-memory entry that this one supersedes, or ``""``.

    >>> Observation(content="Works at Stripe", importance=0.8, durability="persistent", category="profession").subject
    'user'
    """

    model_config = ConfigDict(frozen=True)

    subject: ObservedSubject = "user"
    content: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_OBSERVATION_CHARS), TEXT_SLIPS
    ]
    importance: Annotated[Unit, SHARE_SLIPS]
    durability: Annotated[Durability, DURABILITY_SLIPS] = "session"
    category: Annotated[Category, CATEGORY_SLIPS] = "identity"
    replaces: str = ""


FactAction = Literal["new", "reinforce", "update", "invalidate"]
"""What consolidation does with a fact."""

FactText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_OBSERVATION_CHARS)]


class FactProposal(Claimed, BaseModel):
    """One change to the facts, as consolidation proposes it from episodes.

    ``target_fact_id`` names the fact that ``reinforce``, ``update`` and ``invalidate`` are about; a ``new`` fact and an
    ``update`` need ``content``.

    >>> FactProposal(content="Likes tea", confidence=0.5, category="preference").action
    'new'
    """

    model_config = ConfigDict(frozen=True)

    subject: ObservedSubject = "user"
    content: Annotated[FactText, TEXT_SLIPS] = ""
    confidence: Annotated[Unit, SHARE_SLIPS]
    category: Annotated[FactCategory, FACT_CATEGORY_SLIPS]
    action: Annotated[FactAction, ACTION_SLIPS] = "new"
    target_fact_id: str = ""
    source_episode_ids: list[str] = []

    @model_validator(mode="after")
    def _has_content(self) -> Self:
        if self.action in ("new", "update") and not self.content:
            raise ValueError(f"a fact with action {self.action!r} needs content; give the fact as one sentence")
        return self


class ConsolidationPlan(Answer):
    """What consolidation proposes: one entry per fact to add, reinforce, update or invalidate, at most 25."""

    model_config = ConfigDict(frozen=True)

    facts: list[FactProposal] = Field(default_factory=list[FactProposal], max_length=MAX_OBSERVATIONS)


class Removal(BaseModel):
    """One fact that pruning proposes to remove, and why."""

    model_config = ConfigDict(frozen=True)

    fact_id: str
    reason: str = ""


class Merge(BaseModel):
    """Two or more facts that pruning proposes to keep as one; the first id survives with ``merged_content``."""

    model_config = ConfigDict(frozen=True)

    source_fact_ids: list[str]
    merged_content: Annotated[FactText, StringConstraints(min_length=1)]
    reason: str = ""


class PrunePlan(Answer):
    """What pruning proposes: facts to remove and facts to merge."""

    model_config = ConfigDict(frozen=True)

    removals: list[Removal] = Field(default_factory=list[Removal])
    merges: list[Merge] = Field(default_factory=list[Merge])


def written_day(at: datetime) -> str:
    """Return a day as a text is found by it, in English whatever the locale.

    >>> written_day(datetime(2022, 1, 21))
    '21 January 2022'
    """
    return f"{at.day} {MONTHS[at.month - 1]} {at.year}"
