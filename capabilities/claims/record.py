"""The claim: what a memory says, as data beside the sentence that people read."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict

from pydantic import BaseModel, BeforeValidator

from .attributes import OTHER, known_attribute

Polarity = Literal["holds", "denied", "ended"]
"""Whether the value holds, is denied ("does not like tea"), or is over ("no longer works at Stripe")."""

Verdict = Literal["same", "refines", "replaces", "ends", "unrelated"]
"""How a new claim relates to a known one; see `compare`."""

USER = "user"
"""The subject of what somebody says of themselves."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What one sentence says.

    ``attribute`` is a name from ``attributes.json`` or ``other``; ``value`` is what stands there, in the words of the
    text. ``of`` is what a role or a detail belongs to: "manager" of "Stripe", the home of "mother". ``former`` is the
    value that this one took the place of, where the sentence says so: "switched from Firefox to Brave".

    >>> Claim("user", "employer", "Stripe", "holds", "Works at Stripe").of
    ''
    """

    subject: str = USER
    attribute: str = OTHER
    value: str = ""
    polarity: Polarity = "holds"
    text: str = ""
    of: str = ""
    former: str = ""
    rest: str = field(default="", compare=False)
    """What the sentence says beyond its value, as the reader left it."""


class ClaimFields(TypedDict):
    """A claim as the fields of a record, to be handed on to another one."""

    attribute: str
    value: str
    polarity: Polarity
    of: str
    former: str


def _polarity(given: Any) -> Any:
    return given if given in ("holds", "denied", "ended") else "holds"


def _words(given: Any) -> Any:
    """Return a text on one line; a number is one, what is neither is none."""
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    return " ".join(str(given).split()) if isinstance(given, str) or is_number else ""


_Text = Annotated[str, BeforeValidator(_words)]


class Claimed(BaseModel):
    """The fields of a claim on a record that has a ``subject`` and a ``content``: optional, and never an error.

    An unknown attribute counts as ``other``, what is no text as none, and an unknown polarity as ``holds``. Records
    without an attribute are read when their claim is asked for (`claim_of`).
    """

    attribute: Annotated[str, BeforeValidator(known_attribute)] = ""
    """What the content is about: a name from ``attributes.json``, ``other``, or "" where nobody has said."""
    value: _Text = ""
    """The value of the attribute, in the words of the content."""
    polarity: Annotated[Polarity, BeforeValidator(_polarity)] = "holds"
    of: _Text = ""
    """What the value belongs to, or ""."""
    former: _Text = ""
    """The value that this one took the place of, or ""."""

    def claim_fields(self) -> ClaimFields:
        """Return these fields, to be handed on to another record."""
        return ClaimFields(
            attribute=self.attribute, value=self.value, polarity=self.polarity, of=self.of, former=self.former
        )
